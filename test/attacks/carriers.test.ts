// Attacks by carriers over HTTP, by rows that somebody changed, and by administrators who look for secrets.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { DECLARATION, startCarrier } from "../httpcarrier.ts";
import { acceptAll, callbackOf, carrierService, createCarrier, scriptedCarrier } from "../httpprovider.ts";
import { phones, rows, send, settled, statusesOf } from "../sending.ts";
import { until } from "../testservice.ts";

const LONG_MS = 600_000;
const [URL_FIELD] = DECLARATION.fields;

/** Begins a callback of this many octets without ever ending it, and returns the status of the answer, if one comes. */
async function begin(callback: string, octets: number): Promise<{ socket: Socket; status: Promise<number> }> {
  const { hostname, port, pathname } = new URL(callback);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const answered = Promise.withResolvers<number>();
  socket
    .on("error", () => {})
    .on("data", (data) => answered.resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(`${data}`)?.[1])));
  socket.write(`POST ${pathname} HTTP/1.1\r\nHost: us\r\nTransfer-Encoding: chunked\r\n\r\n`);
  socket.write(`${octets.toString(16)}\r\n${"x".repeat(octets)}\r\n`);
  return { socket, status: answered.promise };
}

const statusOf = async (url: string, body: unknown) =>
  (await fetch(url, { method: "POST", body: JSON.stringify(body) })).status;

test("an operator whose connector cannot be opened stops neither the others nor its own repair", async (t) => {
  const here = await carrierService(t, LONG_MS);
  const company = await here.company({ credits: 10 });
  const carrier = await startCarrier(t, acceptAll);
  const create = (prefix: string) => createCarrier(here, scriptedCarrier(carrier.url, prefix));
  const [broken, moved, other] = [await create("22501"), await create("22502"), await create("22503")];
  const callback = await callbackOf(here, other);
  const former = await callbackOf(here, moved);
  await rows(
    here.app,
    "UPDATE operators SET connector = 'gone', declaration = NULL WHERE id = $1 RETURNING id",
    [broken],
  );
  await rows(
    here.app,
    `UPDATE operators SET sealed_fields = o.sealed_fields, sealed_callback = o.sealed_callback
     FROM operators o WHERE operators.id = $1 AND o.id = $2 RETURNING operators.id`,
    [moved, other],
  );
  const campaign = await send(company, phones(1, "22503"));
  await settled(company, campaign);
  const id = carrier.taken.at(-1)?.id;
  await until(async () => (await statusOf(former, {})) === 503);
  assert.equal(await statusOf(callback, { id: `c-${id}`, status: "delivered" }), 200);
  assert.deepEqual(await statusesOf(company, campaign), ["DELIVERED"]);
  for (const one of [broken, moved])
    for (const path of ["dry-run", "balance"]) {
      const body = path === "dry-run" ? { phone: "2250102030405" } : {};
      assert.equal((await here.admin(`/v1/admin/operator/${one}/${path}`, body)).error, "conflict", path);
    }
  const { data: renewed } = await here.admin(`/v1/admin/operator/${moved}/callback/renew`);
  for (const one of [broken, moved]) {
    const { connector, connectorSettings } = scriptedCarrier(carrier.url, "225");
    const repaired = await here.admin(`/v1/admin/operator/${one}/update`, { connector, connectorSettings });
    assert.equal(repaired.success, true, JSON.stringify(repaired));
  }
  await until(async () => (await statusOf(renewed.url, {})) === 200);
});

test("a new declaration in which a field is no secret does not show the secret that was entered before", async (t) => {
  const here = await carrierService(t, LONG_MS);
  const carrier = await startCarrier(t, acceptAll);
  const id = await createCarrier(here, scriptedCarrier(carrier.url, "22501"));
  const open = { ...DECLARATION, fields: [URL_FIELD, { name: "apiKey", title: "K" }] };
  const update = (body: object) => here.admin(`/v1/admin/operator/${id}/update`, body);
  const refused = await update({ connector: open });
  assert.deepEqual(
    [refused.error, refused.details?.map(({ field }) => field)],
    ["invalid-request", ["connectorSettings.apiKey"]],
  );
  const { data } = await update({ connector: open, connectorSettings: { apiKey: "other" } });
  assert.equal(data.connectorSettings.apiKey, "other");
});

