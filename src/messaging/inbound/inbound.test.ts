// What handsets write, from the operator to the list of the company that it is for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newNumber } from "../../../test/belongings.ts";
import { newPhone } from "../../../test/codes.ts";
import { sentBy } from "../../../test/dialects.ts";
import { deliver, keywordFor, numberFor, scriptedOperator, textsOf } from "../../../test/incoming.ts";
import { rows, send, settled } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";

const list = (company: Company, filter: object = {}) => company.call("/v1/inbound/list", filter);

test("what is written to a company's number is listed and read by that company alone", async (t) => {
  const here = await testService(t);
  const [company, other] = [await here.company({ credits: 10 }), await here.company()];
  const { number } = await numberFor(here, company);
  const phone = newPhone();
  await dataOf(company.call("/v1/contact/create", { phone, name: "Awa Koné" }));
  const campaign = await dataOf(
    company.call("/v1/campaign/create", { name: "Rentrée", contacts: [phone], text: "Bonjour" }),
  );
  await settled(company, campaign.id);
  const before = Date.now();
  await dataOf(here.admin("/v1/admin/simulator/reply", { from: phone, to: number, text: "Déjà vu, merci" }));
  const { data, totalCount } = await list(company);
  assert.equal(totalCount, 1);
  const [{ id, receivedAt, ...message }] = data;
  assert.deepEqual(message, {
    ...{ from: phone, to: number, text: "Déjà vu, merci", keyword: null, encoding: "GSM-7" },
    ...{ segments: 1, missingSegments: 0, campaignId: campaign.id, campaignName: "Rentrée" },
    contact: "Awa Koné",
  });
  assert.ok(Math.abs(Date.parse(receivedAt) - before) < 60_000);
  assert.deepEqual(await dataOf(company.call(`/v1/inbound/${id}`)), data[0]);
  assert.equal((await other.call(`/v1/inbound/${id}`)).error, "not-found");
  assert.deepEqual((await list(other)).data, []);
  assert.deepEqual(await dataOf(other.call("/v1/inbound/number/list")), []);
});

test("the simulated handset writes the same text twice, and it is received twice", async (t) => {
  const here = await testService(t);
  const company = await here.company();
  const { number } = await numberFor(here, company);
  const reply = { from: newPhone(), to: number, text: "Oui" };
  const write = () => here.admin("/v1/admin/simulator/reply", reply);
  await until(async () => (await write()).success); // once the gateway is bound
  await dataOf(write());
  assert.deepEqual(await textsOf(company), ["Oui", "Oui"]);
});

test("a long text comes in segments over SMPP and is one message, in each alphabet", async (t) => {
  const here = await testService(t);
  await until(() => here.simulator.stats().binds > 0);
  const company = await here.company();
  const { number } = await numberFor(here, company);
  const texts = [
    "é€".repeat(150), // three septets each: escapes stand at the ends of segments
    "Merci beaucoup 😀 ".repeat(20), // surrogate pairs in UCS-2
    "court",
  ];
  for (const text of texts)
    await dataOf(here.admin("/v1/admin/simulator/reply", { from: newPhone(), to: number, text }));
  const { data } = await list(company);
  assert.deepEqual(data.map((row: { text: string }) => row.text).reverse(), texts);
  assert.deepEqual(
    data.map(({ encoding, segments }: Record<string, unknown>) => [encoding, segments]).reverse(),
    [
      ["GSM-7", 3],
      ["UCS-2", 6],
      ["GSM-7", 1],
    ],
  );
  assert.deepEqual(await rows(here.app, "SELECT FROM inbound_parts"), []);
});

test("the first word on a shared number decides, and what nobody has is the administrator's", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const [awa, binta] = [await here.company(), await here.company()];
  const shared = await numberFor(here);
  const own = await numberFor(here, awa);
  await keywordFor(here, awa, shared.id, "Été");
  await keywordFor(here, binta, shared.id, "PROMO");
  await keywordFor(here, binta, own.id, "PROMO");
  const say = (text: string, to = shared.number) => deliver(gsm, gsm.phone, to, text);
  for (const text of ["été 2026", "  «Ete!» svp", "promo", "Promo2", "", "ETE,PROMO"])
    assert.equal(await say(text), 0);
  for (const text of ["Promo: 2", "Bonjour"]) assert.equal(await say(text, own.number), 0);
  assert.deepEqual(await textsOf(awa), ["été 2026", "  «Ete!» svp", "ETE,PROMO", "Bonjour"]);
  assert.deepEqual(await textsOf(binta), ["promo", "Promo: 2"]);
  const nobodys = await here.admin("/v1/admin/inbound/list", { unrouted: true });
  assert.deepEqual(
    nobodys.data.map(({ text, companyId, to }: Record<string, unknown>) => [text, companyId, to]),
    [
      ["", null, shared.number],
      ["Promo2", null, shared.number],
    ],
  );
  assert.deepEqual(
    await dataOf(awa.call("/v1/inbound/number/list")),
    [
      { id: own.id, number: own.number, isShared: false, keywords: [] },
      { id: shared.id, number: shared.number, isShared: true, keywords: ["ETE"] },
    ].sort((one, next) => (one.number < next.number ? -1 : 1)),
  );
  assert.deepEqual(await textsOf(binta, { keyword: "pRómo" }), ["promo", "Promo: 2"]);
  assert.deepEqual(await textsOf(binta, { number: own.number, keyword: "promo" }), ["Promo: 2"]);
});

