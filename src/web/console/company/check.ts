// The check before a campaign is sent: its recipients, its price, who is left out and why; and the send button.

import { nowMs } from "../../../platform/clock.ts";
import { isBlank } from "../../../platform/http/blank.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { button, form, linkButton, check as tickBox } from "../parts/forms.ts";
import { table } from "../parts/lists.ts";
import { facts, figure, figures, handset, notice, prose, remark, section } from "../parts/parts.ts";
import { may, mayCompose } from "../parts/roles.ts";
import { Problem } from "../parts/sentences.ts";
import { trialWords } from "../parts/states.ts";
import type { Screens } from "../screens.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";
import { largeAudience } from "./audience.ts";
import {
  campaignOf,
  type Draft,
  ofDraft,
  readDraft,
  rememberSent,
  type Step,
  stepUrl,
  stepView,
} from "./drafts.ts";
import { type Senders, sendersOf, serviceWords } from "./from.ts";
import { isTest } from "./message.ts";
import { doubtfulNumbersNotice, oldNumbersNotice } from "./oldnumbers.ts";
import { pricePart, type Quote, savingPart, unevenWords } from "./prices.ts";
import { type Sample, samplesOf, textFor } from "./samples.ts";
import { nightNotice, TIME_FIELDS, weekWords } from "./when.ts";

const LEFT_OUT_SHOWN = 100;
const CAMPAIGNS_COMPARED = 100;

export function addCheck(screens: Screens): void {
  screens.page("/campaigns/drafts/:id/check", ofDraft(check));
  screens.page("/campaigns/drafts/:id/check/live", countedPart);
  screens.form("/campaigns/drafts/:id/send", ofDraft(sendAndRemember));
  screens.form("/campaigns/drafts/:id/submit", ofDraft(submit));
}

/** The most recipients without a value for one variable without a fallback: they get a gap, or their own number. */
function unfilledOf({ variables }: Quote): number {
  return Math.max(
    0,
    ...variables.filter(({ fallback }) => fallback === undefined).map(({ missing }) => missing),
  );
}

/** Fields of other steps are not on this page. */
const withoutField = ({ sentence }: Problem) => new Problem(sentence);

async function check(visit: Visit): Promise<View | Redirect> {
  if (visit.problem) visit.problem = withoutField(visit.problem);
  const draft = await readDraft(visit);
  if (draft._count.contacts + draft._count.groups === 0) return new Redirect(stepUrl(draft.id, "recipients"));
  if (isBlank(draft.text ?? "")) return new Redirect(stepUrl(draft.id, "message"));
  const people = visit.field("count") === "" ? await largeAudience(visit, draft) : undefined;
  if (people !== undefined) return countingView(visit, draft, people);
  const found = await quote(visit, draft);
  if (found instanceof Problem) visit.problem = withoutField(found);
  return stepView(visit, draft, "check", {
    body: found instanceof Problem ? correctPart(visit, draft, found) : found,
  });
}

async function quote(visit: Visit, draft: Draft): Promise<Html | Problem> {
  const quoted = await visit.attempt(visit.call("/v1/campaign/quote", campaignOf(draft)), TIME_FIELDS);
  return quoted instanceof Problem ? quoted : checkPart(visit, draft, quoted);
}

/** A page that is shown before everyone is counted: its module loads the check when the count is done. */
function countingView(visit: Visit, draft: Draft, people: number): View {
  const url = stepUrl(draft.id, "check");
  return stepView(visit, draft, "check", {
    islands: ["live"],
    body: html`<div class="stack" data-live="${url}/live" aria-live="polite">${remark(visit, "wait", [
      `Calcul du devis pour ${visit.formats.number(people)} destinataires. Cela peut prendre une demi-minute.`,
      `Calculating the quote for ${visit.formats.number(people)} recipients. This may take half a minute.`,
    ])}</div>
<noscript><p>${linkButton(`${url}?count=yes`, visit.t("Calculer le devis", "Calculate quote"))}</p></noscript>`,
  });
}

/** The check of a large draft, once everyone is counted. */
async function countedPart(visit: Visit): Promise<Fragment> {
  const draft = await readDraft(visit);
  const found = await quote(visit, draft);
  if (!(found instanceof Problem)) return new Fragment(found, true);
  return new Fragment(html`${notice("wrong", found.sentence)}${correctPart(visit, draft, found)}`, true);
}

