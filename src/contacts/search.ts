// What somebody means who types the beginning of a phone or of a name.
import { nationalStarts } from "../sms/sms.ts";

/** How the phones begin that somebody may mean: as written, and as a national number. */
export function phoneStarts(search: string, country: string): string[] {
  if (!/^[+\d\s().-]+$/.test(search)) return [];
  const digits = search.replace(/\D/g, "").replace(/^00/, "");
  if (digits === "") return [];
  return search.trim().startsWith("+") ? [digits] : [digits, ...nationalStarts(digits, country)];
}

/** How the names begin that somebody may mean: as written, small, large, and with a capital. */
export function nameStarts(search: string): string[] {
  const small = search.toLowerCase();
  const capital = small.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([search, small, search.toUpperCase(), capital])];
}
