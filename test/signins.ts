// Helpers for tests of people who sign in or sign up: a code is asked for and read on the handset.
import { dataOf } from "./applications.ts";
import { codeAt } from "./codes.ts";
import { rows } from "./sending.ts";
import { type Call, type Company, caller, type TestService, type TestServiceOptions } from "./testservice.ts";

/** The waits between two codes are short here; `pass` lets those pass that are counted as rows. */
export const SOON = {
  limits: { secondsBetweenSignIns: 0.001 },
  settings: { signInAnswerMs: 0 },
  config: { trustProxy: ["127.0.0.1"] },
} satisfies TestServiceOptions;

export async function pass(here: TestService): Promise<void> {
  await rows(here.app, "UPDATE otp_codes SET created_at = created_at - interval '31 seconds'");
}

/** Lets the sessions of a person be older than what takes a recent sign-in. */
export async function stale(here: TestService, phone: string): Promise<void> {
  await rows(
    here.app,
    "UPDATE member_sessions SET created_at = created_at - interval '16 minutes' WHERE phone = $1",
    [phone],
  );
}

/** A company whose owner has this phone. */
export async function companyOf(here: TestService, phone: string, more: object = {}): Promise<Company> {
  const wish = { name: "Boutique Awa", ownerName: "Awa Koné", ownerPhone: phone, ...more };
  const made = await dataOf(here.admin("/v1/admin/company/create", wish));
  const { apiKey, companyId } = made;
  return { ...made, call: caller(here.url, { apiKey, companyId }) };
}

/** Asks for a code and confirms it, where it is the SMS with this number. Returns what is answered. */
export async function signIn(
  here: TestService,
  phone: string,
  count = 1,
  headers: Record<string, string> = {},
) {
  if (count > 1) await pass(here);
  const { token } = await dataOf(here.call("/v1/session/begin", { phone }, headers));
  const proof = { token, otp: await codeAt(here, phone, count) };
  return dataOf(here.call("/v1/session/confirm", proof, headers));
}

/** Calls for a company by the key of a session. */
export function callBy(here: TestService, sessionKey: string, companyId: string): Call {
  return caller(here.url, { apiKey: sessionKey, companyId });
}
