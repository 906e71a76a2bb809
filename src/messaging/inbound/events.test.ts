// message.received: the webhooks of a company hear what was written to it, once, in the transaction that keeps it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { ERASE, erased } from "../../../test/erasures.ts";
import { deliver, keywordFor, numberFor, scriptedOperator, segment } from "../../../test/incoming.ts";
import { startReceiver } from "../../../test/receiver.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, until } from "../../../test/testservice.ts";
import { encodeGsm7 } from "../../protocol/sms/encoding.ts";

const WITH_WEBHOOKS = { config: { webhookAllowCidrs: ["127.0.0.1"] } };

async function listening(t: Parameters<typeof startReceiver>[0], company: Company) {
  const receiver = await startReceiver(t);
  const body = { url: receiver.url, events: ["message.received"] };
  await dataOf(company.call("/v1/company/webhook/create", body));
  /** What was told so far, in the order of the messages. */
  const told = () =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })
      .sort((one, other) => (`${one.data.messageId}` < `${other.data.messageId}` ? -1 : 1));
  return { receiver, told };
}

test("webhooks of the company alone are told of a message, with what the list says of it", async (t) => {
  const { here, gsm } = await scriptedOperator(t, WITH_WEBHOOKS);
  const [company, other] = [await here.company(), await here.company()];
  const [mine, theirs] = [await listening(t, company), await listening(t, other)];
  const [own, shared] = [await numberFor(here, company), await numberFor(here)];
  await keywordFor(here, company, shared.id, "PROMO");
  await deliver(gsm, gsm.phone, shared.number, "à personne");
  await deliver(gsm, gsm.phone, own.number, "Bonjour");
  await deliver(gsm, gsm.phone, own.number, "Bonjour");
  await deliver(gsm, gsm.phone, shared.number, "promo 2");
  await deliver(gsm, gsm.phone, own.number, segment(1, 2, 1, encodeGsm7("long ")));
  await deliver(gsm, gsm.phone, own.number, segment(1, 2, 2, encodeGsm7("texte")));
  await until(() => mine.told().length === 3);
  const [first, ...more] = mine.told();
  const { data } = await company.call("/v1/inbound/list", { sort: "desc", limit: 10 });
  const { id: messageId, from, to, text, keyword, campaignId, receivedAt } = data.at(-1);
  assert.equal(first!.type, "message.received");
  assert.deepEqual(first!.data, { messageId, from, to, text, keyword, campaignId, receivedAt });
  assert.deepEqual(
    more.map(({ data }) => [data.text, data.keyword]),
    [
      ["promo 2", "PROMO"],
      ["long texte", null],
    ],
  );
  assert.deepEqual(theirs.told(), []);
});

test("a handset that floods is told of no more, and a text that is too long for an event is cut there", async (t) => {
  const { here, gsm } = await scriptedOperator(t, { ...WITH_WEBHOOKS, limits: { inboundPerHandset: 2 } });
  const company = await here.company();
  const { told } = await listening(t, company);
  const { number } = await numberFor(here, company);
  for (const text of ["1", "2", "3"]) await deliver(gsm, gsm.phone, number, text);
  const long = '"é'.repeat(20_000);
  const messagePayload = Buffer.from(encodeGsm7(long));
  await deliver(gsm, newPhone(), number, {
    dataCoding: 0,
    shortMessage: Buffer.alloc(0),
    tlvs: { messagePayload },
  });
  await until(() => told().length === 3);
  assert.deepEqual(
    told().map(({ data }) => data.text),
    ["1", "2", long.slice(0, 10_000)],
  );
  const { data } = await company.call("/v1/inbound/list");
  assert.deepEqual([data.length, data[0].text], [4, long]);
});

test("H27: events of a person who is erased lose the phone and the words", async (t) => {
  const { here, gsm } = await scriptedOperator(t, WITH_WEBHOOKS);
  const company = await here.company();
  const { told } = await listening(t, company);
  const { number } = await numberFor(here, company);
  await deliver(gsm, gsm.phone, number, "Je suis Awa");
  await until(() => told().length === 1);
  const { erased: counts } = await erased(company.call, ERASE, gsm.phone);
  assert.deepEqual([counts.received, counts.events], [1, 1]);
  const [{ data }] = await rows(
    here.app,
    "SELECT data FROM webhook_deliveries WHERE type = 'message.received'",
  );
  assert.deepEqual([data.from, data.text], ["erased", ""]);
});

test("H27: a company that erases a person loses the segments that wait at its own number, and no other's", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const [company, other] = [await here.company(), await here.company()];
  const [mine, theirs] = [await numberFor(here, company), await numberFor(here, other)];
  const first = segment(1, 2, 1, encodeGsm7("Je suis "));
  for (const { number } of [mine, theirs]) assert.equal(await deliver(gsm, gsm.phone, number, first), 0);
  await erased(company.call, ERASE, gsm.phone);
  assert.deepEqual(await rows(here.app, "SELECT address FROM inbound_parts"), [{ address: theirs.number }]);
});
