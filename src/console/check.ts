// The check before a campaign goes: who gets it, what it costs, who is left out and why; and the button that sends it.
import { nowMs } from "../kernel/clock.ts";
import { type Html, html } from "../kernel/html.ts";
import type { Data } from "./ask.ts";
import { largeAudience } from "./audience.ts";
import { contentOf, type Draft, readDraft, stepUrl, stepView } from "./drafts.ts";
import { button, form, linkButton } from "./forms.ts";
import { oldNumbersNotice } from "./oldnumbers.ts";
import { facts, figure, figures, handset, notice, prose, section, table } from "./parts.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { trialWords } from "./states.ts";
import { Fragment, Redirect, type View, type Visit } from "./visit.ts";

const LEFT_OUT_SHOWN = 100;
const CAMPAIGNS_COMPARED = 100;
/** People are not to be woken: outside of these hours the check warns. */
const DAY_BEGINS = 8;
const DAY_ENDS = 20;

export function addCheck(screens: Screens): void {
  screens.page("/campaigns/drafts/:id/check", (visit) => check(visit));
  screens.page("/campaigns/drafts/:id/check/live", countedPart);
  screens.form("/campaigns/drafts/:id/send", send);
}

type Quote = Data<"/v1/campaign/quote">;

async function check(visit: Visit, problem?: Problem): Promise<View | Redirect> {
  const draft = (await readDraft(visit))!;
  if (draft._count.contacts + draft._count.groups === 0) return new Redirect(stepUrl(draft.id, "recipients"));
  if (!draft.text) return new Redirect(stepUrl(draft.id, "message"));
  const people = visit.field("count") === "" ? await largeAudience(visit, draft) : undefined;
  if (people !== undefined) return countingView(visit, draft, people, problem);
  const found = await quote(visit, draft);
  const wrong = found instanceof Problem ? found : problem;
  return stepView(visit, draft, "check", {
    // Fields of other steps are not on this page.
    problem: wrong && new Problem(wrong.sentence),
    body: found instanceof Problem ? correctPart(visit, draft) : found,
  });
}

/** The check itself, or why there is none. */
async function quote(visit: Visit, draft: Draft): Promise<Html | Problem> {
  const [quoted, isSame] = await Promise.all([
    visit.attempt(visit.ask("/v1/campaign/quote", campaignOf(draft)), FIELDS),
    isSentToday(visit, draft),
  ]);
  return quoted instanceof Problem ? quoted : checkPart(visit, draft, quoted, isSame);
}

/** A page that does not wait until everybody is counted: its module brings the check when that is done. */
function countingView(visit: Visit, draft: Draft, people: number, problem?: Problem): View {
  const url = stepUrl(draft.id, "check");
  return stepView(visit, draft, "check", {
    problem: problem && new Problem(problem.sentence),
    islands: ["live"],
    body: html`<div class="stack" data-live="${url}/live" aria-live="polite">${notice(
      "wait",
      visit.t(
        `On compte ${visit.formats.number(people)} destinataires : qui reçoit, et combien de crédits. Cela peut prendre une demi-minute.`,
        `${visit.formats.number(people)} recipients are being counted: who gets it, and how many credits. This may take half a minute.`,
      ),
    )}</div>
<noscript><p>${linkButton(`${url}?count=yes`, visit.t("Compter, et attendre", "Count, and wait"))}</p></noscript>`,
  });
}

/** The check of a large draft, as soon as everybody is counted. */
async function countedPart(visit: Visit): Promise<Fragment> {
  const draft = (await readDraft(visit))!;
  const found = await quote(visit, draft);
  if (!(found instanceof Problem)) return new Fragment(found, true);
  return new Fragment(html`${notice("wrong", found.sentence)}${correctPart(visit, draft)}`, true);
}

function correctPart(visit: Visit, { id }: Draft): Html {
  return html`<p>${linkButton(stepUrl(id, "message"), visit.t("Corriger", "Correct it"))}</p>`;
}

const FIELDS = { scheduledDate: "day", recurring: "monday" };

/** A draft as `campaign/quote` and `campaign/create` take it. */
function campaignOf(draft: Draft) {
  const { id: _, revision: __, ...campaign } = contentOf(draft);
  return campaign;
}

/** Whether the same text was sent today already. */
async function isSentToday(visit: Visit, { text }: Draft): Promise<boolean> {
  const from = visit.formats.dateValue(new Date(nowMs()));
  const { data } = await visit.ask("/v1/campaign/list", { from, limit: CAMPAIGNS_COMPARED });
  return data.some((campaign) => campaign.text === text && campaign.status !== "CANCELED");
}

