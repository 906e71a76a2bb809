// A new campaign: who gets it; and the drafts that wait. The other steps are message.ts, when.ts and check.ts.
import { type Html, html } from "../kernel/html.ts";
import { Refused } from "./ask.ts";
import { confirmView } from "./confirm.ts";
import { ofDraft, readDraft, revisionOf, saveDraft, stepUrl, stepView } from "./drafts.ts";
import { button, choices, form, linkButton, textArea } from "./forms.ts";
import { groupChoice, isGroupSearch } from "./groupchoice.ts";
import { convertOld, hasUnseenOld, isConversion, oldNumbersPart } from "./oldnumbers.ts";
import { actions, badge, empty, section, table } from "./parts.ts";
import { mayCompose } from "./roles.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

/** More contacts than this are not shown as lines: a phone on a slow network would load them each time. */
const LINES_SHOWN = 300;
const LINES_NAMED = 10;
const NAME_CHARACTERS = 60;
const NUMBERS_BYTES = 1_024 * 1_024;

export function addCompose(screens: Screens): void {
  screens.page("/campaigns/new", (visit) => recipients(visit));
  screens.form("/campaigns/new", takeRecipients, { bodyBytes: NUMBERS_BYTES });
  screens.page("/campaigns/drafts", list);
  screens.page("/campaigns/drafts/:id", (visit) => new Redirect(stepUrl(visit.params.id, "message")));
  screens.page("/campaigns/drafts/:id/delete", ofDraft(confirmDelete));
  screens.form("/campaigns/drafts/:id/delete", remove);
  screens.page("/campaigns/drafts/:id/recipients", ofDraft(recipients));
  screens.form("/campaigns/drafts/:id/recipients", ofDraft(takeRecipients), { bodyBytes: NUMBERS_BYTES });
}

async function recipients(visit: Visit, problem?: Problem): Promise<View> {
  const draft = await readDraft(visit);
  const isBack = problem !== undefined || isGroupSearch(visit);
  const chosen = isBack ? visit.list("groups") : (draft?.groupsIds ?? visit.list("group"));
  const label = visit.t("Groupes", "Groups");
  const groups = await groupChoice(visit, { name: "groups", label, chosen, isMany: true, problem });
  const contacts = draft?.contacts ?? [];
  const isTyped = isBack && visit.has("numbers");
  const lines = contacts.map(({ phone, name }) => (name ? `${phone} ; ${name}` : phone)).join("\n");
  const action = stepUrl(draft?.id, "recipients");
  const wrong = problem ?? (visit.field("check") === "" ? undefined : await wrongLines(visit, contacts));
  return stepView(visit, draft, "recipients", {
    narrow: true,
    problem: wrong,
    islands: ["groups"],
    body: form(
      visit,
      action,
      [
        groups,
        contacts.length > LINES_SHOWN && !isTyped
          ? longPart(visit, contacts.length)
          : numbersPart(visit, isTyped ? visit.field("numbers") : lines, wrong),
        oldNumbersPart(visit, contacts),
        actions([
          button(visit.t("Continuer", "Continue")),
          html`<a href="/contacts/import">${visit.t("Importer un fichier", "Import a file")}</a>`,
        ]),
      ],
      { members: revisionOf(visit, draft, problem) },
    ),
  });
}

function numbersPart(visit: Visit, value: string, problem: Problem | undefined): Html {
  const hint = visit.t(
    "Un par ligne. Un nom peut suivre : 07 07 00 00 01 ; Awa Koné. Les nouveaux numéros rejoignent vos contacts.",
    "One a line. A name may follow: 07 07 00 00 01; Awa Koné. New numbers join your contacts.",
  );
  const label = visit.t("Numéros", "Numbers");
  return textArea(
    visit,
    {
      name: "numbers",
      label,
      hint,
      value,
      problem,
      isOptional: true,
      attributes: html`inputmode="text" spellcheck="false"`,
    },
    6,
  );
}

function longPart(visit: Visit, count: number): Html {
  const words = visit.t(
    `${visit.formats.number(count)} numéros dans ce brouillon`,
    `${visit.formats.number(count)} numbers in this draft`,
  );
  return choices(visit, { name: "kept", label: words, chosen: [visit.field("kept") || "yes"] }, [
    { value: "yes", text: visit.t("Les garder", "Keep them") },
    { value: "no", text: visit.t("Les retirer", "Remove them") },
  ]);
}

