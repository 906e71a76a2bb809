// Connections through their URLs: provisioned by servers, paired by people, one at a time and many at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedSender, application, dataOf, provision } from "../../../test/applications.ts";
import { reseller } from "../../../test/reselling.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { normaliseCode } from "./pairing.ts";

test("a code is read as people write it, and as the QR code has it", () => {
  for (const written of [
    "ABCDEFGHJ2",
    "abcde-fghj2",
    " AbCde fgHJ2\n",
    "ATUMPAN_ABCDEFGHJ2",
    "atumpan_abcde fghj2",
  ])
    assert.equal(normaliseCode(written), "ABCDEFGHJ2");
  assert.notEqual(normaliseCode("ATUMPAN_ATUMPAN_ABCDEFGHJ2"), "ABCDEFGHJ2");
});

test("provisioning", async (t) => {
  const here = await testService(t);

  await t.test("answers the connection and its token, the same on every call", async () => {
    const [app, company] = [await application(here), await here.company()];
    const made = await dataOf(provision(app, company, "client-1"));
    const { connectionId, connectionToken, ...rest } = made;
    assert.match(connectionId, /^[0-9a-f]{24}$/);
    assert.match(connectionToken, /^ct_[A-Za-z0-9_-]{32}$/);
    assert.deepEqual(rest, { status: "CONNECTED", target: "company", senderAssigned: false });
    assert.deepEqual(await dataOf(provision(app, company, "client-1")), made);
    const other = await dataOf(provision(app, company, "client-2"));
    assert.notEqual(other.connectionToken, connectionToken);
  });

  await t.test("O16: 50 at once make one connection and answer one token", async () => {
    const [app, company] = [await application(here), await here.company()];
    const answers = await Promise.all(Array.from({ length: 50 }, () => provision(app, company, "client")));
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    assert.equal(answers[0]!.error, null);
    const listed = await company.call("/v1/third-party-app/connection/list");
    assert.equal(listed.totalCount, 1);
  });

  await t.test("A09 O16: another company, target or customer is a conflict and changes nothing", async () => {
    const app = await application(here);
    const [company, other] = [await here.company(), await here.company()];
    const shop = await reseller(here);
    const [mine, second] = [await shop.customer(), await shop.customer()];
    const toCustomer = (externalAccountId: string, partnerCustomerId: string) =>
      app.call("/v1/third-party-app/provision", {
        externalAccountId,
        target: "partnerCustomer",
        partnerServerKey: shop.serverApiKey,
        partnerCustomerId,
      });
    const made = await dataOf(provision(app, company, "client"));
    assert.equal((await provision(app, other, "client")).error, "connection-conflict");
    assert.equal((await toCustomer("client", mine)).error, "connection-conflict");
    assert.deepEqual(await dataOf(provision(app, company, "client")), made);
    const customer = await dataOf(toCustomer("salon", mine));
    assert.equal(customer.target, "partnerCustomer");
    assert.equal((await toCustomer("salon", second)).error, "connection-conflict");
    assert.equal((await provision(app, shop.company, "salon")).error, "connection-conflict");
    assert.deepEqual(await dataOf(toCustomer("salon", mine)), customer);
  });

  await t.test("A09: only the keys of the account itself open it", async () => {
    const app = await application(here);
    const [company, other] = [await here.company(), await here.company()];
    const [shop, rival] = [await reseller(here), await reseller(here)];
    const [mine, theirs] = [await shop.customer(), await rival.customer()];
    const refused = async (body: object) =>
      (await app.call("/v1/third-party-app/provision", { externalAccountId: "x", ...body })).error;
    const target = "company";
    const { companyId } = company;
    assert.equal(await refused({ target, companyId, companyApiKey: other.apiKey }), "not-authenticated");
    assert.equal(await refused({ target, companyId, companyApiKey: "nobody" }), "not-authenticated");
    assert.equal(await refused({ target, companyId }), "invalid-request");
    const customer = (partnerServerKey: string, partnerCustomerId: string) =>
      refused({ target: "partnerCustomer", partnerServerKey, partnerCustomerId });
    assert.equal(await customer(shop.serverApiKey, theirs), "customer-not-found");
    assert.equal(await customer(shop.serverApiKey, "0".repeat(24)), "customer-not-found");
    assert.equal(await customer(rival.serverApiKey, mine), "customer-not-found");
    assert.equal(await customer("psk_nobody", mine), "not-authenticated");
    assert.equal(await customer(company.apiKey, mine), "not-authenticated");
    assert.equal(await refused({ target: "user" }), "invalid-request");
    const listed = await company.call("/v1/third-party-app/connection/list");
    assert.equal(listed.totalCount, 0);
    const unauthenticated = { apiSecret: "tps_nobody", externalAccountId: "x", target };
    assert.equal(
      (await here.call("/v1/third-party-app/provision", unauthenticated)).error,
      "not-authenticated",
    );
  });

  await t.test(
    "A10: external accounts that look alike are different ones; broken text is refused",
    async () => {
      const [app, company] = [await application(here), await here.company()];
      const names = ["café", "cafe\u0301", "CAFÉ", "café ", "Ｃafé"];
      const tokens = new Set<string>();
      for (const name of names) tokens.add((await dataOf(provision(app, company, name))).connectionToken);
      assert.equal(tokens.size, names.length);
      for (const name of ["\ud800", "a\0b", "x".repeat(10_240), ""])
        assert.equal((await provision(app, company, name)).error, "invalid-request");
    },
  );

  await t.test(
    "a sender by id or name, of the account that pays, accepted; a repeat fills in what was missing",
    async () => {
      const app = await application(here);
      const [company, other] = [await here.company(), await here.company()];
      const senderId = await acceptedSender(here, company, "PAGNES");
      await acceptedSender(here, other, "AUTRE");
      const asked = (externalAccountId: string, defaultSenderId: string) =>
        provision(app, company, externalAccountId, { defaultSenderId });
      assert.equal((await asked("a", "AUTRE")).error, "sender-not-found");
      await company.call("/v1/sender/create", { name: "ATTEND", description: "x" });
      assert.equal((await asked("a", "ATTEND")).error, "sender-not-accepted");
      assert.equal((await dataOf(provision(app, company, "a"))).senderAssigned, false);
      assert.equal((await asked("a", senderId)).data.senderAssigned, true);
      assert.equal((await asked("b", "PAGNES")).data.senderAssigned, true);
      const shop = await reseller(here);
      await acceptedSender(here, shop.company, "REVENDEUR");
      const customer = await app.call("/v1/third-party-app/provision", {
        externalAccountId: "c",
        target: "partnerCustomer",
        partnerServerKey: shop.serverApiKey,
        partnerCustomerId: await shop.customer(),
        defaultSenderId: "REVENDEUR",
      });
      assert.equal(customer.data.senderAssigned, true);
    },
  );
});

