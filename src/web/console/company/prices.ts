// The price of a campaign and its reasons: by country, and the saving of other characters.
import { type Html, html } from "../../../platform/http/html.ts";
import { plainTexts, savingOf } from "../../../protocol/sms/estimate.ts";
import { compileTemplate } from "../../../protocol/sms/personalise.ts";
import type { Data } from "../apiclient.ts";
import { linkButton } from "../parts/forms.ts";
import { notice, section } from "../parts/parts.ts";
import { type SavingWords, savingSentence } from "../parts/savings.ts";
import { Problem } from "../parts/sentences.ts";
import type { Visit } from "../visit.ts";
import { campaignOf, type Draft, stepUrl } from "./drafts.ts";

export type Quote = Data<"/v1/campaign/quote">;

/** Rows of a price that are shown individually; the others are summed. */
const ROWS_SHOWN = 12;

/** Explains why a campaign costs what it costs; empty if each SMS costs one credit and everybody gets as many. */
export function pricePart(visit: Visit, { breakdown, segments, creditUsed }: Quote): Html | false {
  const rows = mergedRows(breakdown);
  if (rows.length === 1 && creditUsed === segments) return false;
  const shown = rows.length > ROWS_SHOWN ? rows.slice(0, ROWS_SHOWN - 1) : rows;
  const others = rows.slice(shown.length);
  const sum = others.reduce((all, { credits }) => all + credits, 0);
  const [sms, price] = [`${visit.formats.number(segments)}\u00a0SMS`, creditsOf(visit, creditUsed)];
  return section(visit.t("Détail du prix", "Price details"), [
    html`<p>${visit.t(`${sms} coûtent ${price} :`, `${sms} cost ${price}:`)}</p>
<ul>${shown.map((row) => html`<li>${rowWords(visit, row)}</li>`)}${others.length > 0 && html`<li>${visit.t("Autres pays", "Other countries")} : ${creditsOf(visit, sum)}</li>`}</ul>`,
  ]);
}

type PriceRow = Omit<Quote["breakdown"][number], "encoding">;

/** The rows of a breakdown without their encodings, which do not change the price of an SMS. */
function mergedRows(breakdown: Quote["breakdown"]): PriceRow[] {
  const merged = new Map<string, PriceRow>();
  for (const { encoding: _, ...row } of breakdown) {
    const key = `${row.callingCode} ${row.segments} ${row.creditsPerSegment}`;
    const before = merged.get(key) ?? { ...row, messages: 0, credits: 0 };
    merged.set(key, {
      ...row,
      messages: before.messages + row.messages,
      credits: before.credits + row.credits,
    });
  }
  return [...merged.values()].sort((a, b) => b.credits - a.credits);
}

/** `4 × 1 SMS × 5 crédits = 20 crédits (Ghana)`. */
function rowWords(visit: Visit, row: PriceRow): string {
  const { messages, segments, creditsPerSegment, credits } = row;
  const { formats } = visit;
  const each = `${formats.number(messages)} × ${formats.number(segments)}\u00a0SMS × ${creditsOf(visit, creditsPerSegment)}`;
  return `${each} = ${creditsOf(visit, credits)} (${countryOf(visit, row)})`;
}

function countryOf(visit: Visit, { country, callingCode }: PriceRow): string {
  const names = new Intl.DisplayNames([visit.language], { type: "region" });
  return (country !== null && names.of(country)) || `+${callingCode}`;
}

function creditsOf(visit: Visit, credits: number): string {
  return visit.credits(credits);
}

/** Returns how many people get how many SMS, if that is not the same for all. */
export function unevenWords(visit: Visit, { bySegments, breakdown }: Quote): string {
  const people = (count: number) => visit.count(count, ["personne", "personnes"], ["person", "people"]);
  const each = bySegments.map(({ segments, messages }) =>
    visit.t(`${segments}\u00a0SMS pour ${people(messages)}`, `${segments}\u00a0SMS for ${people(messages)}`),
  );
  const costly = dearByName(breakdown);
  const why = visit.t(
    ` Pour ${people(costly)}, le nom contient des caractères plus coûteux.`,
    ` For ${people(costly)}, the name contains characters that cost more.`,
  );
  const words = each.join(", ");
  return `${visit.t(`Le nombre de SMS varie selon le destinataire : ${words}.`, `The number of SMS varies by recipient: ${words}.`)}${costly > 0 ? why : ""}`;
}

