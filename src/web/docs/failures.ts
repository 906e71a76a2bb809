// The page of the reference on failures: what each `error` of a message means, and whether its credits are refunded.
import { failureTables } from "../../delivery/operators/failures.ts";
import { troubleSentences } from "../../delivery/operators/troubles.ts";
import { type Html, html } from "../../platform/http/html.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import type { Locale } from "./locale.ts";

type Table = (typeof failureTables)[number];
type Failure = Table["failures"][string];

/** Who can fix a failure, in few words. */
export const FAULTS: Readonly<Record<Failure["fault"], Sentence>> = {
  recipient: { fr: "le destinataire", en: "the recipient" },
  sender: { fr: "l’expéditeur", en: "the sender" },
  operator: { fr: "l’opérateur", en: "the operator" },
  service: { fr: "le service", en: "the service" },
};
/** Whether sending again helps. */
export const RETRYING = { helps: { fr: "oui", en: "yes" }, fails: { fr: "non", en: "no" } } as const;

/** The page of all failures. */
export function failuresPart(locale: Locale): Html {
  return html`<h1>${locale.t("Échecs d’un message", "Failures of a message")}</h1>
<p class="lead">${locale.t(
    "Le code est dans error, la phrase dans errorReason. Un message annulé (CANCELED) n’a ni l’un ni l’autre ; ses crédits sont remboursés.",
    "The code is in error, the sentence in errorReason. A canceled message (CANCELED) has neither; its credits are refunded.",
  )}</p>
${failureTables.map((table) => tablePart(locale, table))}
${troublesPart(locale)}`;
}

/** What refuses all messages of an operator over HTTP, and none of them for its own sake. */
function troublesPart(locale: Locale): Html {
  return html`<h2 id="troubles">${locale.t("L’opérateur refuse notre compte", "The operator refuses our account")}</h2>
<p>${locale.t(
    "Ces codes sont dans error d’un opérateur HTTP (admin/operator/list), et non d’un message : ses messages passent à l’opérateur suivant, ou attendent. Un nouvel essai a lieu toutes les minutes.",
    "These codes are in error of an operator over HTTP (admin/operator/list) and not of a message: its messages go to the next operator, or wait. It is tried again every minute.",
  )}</p>
<table class="codes">
<thead><tr><th scope="col"><code>error</code></th><th scope="col">${locale.t("Que faire", "What to do")}</th></tr></thead>
<tbody>${Object.entries(troubleSentences).map(
    ([code, said]) => html`<tr><th scope="row"><code>${code}</code></th><td>${locale.say(said)}</td></tr>`,
  )}</tbody>
</table>`;
}

function tablePart(locale: Locale, { id, title, refund, failures }: Table): Html {
  const again = locale.t("Renvoi utile", "Resending helps");
  const whose = locale.t("Qui peut agir", "Who can fix it");
  return html`<h2 id="${id}">${locale.say(title)}</h2>
<p>${locale.say(refund)}</p>
<table class="codes">
<thead><tr><th scope="col"><code>error</code></th><th scope="col">${locale.t("Ce qui s’est passé", "What happened")}</th><th scope="col">${whose}</th><th scope="col">${again}</th></tr></thead>
<tbody>${Object.entries(failures).map(
    ([code, { fault, retryable, ...said }]) =>
      html`<tr><th scope="row"><code>${code}</code></th><td>${locale.say(said)}</td><td data-name="${whose}">${locale.say(FAULTS[fault])}</td><td data-name="${again}">${locale.say(RETRYING[retryable ? "helps" : "fails"])}</td></tr>`,
  )}</tbody>
</table>
`;
}
