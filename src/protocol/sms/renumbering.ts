// Renumberings: countries whose numbers became longer, and the new forms of the old numbers.
import type { Sentence } from "../../platform/http/refusals.ts";
import { normalisePhone, type ReadPhone } from "./phone.ts";
import { cleanPhone } from "./written.ts";

/** How a country's numbers grew: old ones got a prefix. The next country needs a row here and no code. */
type Renumbering = {
  readonly callingCode: string;
  /** ISO 3166. */
  readonly iso: string;
  readonly country: Sentence;
  /** Digits after the calling code, before and after the change. */
  readonly oldDigits: number;
  readonly newDigits: number;
  readonly since: string;
  /** The prefix that old numbers with these beginnings got; only where it is certain. */
  readonly added: Readonly<Record<string, string>>;
};

// ARTCI's plan of 2021: mobiles of Moov, MTN and Orange got 01, 05 and 07, their fixed lines 21, 25 and 27.
// ARCEP Bénin's plan of 2024: all numbers got 01.
const RENUMBERINGS: readonly Renumbering[] = [
  {
    callingCode: "225",
    iso: "CI",
    country: { fr: "de Côte d’Ivoire", en: "of Côte d’Ivoire" },
    oldDigits: 8,
    newDigits: 10,
    since: "31/01/2021",
    added: {
      "01": "01 02 03 40 41 42 43 50 51 52 53 70 71 72 73",
      "05": "04 05 06 44 45 46 54 55 56 64 65 66 74 75 76 84 85 86 94 95 96",
      "07": "07 08 09 47 48 49 57 58 59 67 68 69 77 78 79 87 88 89 97 98",
      "21": "208 218 228 238",
      "25": "200 210 220 230 240 300 310 320 330 340 350 360",
      "27": "202 203 212 213 215 217 224 225 234 235 243 244 245 306 316 319 327 337 347 359 368",
    },
  },
  {
    callingCode: "229",
    iso: "BJ",
    country: { fr: "du Bénin", en: "of Benin" },
    oldDigits: 8,
    newDigits: 10,
    since: "30/11/2024",
    added: { "01": "2 4 5 6 9" },
  },
];

/** An old number, its country's change, and its new form `became`; null if that is not certain. */
export type Renumbered = Pick<Renumbering, "country" | "newDigits" | "since"> & { became: string | null };

type Beginning = { readonly start: string; readonly added: string };
const plans = RENUMBERINGS.map((plan) => ({
  ...plan,
  length: plan.callingCode.length + plan.oldDigits,
  beginnings: Object.entries(plan.added).flatMap(([added, starts]): Beginning[] =>
    starts.split(" ").map((start) => ({ start: plan.callingCode + start, added })),
  ),
}));

/** Returns the change of a normalised phone that is too short since its country's renumbering; null for any other. */
export function renumberedOf(phone: string): Renumbered | null {
  for (const { callingCode, length, beginnings, country, newDigits, since } of plans) {
    if (phone.length !== length || !phone.startsWith(callingCode)) continue;
    const added = beginnings.find(({ start }) => phone.startsWith(start))?.added;
    const became = added === undefined ? null : callingCode + added + phone.slice(callingCode.length);
    return { country, newDigits, since, became };
  }
  return null;
}

/**
 * Returns the phone in a text, an old number in its new form: international, or national of `country` without its
 * calling code. `phone` is null if the text has none, or the new form of an old one is not certain.
 */
export function modernise(raw: string, country: string): { phone: string | null; isOld: boolean } {
  const phone = normalisePhone(raw, country);
  const old = phone === null ? null : (oldNationalIn(raw, country) ?? phone);
  const renumbered = old === null ? null : renumberedOf(old);
  return renumbered === null ? { phone, isOld: false } : { phone: renumbered.became, isOld: true };
}

/** An old national number's digits with the calling code; null for another number of digits, or with `+` or `00`. */
function oldNationalIn(raw: string, country: string): string | null {
  const plan = plans.find(({ iso }) => iso === country);
  const written = plan && cleanPhone(raw);
  if (!written || written.isInternational || written.digits.length !== plan.oldDigits) return null;
  return plan.callingCode + written.digits;
}

/** Returns the change of a text's number that was read as given; null if it is no old number, or valid as read. */
export function renumberedIn(raw: string, country: string, { phone, doubt }: ReadPhone): Renumbered | null {
  const old = doubt?.kind === "unknown" ? oldNationalIn(raw, country) : null;
  return renumberedOf(old ?? phone);
}

/**
 * Returns what a search from `country` (ISO 3166) may mean by a text: null if it is no old number; otherwise its
 * possible new forms, in every country whose numbers grew. A single one is certain. If the list is empty, the text is
 * an old number, or a short one of another country, without its calling code.
 */
export function oldNumberIn(raw: string, country: string): readonly string[] | null {
  const plan = plans.find(({ iso }) => iso === country);
  const read = plans.map(({ iso }) => modernise(raw, iso));
  if (!read.some(({ isOld }) => isOld)) return null;
  const phones = new Set(read.flatMap(({ phone, isOld }) => (isOld && phone !== null ? [phone] : [])));
  const isInternational = modernise(raw, "").isOld;
  return plan === undefined && !isInternational ? [] : [...phones];
}