function checkPart(
  visit: Visit,
  draft: Draft,
  answer: { data: Quote; warnings?: { field: string; message: string }[] },
  isSame: boolean,
): Html {
  const { data: quote, warnings = [] } = answer;
  const { formats } = visit;
  return html`${figures([
    figure(visit.t("Destinataires", "Recipients"), formats.number(quote.contactCount)),
    figure("SMS", formats.number(quote.segments)),
    figure(visit.t("Crédits", "Credits"), formats.number(quote.creditUsed)),
    figure(
      visit.t("Solde après", "Balance after"),
      formats.number(quote.balanceAfter),
      visit.t(`sur ${formats.number(quote.balance)}`, `of ${formats.number(quote.balance)}`),
    ),
    figure(visit.t("Écartés", "Left out"), formats.number(quote.blockedCount)),
  ])}
${!quote.sufficient && creditsPart(visit, quote)}
${visit.company.trial && notice("note", trialWords(visit), visit.t("À l’essai", "On trial"))}
${isSame && notice("wait", visit.t("Le même texte a déjà été envoyé aujourd’hui.", "The same text was sent today already."))}
${isAtNight(visit, draft) && notice("wait", visit.t("L’heure choisie est en dehors de 8 h à 20 h : ce message pourrait réveiller quelqu’un.", "The time chosen is outside of 8:00 to 20:00: this message may wake somebody."))}
${warnings.filter(({ field }) => field === "text").map(({ message }) => notice("wait", html`<p>${prose(message)}</p>`))}
${oldNumbersNotice(visit, draft)}
<div class="columns">
${section(visit.t("Le message", "The message"), [
  handset(draft.senderId ?? visit.desk.app.config.defaultSender, [draft.text ?? ""]),
  facts([
    [visit.t("Expéditeur", "Sender"), draft.senderId ?? visit.t("celui du service", "that of the service")],
    [visit.t("Départ", "Departure"), departure(visit, draft)],
  ]),
])}
${quote.blockedCount > 0 ? leftOutPart(visit, quote) : html``}
</div>
${sendPart(visit, draft, quote)}`;
}

function creditsPart(visit: Visit, { creditUsed, balance }: Quote): Html {
  const missing = visit.formats.count(
    creditUsed - balance,
    visit.t("crédit", "credit"),
    visit.t("crédits", "credits"),
  );
  return notice("wrong", [
    html`<p>${visit.t(`Il manque ${missing}.`, `${missing} are missing.`)}</p>`,
    linkButton("/credits", visit.t("Recharger", "Top up")),
  ]);
}

function departure(visit: Visit, { type, scheduledDate }: Draft): string {
  if (type === "SCHEDULED" && scheduledDate !== null) return visit.formats.moment(scheduledDate);
  if (type === "RECURRING") return visit.t("chaque semaine", "every week");
  return visit.t("maintenant", "now");
}

function isAtNight(visit: Visit, { type, scheduledDate }: Draft): boolean {
  if (type === "RECURRING") return false;
  const at = type === "SCHEDULED" && scheduledDate !== null ? scheduledDate : new Date(nowMs());
  const hour = Number(visit.formats.timeValue(at).slice(0, 2));
  return hour < DAY_BEGINS || hour >= DAY_ENDS;
}

function leftOutPart(visit: Visit, { blockedContacts, blockedCount }: Quote): Html {
  const title = visit.t("Écartés, et pourquoi", "Left out, and why");
  const shown = blockedContacts.slice(0, LEFT_OUT_SHOWN);
  return section(title, [
    table(
      title,
      [
        { head: visit.t("Numéro", "Number"), cell: ({ phone }) => phone },
        { head: visit.t("Nom", "Name"), cell: ({ name }) => name ?? "" },
        { head: visit.t("Raison", "Reason"), cell: ({ reason }) => reason },
      ],
      shown,
    ),
    shown.length < blockedCount &&
      html`<p><small>${visit.t(`Les ${shown.length} premiers de ${visit.formats.number(blockedCount)}.`, `The first ${shown.length} of ${visit.formats.number(blockedCount)}.`)}</small></p>`,
  ]);
}

function sendPart(visit: Visit, draft: Draft, quote: Quote): Html {
  const count = visit.formats.number(quote.segments);
  const words = {
    SMS: visit.t(`Envoyer ${count} SMS`, `Send ${count} SMS`),
    SCHEDULED: visit.t(`Programmer ${count} SMS`, `Schedule ${count} SMS`),
    RECURRING: visit.t(`Programmer ${count} SMS chaque fois`, `Schedule ${count} SMS each time`),
  };
  // What is programmed is paid when it goes: the balance may come later.
  if (draft.type === "SMS" && !quote.sufficient) return html``;
  return form(visit, `/campaigns/drafts/${draft.id}/send`, button(words[draft.type]), {
    members: {
      revision: String(draft.revision),
      ...(draft.type === "SMS" && { credits: String(quote.creditUsed) }),
    },
  });
}

/**
 * Sends what was checked: exactly this revision, at no higher price, and once, however often the button is pressed. The
 * revision says nothing of the members of groups, whom others may add meanwhile; the price does.
 */
async function send(visit: Visit): Promise<View | Redirect> {
  const draft = await readDraft(visit);
  const { id, revision } = draft!;
  if (visit.field("revision") !== String(revision))
    return check(
      visit,
      new Problem(
        visit.t("Le brouillon a changé : vérifiez de nouveau.", "The draft has changed: check again."),
      ),
    );
  const sent = await visit.attempt(
    visit.ask("/v1/campaign/create", {
      ...campaignOf(draft!),
      draftId: id,
      ...(draft!.type === "SMS" && { creditAtMost: Number(visit.field("credits")) }),
      idempotencyKey: `draft-${id}-${revision}`,
    }),
  );
  if (!(sent instanceof Problem)) return new Redirect(`/campaigns/${sent.data.id}`);
  return check(visit, sent.field === "creditAtMost" ? dearer(visit) : sent);
}

/** The price has risen since it was shown. The page tells the price of now. */
function dearer(visit: Visit): Problem {
  const seen = visit.formats.count(
    Number(visit.field("credits")) || 0,
    visit.t("crédit", "credit"),
    visit.t("crédits", "credits"),
  );
  return new Problem(
    visit.t(
      `Rien n’est parti : les destinataires ont changé depuis que vous avez vérifié (${seen} alors). Voici ce qu’il en est maintenant : vérifiez de nouveau.`,
      `Nothing was sent: the recipients have changed since you checked (${seen} then). This is how it is now: check again.`,
    ),
  );
}
