// Helpers for tests of one-time passwords: codes sent to handsets and read there, guesses, and time that passes.
import assert from "node:assert/strict";

import { rows } from "./sending.ts";
import { type Answered, type Company, type TestService, until } from "./testservice.ts";

export type Sent = { token: string; phoneNumber: string; code: string; text: string };

let numbers = 0;
/** A phone that no other test writes to, with a prefix of its own. The simulator delivers to it at once. */
export function newPhone(): string {
  numbers++;
  return `22507${String(numbers).padStart(4, "0")}5555`;
}

export async function textAt(here: TestService, phone: string, count = 1): Promise<string> {
  return until(async () => {
    const found = here.simulator.inbox({ phone });
    return found.length >= count && found[0]!.text;
  });
}

/** The newest code of six digits that a phone got, once it has got so many. Other texts to it do not count. */
export async function codeAt(here: TestService, phone: string, count = 1): Promise<string> {
  return until(() => {
    const codes = codesAt(here, phone);
    return codes.length >= count && codes[0]!;
  });
}

/** The codes of six digits that a phone got, the newest first. */
export function codesAt(here: TestService, phone: string): string[] {
  return here.simulator.inbox({ phone }).flatMap(({ text }) => text.match(/\b\d{6}\b/)?.[0] ?? []);
}

export async function sendCode(here: TestService, company: Company, more: object = {}): Promise<Sent> {
  const phoneNumber = newPhone();
  const answer = await company.call("/v1/auth/otp/get", { phoneNumber, ...more });
  assert.equal(answer.error, null);
  const text = await textAt(here, answer.data.phoneNumber);
  return { ...answer.data, text, code: text.match(/ (?:est|is) (\w+)\./)![1]! };
}

export function verify(company: Company, { token, phoneNumber, code }: Sent, otp = code): Promise<Answered> {
  return company.call("/v1/auth/otp/verify", { token, phoneNumber, otp });
}

/** A wrong code of the same length. */
export function wrong(code: string): string {
  return String((Number(code) + 1) % 10 ** code.length).padStart(code.length, "0");
}

/** Lets time pass for the codes of an account. */
export function age(here: TestService, company: Company, seconds: number): Promise<unknown> {
  return rows(
    here.app,
    `UPDATE otp_codes SET created_at = created_at - $2 * interval '1 second', expires_at = expires_at - $2 * interval '1 second'
     WHERE account_id = $1`,
    [company.companyId, seconds],
  );
}