test("callbacks that never end share the limit of memory of all bodies, and give it back", async (t) => {
  const here = await carrierService(t, LONG_MS);
  const carrier = await startCarrier(t, acceptAll);
  const callback = await callbackOf(here, await createCarrier(here, scriptedCarrier(carrier.url, "22501")));
  const begun = await Promise.all(Array.from({ length: 20 }, () => begin(callback, 3_000_000)));
  // 36 MB at once, or 15 MB of one network that is not ours, as for all other bodies of more than 64 KiB.
  for (const status of await first(
    6,
    begun.map(({ status }) => status),
  ))
    assert.equal(status, 503);
  for (const { socket } of begun) socket.destroy();
  await until(async () => (await statusOf(callback, { more: "x".repeat(3_000_000) })) === 200);
  const all = await Promise.all(
    Array.from({ length: 100 }, () => statusOf(callback, { more: "x".repeat(100_000) })),
  );
  assert.deepEqual([...new Set(all)], [200]);
});

test("a declaration with line ends where headers are is refused, or sends without them", async (t) => {
  const here = await carrierService(t, LONG_MS);
  const company = await here.company({ credits: 10 });
  const carrier = await startCarrier(t, acceptAll);
  const contentType = "text/plain\r\nX-More: 1";
  const { send: request, receipts } = DECLARATION;
  const body = { kind: "text", value: "{{text}}", contentType };
  const answer = { status: 200, contentType, body: "" };
  for (const [declared, field] of [
    [{ send: { ...request, body } }, "connector.send.body.contentType"],
    [{ receipts: { ...receipts, answer } }, "connector.receipts.answer.contentType"],
  ] as const) {
    const operator = { name: "A", ...scriptedCarrier(carrier.url, "22501", {}, declared) };
    const { details } = await here.admin("/v1/admin/operator/create", operator);
    assert.deepEqual(
      details?.map((detail) => detail.field),
      [field],
    );
  }
  const headers = [{ name: "X-Note", value: "é\r\nX-More: {{text}}" }];
  await createCarrier(here, scriptedCarrier(carrier.url, "22501", {}, { send: { ...request, headers } }));
  const campaign = await send(company, phones(1, "22501"));
  await settled(company, campaign);
  assert.deepEqual(await statusesOf(company, campaign), ["SENT"]);
});

test("a carrier cannot report on the messages of another one at the same host, even by their own ids", async (t) => {
  const here = await carrierService(t, LONG_MS);
  const company = await here.company({ credits: 10 });
  const carrier = await startCarrier(t, acceptAll);
  const create = (priority: number) => {
    const more = { priority, enabled: priority === 0 };
    return createCarrier(here, scriptedCarrier(carrier.url, "22501", more, { account: "" }), priority === 0);
  };
  const [, other] = [await create(0), await create(1)];
  const campaign = await send(company, phones(1, "22501"));
  await settled(company, campaign);
  const own = carrier.taken.at(-1)?.id;
  const forged = { id: `c-${own}`, own, to: phones(1, "22501")[0], status: "delivered" };
  assert.equal(await statusOf(await callbackOf(here, other), forged), 200);
  assert.deepEqual(await statusesOf(company, campaign), ["SENT"]);
});

/** Waits for so many of these promises, and returns their values. */
function first<Value>(count: number, promises: readonly Promise<Value>[]): Promise<Value[]> {
  const values: Value[] = [];
  return new Promise((resolve) => {
    for (const promise of promises)
      void promise.then((value) => {
        if (values.push(value) === count) resolve(values);
      });
  });
}