test("pairing", async (t) => {
  const here = await testService(t, { settings: { pairingLifetimeMs: 600_000 } });
  const begin = async (app: Awaited<ReturnType<typeof application>>, externalAccountId = "client") =>
    app.call("/v1/third-party-app/pairing/initiate", { externalAccountId });
  const status = (app: Awaited<ReturnType<typeof application>>, externalAccountId = "client") =>
    app.call("/v1/third-party-app/pairing/status", { externalAccountId });
  const confirm = (company: Company, pairingCode: string, more: object = {}) =>
    company.call("/v1/third-party-app/pairing/confirm", { pairingCode, ...more });
  const details = (company: Company, pairingCode: string) =>
    company.call("/v1/third-party-app/pairing/details", { pairingCode });

  await t.test(
    "begun, looked at, approved, fetched; the three fields stand beside the envelope too",
    async () => {
      const [app, company] = [await application(here, { name: "Pagnes & Co" }), await here.company()];
      const senderId = await acceptedSender(here, company, "PAGNES");
      const { data, pairingCode, expiresAt, qrContent } = await begin(app);
      assert.match(data.pairingCode, /^[ABCDEFGHJKMNPQRSTUVWXYZ2-9]{10}$/);
      assert.equal(data.qrContent, `ATUMPAN_${data.pairingCode}`);
      assert.deepEqual(
        { pairingCode, expiresAt, qrContent },
        {
          pairingCode: data.pairingCode,
          expiresAt: data.expiresAt,
          qrContent: data.qrContent,
        },
      );
      assert.equal(data.link, `atumpan://pair?code=${pairingCode}&app=${app.slug}`);
      assert.equal(data.universalLink, `${here.url}/pair?code=${pairingCode}&app=${app.slug}`);
      assert.deepEqual((await status(app)).data, { status: "PENDING", expiresAt });
      assert.deepEqual((await details(company, qrContent)).data, {
        app: { name: "Pagnes & Co", slug: app.slug, description: "Vend des pagnes en ligne", logoUrl: null },
        expiresAt,
        senders: [{ id: senderId, name: "PAGNES" }],
      });
      const typed = `${pairingCode.slice(0, 4).toLowerCase()} ${pairingCode.slice(4).toLowerCase()}`;
      const { connectionId, ...paired } = (await confirm(company, typed)).data;
      assert.deepEqual(paired, { status: "CONNECTED", target: "company", senderAssigned: true });
      const { connectionToken, ...connected } = (await status(app)).data;
      assert.deepEqual(connected, { status: "CONNECTED", connectionId });
      assert.match(connectionToken, /^ct_/);
      assert.equal((await confirm(company, pairingCode)).error, "pairing-code-invalid");
      assert.equal((await dataOf(provision(app, company, "client"))).connectionToken, connectionToken);
    },
  );

  await t.test("refused, replaced and expired codes are as wrong as any other", async () => {
    const [app, company] = [await application(here), await here.company()];
    assert.equal((await status(app)).error, "not-found");
    const first = (await begin(app)).data.pairingCode;
    const second = (await begin(app)).data.pairingCode;
    assert.equal((await details(company, first)).error, "pairing-code-invalid");
    const denied = await company.call("/v1/third-party-app/pairing/deny", { pairingCode: second });
    assert.deepEqual(denied.data, { status: "DENIED" });
    assert.deepEqual((await status(app)).data, { status: "DENIED" });
    const live = await dataOf(provision(app, company, "client"));
    const { connectionToken } = (await status(app)).data;
    assert.equal(connectionToken, live.connectionToken);
    assert.equal((await confirm(company, second)).error, "pairing-code-invalid");
    const brief = await testService(t, { settings: { pairingLifetimeMs: 1 } });
    const late = await application(brief);
    const { pairingCode, expiresAt } = (await begin(late)).data;
    assert.equal((await confirm(await brief.company(), pairingCode)).error, "pairing-code-invalid");
    assert.deepEqual((await status(late)).data, { status: "EXPIRED", expiresAt });
  });

  await t.test("twenty polls of an external account at once, then one in two seconds", async () => {
    const app = await application(here);
    await begin(app, "attend");
    const startedAt = performance.now();
    let answered = 0;
    for (; ; answered++) {
      const { error } = await status(app, "attend");
      if (error === "too-many-requests") break;
      assert.equal(error, null);
    }
    const secondsPassed = (performance.now() - startedAt) / 1_000;
    assert.ok(answered >= 20 && answered <= 21 + secondsPassed / 2, `${answered} in ${secondsPassed} s`);
    assert.equal((await status(app, "autre")).error, "not-found");
  });

  await t.test("ten pairings an hour for one external account", async () => {
    const app = await application(here);
    const answers = [];
    for (let i = 0; i < 11; i++) answers.push((await begin(app, "insiste")).error);
    assert.deepEqual(answers, [...Array(10).fill(null), "too-many-requests"]);
    const hour =
      "SELECT ceil(extract(epoch FROM date_trunc('hour', now()) + interval '1 hour' - now())) AS left";
    const [{ left }] = await rows(here.app, hour);
    const body = JSON.stringify({ apiSecret: app.apiSecret, externalAccountId: "insiste" });
    const headers = { "Content-Type": "application/json" };
    const path = `${here.url}/v1/third-party-app/pairing/initiate`;
    const refused = await fetch(path, { method: "POST", headers, body });
    assert.ok(Number(refused.headers.get("retry-after")) <= Number(left));
    assert.equal((await begin(app, "autre")).error, null);
  });

  await t.test(
    "O14: two companies confirm one code at once: one wins, the other learns nothing",
    async () => {
      for (let round = 0; round < 5; round++) {
        const app = await application(here);
        const companies = [await here.company(), await here.company()];
        const { pairingCode } = (await begin(app)).data;
        const answers = await Promise.all(companies.map((company) => confirm(company, pairingCode)));
        assert.deepEqual(answers.map(({ error }) => error).sort(), [null, "pairing-code-invalid"]);
        const lists = await Promise.all(
          companies.map((company) => company.call("/v1/third-party-app/connection/list")),
        );
        assert.equal(
          lists.reduce((sum, { totalCount }) => sum + totalCount, 0),
          1,
        );
      }
    },
  );

  await t.test(
    "O15: without a sender the only accepted one is assigned; none of two, none of none",
    async () => {
      for (const [count, assigned] of [
        [0, false],
        [1, true],
        [2, false],
      ] as const) {
        const [app, company] = [await application(here), await here.company()];
        for (let i = 0; i < count; i++) await acceptedSender(here, company, `PAGNES${i}`);
        await company.call("/v1/sender/create", { name: "ATTEND", description: "x" });
        const { pairingCode } = (await begin(app)).data;
        assert.equal((await confirm(company, pairingCode)).data.senderAssigned, assigned);
      }
    },
  );

  await t.test(
    "A07: a sender of another company or one that is not accepted is refused; the code still waits",
    async () => {
      const app = await application(here);
      const [company, other] = [await here.company(), await here.company()];
      const foreign = await acceptedSender(here, other, "BANQUE");
      const { pairingCode } = (await begin(app)).data;
      assert.equal((await confirm(company, pairingCode, { senderId: foreign })).error, "sender-not-found");
      assert.equal((await confirm(company, pairingCode, { senderId: "BANQUE" })).error, "sender-not-found");
      await company.call("/v1/sender/create", { name: "ATTEND", description: "x" });
      assert.equal(
        (await confirm(company, pairingCode, { senderId: "ATTEND" })).error,
        "sender-not-accepted",
      );
      assert.equal((await confirm(company, pairingCode)).error, null);
    },
  );

  await t.test("an account that is connected already to another company is a conflict", async () => {
    const app = await application(here);
    const [company, other] = [await here.company(), await here.company()];
    const made = await dataOf(provision(app, company, "client"));
    const { pairingCode } = (await begin(app)).data;
    assert.equal((await confirm(other, pairingCode)).error, "connection-conflict");
    assert.equal((await confirm(company, pairingCode)).data.connectionId, made.connectionId);
  });

  await t.test(
    "O13: 10 wrong codes of an account in an hour, then even the right one is refused",
    async () => {
      const [app, company] = [await application(here), await here.company()];
      const { pairingCode } = (await begin(app)).data;
      const wrong = Array.from({ length: 40 }, (_, i) => `ZZZZZZ${String(i).padStart(4, "2")}`);
      const answers = await Promise.all(wrong.map((code) => details(company, code)));
      const compared = answers.filter(({ error }) => error === "pairing-code-invalid");
      assert.equal(compared.length, 10);
      assert.ok(
        answers.every(({ error }) => error === "pairing-code-invalid" || error === "too-many-requests"),
      );
      assert.equal((await confirm(company, pairingCode)).error, "too-many-requests");
      assert.equal((await confirm(await here.company(), pairingCode)).error, null);
    },
  );
});
