// A draft under the hands of a person: read, changed by the form of a step, saved whole, as the interface takes it.
import { type Html, html } from "../kernel/html.ts";
import type { Body, Data } from "./ask.ts";
import type { Problem } from "./sentences.ts";
import type { View, Visit } from "./visit.ts";

export type Draft = Data<"/v1/campaign/draft/{id}">;
type Input = Body<"/v1/campaign/draft/save">;

/** The steps of a campaign, in their order, by the last part of their address. */
const STEPS = ["recipients", "message", "when", "check"] as const;
export type Step = (typeof STEPS)[number];

export function stepUrl(draftId: string | undefined, step: Step): string {
  return draftId === undefined ? "/campaigns/new" : `/campaigns/drafts/${draftId}/${step}`;
}

function stepWord(visit: Visit, step: Step): string {
  const words: Record<Step, readonly [string, string]> = {
    recipients: ["Destinataires", "Recipients"],
    message: ["Message", "Message"],
    when: ["Quand", "When"],
    check: ["Vérifier", "Check"],
  };
  return visit.t(...words[step]);
}

/** The way through the steps. All are open as soon as there is a draft. */
function stepsPart(visit: Visit, draftId: string | undefined, at: Step): Html {
  return html`<nav class="steps" aria-label="${visit.t("Étapes", "Steps")}"><ol>${STEPS.map((step) => {
    const word = html`<b>${stepWord(visit, step)}</b>`;
    if (step === at) return html`<li><span aria-current="step">${word}</span></li>`;
    return html`<li>${draftId === undefined ? html`<span>${word}</span>` : html`<a href="${stepUrl(draftId, step)}">${word}</a>`}</li>`;
  })}</ol></nav>`;
}

/** The frame of a step. */
export function stepView(
  visit: Visit,
  draft: Draft | undefined,
  step: Step,
  rest: Omit<View, "title">,
): View {
  return {
    title: draft?.name ?? visit.t("Nouvelle campagne", "New campaign"),
    at: "campaigns",
    back: { href: "/campaigns", text: visit.t("Campagnes", "Campaigns") },
    ...rest,
    body: html`${stepsPart(visit, draft?.id, step)}${rest.body}`,
  };
}

/** The draft of this address, or undefined for a new one. Throws `not-found`. */
export async function readDraft(visit: Visit): Promise<Draft | undefined> {
  const { id } = visit.params;
  if (id === undefined) return undefined;
  const { data } = await visit.ask("/v1/campaign/draft/{id}", { id });
  return data;
}

/** Saves what a step changed. The rest of the draft stays as it is. */
export async function saveDraft(
  visit: Visit,
  draft: Draft | undefined,
  changes: Input,
): Promise<{ id: string } | Problem> {
  const saved = await visit.attempt(
    visit.ask("/v1/campaign/draft/save", { ...contentOf(draft), ...changes }),
  );
  return "data" in saved ? saved.data : saved;
}

/** What a draft says, as the body of a save. Of values that a draft has not, none are given. */
export function contentOf(draft: Draft | undefined): Input {
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
