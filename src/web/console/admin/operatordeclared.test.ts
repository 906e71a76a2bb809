// A provider that Atumpan does not know, declared in the console from its public documentation: BulkSMS (test/bulksms.ts).
import assert from "node:assert/strict";
import { test } from "node:test";
import { BULKSMS, startBulkSms } from "../../../../test/bulksms.ts";
import { carrierService } from "../../../../test/httpprovider.ts";
import { numberFor, textsOf } from "../../../../test/incoming.ts";
import { ableIs } from "../../../../test/operators.ts";
import { assertBalanced, balanceOf, phones, rows, send, settled, stacked } from "../../../../test/sending.ts";
import { until } from "../../../../test/testservice.ts";
import { type Shown, Visitor } from "../../../../test/visitor.ts";

const DECLARED = "/admin/operators/new/declaration";
const TOKEN = { tokenId: "4A1B-01", tokenSecret: "tambour" };

/** The answers in BulkSMS' documentation. */
const ACCEPTED = [
  {
    ...{ id: "4023457654", type: "SENT", from: "27007654321", to: "2250707001234", body: "Bonjour" },
    ...{ encoding: "TEXT", protocolId: 0, messageClass: 0, numberOfParts: null, creditCost: null },
    submission: { id: "1-00000000000522347562", date: "2026-11-29T01:00:00Z" },
    status: { id: "ACCEPTED.null", type: "ACCEPTED", subtype: null },
  },
];
const NO_CREDITS = {
  type: "https://developer.bulksms.com/json/v1/errors#insufficient-credits",
  title: "Insufficient Credits",
  status: 403,
};
const BAD_REQUEST = {
  type: "https://developer.bulksms.com/json/v1/errors/#bad-request",
  title: "Bad Request",
  status: 400,
};

test("a provider that no connector knows is declared in the console alone, and sends, reports, refuses and gets replies", async (t) => {
  const scope = stacked(t);
  const bulk = await startBulkSms(scope, TOKEN);
  const here = await carrierService(scope, 60_000);
  const visitor = new Visitor(here);
  const signIn = await visitor.open("/admin/sign-in/key");
  await visitor.send(signIn, "/admin/sign-in/key", { adminKey: here.adminKey });

  const connector = JSON.stringify(BULKSMS);
  const asked = await visitor.send(await visitor.open(DECLARED), DECLARED, { connector });
  assert.match(asked.text, /<input type="password" id="secret-tokenSecret"/);
  const typed = { name: "BulkSMS", prefixes: "225", "setting-baseUrl": bulk.url };
  const secrets = { "setting-tokenId": TOKEN.tokenId, "secret-tokenSecret": TOKEN.tokenSecret };
  const made = await visitor.send(asked, DECLARED, { ...typed, ...secrets });
  const [, id = ""] = /\/admin\/operators\/([0-9a-f]{24})/.exec(made.url) ?? assert.fail(made.text);

  await t.test("the dry run shows the request, and what the documented answers mean", async () => {
    const dry = (status: number, body: object) =>
      visitor.send(made, `/admin/operators/${id}/dry-run`, {
        ...{ phone: "+225 07 07 00 12 34", text: "Ça va ? 😀", status: String(status) },
        body: JSON.stringify(body),
      });
    const { text } = await dry(201, ACCEPTED);
    assert.match(text, /Le fournisseur a accepté le message/);
    assert.match(text, /4023457654/);
    assert.match(text, new RegExp(`POST ${bulk.url}/messages`));
    assert.match(text, /&quot;to&quot;: &quot;\+2250707001234&quot;/);
    assert.match(text, /&quot;encoding&quot;: &quot;UNICODE&quot;/);
    assert.doesNotMatch(text, /tambour|longMessageMaxParts/);
    assert.match((await dry(403, NO_CREDITS)).text, /n’a plus d’unités/);
    assert.match((await dry(400, BAD_REQUEST)).text, /il échoue, et ses crédits sont rendus.*bad-request/s);
    assert.equal(bulk.accepted.length, 0);
  });

  await visitor.send(made, `/admin/operators/${id}/enable`);
  await ableIs(here, id, true);
  const url = here.url + callbackIn(await visitor.open(`/admin/operators/${id}/setup`));
  for (const direction of ["SENT", "RECEIVED"] as const) await bulk.createWebhook(direction, url);
  const company = await here.company({ credits: 10 });
  const statusOf = (phone: string, wanted: string) =>
    until(async () => {
      const [row] = await rows(here.app, "SELECT status, error FROM messages WHERE phone = $1", [phone]);
      return row?.status === wanted && row;
    });
  const [delivered = "", expired = ""] = phones(2, "22507");

  await t.test("what it accepts is paid, and its webhook reports the handset", async () => {
    const campaign = await send(company, [delivered, expired], "Ça va ? 😀");
    await settled(company, campaign);
    assert.equal(await balanceOf(company), 8);
    assert.deepEqual(bulk.accepted.map(({ to }) => to).sort(), [`+${delivered}`, `+${expired}`]);
    assert.deepEqual(
      new Set(bulk.accepted.map(({ body, encoding }) => `${body} ${encoding}`)),
      new Set(["Ça va ? 😀 UNICODE"]),
    );
    const idOf = (phone: string) => bulk.accepted.find(({ to }) => to === `+${phone}`)?.id ?? "";
    for (const phone of [delivered, expired]) await bulk.report(idOf(phone), "SENT");
    await bulk.report(idOf(delivered), "DELIVERED");
    await bulk.report(idOf(expired), "FAILED", "EXPIRED");
    await statusOf(delivered, "DELIVERED");
    assert.equal((await statusOf(expired, "EXPIRED")).error, "EXPIRED");
  });

  await t.test("what it refuses fails with its code, and is refunded", async () => {
    const refused = "2250700000001";
    await settled(company, await send(company, refused));
    assert.equal((await statusOf(refused, "REJECTED")).error, "refused:bad-request");
    assert.equal(await balanceOf(company), 8);
  });

  await t.test("a long text may have as many parts as we charge", async () => {
    const [long = ""] = phones(1, "22501");
    await settled(company, await send(company, long, "Akwaba ".repeat(90)));
    assert.equal(bulk.accepted.at(-1)?.longMessageMaxParts, 5);
  });

  await t.test("a reply of a handset reaches the company of its number", async () => {
    const { number } = await numberFor(here, company);
    await bulk.receive(delivered, number, "Oui, ça va 😀");
    assert.deepEqual(await textsOf(company), ["Oui, ça va 😀"]);
  });

  await t.test(
    "the balance is shown, and without credits the account is suspended and not the message",
    async () => {
      const balance = await visitor.open(`/admin/operators/${id}/balance`);
      assert.match(balance.text, new RegExp(`<dd>${bulk.credits}</dd>`));
      bulk.credits = 0;
      const campaign = await send(company, phones(1, "22505"));
      await until(async () => /n’a plus d’unités/.test((await visitor.open("/admin")).text));
      assert.equal((await company.call(`/v1/campaign/${campaign}`)).data.stats.queued, 1);
      assert.equal((await assertBalanced(here)).held, 1);
    },
  );
});

function callbackIn({ text }: Shown): string {
  return /\/v1\/carrier\/[0-9a-f]{24}\/[\w-]{32}/.exec(text)?.[0] ?? assert.fail(text);
}
