// Helpers for tests of erasures.
import assert from "node:assert/strict";
import { dataOf } from "./applications.ts";
import { type Call, type TestService, until } from "./testservice.ts";
import { traces } from "./twins.ts";

export const ERASE = "/v1/contact/erase";
export const ERASE_PERSON = "/v1/admin/person/erase";

/** Erases a person, and resolves to the erasure once it is done. */
export async function erased(call: Call, path: typeof ERASE | typeof ERASE_PERSON, phone: string) {
  const begun = await dataOf(call(path, { phone }));
  let { percent } = begun;
  return until(async () => {
    const now = await dataOf(call(`${path}/${begun.id}`));
    assert.ok(now.percent >= percent, `${now.percent} after ${percent}`);
    percent = now.percent;
    return now.status === "DONE" && now;
  });
}

/** The tables that hold a phone in the clear. */
export async function tablesWith(here: TestService, phone: string): Promise<string[]> {
  return [...new Set((await traces(here, [phone])).map((row) => row.split(" ")[0]!))];
}
