// Numbering plans: whether a phone could belong to somebody.
import { parsePhoneNumberFromString } from "libphonenumber-js";

/** Whether the numbering plan of its country has a place for a normalised phone (libphonenumber's metadata). */
export function isAssignable(phone: string): boolean {
  return parsePhoneNumberFromString(`+${phone}`)?.isValid() ?? false;
}