test("numbers and keywords: what they refuse, and what a change of them moves", async (t) => {
  const { here, gsm } = await scriptedOperator(t, { limits: { keywordsPerNumber: 2, inboundNumbers: 4 } });
  const [awa, binta] = [await here.company(), await here.company()];
  const make = (body: object) => here.admin("/v1/admin/inbound/number/create", body);
  const number = newNumber();
  const made = await make({ number: `+${number}`, companyId: awa.companyId });
  assert.equal(made.data.number, number);
  for (const [body, error] of [
    [{ number }, "conflict"],
    [{ number: "12" }, "invalid-request"],
    [{ number: "1-2-" }, "invalid-request"],
    [{ number: "PROMO" }, "invalid-request"],
    [{ number: newNumber(), companyId: "nobody" }, "not-found"],
    [{ number: newNumber(), operatorId: "nobody" }, "not-found"],
  ] as const)
    assert.equal((await make(body)).error, error, JSON.stringify(body));
  assert.equal((await make({ number: "07 00 00 12 34" })).data.number, "2250700001234");
  // The same short code at one operator is another number, which goes before that of all operators.
  const there = await make({ number, companyId: binta.companyId, operatorId: gsm.shown.id });
  await deliver(gsm, gsm.phone, number, "un");
  const { id } = there.data;
  const update = (body: object) => here.admin(`/v1/admin/inbound/number/${id}/update`, body);
  assert.equal((await update({ operatorId: "" })).error, "conflict");
  assert.equal((await update({ companyId: "nobody" })).error, "not-found");
  assert.equal((await update({ companyId: awa.companyId })).data.companyId, awa.companyId);
  await deliver(gsm, gsm.phone, number, "deux");
  assert.equal((await update({ companyId: "" })).data.companyId, null);
  await deliver(gsm, gsm.phone, number, "trois");

  const give = (keyword: string, more: object = {}) =>
    here.admin("/v1/admin/inbound/keyword/create", {
      ...{ numberId: id, keyword, companyId: binta.companyId },
      ...more,
    });
  for (const keyword of ["STOP", "arrêt", "Start", "deux mots", "!", "a-b"])
    assert.equal((await give(keyword)).error, "invalid-request", keyword);
  const refusal = async (answering: ReturnType<typeof give>) => {
    const { error, details } = await answering;
    return [error, details?.[0]?.field];
  };
  assert.deepEqual(await refusal(give("Oui", { numberId: "nothing" })), ["not-found", "numberId"]);
  assert.deepEqual(await refusal(give("Oui", { companyId: "nobody" })), ["not-found", "companyId"]);
  const yes = await dataOf(give("Oui"));
  assert.deepEqual(await refusal(give("OUI")), ["conflict", "keyword"]);
  await dataOf(give("Non"));
  assert.equal((await give("Peut")).error, "conflict");
  const words = await dataOf(here.admin("/v1/admin/inbound/keyword/list", { numberId: id }));
  assert.deepEqual(
    words.map(({ keyword }: { keyword: string }) => keyword),
    ["NON", "OUI"],
  );
  await deliver(gsm, gsm.phone, number, "oui");
  await dataOf(here.admin(`/v1/admin/inbound/keyword/${yes.id}/delete`));
  assert.equal((await here.admin(`/v1/admin/inbound/keyword/${yes.id}/delete`)).error, "not-found");
  await deliver(gsm, gsm.phone, number, "oui !");
  await dataOf(here.admin(`/v1/admin/inbound/number/${id}/delete`));
  assert.equal((await here.admin(`/v1/admin/inbound/number/${id}/delete`)).error, "not-found");
  assert.equal((await update({ companyId: "" })).error, "not-found");
  await deliver(gsm, gsm.phone, number, "quatre");
  assert.deepEqual(
    [await textsOf(binta), await textsOf(awa)],
    [
      ["un", "oui"],
      ["deux", "quatre"],
    ],
  );

  await dataOf(make({ number: newNumber() }));
  const last = await dataOf(make({ number: newNumber() }));
  const listed = await here.admin("/v1/admin/inbound/number/list", { limit: 1 });
  assert.deepEqual([listed.data, listed.totalCount], [[last], 4]);
  assert.equal((await make({ number: newNumber() })).error, "conflict");
});

