// Sender names: what a handset can show, and how SMPP addresses carry it.
import { countSeptets, GSM7_CHARACTERS } from "./encoding.ts";

// 3GPP TS 23.040, section 9.1.2.5: an alphanumeric address has at most 11 septets.
const CHARACTERS_AT_MOST = 11;
const LINE_END = /[\n\r]/;

/** Whether a handset can show this sender: 1 to 11 printable characters of the GSM-7 basic table, not only spaces. */
export function isSenderName(text: string): boolean {
  const { length } = text;
  // A character of the extension table counts 2.
  if (length > CHARACTERS_AT_MOST || countSeptets(text) !== length) return false;
  return text.trim() !== "" && !LINE_END.test(text);
}

// Addresses are octets (SMPP 3.4, section 3.1), commonly read as Latin-1. Latin-1 lacks ten capitals of GSM-7, but
// their septets are free: in Latin-1 they are control characters, which no name has.
const GREEK = /[ΓΔΘΛΞΠΣΦΨΩ]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these control characters are the septets
const SEPTETS = /[\u0010\u0012-\u001a]/g;

/** Returns a name as an SMPP address, one octet per character: Latin-1, and the Greek capitals by their septets. */
export function addressOf(name: string): string {
  return name.replace(GREEK, (capital) => String.fromCharCode(GSM7_CHARACTERS.indexOf(capital)));
}

/** Returns the name in an SMPP address: the inverse of `addressOf`. */
export function nameIn(address: string): string {
  return address.replace(SEPTETS, (septet) => GSM7_CHARACTERS[septet.charCodeAt(0)] ?? septet);
}
