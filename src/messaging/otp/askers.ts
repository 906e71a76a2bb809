// Whose codes they are: the account that pays, its phones, and the caller of codes to sign in to this service.
import type { UserCaller } from "../../identity/accounts/callers.ts";
import { SERVICE } from "../../ledger/credits/credits.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";

/** The user of all codes to sign in to this service, which are separate from those of companies. */
export function signInCaller(language: "fr" | "en"): UserCaller {
  return { userId: SERVICE, companyId: null, country: "CI", language, listens: false };
}

/** Returns the account that pays and whose limits count: the company or, without one, the user. */
export function accountOfCaller(caller: UserCaller): string {
  return caller.companyId ?? caller.userId;
}

/** Returns a phone in its international form. Refuses `invalid-phone-number`. */
export function phoneOfCode(given: string, caller: UserCaller): string {
  return requirePhone(given, "phoneNumber", caller.country);
}

/** The phone, and the keyed hash that replaces it once the person is erased: the limits still count those codes. */
export function formsOf(app: Runtime, phone: string): string[] {
  return [phone, app.secrets.digest("otp-phone", phone)];
}
