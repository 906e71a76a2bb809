// Tests of requests that change the same contacts at once: none of them waits for another for ever.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testService } from "../../../test/testservice.ts";
import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { createContacts, deleteContacts, lockContacts } from "./contacts.ts";
import { readContacts } from "./given.ts";

test("contacts that several requests change at once", async (t) => {
  const w = await testService(t);

  await t.test("P08: two large requests in opposite order never deadlock", async () => {
    const company = await w.company();
    const phones = Array.from({ length: 1000 }, (_, i) => String(2_250_700_000_000 + i));
    const rounds = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        company.call("/v1/contact/create", { contacts: i % 2 ? phones : phones.toReversed() }),
      ),
    );
    assert.ok(rounds.every((answer) => answer.success));
    assert.equal((await company.call("/v1/contact/list")).totalCount, phones.length);
  });

  await t.test("P08: creating, holding and deleting the same contacts at once never deadlocks", async () => {
    const company = await w.company();
    const { companyId } = company;
    const phones = Array.from({ length: 1000 }, (_, i) => String(2_250_700_000_000 + i));
    const quotas = { contacts: phones.length };
    const caller = { ...company, country: "CI", quotas } as unknown as CompanyCaller;
    const made = async () => {
      const { data } = await company.call("/v1/contact/create", { contacts: phones });
      return data.map((contact: { id: string }) => contact.id).sort() as string[];
    };
    // A deadlock would be tried again, and never be seen by a client: so tries are counted.
    let tries = 0;
    const run = (work: (tx: Tx) => Promise<unknown>) =>
      w.app.database.transaction((tx) => {
        tries++;
        return work(tx);
      });
    const found = (error: { code: string }) => assert.equal(error.code, "contact-not-found");
    for (let round = 0; round < 5; round++) {
      const held = await made();
      await Promise.all([
        run((tx) => lockContacts(tx, companyId, held)).catch(found),
        run((tx) => deleteContacts(tx, caller, held)),
        run((tx) => lockContacts(tx, companyId, held.toReversed())).catch(found),
      ]);
      const again = await made();
      await Promise.all([
        run((tx) => createContacts(tx, caller, readContacts(phones, "CI"))),
        run((tx) => deleteContacts(tx, caller, again)),
        run((tx) => createContacts(tx, caller, readContacts(phones.toReversed(), "CI"))),
      ]);
    }
    await made();
    assert.equal(tries, 30);
    assert.equal((await company.call("/v1/contact/list")).totalCount, phones.length);
  });
});
