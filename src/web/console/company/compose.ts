// A new campaign: its recipients; and the saved drafts. The other steps are message.ts, when.ts and check.ts.
import { type Html, html } from "../../../platform/http/html.ts";
import { normalisePhone } from "../../../protocol/sms/phone.ts";
import { confirmView } from "../parts/confirm.ts";
import { button, choices, form, linkButton, textArea } from "../parts/forms.ts";
import { type Column, empty, tableSection } from "../parts/lists.ts";
import { actions, badge } from "../parts/parts.ts";
import { mayCompose } from "../parts/roles.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { findDraft, ofDraft, readDraft, revisionOf, saveDraft, stepUrl, stepView } from "./drafts.ts";
import { groupChoice, isGroupSearch } from "./groupchoice.ts";
import { convertOld, hasUnseenOld, isConversion, oldNumbersPart } from "./oldnumbers.ts";
import { readPasted } from "./pasted.ts";
import { pastedLines, unclearMark, unclearProblem, unclearText } from "./pastedlists.ts";

/** More contacts than this are not shown as lines: a phone on a slow network would load them each time. */
const LINES_SHOWN = 300;
const NAME_CHARACTERS = 60;
const NUMBERS_BYTES = 1_024 * 1_024;

export function addCompose(screens: Screens): void {
  screens.pageAndForm("/campaigns/new", recipients, takeRecipients, { bodyBytes: NUMBERS_BYTES });
  screens.page("/campaigns/drafts", list);
  screens.page("/campaigns/drafts/:id", (visit) => new Redirect(stepUrl(visit.id, "message")));
  screens.pageAndForm("/campaigns/drafts/:id/delete", ofDraft(confirmDelete), remove);
  screens.pageAndForm("/campaigns/drafts/:id/recipients", ofDraft(recipients), ofDraft(takeRecipients), {
    bodyBytes: NUMBERS_BYTES,
  });
}

async function recipients(visit: Visit): Promise<View> {
  const draft = await findDraft(visit);
  const isBack = visit.problem !== undefined || isGroupSearch(visit);
  const chosen = isBack ? visit.list("groups") : (draft?.groupsIds ?? visit.list("group"));
  const label = visit.t("Groupes", "Groups");
  const groups = await groupChoice(visit, { name: "groups", label, chosen, isMany: true });
  const contacts = draft?.contacts ?? [];
  const { readable, unclear } = sorted(visit, contacts);
  const isTyped = isBack && visit.has("numbers");
  const isLong = readable.length > LINES_SHOWN && !isTyped;
  const shown = [...(isLong ? [] : readable.map(lineOf)), ...unclear].join("\n");
  const action = stepUrl(draft?.id, "recipients");
  const lines = unclear.map((text) => ({ text }));
  visit.problem ??= unclearProblem(visit, readable.length, lines, "numbers");
  return stepView(visit, draft, "recipients", {
    narrow: true,
    islands: ["groups"],
    body: form(visit, { action, members: revisionOf(visit, draft) }, [
      groups,
      isLong && longPart(visit, readable.length),
      numbersPart(visit, isTyped ? visit.field("numbers") : shown),
      oldNumbersPart(visit, readable),
      actions([
        button(visit.t("Continuer", "Continue")),
        html`<a href="/contacts/import">${visit.t("Importer un fichier", "Import a file")}</a>`,
      ]),
    ]),
  });
}

function numbersPart(visit: Visit, value: string): Html {
  const hint = `${pastedLines(visit)} ${visit.t("Les nouveaux numéros sont ajoutés à vos contacts.", "New numbers are added to your contacts.")}`;
  const label = visit.t("Numéros", "Numbers");
  return textArea(visit, "numbers", label, {
    hint,
    value,
    isOptional: true,
    attributes: html`inputmode="text" spellcheck="false"`,
    rows: 6,
  });
}

function longPart(visit: Visit, count: number): Html {
  const words = visit.t(
    `${visit.formats.number(count)} numéros dans ce brouillon`,
    `${visit.formats.number(count)} numbers in this draft`,
  );
  return choices(visit, "kept", words, {
    chosen: [visit.field("kept") || "yes"],
    choices: [
      ["yes", visit.t("Conserver ces numéros", "Keep these numbers")],
      ["no", visit.t("Retirer ces numéros", "Remove these numbers")],
    ],
  });
}

