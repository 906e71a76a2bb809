// The SMS of a notice: at the service's cost, sealed, whatever it says and whoever it is to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newPhone, textAt } from "../../../test/codes.ts";
import { give, LINK, noticeTo, queue } from "../../../test/notices.ts";
import { assertBalanced, rows } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { query } from "../../platform/database/query.ts";
import { sendMails } from "./mails.ts";

test("the SMS of a notice", async (t) => {
  const here = await testService(t);
  const service = async () => {
    const text = `SELECT available::int, (SELECT count(*)::int FROM entries WHERE kind = 'grant' AND to_pool = 'service') AS grants,
      (SELECT sum(amount)::int FROM entries WHERE kind = 'grant' AND to_pool = 'service') AS granted
      FROM pools WHERE id = 'service' AND kind = 'service'`;
    return (await rows(here.app, text))[0];
  };

  await t.test(
    "without SMTP_URL no mail is kept, and the SMS goes all the same, at the service's cost",
    async () => {
      const notice = noticeTo({ phone: newPhone() });
      await give(here, notice);
      assert.equal(await textAt(here, notice.phone!), notice.text);
      assert.deepEqual(await rows(here.app, "SELECT FROM mails"), []);
      await sendMails(here.app, new AbortController().signal);
      assert.deepEqual(await service(), { available: 0, grants: 1, granted: 1 });
      const [entry] = await rows(here.app, "SELECT from_pool, reason FROM entries WHERE to_pool = 'service'");
      assert.deepEqual(entry, { from_pool: "world", reason: "Avis du service" });
    },
  );

  await t.test("it waits sealed, before bulk", async () => {
    const notice = noticeTo({ phone: newPhone(), text: LINK });
    const waiting = query<{ messages: string; lane: number }>(
      "test.waiting",
      "SELECT messages, lane FROM batches WHERE strpos(messages, $1) > 0",
    );
    await here.app.database.transaction(async (tx) => {
      await queue(here, tx, notice);
      const [queued] = await tx.run(waiting, [notice.phone]);
      assert.equal(queued!.lane, 0);
      assert.doesNotMatch(queued!.messages, /claim|https/);
    });
    assert.equal(await textAt(here, notice.phone!), LINK);
  });

  await t.test(
    "no phone, or one that no operator serves: no SMS, and the caller's transaction goes on",
    async () => {
      const before = await service();
      await give(here, noticeTo({ phone: null }));
      await give(here, noticeTo({ phone: "0700000000" }));
      assert.deepEqual(await service(), before);
      await assertBalanced(here);
    },
  );

  await t.test(
    "foreign, long and far too long texts: paid by segment, cut after the tenth, never refused",
    async () => {
      const before = await service();
      const phone = newPhone();
      await give(here, noticeTo({ phone, text: `${"é".repeat(300)} ${LINK}` }));
      assert.equal(await textAt(here, phone), `${"é".repeat(300)} ${LINK}`);
      assert.equal((await service()).granted - before.granted, 3);
      await give(here, noticeTo({ phone: "33612345678", text: "Bonjour" }));
      assert.equal((await service()).granted - before.granted, 3 + 5);
      for (const [text, start] of [
        ["😀".repeat(2_000), "😀😀"],
        ["ç".repeat(2_000), "çç"],
        ["Bonjour ".repeat(1_000), "Bonjour"],
      ] as const) {
        const to = newPhone();
        await give(here, noticeTo({ phone: to, text }));
        const got = await textAt(here, to);
        assert.ok(got.startsWith(start) && got.endsWith("...") && got.isWellFormed());
        assert.ok(here.simulator.inbox({ phone: to })[0]!.segments <= 10);
      }
      await until(async () => (await assertBalanced(here)).held === 0);
    },
  );

  await t.test("what an operator refuses comes back, and pays for the next notice", async () => {
    const { available, grants } = await service();
    assert.equal(available, 0);
    await give(here, noticeTo({ phone: "2250709990001" }));
    await until(async () => (await service()).available === 1);
    const phone = newPhone();
    await give(here, noticeTo({ phone }));
    await textAt(here, phone);
    assert.deepEqual({ ...(await service()), granted: 0 }, { available: 0, grants: grants + 1, granted: 0 });
  });

  await t.test(
    "L01: many at once, with grants by an administrator beside them, and every credit is there",
    async () => {
      const company = await here.company();
      const { companyId } = company;
      const notices = Array.from({ length: 40 }, () => noticeTo({ phone: newPhone() }));
      await Promise.all([
        ...notices.map((notice) => give(here, notice)),
        ...notices.map(() => here.admin("/v1/admin/credit/grant", { companyId, credit: 1, reason: "test" })),
      ]);
      for (const { phone } of notices) await textAt(here, phone!);
      await until(async () => (await assertBalanced(here)).held === 0);
      assert.equal((await service()).available, 0);
      assert.equal((await company.call("/v1/credit/balance")).data, 40);
    },
  );
});