async function takeRecipients(visit: Visit): Promise<View | Redirect> {
  if (isGroupSearch(visit)) return recipients(visit);
  const draft = await readDraft(visit);
  const kept = visit.field("kept") === "yes" && draft ? draft.contacts : [];
  const given = [...kept, ...contactsIn(visit.field("numbers"))];
  const contacts = isConversion(visit) ? convertOld(visit, given) : given;
  const groupsIds = [...visit.list("groups")];
  if (contacts.length === 0 && groupsIds.length === 0) {
    const sentence = visit.t(
      "Choisissez un groupe ou donnez des numéros.",
      "Choose a group or give numbers.",
    );
    return recipients(visit, new Problem(sentence, "numbers"));
  }
  const saved = await saveDraft(visit, draft, { contacts, groupsIds });
  if (saved instanceof Problem) return recipients(visit, saved);
  const isWrong =
    isConversion(visit) || hasUnseenOld(visit, contacts) || (await wrongLines(visit, contacts)) !== undefined;
  return new Redirect(
    isWrong ? `${stepUrl(saved.id, "recipients")}?check=yes` : stepUrl(saved.id, "message"),
  );
}

/** The lines whose number is none, as a problem. The draft is saved with them, so nothing is lost. */
async function wrongLines(
  visit: Visit,
  contacts: readonly { phone: string }[],
): Promise<Problem | undefined> {
  try {
    await visit.ask("/v1/campaign/quote", { contacts: [...contacts], text: "." });
    return undefined;
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "invalid-phone-number") return undefined;
    const numbers = error.details
      .map(({ field }) => Number(/^contacts\[(\d+)\]/.exec(field)?.[1]))
      .filter((at) => contacts[at] !== undefined);
    const lines = numbers.slice(0, LINES_NAMED).map((at) => `${at + 1} (${contacts[at]!.phone})`);
    return new Problem(
      visit.t(
        `Ces lignes n’ont pas de numéro valable : ${lines.join(", ")}.`,
        `These lines have no valid number: ${lines.join(", ")}.`,
      ),
      "numbers",
    );
  }
}

/** The contacts of lines of text: a phone, and after `;`, `,` or a tab a name. Empty lines do not count. */
export function contactsIn(text: string): { phone: string; name?: string }[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const [, phone = line, name = ""] = /^([^;,\t]*)[;,\t](.*)$/.exec(line) ?? [];
      return name.trim() === "" ? { phone: phone.trim() } : { phone: phone.trim(), name: name.trim() };
    });
}

async function list(visit: Visit): Promise<View> {
  const listed = await visit.ask("/v1/campaign/draft/list", { page: visit.page, limit: 50 });
  const title = visit.t("Brouillons", "Drafts");
  const make = mayCompose(visit)
    ? linkButton("/campaigns/new", visit.t("Nouvelle campagne", "New campaign"), "main", "add")
    : undefined;
  return {
    title,
    at: "campaigns",
    back: { href: "/campaigns", text: visit.t("Campagnes", "Campaigns") },
    body:
      listed.data.length === 0
        ? empty(
            visit.t("Aucun brouillon", "No draft"),
            visit.t(
              "Une campagne commencée est gardée ici jusqu’à son envoi.",
              "A campaign that you begin is kept here until it is sent.",
            ),
            make,
          )
        : section(
            title,
            table(
              title,
              [
                {
                  head: visit.t("Campagne", "Campaign"),
                  cell: ({ id, name, text }) =>
                    html`<a href="/campaigns/drafts/${id}/message">${nameOf(visit, { name, text })}</a>`,
                },
                {
                  head: visit.t("Enregistré", "Saved"),
                  cell: ({ updatedAt, submittedAt }) =>
                    html`${visit.formats.moment(updatedAt)}${submittedAt !== null && html` ${badge("wait", visit.t("Soumis pour envoi", "Submitted for sending"))}`}`,
                },
                ...(mayCompose(visit) ? [deleteColumn(visit)] : []),
              ],
              listed.data,
            ),
          ),
  };
}

function deleteColumn(visit: Visit) {
  return {
    head: "",
    cell: ({ id }: { id: string }) =>
      linkButton(`/campaigns/drafts/${id}/delete`, visit.t("Supprimer", "Delete"), "plain"),
  };
}

/** What a draft is called: by its beginning where nobody has named it. */
function nameOf(visit: Visit, { name, text }: { name: string | null; text: string | null }): string {
  return name ?? (text?.slice(0, NAME_CHARACTERS) || visit.t("Sans texte", "Without text"));
}

async function confirmDelete(visit: Visit): Promise<View> {
  const draft = (await readDraft(visit))!;
  return confirmView(visit, {
    title: visit.t("Supprimer ce brouillon ?", "Delete this draft?"),
    at: "campaigns",
    back: { href: "/campaigns/drafts", text: visit.t("Brouillons", "Drafts") },
    text: visit.t(
      `« ${nameOf(visit, draft)} » : son texte et ses destinataires sont perdus. Vos contacts restent.`,
      `“${nameOf(visit, draft)}”: its text and its recipients are lost. Your contacts stay.`,
    ),
    action: `/campaigns/drafts/${draft.id}/delete`,
    yes: visit.t("Supprimer le brouillon", "Delete the draft"),
  });
}

async function remove(visit: Visit): Promise<Redirect> {
  await visit.ask("/v1/campaign/draft/{id}/delete", { id: visit.params.id! });
  return new Redirect("/campaigns/drafts");
}
