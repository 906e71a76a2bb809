// The payment webhook: what was paid is granted once, whatever is forged, repeated, late or killed.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { suite, test } from "node:test";
import { endConnections } from "../../../test/database.ts";
import { inLongRuns, inShortRuns } from "../../../test/length.ts";
import { countWaiting } from "../../../test/locks.ts";
import { startProcess } from "../../../test/process.ts";
import {
  movedTo,
  PAYMENT_SECRET,
  postRaw,
  reasonsOf,
  reseller,
  resellerService,
  standardHeaders,
  succeeded,
  tell,
  tellAsPaystack,
} from "../../../test/reselling.ts";
import { assertBalanced, rows } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";
import { newId } from "../../platform/ids.ts";
import { openLog } from "../../platform/log.ts";

suite("payments", { concurrency: 3 }, () => {
  test(
    "L07: one payment told 50 times at once, and told again under other ids, is granted once",
    inShortRuns,
    async (t) => {
      const here = await resellerService(t);
      const shop = await reseller(here, { credits: 1_000 });
      const customerId = await shop.customer();
      const { purchaseId, amount } = await shop.purchase(customerId);
      const event = succeeded(purchaseId, amount);
      const answers = await Promise.all(Array.from({ length: 50 }, () => tell(here, event)));
      const said = answers.map(({ data }) => data.reason).sort();
      assert.deepEqual(said, ["accepted", ...Array.from({ length: 49 }, () => "duplicate")]);
      const others = Array.from({ length: 20 }, () => tell(here, succeeded(purchaseId, amount)));
      for (const { data } of await Promise.all(others)) assert.equal(data.reason, "already-paid");
      assert.deepEqual(await movedTo(shop, customerId), [200, 20]);
      assert.equal((await reasonsOf(here, { status: "ACCEPTED" })).length, 1);
      await assertBalanced(here);
    },
  );

  test(
    "L07: the process is killed between the halves of a payment: nothing is there; told again, it is whole and once",
    inLongRuns,
    async (t) => {
      const here = await resellerService(t);
      const shop = await reseller(here, { credits: 1_000 });
      const customerId = await shop.customer();
      const { purchaseId, amount } = await shop.purchase(customerId);
      await shop.grant(customerId, 1); // its pool exists, and can be held
      const startService = () =>
        startProcess({
          DATABASE_URL: here.databaseUrl,
          MASTER_KEY: here.app.config.keys!.masterKey,
          ADMIN_KEY: here.adminKey,
          ROLES: "api",
          PAYMENT_WEBHOOK_SECRET: PAYMENT_SECRET,
        });
      const event = succeeded(purchaseId, amount);
      let service = await startService();
      t.after(() => service.end("SIGKILL"));
      // The payment is noted and waits for the pool, which we hold: there it dies.
      await here.app.database.transaction(async (tx) => {
        const lock = "SELECT 1 FROM pools WHERE id = $1 FOR UPDATE";
        await tx.run({ name: "test.lockPool", text: lock }, [customerId]);
        const telling = tell(service, event).catch(() => undefined);
        await until(async () => (await countWaiting(here.app)) > 0);
        await service.end("SIGKILL");
        assert.equal(await telling, undefined);
      });
      await until(async () => (await countWaiting(here.app)) === 0);
      assert.equal(await shop.statusOf(purchaseId), "PENDING");
      assert.deepEqual(await reasonsOf(here), []);
      assert.deepEqual(await movedTo(shop, customerId), [1]);
      // Killed again, this time wherever 50 replays happen to be.
      service = await startService();
      const replays = Array.from({ length: 50 }, () => tell(service, event).catch(() => undefined));
      await Promise.race(replays);
      await service.end("SIGKILL");
      await Promise.all(replays);
      const after = await movedTo(shop, customerId);
      assert.ok([1, 3].includes(after.length), `neither or both: ${after}`);
      await tell(here, event);
      assert.deepEqual(await movedTo(shop, customerId), [1, 200, 20]);
      assert.equal(await shop.statusOf(purchaseId), "GRANTED");
      await assertBalanced(here);
    },
  );

  test(
    "L07 M12: connections cut at any moment of 50 replays, even in COMMIT: once, whole, and the sums hold",
    inShortRuns,
    async (t) => {
      const here = await resellerService(t, { log: openLog("silent") });
      const shop = await reseller(here, { credits: 5_000 });
      const customerId = await shop.customer();
      const mine =
        "application_name LIKE 'atumpan %' AND datname = current_database() AND pid <> pg_backend_pid()";
      const cut = () =>
        rows(here.app, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${mine}`).catch(
          () => {},
        );
      for (let purchase = 1; purchase <= 5; purchase++) {
        const { purchaseId, amount } = await until(() => shop.purchase(customerId).catch(() => undefined));
        const event = succeeded(purchaseId, amount);
        for (let i = 0; i < 10; i++) {
          const told = Promise.all(Array.from({ length: 5 }, () => tell(here, event)));
          const [answers] = await Promise.all([told, cut()]);
          for (const { error } of answers)
            assert.ok([null, "service-unavailable", "server-error"].includes(error), error!);
        }
        await until(async () => (await tell(here, event)).success);
        const moved = await until(() => movedTo(shop, customerId).catch(() => undefined));
        assert.deepEqual(moved, Array.from({ length: purchase }, () => [200, 20]).flat());
      }
      await endConnections(here.databaseUrl);
      await assertBalanced(here);
    },
  );

  test(
    "forged, old, re-priced and unknown payments grant nothing, and the administrator sees why",
    inShortRuns,
    async (t) => {
      const here = await resellerService(t, { config: { paymentCurrency: "XOF" } });
      const shop = await reseller(here, { credits: 1_000 });
      const customerId = await shop.customer();
      const { purchaseId, amount } = await shop.purchase(customerId);
      const body = JSON.stringify(succeeded(purchaseId, amount));
      const post = (headers: Record<string, string>, text = body) =>
        postRaw(here, "/v1/payment/webhook/standard", text, headers);
      const right = standardHeaders(body);
      const minute = 60_000;
      const cases: [string, string, () => ReturnType<typeof post>][] = [
        ["bad-signature", "not-authenticated", () => post({})],
        [
          "bad-signature",
          "not-authenticated",
          () => post(standardHeaders(body, { secret: "whsec_AAAAAAAA" })),
        ],
        ["bad-signature", "not-authenticated", () => post(right, body.replace("5000", "5001"))],
        ["bad-signature", "not-authenticated", () => post(right, `${body} `)],
        ["bad-signature", "not-authenticated", () => post({ ...right, "webhook-id": "msg_other" })],
        ["bad-signature", "not-authenticated", () => post({ ...right, "webhook-signature": "v1," })],
        [
          "bad-signature",
          "not-authenticated",
          () => post({ ...right, "webhook-signature": right["webhook-signature"].replace("v1", "v2") }),
        ],
        ["too-old", "not-authenticated", () => post(standardHeaders(body, { at: Date.now() - 6 * minute }))],
        ["too-old", "not-authenticated", () => post(standardHeaders(body, { at: Date.now() + 6 * minute }))],
        ["wrong-amount", "invalid-request", () => tell(here, succeeded(purchaseId, amount - 1))],
        ["wrong-amount", "invalid-request", () => tell(here, succeeded(purchaseId, amount * 100))],
        [
          "malformed",
          "invalid-request",
          () => tell(here, { ...succeeded(purchaseId, amount), data: { purchaseId } }),
        ],
        ["malformed", "invalid-request", () => tell(here, succeeded(purchaseId, 5_000.5))],
        ["malformed", "invalid-request", () => tell(here, { type: "payment.succeeded" })],
        ["unknown-purchase", "purchase-not-found", () => tell(here, succeeded(newId(), amount))],
        [
          "wrong-currency",
          "invalid-request",
          () =>
            tell(here, {
              id: newId(),
              type: "payment.succeeded",
              data: { purchaseId, amount, currency: "GHS" },
            }),
        ],
      ];
      for (const [reason, error, run] of cases) {
        assert.equal((await run()).error, error, reason);
        const [newest] = (await here.admin("/v1/admin/payment/list", { limit: 1 })).data;
        assert.deepEqual([newest.reason, newest.status], [reason, "REFUSED"]);
      }
      const unknown = await tell(here, { id: newId(), type: "payment.refunded", data: {} });
      assert.deepEqual(unknown.data, { status: "IGNORED", reason: "unknown-event" });
      assert.equal(await shop.statusOf(purchaseId), "PENDING");
      assert.deepEqual(await movedTo(shop, customerId), []);
      const list = await here.admin("/v1/admin/payment/list", { status: "REFUSED", limit: 5, page: 2 });
      assert.deepEqual([list.totalCount, list.count], [cases.length, 5]);
      const all = JSON.stringify(await here.admin("/v1/admin/payment/list", { limit: 100 }));
      assert.equal(all.includes(PAYMENT_SECRET) || all.includes(right["webhook-signature"]), false);
      // What was refused did not use up the purchase: the right payment still counts, and so does its exact event.
      const several = { ...right, "webhook-signature": `v1,AAAA v2,x ${right["webhook-signature"]}` };
      assert.equal((await post(several)).data.reason, "accepted");
      assert.equal(await shop.statusOf(purchaseId), "GRANTED");
      await assertBalanced(here);
    },
  );

  test(
    "a payment that failed is noted; one that succeeds after it counts, and nothing counts after that",
    inShortRuns,
    async (t) => {
      const here = await resellerService(t);
      const shop = await reseller(here, { credits: 1_000 });
      const customerId = await shop.customer();
      const { purchaseId, amount } = await shop.purchase(customerId);
      const fail = () => tell(here, { id: newId(), type: "payment.failed", data: { purchaseId, amount } });
      assert.equal((await fail()).data.reason, "payment-failed");
      assert.equal(await shop.statusOf(purchaseId), "FAILED");
      assert.equal((await tell(here, succeeded(purchaseId, amount))).data.reason, "accepted");
      assert.equal((await fail()).data.reason, "already-paid");
      assert.equal(await shop.statusOf(purchaseId), "GRANTED");
      assert.deepEqual(await movedTo(shop, customerId), [200, 20]);
    },
  );

  test(
    "provider paystack: its signature, its charge.success, our reference, a hundred for each franc",
    inShortRuns,
    async (t) => {
      const here = await resellerService(t, { config: { paymentWebhookSecret: "sk_live_tambour" } });
      const shop = await reseller(here, { credits: 1_000 });
      const customerId = await shop.customer();
      const { purchaseId, amount, reference } = await shop.purchase(customerId);
      const charge = (data: object) => ({
        event: "charge.success",
        data: {
          id: 302961,
          domain: "live",
          status: "success",
          reference,
          amount: amount * 100,
          currency: "XOF",
          metadata: null,
          ...data,
        },
      });
      const tellIt = (event: object) => tellAsPaystack(here, event, "sk_live_tambour");
      assert.equal((await tellAsPaystack(here, charge({}), "sk_live_other")).error, "not-authenticated");
      const text = JSON.stringify(charge({}));
      const other = createHmac("sha256", "sk_live_tambour").update(text).digest("hex");
      const weaker = await postRaw(here, "/v1/payment/webhook/paystack", text, {
        "x-paystack-signature": other,
      });
      assert.equal(weaker.error, "not-authenticated");
      assert.equal((await tellIt(charge({ id: 1, amount }))).error, "invalid-request");
      assert.equal((await tellIt(charge({ id: 2, reference: purchaseId }))).error, "purchase-not-found");
      assert.equal((await tellIt({ event: "charge.success", data: {} })).error, "invalid-request");
      assert.equal((await tellIt({ event: "transfer.success", data: {} })).data.reason, "unknown-event");
      const answers = await Promise.all(Array.from({ length: 10 }, () => tellIt(charge({}))));
      assert.equal(answers.filter(({ data }) => data.reason === "accepted").length, 1);
      assert.deepEqual(await movedTo(shop, customerId), [200, 20]);
      const { data } = await here.admin("/v1/admin/payment/list", { status: "ACCEPTED" });
      assert.deepEqual(
        [data[0].provider, data[0].purchaseId, data[0].companyId],
        ["paystack", purchaseId, shop.company.companyId],
      );
    },
  );

  test(
    "L07: an event that was refused is refused again, and counts once it is right: its id is not used up",
    inShortRuns,
    async (t) => {
      const here = await resellerService(t, { config: { paymentCurrency: "XOF" } });
      const shop = await reseller(here, { credits: 1_000 });
      const customerId = await shop.customer();
      const { purchaseId, amount, reference } = await shop.purchase(customerId);
      const event = succeeded(purchaseId, amount);
      const wrong = { ...event, data: { purchaseId, amount: amount - 1 } };
      const foreign = { ...event, data: { purchaseId, amount, currency: "GHS" } };
      for (const refused of [wrong, wrong, foreign])
        assert.equal((await tell(here, refused)).error, "invalid-request");
      const reasons = ["wrong-amount", "wrong-currency"];
      assert.deepEqual(
        await reasonsOf(here, { status: "REFUSED" }),
        reasons.slice(1),
        "one note for each id",
      );
      // Of a charge without an id the reference is one, and a provider repeats it until we take it.
      const charge = (subunits: number) =>
        tellAsPaystack(
          here,
          { event: "charge.success", data: { reference, amount: subunits } },
          PAYMENT_SECRET,
        );
      assert.equal((await charge(amount)).error, "invalid-request");
      const answers = await Promise.all(Array.from({ length: 20 }, () => tell(here, event)));
      const said = answers.map(({ data }) => data.reason).sort();
      assert.deepEqual(said, ["accepted", ...Array.from({ length: 19 }, () => "duplicate")]);
      assert.equal((await charge(amount * 100)).data.reason, "already-paid");
      assert.equal((await tell(here, wrong)).data.reason, "duplicate");
      assert.deepEqual(await movedTo(shop, customerId), [200, 20]);
      await assertBalanced(here);
    },
  );

  test(
    "without a secret no payment is believed; an unknown provider is not-found",
    inShortRuns,
    async (t) => {
      const here = await resellerService(t, { config: { paymentWebhookSecret: undefined } });
      assert.equal((await tell(here, succeeded(newId(), 5))).error, "not-authenticated");
      assert.deepEqual(await reasonsOf(here), ["no-secret"]);
      const unknown = await postRaw(here, "/v1/payment/webhook/toString", "{}", {});
      assert.equal(unknown.error, "not-found");
    },
  );

  test(
    "garbage takes a thousand rows at most, pushes out nothing that was signed, and is slowed down by address",
    inShortRuns,
    async (t) => {
      const here = await resellerService(t, { config: { trustProxy: ["127.0.0.1"] } });
      const shop = await reseller(here, { credits: 1_000 });
      const { purchaseId, amount } = await shop.purchase(await shop.customer());
      await tell(here, succeeded(purchaseId, amount));
      await tell(here, succeeded(newId(), amount));
      const garbage = (ip: string) =>
        postRaw(here, "/v1/payment/webhook/standard", "{}", { "X-Forwarded-For": ip });
      for (let batch = 0; batch < 11; batch++)
        await Promise.all(
          Array.from({ length: 100 }, (_, i) => garbage(`203.0.113.${(batch * 100 + i) % 100}`)),
        );
      const [{ count }] = await rows(here.app, "SELECT count(*) FROM payment_events");
      assert.equal(count, 2 + 1_000);
      const { data } = await here.admin("/v1/admin/payment/list", { sort: "asc", limit: 2 });
      assert.deepEqual(
        data.map((event: { reason: string }) => event.reason),
        ["accepted", "unknown-purchase"],
      );
      for (let i = 0; i < 20; i++) await garbage("203.0.113.200");
      assert.equal((await garbage("203.0.113.200")).error, "too-many-requests");
      const right = JSON.stringify(succeeded(newId(), amount));
      const heard = await postRaw(here, "/v1/payment/webhook/standard", right, {
        ...standardHeaders(right),
        "X-Forwarded-For": "203.0.113.200",
      });
      assert.equal(heard.error, "purchase-not-found", "a right signature is heard from anywhere");
    },
  );
});