function correctPart(visit: Visit, { id }: Draft, problem: Problem): Html {
  const step = STEPS_TO_MEND[problem.code ?? ""] ?? "message";
  return html`<p>${linkButton(stepUrl(id, step), visit.t("Corriger", "Fix"))}</p>`;
}

/** The step that can fix a refusal that is not about the text or its sender. */
const STEPS_TO_MEND: Partial<Record<string, Step>> = {
  "invalid-schedule": "when",
  "invalid-phone-number": "recipients",
  "too-many-contacts": "recipients",
  "group-not-found": "recipients",
  "no-recipient": "recipients",
};

/** Whether the same text was already sent to as many people today. A test to oneself does not count. */
async function isSentToday(visit: Visit, { text }: Draft, { contactCount }: Quote): Promise<boolean> {
  const from = visit.formats.dateValue(new Date(nowMs()));
  const { data } = await visit.call("/v1/campaign/list", { from, limit: CAMPAIGNS_COMPARED });
  return data.some(
    (campaign) =>
      campaign.text === text &&
      campaign.contactCount === contactCount &&
      campaign.status !== "CANCELED" &&
      !isTest(campaign),
  );
}

async function checkPart(
  visit: Visit,
  draft: Draft,
  { data: quote, warnings = [] }: { data: Quote; warnings?: { field: string; message: string }[] },
): Promise<Html> {
  const [isSame, senders, [sample], saving] = await Promise.all([
    isSentToday(visit, draft, quote),
    sendersOf(visit),
    samplesOf(visit, draft, 1),
    savingPart(visit, draft, quote),
  ]);
  const { formats } = visit;
  return html`${figures([
    figure(visit.t("Destinataires", "Recipients"), formats.number(quote.contactCount)),
    figure("SMS", formats.number(quote.segments)),
    figure(visit.t("Crédits", "Credits"), formats.number(quote.creditUsed)),
    figure(
      visit.t("Solde après envoi", "Balance after sending"),
      formats.number(quote.balanceAfter),
      visit.t(`sur ${formats.number(quote.balance)}`, `of ${formats.number(quote.balance)}`),
    ),
    figure(visit.t("Exclus", "Excluded"), formats.number(quote.blockedCount)),
  ])}
${!quote.sufficient && creditsPart(visit, quote)}
${visit.company.trial && notice("note", trialWords(visit), visit.t("Mode essai", "Trial mode"))}
${quote.awaitsApproval && remark(visit, "note", ["Une deuxième personne de votre entreprise doit approuver cette campagne avant l’envoi.", "A second person in your company must approve this campaign before it is sent."])}
${isSame && remark(visit, "wait", ["Le même texte a déjà été envoyé aujourd’hui au même nombre de destinataires.", "The same text was already sent today to the same number of recipients."])}
${nightNotice(visit, draft)}
${quote.bySegments.length > 1 && notice("note", unevenWords(visit, quote))}
${saving}
${warnings.filter(({ field }) => field === "text").map(({ message }) => notice("wait", html`<p>${prose(message)}</p>`))}
${replacedPart(visit, quote)}
${oldNumbersNotice(visit, draft)}
${doubtfulNumbersNotice(visit, draft)}
<div class="columns">
${messagePart(visit, draft, quote, { senders, sample })}
<div class="stack">${pricePart(visit, quote)}
${quote.blockedCount > 0 && leftOutPart(visit, quote)}</div>
</div>
${sendPart(visit, draft, quote)}`;
}

function creditsPart(visit: Visit, { creditUsed, balance }: Quote): Html {
  const missing = creditUsed - balance;
  const credits = visit.credits(missing);
  return notice("wrong", [
    html`<p>${visit.t(`Il manque ${credits}.`, `Missing: ${credits}.`)}</p>`,
    linkButton("/credits", visit.t("Recharger", "Top up")),
  ]);
}

