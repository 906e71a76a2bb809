// Operators that differ in their settings, for tests of what each of them gets.
import assert from "node:assert/strict";
import type { SubmitSm } from "../src/protocol/smpp/pdu.ts";
import { metricOf } from "./metrics.ts";
import { accepted, type Scope, type Script, startScripted, statusesOf } from "./sending.ts";
import { type Company, type TestService, until } from "./testservice.ts";

const ACCEPTS: Script = (_pdu, _session, n) => accepted(`${n}`);

let operators = 0;

/** An operator with these settings and a prefix of its own, and a company that sends over it. */
export async function dialect(here: TestService, scope: Scope, settings: object, script = ACCEPTS) {
  const prefix = `2250${++operators + 10}`;
  const operator = await startScripted(scope, script);
  const name = `operator ${prefix}`;
  const { data, ...answer } = await here.admin("/v1/admin/operator/create", {
    ...{ name, host: "127.0.0.1", port: operator.port, prefixes: [prefix] },
    ...{ systemId: "atumpan", password: "drum" },
    ...settings,
  });
  assert.equal(answer.success, true, JSON.stringify(answer));
  return {
    operator,
    shown: data,
    phone: `${prefix}001000`,
    company: await here.company({ credits: 1_000 }),
    update: (changes: object) => here.admin(`/v1/admin/operator/${data.id}/update`, changes),
    /** The parts that the operator took and nobody paid. */
    unpaid: async () =>
      (await metricOf(here.url, here.adminKey, `atumpan_unpaid_parts_total{operator="${name}"}`)) ?? 0,
  };
}

export type Dialect = Awaited<ReturnType<typeof dialect>>;

/** Sends a text, and resolves to its submit_sm once the operator has accepted them all. */
export async function sentBy({ company, operator, phone }: Dialect, text: string, senderId?: string) {
  const before = operator.received.length;
  const { data } = await company.call("/v1/campaign/create", { contacts: [phone], text, senderId });
  await until(async () => (await statusesOf(company, data.id)).join() === "SENT");
  return operator.received.slice(before) as [SubmitSm, ...SubmitSm[]];
}

/** Gives a company a sender of this name; resolves to the name. */
export async function giveSender(here: TestService, { companyId }: Company, name: string): Promise<string> {
  const sender = { companyId, name, description: "Un expéditeur" };
  const answer = await here.admin("/v1/admin/sender/create", sender);
  assert.equal(answer.success, true, JSON.stringify(answer));
  return name;
}
