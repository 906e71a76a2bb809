// Old numbers of 8 digits: their new forms, among the recipients of a campaign and in a search.
import { type Html, html } from "../../../platform/http/html.ts";
import { warningOfPhone } from "../../../protocol/sms/phonewarnings.ts";
import { modernise, oldNumberIn } from "../../../protocol/sms/renumbering.ts";
import { button, linkButton } from "../parts/forms.ts";
import { actions, notice, remark } from "../parts/parts.ts";
import type { Visit } from "../visit.ts";
import type { Draft } from "./drafts.ts";

type Contact = { phone: string };
/** A number as typed, its line, and its new form; null if that is not certain. */
type Old = { line: number; typed: string; became: string | null };

const EXAMPLES_SHOWN = 3;
const LINES_NAMED = 10;

/** A number of 8 digits without a calling code counts as one of the company's country, as in imports. */
function oldAmong({ company }: Visit, contacts: readonly Contact[]): Old[] {
  return contacts.flatMap(({ phone: typed }, at) => {
    const { phone: became, isOld } = modernise(typed, company.country);
    return isOld ? [{ line: at + 1, typed, became }] : [];
  });
}

/** Whether the button that converts old numbers was pressed. */
export function isConversion(visit: Visit): boolean {
  return visit.field("convert") !== "";
}

/** Returns the contacts with old numbers replaced by their new forms; others stay as they are. */
export function convertOld<One extends Contact>({ company }: Visit, contacts: readonly One[]): One[] {
  return contacts.map((contact) => {
    const { phone, isOld } = modernise(contact.phone, company.country);
    return isOld && phone !== null ? { ...contact, phone: `+${phone}` } : contact;
  });
}

/** Whether there are old numbers that the page of the form did not mention. */
export function hasUnseenOld(visit: Visit, contacts: readonly Contact[]): boolean {
  const old = oldAmong(visit, contacts).length;
  return old > 0 && visit.field("old") !== String(old);
}

/** Renders the recipients step's notice of old numbers, with the button that converts them: it sends its form. */
export function oldNumbersPart(visit: Visit, contacts: readonly Contact[]): Html | false {
  const old = oldAmong(visit, contacts);
  if (old.length === 0) return false;
  const certain = old.filter(({ became }) => became !== null).length;
  const count = visit.formats.number(certain);
  const words =
    certain === 1
      ? visit.t("Convertir ce numéro", "Convert this number")
      : visit.t(`Convertir ces ${count} numéros`, `Convert these ${count} numbers`);
  return oldNotice(visit, old, [
    html`<p>${visit.t("« Continuer » les laisse inchangés.", "“Continue” leaves them unchanged.")}</p>`,
    html`<input type="hidden" name="old" value="${old.length}">`,
    certain > 0 && actions([button(words, "second", html`name="convert" value="yes"`)]),
  ]);
}

/** Renders the check's notice of old numbers that were not converted. */
export function oldNumbersNotice(visit: Visit, { id, contacts }: Draft): Html | false {
  const old = oldAmong(visit, contacts);
  if (old.length === 0) return false;
  const words = visit.t("Voir les destinataires", "View recipients");
  return oldNotice(visit, old, [
    actions([linkButton(`/campaigns/drafts/${id}/recipients`, words, "second")]),
  ]);
}

/** Renders the check's notice of numbers that may mean other numbers than were read. */
export function doubtfulNumbersNotice(visit: Visit, { id, contacts }: Draft): Html | false {
  const { formats, company } = visit;
  const doubtful = contacts.flatMap(({ phone: typed }) => {
    const doubt = modernise(typed, company.country).isOld ? null : warningOfPhone(typed, company.country);
    return doubt ? [{ typed, words: visit.t(doubt.fr, doubt.en) }] : [];
  });
  if (doubtful.length === 0) return false;
  const shown = doubtful.slice(0, LINES_NAMED);
  const count = formats.number(doubtful.length);
  const title =
    doubtful.length === 1
      ? visit.t("1 numéro à vérifier", "1 number to check")
      : visit.t(`${count} numéros à vérifier`, `${count} numbers to check`);
  const words = visit.t("Voir les destinataires", "View recipients");
  return notice(
    "wait",
    [
      html`<ul>${shown.map(({ typed, words }) => html`<li>${typed} : ${words}</li>`)}${doubtful.length > shown.length && html`<li>…</li>`}</ul>`,
      actions([linkButton(`/campaigns/drafts/${id}/recipients`, words, "second")]),
    ],
    title,
  );
}

function oldNotice(visit: Visit, old: readonly Old[], more: readonly (Html | false)[]): Html {
  const known = old.flatMap(({ typed, became }) => (became === null ? [] : [{ typed, became }]));
  const count = visit.formats.number(old.length);
  const title =
    old.length === 1
      ? visit.t(
          "1 numéro ressemble à un ancien numéro à 8 chiffres",
          "1 number looks like an old 8-digit number",
        )
      : visit.t(
          `${count} numéros ressemblent à d’anciens numéros à 8 chiffres`,
          `${count} numbers look like old 8-digit numbers`,
        );
  const examples = known.slice(0, EXAMPLES_SHOWN);
  return notice(
    "wait",
    [
      html`<p>${visit.t("Sans correction, les SMS n’arriveront probablement pas.", "Unless corrected, the SMS will probably not arrive.")} ${visit.t("Pour un numéro étranger, ajoutez l’indicatif du pays.", "For a foreign number, add the country code.")}</p>`,
      examples.length > 0 &&
        html`<ul>${examples.map(({ typed, became }) => html`<li>${typed} → ${visit.formats.phone(became)}</li>`)}${known.length > examples.length && html`<li>…</li>`}</ul>`,
      unknownPart(visit, old),
      ...more,
    ],
    title,
  );
}

/** The lines of old numbers whose new form is not known. */
function unknownPart(visit: Visit, old: readonly Old[]): Html | false {
  const unknown = old.filter(({ became }) => became === null);
  if (unknown.length === 0) return false;
  const lines = unknown.slice(0, LINES_NAMED).map(({ line, typed }) => `${line} (${typed})`);
  const all = `${lines.join(", ")}${unknown.length > lines.length ? "…" : ""}`;
  return html`<p>${visit.t(`Impossible de déterminer le nouveau numéro pour ces lignes : ${all}.`, `The new number could not be determined for these lines: ${all}.`)}</p>`;
}

/** Returns an old number's new form in a search, or a sentence that asks for more. Undefined for any other number. */
export function searchOld(visit: Visit, given: string): { phone: string } | { question: string } | undefined {
  const phones = oldNumberIn(given, visit.company.country);
  if (phones === null) return undefined;
  const [phone, ...others] = phones;
  if (phone !== undefined && others.length === 0) return { phone };
  const meant = phones.map((one) => visit.formats.phone(one)).join(visit.t(" ou ", " or "));
  const question = visit.t(
    "Ce numéro n’a que 8 chiffres : ajoutez l’indicatif du pays",
    "This number has only 8 digits: add the country code",
  );
  return { question: meant === "" ? `${question}.` : `${question}, ${meant}.` };
}

/** Renders a notice that a number was searched by the digits that it had before. */
export function renumberedNotice(visit: Visit, phone: string): Html | false {
  const given = visit.field("old");
  const [now] = oldNumberIn(given, visit.company.country) ?? [];
  if (now !== phone) return false;
  const shown = visit.formats.phone(phone);
  return remark(visit, "note", [
    `« ${given} » est un ancien numéro, devenu le ${shown}.`,
    `“${given}” is an old number. It is now ${shown}.`,
  ]);
}