function messagePart(
  visit: Visit,
  draft: Draft,
  quote: Quote,
  { senders, sample }: { senders: Senders; sample: Sample | undefined },
): Html {
  const text = draft.text ?? "";
  const own = new Set(quote.variables.map(({ name }) => name));
  const shown = textFor(sample, text, own);
  const from = draft.senderId ?? senders.standard;
  return section(visit.t("Message", "Message"), [
    handset(from, [shown]),
    sample !== undefined &&
      shown !== text &&
      html`<p>${visit.t(`Aperçu pour le ${sample.shown}.`, `Preview for ${sample.shown}.`)}</p>`,
    facts([
      [visit.t("Expéditeur", "Sender"), from === senders.service ? serviceWords(visit, senders) : from],
      [visit.t("Date d’envoi", "Send time"), departure(visit, draft, quote)],
    ]),
  ]);
}

function departure(visit: Visit, draft: Draft, { awaitsApproval }: Quote): string {
  const { type, scheduledDate, recurring } = draft;
  if (type === "SCHEDULED" && scheduledDate !== null) return visit.formats.moment(scheduledDate);
  if (type !== "RECURRING")
    return awaitsApproval ? visit.t("dès l’approbation", "once approved") : visit.t("maintenant", "now");
  const times = weekWords(visit, recurring ?? {});
  return visit.t(`chaque semaine : ${times}`, `every week: ${times}`);
}

/** The messages that go out under another name, since the sender is not registered at their operators. */
function replacedPart(visit: Visit, { replacedSenders = [] }: Quote): Html | false {
  if (replacedSenders.length === 0) return false;
  return notice(
    "wait",
    html`<ul>${replacedSenders.map(({ sender, prefix, messages }) => {
      const count = visit.count(messages, ["message", "messages"], ["message", "messages"]);
      return html`<li>${visit.t(`${count} vers le ${prefix}, sous le nom ${sender}`, `${count} to ${prefix}, under the name ${sender}`)}</li>`;
    })}</ul>`,
    visit.t(
      "Votre expéditeur n’est pas enregistré chez tous les opérateurs",
      "Your sender is not registered at every operator",
    ),
  );
}

function leftOutPart(visit: Visit, { blockedContacts, blockedCount }: Quote): Html {
  const title = visit.t("Destinataires exclus", "Excluded recipients");
  const shown = blockedContacts.slice(0, LEFT_OUT_SHOWN);
  return section(title, [
    table(
      title,
      [
        [visit.t("Numéro", "Number"), ({ phone }) => phone],
        [visit.t("Nom", "Name"), ({ name }) => name ?? ""],
        [visit.t("Raison", "Reason"), ({ reason }) => reason],
      ],
      shown,
    ),
    shown.length < blockedCount &&
      html`<p><small>${visit.t(`Les ${shown.length} premiers sur ${visit.formats.number(blockedCount)}.`, `The first ${shown.length} of ${visit.formats.number(blockedCount)}.`)}</small></p>`,
  ]);
}

function sendWords(visit: Visit, { segments, awaitsApproval }: Quote): Record<Draft["type"], string> {
  const count = visit.formats.number(segments);
  const submit = visit.t(`Soumettre ${count} SMS à l’approbation`, `Submit ${count} SMS for approval`);
  if (awaitsApproval) return { SMS: submit, SCHEDULED: submit, RECURRING: submit };
  return {
    SMS: visit.t(`Envoyer ${count} SMS`, `Send ${count} SMS`),
    SCHEDULED: visit.t(`Programmer ${count} SMS`, `Schedule ${count} SMS`),
    RECURRING: visit.t(`Programmer ${count} SMS par occurrence`, `Schedule ${count} SMS per occurrence`),
  };
}

function sendPart(visit: Visit, draft: Draft, quote: Quote): Html {
  if (!may(visit, "send")) return submitPart(visit, draft);
  const words = sendWords(visit, quote);
  // A scheduled campaign is paid when it is sent: credits can be bought until then.
  if (draft.type === "SMS" && !quote.sufficient) return html``;
  const unfilled = unfilledOf(quote);
  return form(
    visit,
    {
      action: `/campaigns/drafts/${draft.id}/send`,
      members: {
        revision: String(draft.revision),
        ...(draft.type === "SMS" && { credits: String(quote.creditUsed) }),
        ...(unfilled > 0 && { unfilled: String(unfilled) }),
      },
    },
    [unfilled > 0 && unfilledPart(visit, draft, unfilled), button(words[draft.type])],
  );
}