test("STOP to a company's number is for that company, and is kept as a message", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const [company, other] = [gsm.company, await here.company({ credits: 10 })];
  const { number } = await numberFor(here, other);
  await sentBy(gsm, "Bonjour");
  const outOf = async (of: Company) =>
    (await dataOf(of.call("/v1/optout/list"))).map(({ phone }: { phone: string }) => phone);
  await deliver(gsm, gsm.phone, number, "Stop svp");
  assert.deepEqual([await outOf(company), await outOf(other)], [[], [gsm.phone]]);
  await deliver(gsm, gsm.phone, number, "start");
  assert.deepEqual(await outOf(other), []);
  const kept = (await list(other)).data.map(({ keyword, text }: Record<string, unknown>) => [keyword, text]);
  assert.deepEqual(kept, [
    ["START", "start"],
    ["STOP", "Stop svp"],
  ]);
  // One that comes again may be meant, so it is carried out; it is not kept again.
  await deliver(gsm, gsm.phone, number, "Stop svp");
  assert.deepEqual([await outOf(other), (await list(other)).totalCount], [[gsm.phone], 2]);
  await deliver(gsm, gsm.phone, number, "start");
  assert.deepEqual(await outOf(other), []);
  // To a short code of nobody it is for who wrote last, who sees it.
  await deliver(gsm, gsm.phone, "36111", "STOP");
  assert.deepEqual(await outOf(company), [gsm.phone]);
  assert.deepEqual(await textsOf(company, { keyword: "stop" }), ["STOP"]);
  // An operator does not speak for the handsets of others, but where the number is at this operator.
  const foreign = `2259${gsm.phone.slice(4)}`;
  await deliver(gsm, foreign, number, "STOP");
  assert.deepEqual(await outOf(other), []);
  assert.equal((await list(other, { phone: foreign })).data[0].keyword, null);
  const here2 = await numberFor(here, other, gsm.shown.id);
  await deliver(gsm, foreign, here2.number, "STOP");
  assert.deepEqual(await outOf(other), [foreign]);
});

test("a text to a name is for the company that wrote last under it, within 7 days with its campaign", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  await sentBy(gsm, "Bonjour");
  await deliver(gsm, gsm.phone, "ATUMPAN", "Merci");
  await deliver(gsm, gsm.phone, "AUTRE", "Qui ?");
  await deliver(gsm, `2259${gsm.phone.slice(4)}`, "ATUMPAN", "Je suis d’ailleurs");
  await deliver(gsm, "INFO", "ATUMPAN", "Votre solde");
  const [message, ...more] = (await list(company)).data;
  assert.deepEqual([message.text, more], ["Merci", []]);
  assert.ok(message.campaignId);
  assert.deepEqual(await textsOf(company, { campaignId: message.campaignId }), ["Merci"]);
  const nobodys = await here.admin("/v1/admin/inbound/list", { unrouted: true });
  assert.equal(nobodys.totalCount, 3);
  await rows(here.app, "UPDATE messages SET sent_at = now() - interval '8 days'");
  await deliver(gsm, gsm.phone, "ATUMPAN", "Encore moi");
  assert.equal((await list(company)).data[0].campaignId, null);
});

test("support sees that somebody wrote, and neither the phone nor the text", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const company = await here.company({ name: "Salon" });
  const { number } = await numberFor(here, company);
  await deliver(gsm, gsm.phone, number, "Secret de Awa");
  const { data: key } = await here.admin("/v1/admin/key/create", { name: "support", role: "support" });
  const look = (body: object) => here.call("/v1/admin/inbound/list", { adminKey: key.adminKey, ...body });
  const shown = await look({ companyId: company.companyId, phone: gsm.phone, number });
  assert.equal(shown.data[0].companyName, "Salon");
  assert.ok(!JSON.stringify(shown).includes("Secret") && !JSON.stringify(shown).includes(gsm.phone));
  const all = await here.admin("/v1/admin/inbound/list", { companyId: company.companyId });
  assert.deepEqual([all.data[0].text, all.data[0].from], ["Secret de Awa", gsm.phone]);
  for (const body of [{ from: "hier" }, { to: "demain" }])
    for (const path of ["/v1/admin/inbound/list", "/v1/inbound/list"])
      assert.equal(
        (await (path.includes("admin") ? here.admin : company.call)(path, body)).error,
        "invalid-request",
      );
  assert.equal((await list(company, { phone: "x" })).error, "invalid-phone-number");
  assert.equal((await here.admin("/v1/admin/inbound/list", { phone: "x" })).error, "invalid-phone-number");
  const before = await list(company, { to: "2026-01-01T00:00:00Z" });
  assert.deepEqual([before.data, before.totalCount], [[], 0]);
});

test("the campaign is the newest that was sent in 7 days, whatever the company sends", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 10 });
  const { number } = await numberFor(here, company);
  const phone = newPhone();
  const first = await send(company, phone);
  await settled(company, first);
  const say = (text: string) =>
    dataOf(here.admin("/v1/admin/simulator/reply", { from: phone, to: number, text }));
  await say("un");
  const last = await send(company, phone);
  await settled(company, last);
  await say("deux");
  const answered = async () =>
    (await list(company)).data.map(({ campaignId }: { campaignId: string }) => campaignId);
  assert.deepEqual(await answered(), [last, first]);
});
