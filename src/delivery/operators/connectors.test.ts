// What a declaration of a connector asks for, and what is wrong with it, by the interface.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { DECLARATION } from "../../../test/httpcarrier.ts";
import { testService } from "../../../test/testservice.ts";

const CHECK = "/v1/admin/connector/check";

test("a declaration is checked without being saved, and each error has its place", async (t) => {
  const here = await testService(t, { config: { simulator: false } });
  const placesOf = ({ details = [] }: { details?: { field: string }[] }) => details.map(({ field }) => field);
  const checked = await dataOf(here.admin(CHECK, { connector: DECLARATION }));
  assert.deepEqual(
    checked.fields.map(({ name }: { name: string }) => name),
    ["baseUrl", "apiKey"],
  );
  assert.deepEqual([checked.hasReceipts, checked.sendsReceiptUrl, checked.hasInbound], [true, true, true]);
  const { data } = await here.admin("/v1/admin/connector/list", { limit: 100 });
  const sending = data.filter((one: { sendsReceiptUrl: boolean }) => one.sendsReceiptUrl);
  assert.deepEqual(sending.map(({ name }: { name: string }) => name).sort(), [
    "infobip",
    "jasmin",
    "kannel",
    "twilio",
    "vonage",
  ]);
  const broken = { ...DECLARATION, send: { ...DECLARATION.send, url: "{{baseUrl}}/{{nothing}}" } };
  const refused = await here.admin(CHECK, { connector: broken });
  assert.deepEqual([refused.error, placesOf(refused)], ["invalid-request", ["connector.send.url"]]);
  const large = await here.admin(CHECK, { connector: { ...DECLARATION, account: "x".repeat(33 * 1024) } });
  assert.deepEqual(placesOf(large), ["connector"]);
  assert.deepEqual((await here.admin("/v1/admin/operator/list")).data, []);
});

test("an operator over SMPP has neither a dry run nor an address for delivery receipts", async (t) => {
  const here = await testService(t, { config: { simulator: false } });
  const made = await here.admin("/v1/admin/operator/create", {
    ...{ name: "SMPP", host: "127.0.0.1", port: 1, systemId: "a", password: "b", prefixes: ["999"] },
    enabled: false,
  });
  const at = `/v1/admin/operator/${made.data.id}`;
  assert.equal((await here.admin(`${at}/dry-run`, { phone: "2250700000001" })).error, "conflict");
  assert.equal((await here.admin(`${at}/callback`)).error, "conflict");
  assert.equal((await here.admin(`${at}/callback/renew`)).error, "conflict");
});
