// A draft that a person edits: read, changed by the form of a step, and saved as a whole, as the API requires.
import { isDeepStrictEqual } from "node:util";
import { type Html, html } from "../../../platform/http/html.ts";
import { type Body, type Data, Refused } from "../apiclient.ts";
import { linkButton } from "../parts/forms.ts";
import { actions } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import { Redirect, type View, type Visit } from "../visit.ts";

export type Draft = Data<"/v1/campaign/draft/{id}">;
type Input = Body<"/v1/campaign/draft/save">;

/** The steps of a campaign, in order, by the last part of their URL. */
const STEPS = ["recipients", "message", "when", "check"] as const;
export type Step = (typeof STEPS)[number];

export function stepUrl(draftId: string | undefined, step: Step): string {
  return draftId === undefined ? "/campaigns/new" : `/campaigns/drafts/${draftId}/${step}`;
}

function stepWord(visit: Visit, step: Step): string {
  const words: Record<Step, readonly [string, string]> = {
    recipients: ["Destinataires", "Recipients"],
    message: ["Message", "Message"],
    when: ["Date", "Schedule"],
    check: ["Vérification", "Review"],
  };
  return visit.t(...words[step]);
}

/** The links to the steps. All are available as soon as there is a draft. */
function stepsPart(visit: Visit, draftId: string | undefined, at: Step): Html {
  return html`<nav class="steps" aria-label="${visit.t("Étapes", "Steps")}"><ol>${STEPS.map((step) => {
    const word = html`<b>${stepWord(visit, step)}</b>`;
    if (step === at) return html`<li><span aria-current="step">${word}</span></li>`;
    return html`<li>${draftId === undefined ? html`<span>${word}</span>` : html`<a href="${stepUrl(draftId, step)}">${word}</a>`}</li>`;
  })}</ol></nav>`;
}

/** Renders the frame of a step. */
export function stepView(
  visit: Visit,
  draft: Draft | undefined,
  step: Step,
  rest: Omit<View, "title">,
): View {
  return {
    title: draft?.name ?? visit.t("Nouvelle campagne", "New campaign"),
    back: { href: "/campaigns", text: visit.t("Campagnes", "Campaigns") },
    ...rest,
    islands: [...(rest.islands ?? []), "fresh"],
    body: html`${stepsPart(visit, draft?.id, step)}${rest.body}`,
  };
}

/** Wraps a page or a form of a draft: if the draft was sent from this browser, it redirects to the campaign. */
export function ofDraft(handler: (visit: Visit) => Promise<View | Redirect>) {
  return async (visit: Visit): Promise<View | Redirect> => {
    try {
      return await handler(visit);
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "not-found") throw error;
      const campaignId = visit.session.sent?.find(({ draftId }) => draftId === visit.id)?.campaignId;
      return campaignId === undefined ? goneView(visit) : new Redirect(`/campaigns/${campaignId}?done=sent`);
    }
  };
}

function goneView(visit: Visit): View {
  return {
    title: visit.t("Brouillon introuvable", "Draft not found"),
    status: 404,
    body: html`<p class="lead">${visit.t(
      "Ce brouillon a été envoyé ou supprimé. S’il a été envoyé, il figure parmi vos campagnes.",
      "This draft was sent or deleted. If it was sent, you will find it among your campaigns.",
    )}</p>
${actions([
  linkButton("/campaigns", visit.t("Campagnes", "Campaigns")),
  html`<a href="/campaigns/drafts">${visit.t("Brouillons", "Drafts")}</a>`,
])}`,
  };
}

/** The number of sent drafts whose campaigns a session remembers. */
const SENT_REMEMBERED = 5;

/** Remembers the campaign of a sent draft, for going back to the draft's pages. */
export function rememberSent(visit: Visit, draftId: string, campaignId: string): void {
  const others = (visit.session.sent ?? []).filter((one) => one.draftId !== draftId);
  visit.saveSession({ sent: [{ draftId, campaignId }, ...others].slice(0, SENT_REMEMBERED) });
}

/** Returns the draft in the page's URL. Throws `not-found`. */
export async function readDraft(visit: Visit): Promise<Draft> {
  return (await visit.call("/v1/campaign/draft/{id}")).data;
}

/** Returns the draft in the page's URL; undefined on the page of a new one. Throws `not-found`. */
export async function findDraft(visit: Visit): Promise<Draft | undefined> {
  return visit.params.id === undefined ? undefined : readDraft(visit);
}

/** Returns a draft as input for `campaign/quote` and `campaign/create`. */
export function campaignOf(draft: Draft) {
  const { id: _, revision: __, ...campaign } = contentOf(draft);
  return campaign;
}

/** Undefined members are removed. */
type Changes = { [Name in keyof Input]?: Input[Name] | undefined };

/**
 * Returns the hidden field of a step's form: the revision that its reader has seen. A form that is shown again unsaved
 * keeps it, unless its page reports that the draft has changed.
 */
export function revisionOf(visit: Visit, draft: Draft | undefined) {
  const isHeld = visit.has("revision") && visit.problem?.code !== "conflict";
  return { revision: isHeld ? visit.field("revision") : draft && String(draft.revision) };
}

/**
 * Saves what a step changed; the rest of the draft stays as it is. A draft that somebody else has saved since the form
 * was shown is not overwritten. If it already has the same content, as after a lost response, the save counts as done.
 */
export async function saveDraft(
  visit: Visit,
  draft: Draft | undefined,
  changes: Changes,
): Promise<{ id: string } | Problem> {
  const before = contentOf(draft);
  // Removes undefined members.
  const wanted: Input = JSON.parse(JSON.stringify({ ...before, ...changes }));
  if (draft && isDeepStrictEqual(wanted, before)) return draft;
  const revision = visit.has("revision") ? { revision: Number(visit.field("revision")) } : {};
  const saved = await visit.attempt(visit.call("/v1/campaign/draft/save", { ...wanted, ...revision }));
  if ("data" in saved) return saved.data;
  return saved.field === "revision" && saved.code === "conflict" ? changedSince(visit) : saved;
}

function changedSince(visit: Visit): Problem {
  return new Problem(
    visit.t(
      "Le brouillon a été modifié entre-temps, dans un autre onglet ou par une autre personne. Votre saisie est toujours ici : continuez pour l’enregistrer à la place.",
      "The draft was changed in the meantime, in another tab or by another person. Your input is still here: continue to save it instead.",
    ),
    undefined,
    { code: "conflict" },
  );
}

/** The content of a draft, as the body of a save, without values that the draft does not have. */
function contentOf(draft: Draft | undefined): Input {
  if (!draft) return {};
  const { id, revision, name, text, senderId, type, scheduledDate, recurring, contacts, groupsIds } = draft;
  return {
    ...{ id, revision, type, contacts, groupsIds },
    ...(name !== null && { name }),
    ...(text !== null && { text }),
    ...(senderId !== null && { senderId }),
    ...(scheduledDate !== null && { scheduledDate }),
    ...(recurring !== null && { recurring }),
  };
}