async function takeRecipients(visit: Visit): Promise<View | Redirect> {
  if (isGroupSearch(visit)) return recipients(visit);
  const draft = await findDraft(visit);
  const kept = visit.field("kept") === "yes" && draft ? sorted(visit, draft.contacts).readable : [];
  const { people, unclear } = readPasted(visit.field("numbers"), visit.company.country);
  const given: RecipientLine[] = [...kept, ...people, ...unclear.flatMap(({ text }) => unclearMark(text))];
  const contacts = isConversion(visit) ? convertOld(visit, given) : given;
  const groupsIds = [...visit.list("groups")];
  if (contacts.length === 0 && groupsIds.length === 0) {
    const sentence = visit.t(
      "Choisissez un groupe ou saisissez des numéros.",
      "Choose a group or enter numbers.",
    );
    return recipients(visit.wrong(sentence, "numbers"));
  }
  const saved = await saveDraft(visit, draft, { contacts, groupsIds });
  if (saved instanceof Problem) return recipients(visit.with(saved));
  const isAsked = isConversion(visit) || hasUnseenOld(visit, contacts) || unclear.length > 0;
  return new Redirect(stepUrl(saved.id, isAsked ? "recipients" : "message"));
}

type RecipientLine = { phone: string; name?: string };

/** The recipients of a draft that have a valid number, and the lines that need a correction. */
function sorted<One extends RecipientLine>({ company }: Visit, contacts: readonly One[]) {
  const readable: One[] = [];
  const unclear: string[] = [];
  for (const contact of contacts) {
    const text = unclearText(contact.phone);
    if (text !== undefined) unclear.push(text);
    // A draft created through the API may contain anything.
    else if (normalisePhone(contact.phone, company.country) === null) unclear.push(lineOf(contact));
    else readable.push(contact);
  }
  return { readable, unclear };
}

/** A recipient as a line that is parsed to the same recipient again. */
function lineOf({ phone, name }: RecipientLine): string {
  return name ? `${phone} ; ${name.replace(/[;|\t\r\n]+/g, ",")}` : phone;
}

async function list(visit: Visit): Promise<View> {
  const listed = await visit.listed("/v1/campaign/draft/list", { limit: 50 });
  const title = visit.t("Brouillons", "Drafts");
  const make = mayCompose(visit)
    ? linkButton("/campaigns/new", visit.t("Nouvelle campagne", "New campaign"), "main", "add")
    : undefined;
  return {
    title,
    back: { href: "/campaigns", text: visit.t("Campagnes", "Campaigns") },
    body:
      listed.data.length === 0
        ? empty(
            visit.t("Aucun brouillon", "No drafts"),
            visit.t(
              "Les campagnes non terminées sont enregistrées ici jusqu’à leur envoi.",
              "Unfinished campaigns are saved here until they are sent.",
            ),
            make,
          )
        : tableSection(
            title,
            [
              [
                visit.t("Campagne", "Campaign"),
                ({ id, name, text }) =>
                  html`<a href="/campaigns/drafts/${id}/message">${nameOf(visit, { name, text })}</a>`,
              ],
              [
                visit.t("Enregistré le", "Saved on"),
                ({ updatedAt, submittedAt }) =>
                  html`${visit.formats.moment(updatedAt)}${submittedAt !== null && html` ${badge("wait", visit.t("Soumis pour envoi", "Submitted for sending"))}`}`,
              ],
              mayCompose(visit) && deleteColumn(visit),
            ],
            listed.data,
          ),
  };
}

function deleteColumn(visit: Visit): Column<{ id: string }> {
  return [
    "",
    ({ id }) => linkButton(`/campaigns/drafts/${id}/delete`, visit.t("Supprimer", "Delete"), "plain"),
  ];
}

/** The name of a draft: the beginning of its text if it has none. */
function nameOf(visit: Visit, { name, text }: { name: string | null; text: string | null }): string {
  return name ?? (text?.slice(0, NAME_CHARACTERS) || visit.t("Sans texte", "No text"));
}

async function confirmDelete(visit: Visit): Promise<View> {
  const draft = await readDraft(visit);
  return confirmView(visit, {
    title: visit.t("Supprimer ce brouillon ?", "Delete this draft?"),
    back: { href: "/campaigns/drafts", text: visit.t("Brouillons", "Drafts") },
    text: visit.t(
      `Le texte et les destinataires de « ${nameOf(visit, draft)} » seront supprimés. Vos contacts sont conservés.`,
      `The text and the recipients of “${nameOf(visit, draft)}” will be deleted. Your contacts are kept.`,
    ),
    yes: visit.t("Supprimer le brouillon", "Delete draft"),
  });
}

async function remove(visit: Visit): Promise<Redirect> {
  await visit.call("/v1/campaign/draft/{id}/delete");
  return new Redirect("/campaigns/drafts");
}