function unfilledPart(visit: Visit, { id }: Draft, count: number): Html {
  const people = visit.count(count, ["destinataire", "destinataires"], ["recipient", "recipients"]);
  const label = visit.t(
    `Envoyer quand même à ${people} sans cette valeur`,
    `Send anyway to ${people} without this value`,
  );
  return html`${tickBox("asIs", label, { value: "" })}
<p>${linkButton(stepUrl(id, "message"), visit.t("Ajouter un texte de remplacement", "Add a fallback text"), "second")}</p>`;
}

/** An editor submits the draft to those who may send it; a reader sees whether it has been submitted. */
function submitPart(visit: Visit, { id, submittedAt, updatedAt }: Draft): Html {
  const isChanged = submittedAt !== null && updatedAt > submittedAt;
  if (submittedAt !== null && (!isChanged || !mayCompose(visit)))
    return remark(visit, "wait", [
      `Campagne soumise le ${visit.formats.moment(submittedAt)}. Un propriétaire ou un responsable des envois peut l’envoyer.`,
      `Campaign submitted on ${visit.formats.moment(submittedAt)}. An owner or an approver can send it.`,
    ]);
  if (!mayCompose(visit)) return html``;
  const label = isChanged
    ? visit.t("Soumettre à nouveau", "Submit again")
    : visit.t("Soumettre pour envoi", "Submit for sending");
  return html`${isChanged && html`<p>${visit.t("Le brouillon a été modifié depuis sa soumission.", "The draft has been changed since it was submitted.")}</p>`}
<p>${visit.t(
    "Un propriétaire ou un responsable des envois doit envoyer la campagne. Il sera prévenu par SMS ou par e-mail.",
    "An owner or an approver must send the campaign. They will be notified by SMS or email.",
  )}</p>
${form(visit, `/campaigns/drafts/${id}/submit`, button(label))}`;
}

async function submit(visit: Visit): Promise<View | Redirect> {
  const id = visit.id;
  return visit.submit(visit.call("/v1/campaign/draft/{id}/submit", { id }), check, stepUrl(id, "check"));
}

/** Sends the draft, and remembers the campaign, so that going back leads to it. */
async function sendAndRemember(visit: Visit): Promise<View | Redirect> {
  const sent = await send(visit);
  const [, campaignId] = (sent instanceof Redirect && /^\/campaigns\/(\w{24})$/.exec(sent.to)) || [];
  if (campaignId !== undefined) rememberSent(visit, visit.id, campaignId);
  return sent;
}

/**
 * Sends what was checked: exactly this revision, at no higher price, and once, however often the button is pressed. The
 * revision does not cover the members of groups, whom others may add meanwhile; the price does.
 */
async function send(visit: Visit): Promise<View | Redirect> {
  const draft = await readDraft(visit);
  const { id, revision } = draft;
  if (visit.field("revision") !== String(revision))
    return check(
      visit.wrong(
        visit.t(
          "Le brouillon a été modifié. Vérifiez-le de nouveau.",
          "The draft was changed. Check it again.",
        ),
      ),
    );
  if (visit.has("unfilled") && visit.field("asIs") !== "yes")
    return check(
      visit.wrong(
        visit.t(
          "Aucun SMS n’a été envoyé : le message est incomplet pour certains destinataires. Ajoutez un texte de remplacement ou cochez « Envoyer quand même ».",
          "No SMS was sent: the message is incomplete for some recipients. Add a fallback text or select “Send anyway”.",
        ),
      ),
    );
  const sent = await visit.attempt(
    visit.call("/v1/campaign/create", {
      ...campaignOf(draft),
      draftId: id,
      ...(draft.type === "SMS" && { creditAtMost: Number(visit.field("credits")) }),
      idempotencyKey: `draft-${id}-${revision}`,
    }),
  );
  if (!(sent instanceof Problem)) return new Redirect(`/campaigns/${sent.data.id}`);
  return check(visit.with(sent.field === "creditAtMost" ? dearer(visit) : sent));
}

/** The price has risen since it was shown. The page shows the current price. */
function dearer(visit: Visit): Problem {
  const seen = visit.credits(Number(visit.field("credits")) || 0);
  return new Problem(
    visit.t(
      `Aucun SMS n’a été envoyé : les destinataires ont changé depuis votre vérification (${seen} alors). Vérifiez le nouveau devis.`,
      `No SMS was sent: the recipients have changed since you checked (${seen} then). Check the new quote.`,
    ),
  );
}