/** People whose name makes the message UCS-2 and longer than the others'; zero if the text itself is UCS-2. */
function dearByName(breakdown: Quote["breakdown"]): number {
  const usual = breakdown.filter(({ encoding }) => encoding === "GSM-7").map(({ segments }) => segments);
  const least = Math.min(...usual);
  return breakdown
    .filter(({ encoding, segments }) => encoding === "UCS-2" && segments > least)
    .reduce((sum, { messages }) => sum + messages, 0);
}

/** Renders the saving of other characters in the text, over all counted recipients; false if it is zero. */
export async function savingPart(visit: Visit, draft: Draft, quote: Quote): Promise<Html | false> {
  const text = draft.text ?? "";
  const mayBeShorter = quote.breakdown.some(({ encoding, segments }) => encoding === "UCS-2" && segments > 1);
  if (!mayBeShorter || quote.unicodeCharacters.every(isInvisible)) return false;
  const own = new Set(quote.variables.map(({ name }) => name));
  const sentence = compileTemplate(text, own).personal
    ? await savedByAll(visit, draft, quote)
    : savedByEach(visit, text, quote);
  if (sentence === undefined) return false;
  return notice("wait", [
    html`<p>${sentence}</p>`,
    html`<p>${linkButton(stepUrl(draft.id, "message"), visit.t("Modifier le message", "Edit message"), "second")}</p>`,
  ]);
}

/** The quote itself warns of invisible characters. */
function isInvisible({ character }: Quote["unicodeCharacters"][number]): boolean {
  return /^\p{Cf}+$/u.test(character);
}

/** Everybody gets the same text: its length determines the price of the other one. */
function savedByEach(visit: Visit, text: string, { creditUsed }: Quote): string | undefined {
  const saving = savingOf(text);
  if (saving === undefined) return undefined;
  const { before, after } = saving;
  return savingSentence(savingWords(visit), saving, {
    before: visit.formats.number(before),
    after: visit.formats.number(after),
    credits: creditsOf(visit, (creditUsed / before) * (before - after)),
  });
}

/** Names make messages of different lengths: the other text is counted for everybody. */
async function savedByAll(visit: Visit, draft: Draft, quote: Quote): Promise<string | undefined> {
  for (const plain of plainTexts(draft.text ?? "")) {
    const calling = visit.call("/v1/campaign/quote", { ...campaignOf(draft), text: plain.text });
    const counted = await visit.attempt(calling);
    // If this second count is refused, the check is shown without it.
    if (counted instanceof Problem) return undefined;
    const { segments, creditUsed } = counted.data;
    if (creditUsed < quote.creditUsed)
      return savingSentence({ ...savingWords(visit), saving: wholeWords(visit) }, plain, {
        before: visit.formats.number(quote.segments),
        after: visit.formats.number(segments),
        credits: creditsOf(visit, quote.creditUsed - creditUsed),
      });
  }
  return undefined;
}

function wholeWords(visit: Visit): string {
  return visit.t(
    "{start}, cette campagne tiendrait en {after} SMS au lieu de {before}",
    "{start}, this campaign would take {after} SMS instead of {before}",
  );
}

/** Returns the texts of a saving, for the sentence here and in the composer's module. */
export function savingWords(visit: Visit): SavingWords {
  return {
    and: visit.t("et", "and"),
    more: visit.t("d’autres", "others"),
    space: visit.t("les espaces insécables", "non-breaking spaces"),
    invisible: visit.t("les caractères invisibles", "invisible characters"),
    replacing: visit.t("En remplaçant {list}", "By replacing {list}"),
    without: visit.t("Sans {list}", "Without {list}"),
    both: visit.t("En remplaçant {list} et sans {others}", "By replacing {list} and without {others}"),
    saving: visit.t(
      "{start}, ce message tiendrait en {after} SMS au lieu de {before}",
      "{start}, this message would take {after} SMS instead of {before}",
    ),
    average: visit.t(
      "{start}, ce message tiendrait en {after} SMS en moyenne au lieu de {before}",
      "{start}, this message would take {after} SMS on average instead of {before}",
    ),
    less: visit.t(" : {credits} de moins", ": {credits} less"),
  };
}
