// The part of the reference on failures: what each `error` of a message means, and whether its credits are back.
import { type Html, html } from "../kernel/html.ts";
import type { Sentence } from "../kernel/refusals.ts";
import { failureTables } from "../operators/operators.ts";

type Table = (typeof failureTables)[number];
type Failure = Table["failures"][string];

/** Who can mend a failure, in few words. */
const FAULTS: Readonly<Record<Failure["fault"], Sentence>> = {
  recipient: { fr: "le destinataire", en: "the recipient" },
  sender: { fr: "l’expéditeur", en: "the sender" },
  operator: { fr: "l’opérateur", en: "the operator" },
  service: { fr: "le service", en: "the service" },
};
const RETRYABLE: Sentence = { fr: "oui", en: "yes" };
const NOT_RETRYABLE: Sentence = { fr: "non", en: "no" };

/** The section of the page. */
export function failuresPart(): Html {
  return html`<section id="failures">
<h2>Échecs d’un message <i lang="en">Failures of a message</i></h2>
<p>Le code est dans <code>error</code>, la phrase dans <code>errorReason</code>. Un message annulé (<code>CANCELED</code>) n’a ni l’un ni l’autre ; ses crédits sont rendus.
<br><i lang="en">The code is in error, the sentence in errorReason. A canceled message has neither; its credits are back.</i></p>
${failureTables.map(tablePart)}</section>`;
}

function tablePart({ id, title, refund, failures }: Table): Html {
  return html`<table class="codes" id="${id}">
<caption>${title.fr} <i lang="en">${title.en}</i><br><small>${refund.fr} <i lang="en">${refund.en}</i></small></caption>
<thead><tr><th scope="col">error</th><th scope="col">Français</th><th scope="col" lang="en">English</th><th scope="col">À qui d’agir <i lang="en">Who can mend it</i></th><th scope="col">Renvoyer aide <i lang="en">Sending again helps</i></th></tr></thead>
<tbody>${Object.entries(failures).map(rowPart)}</tbody>
</table>
`;
}

function rowPart([code, { fr, en, fault, retryable }]: [string, Failure]): Html {
  const again = retryable ? RETRYABLE : NOT_RETRYABLE;
  return html`<tr><th scope="row"><code>${code}</code></th><td>${fr}</td><td lang="en">${en}</td><td>${inBoth(FAULTS[fault])}</td><td>${inBoth(again)}</td></tr>`;
}

function inBoth({ fr, en }: Sentence): Html {
  return html`${fr} <i lang="en">${en}</i>`;
}
