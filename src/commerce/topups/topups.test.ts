// Top-ups: what a provider was paid is granted once, whatever of it fails, repeats or comes late.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { PRICE, resellerService, tell, tellAsPaystack } from "../../../test/reselling.ts";
import { assertBalanced, rows } from "../../../test/sending.ts";
import { tamperWith } from "../../../test/tamper.ts";
import type { Company, TestService } from "../../../test/testservice.ts";
import { CHECKOUT_URL, offerOf, pay, startPaystack, topUp } from "../../../test/topping.ts";
import { lowestId, newId } from "../../platform/ids.ts";
import { openLog } from "../../platform/log.ts";
import { forgetUnpaid } from "./topups.ts";

const SECRET_KEY = "sk_test_drum";
const DAY_MS = 24 * 3_600_000;

suite("top-ups", () => {
  const closing: (() => unknown)[] = [];
  const scope = { after: (close: () => unknown) => void closing.push(close) };
  let here: TestService;
  let paystack: Awaited<ReturnType<typeof startPaystack>>;

  before(async () => {
    paystack = await startPaystack(scope);
    here = await resellerService(scope as Parameters<typeof resellerService>[0], {
      log: openLog("silent"),
      config: {
        ...{ paystackSecretKey: SECRET_KEY, paystackUrl: paystack.url, paymentCheckoutUrl: CHECKOUT_URL },
        webhookAllowCidrs: ["127.0.0.1"],
      },
      limits: { topupsPerDay: 12, topupOffers: 40 },
      settings: { paymentTimeoutMs: 500 },
    });
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  const begin = async (company: Company, body: object = {}) => {
    const offerId = await offerOf(here);
    return company.call("/v1/topup/begin", { offerId, ...body });
  };
  const statusOf = async (company: Company, id: string) =>
    (await company.call(`/v1/topup/${id}`)).data.status as string;
  const movements = async (company: Company) => {
    const { data } = await company.call("/v1/credit/statement");
    return data.map(({ kind, amount, reason }: Record<string, unknown>) => [kind, amount, reason]);
  };

  test("an offer is on sale until it is archived", async () => {
    const company = await here.company();
    const [dear, cheap] = [await offerOf(here, { amount: 90_000 }), await offerOf(here, { amount: 10 })];
    const onSale = async () => {
      const { data } = await company.call("/v1/topup/offer/list", { limit: 100 });
      return data.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual([(await onSale())[0], (await onSale()).at(-1)], [cheap, dear]);
    const { data: offers } = await company.call("/v1/topup/offer/list", { limit: 1 });
    assert.deepEqual(offers[0].providers, ["paystack", "standard"]);
    for (let i = 0; i < 2; i++)
      assert.ok((await here.admin(`/v1/admin/offer/${dear}/archive`)).data.archivedAt);
    assert.ok(!(await onSale()).includes(dear));
    assert.equal((await begin(company, { offerId: dear })).error, "conflict");
    assert.equal((await begin(company, { offerId: newId() })).error, "offer-not-found");
    assert.equal((await here.admin(`/v1/admin/offer/${newId()}/archive`)).error, "offer-not-found");
    const { data } = await here.admin("/v1/admin/offer/list", { limit: 100 });
    assert.ok(
      data.some(({ id, archivedAt }: { id: string; archivedAt: unknown }) => id === dear && archivedAt),
    );
    const worthless = { name: "Rien", credit: 10 ** 9, bonusCredit: 1, amount: 5 };
    assert.equal((await here.admin("/v1/admin/offer/create", worthless)).error, "invalid-request");
    for (const currency of ["FCF", "CFA", "ZZZ", "xof"]) {
      const offer = { name: "Faux", credit: 10, amount: 5, currency };
      const { error, details } = await here.admin("/v1/admin/offer/create", offer);
      assert.deepEqual([error, details?.[0]?.field], ["invalid-request", "currency"], currency);
    }
    for (const currency of ["XAF", "GNF", "EUR"])
      await dataOf(here.admin("/v1/admin/offer/create", { name: currency, credit: 10, amount: 5, currency }));
  });

  test("standard: a payment told often and at once is granted once, with its receipt and its lines", async () => {
    const company = await here.company();
    const returnUrl = "https://boutique.example/?a=b&c";
    const { data: topup } = await begin(company, { provider: "standard", returnUrl });
    const { topupId, reference, checkoutUrl } = topup;
    const back = encodeURIComponent(returnUrl);
    assert.equal(checkoutUrl, `https://pay.example/${reference}?amount=${PRICE}&currency=XOF&back=${back}`);
    assert.deepEqual([topup.status, topup.credit, topup.amount], ["PENDING", 200, PRICE]);
    assert.equal((await company.call(`/v1/topup/${topupId}/receipt`)).error, "conflict");
    for (const [amount, currency] of [[PRICE - 1], [PRICE * 100], [PRICE, "NGN"]] as const)
      assert.equal((await pay(here, reference, amount, { currency })).error, "invalid-request");
    assert.equal((await pay(here, `${reference}0`)).error, "purchase-not-found");
    const failed = { id: newId(), type: "payment.failed", data: { reference } };
    assert.equal((await tell(here, failed)).data.reason, "payment-failed");
    assert.equal(await statusOf(company, topupId), "FAILED");
    const event = {
      id: newId(),
      type: "payment.succeeded",
      data: { reference, amount: PRICE, currency: "XOF" },
    };
    const told = [
      ...Array.from({ length: 10 }, () => tell(here, event)),
      pay(here, reference),
      pay(here, reference),
    ];
    const said = (await Promise.all(told)).map(({ data }) => data.reason);
    assert.equal(said.filter((reason) => reason === "accepted").length, 1, `${said}`);
    const { data: receipt } = await company.call(`/v1/topup/${topupId}/receipt`);
    const { receiptNumber, issuedAt, companyName, providerReference, ...rest } = receipt;
    assert.match(receiptNumber, /^20\d\d-\d{6}$/);
    assert.equal(receiptNumber.slice(0, 4), issuedAt.slice(0, 4));
    assert.ok(companyName.length > 0 && providerReference.length > 0);
    assert.deepEqual(
      [rest.reference, rest.amount, rest.credit, rest.bonusCredit],
      [reference, PRICE, 200, 20],
    );
    assert.deepEqual(await movements(company), [
      ["grant", 20, `Recharge ${receiptNumber} : Petit pack (bonus)`],
      ["grant", 200, `Recharge ${receiptNumber} : Petit pack`],
    ]);
    const { data: payments } = await here.admin("/v1/admin/payment/list", { status: "ACCEPTED", limit: 5 });
    assert.deepEqual([payments[0].topupId, payments[0].purchaseId], [topupId, null]);
    assert.equal(payments[0].companyId, company.companyId);
    assert.equal((await company.call(`/v1/topup/${topupId}/checkout`)).error, "conflict");
    const other = await here.company();
    for (const path of ["", "/receipt", "/checkout"])
      assert.equal((await other.call(`/v1/topup/${topupId}${path}`)).error, "not-found");
    await assertBalanced(here);
  });

  test("paystack: it is asked as its documentation says, and its event is signed by the same key", async () => {
    const company = await here.company();
    const { data } = await begin(company, { returnUrl: "https://boutique.example/credits" });
    const { body, headers } = paystack.asked.at(-1)!;
    const { email, ...sent } = body;
    assert.match(`${email}`, /@/);
    assert.deepEqual(sent, {
      amount: PRICE * 100,
      currency: "XOF",
      reference: data.reference,
      callback_url: "https://boutique.example/credits",
      metadata: { topupId: data.topupId, companyId: company.companyId },
    });
    assert.equal(headers["content-type"], "application/json");
    assert.equal(data.checkoutUrl, `https://checkout.paystack.com/${data.reference}`);
    const charge = { id: 4099260516, reference: data.reference, amount: PRICE * 100, currency: "XOF" };
    const event = { event: "charge.success", data: charge };
    assert.equal((await tellAsPaystack(here, event)).error, "not-authenticated");
    const dollars = { event: "charge.success", data: { ...charge, id: 1, currency: "USD" } };
    assert.equal((await tellAsPaystack(here, dollars, SECRET_KEY)).error, "invalid-request");
    assert.equal((await tellAsPaystack(here, event, SECRET_KEY)).data.reason, "accepted");
    assert.equal((await tellAsPaystack(here, event, SECRET_KEY)).data.reason, "duplicate");
    const { data: receipt } = await company.call(`/v1/topup/${data.topupId}/receipt`);
    assert.deepEqual([receipt.provider, receipt.providerReference], ["paystack", "4099260516"]);
    assert.equal((await company.call("/v1/credit/balance")).data, 220);
  });

  test("a provider that fails leaves a top-up that is tried again, with the same key or by its id", async () => {
    const company = await here.company();
    const offerId = await offerOf(here);
    const wanted = { offerId, idempotencyKey: newId() };
    for (const mood of ["down", "mute", "nonsense", "elsewhere"] as const) {
      paystack.mood = mood;
      const { error, details } = await company.call("/v1/topup/begin", wanted);
      assert.deepEqual([mood, error, details?.[0]?.field], [mood, "service-unavailable", "provider"]);
    }
    const { data: waiting } = await company.call("/v1/topup/list");
    assert.deepEqual([waiting.length, waiting[0].status, waiting[0].checkoutUrl], [1, "PENDING", null]);
    // Paystack has the reference now, and nobody has the page.
    paystack.mood = "answer-lost";
    const { id, reference } = waiting[0];
    assert.equal((await company.call(`/v1/topup/${id}/checkout`)).error, "service-unavailable");
    paystack.mood = "well";
    const tries = Array.from({ length: 3 }, () => company.call(`/v1/topup/${id}/checkout`));
    const pages = (await Promise.all(tries)).map(({ data }) => `${data?.topupId} ${data?.checkoutUrl}`);
    assert.equal(new Set(pages).size, 1, `${pages}`);
    const { checkoutUrl } = (await company.call("/v1/topup/begin", wanted)).data;
    const used = checkoutUrl.split("/").at(-1);
    assert.match(used, new RegExp(`^${reference}-[2-5]$`));
    const data = { id: 7, reference: used, amount: PRICE * 100, currency: "XOF" };
    await tellAsPaystack(here, { event: "charge.success", data }, SECRET_KEY);
    assert.equal(await statusOf(company, id), "GRANTED");
    const reused = await company.call("/v1/topup/begin", { ...wanted, offerId: newId() });
    assert.equal(reused.error, "idempotency-key-reused");
  });

  test("receipts that are written at once have no gap and no number twice; a grant that fails takes none", async () => {
    const companies = await Promise.all(Array.from({ length: 4 }, () => here.company()));
    const begun = await Promise.all(companies.map((company) => topUp(here, company)));
    const [broken, ...whole] = begun;
    // Its entry is there already, as if it had been granted by hand: the whole grant is undone.
    await rows(
      here.app,
      `INSERT INTO entries (key, kind, from_pool, to_pool, amount)
       SELECT credit_key, 'grant', 'world', company_id, 1 FROM topups WHERE id = $1`,
      [broken!.topupId],
    );
    const last = async () => (await rows(here.app, "SELECT last FROM receipt_years"))[0]?.last ?? 0;
    const before = Number(await last());
    await Promise.all(begun.map(({ reference }) => pay(here, reference)));
    assert.equal(Number(await last()), before + whole.length);
    const numbers = await rows(
      here.app,
      "SELECT receipt_number FROM topups WHERE receipt_number > $1 ORDER BY 1",
      [before],
    );
    assert.deepEqual(
      numbers.map(({ receipt_number }) => Number(receipt_number)),
      whole.map((_, i) => before + i + 1),
    );
    assert.equal(await statusOf(companies[0]!, broken!.topupId), "PENDING");
    await tamperWith(here, "DELETE FROM entries WHERE amount = 1 AND kind = 'grant'");
    await assertBalanced(here);
  });

  test("one that is old expires; money that comes all the same is granted, and what stays unpaid is forgotten", async () => {
    const company = await here.company();
    const [paid, unpaid] = [await topUp(here, company), await topUp(here, company)];
    const age = (id: string, days: number) => {
      const then = Date.now() - days * DAY_MS;
      const old = "UPDATE topups SET id = $2, created_at = $3 WHERE id = $1 RETURNING id";
      return rows(here.app, old, [id, lowestId(then).slice(0, 12) + id.slice(12), new Date(then)]);
    };
    const [[late], [lost]] = [await age(paid.topupId, 2), await age(unpaid.topupId, 91)];
    assert.equal(await statusOf(company, late!.id), "EXPIRED");
    assert.equal((await company.call(`/v1/topup/${late!.id}/checkout`)).error, "conflict");
    const { companyId } = company;
    const sold = async (status?: string) => {
      const { data } = await here.admin("/v1/admin/topup/list", { companyId, ...(status && { status }) });
      return data.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual([await sold("EXPIRED"), await sold("PENDING")], [[late!.id, lost!.id], []]);
    await pay(here, paid.reference);
    await forgetUnpaid(here.app);
    assert.deepEqual([await sold("GRANTED"), await sold()], [[late!.id], [late!.id]]);
    assert.equal(
      (await here.admin("/v1/admin/topup/list", { status: "GRANTED" })).data[0].companyName.length > 0,
      true,
    );
  });

  test("what is asked for amiss is refused: another address, a provider that is not here, too many", async () => {
    const company = await here.company();
    for (const returnUrl of ["http://boutique.example/", "javascript:alert(1)", "boutique"])
      assert.equal((await begin(company, { returnUrl })).details?.[0]?.field, "returnUrl");
    assert.equal((await begin(company, { provider: "other" })).error, "invalid-request");
    const offerId = await offerOf(here);
    const all = [];
    for (let i = 0; i < 13; i++)
      all.push((await company.call("/v1/topup/begin", { offerId, provider: "standard" })).error);
    assert.ok(all.includes("too-many-requests"), `${all}`);
    const { totalCount } = await company.call("/v1/topup/list");
    assert.ok(totalCount <= 12);
    const bare = await resellerService({ after: (close) => void closing.push(close) } as Parameters<
      typeof resellerService
    >[0]);
    const there = await bare.company();
    const id = await offerOf(bare);
    const { error } = await there.call("/v1/topup/begin", { offerId: id, provider: "standard" });
    assert.equal(error, "service-unavailable");
    assert.equal((await there.call("/v1/topup/list")).totalCount, 0);
  });
});
