// The simulated carriers over HTTP, by the generic provider: outcomes, faults, receipts, repeats, log, TLS.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import { Agent, request } from "undici";
import { certificateFor } from "../../../../test/certificates.ts";
import {
  carrierLog,
  listenForCallbacks,
  postJson,
  startCarrier,
  untilCounted,
} from "../../../../test/httpcarriers.ts";
import { NotTaken } from "../operator.ts";
import type { HttpFault } from "./scripts.ts";
import { type HttpCarrier, type HttpCarrierOptions, startHttpCarrier } from "./server.ts";
import { signatureFormOf } from "./signing.ts";

const PHONE = "2250700009999";

function startProvider(t: TestContext, options: Partial<HttpCarrierOptions> = {}): Promise<HttpCarrier> {
  return startCarrier(t, { kind: "http", ...options });
}

/** Sends a message as JSON; `more` are its other fields. */
const send = ({ url }: HttpCarrier, to = PHONE, more: Record<string, string> = {}) =>
  postJson(`${url}/send`, { to, from: "ATUMPAN", text: "bonjour", ...more });

/** A provider whose receipts are heard. */
async function heardProvider(t: TestContext, options: Partial<HttpCarrierOptions> = {}) {
  const client = await listenForCallbacks(t);
  return { client, carrier: await startProvider(t, { receiptUrl: client.url, ...options }) };
}

type Receipt = { id: string; clientId?: string; to: string; status: string; error: string };

test("a message comes by GET, as a form and as JSON, and is in the inbox of its handset", async (t) => {
  const carrier = await startProvider(t, { password: "k" });
  const fields = { to: `+${PHONE}`, from: "Été", text: "à demain €", id: "m1", key: "k" };
  const form = new URLSearchParams(fields);
  const answers = [
    await fetch(`${carrier.url}/send?${form}`),
    await fetch(`${carrier.url}/send`, { method: "POST", body: form }),
  ].map((response) => response.json());
  const { key: _, ...withoutKey } = fields;
  const last = await postJson(`${carrier.url}/send`, withoutKey, { Authorization: "Bearer k" });
  for (const body of [...(await Promise.all(answers)), last.body]) {
    const { status, id } = body as { status: string; id: string };
    assert.deepEqual([status, BigInt(id) > 2n ** 53n], ["ok", true]);
  }
  for (const message of carrier.inbox({ phone: PHONE }))
    assert.deepEqual([message.from, message.to, message.text], ["Été", PHONE, "à demain €"]);
  assert.deepEqual([carrier.inbox().length, carrier.stats().accepted, carrier.stats().duplicates], [3, 3, 2]);
});

test("a wrong key, number, text, URL or path is refused and counted, and nothing is accepted", async (t) => {
  const carrier = await startProvider(t, { password: "k" });
  const refused = async (to: string, more: Record<string, string>) => (await send(carrier, to, more)).status;
  assert.equal(await refused(PHONE, {}), 401);
  assert.equal(await refused("0700", { key: "k" }), 400);
  assert.equal(await refused(PHONE, { key: "k", text: "" }), 400);
  assert.equal(await refused(PHONE, { key: "k", receiptUrl: "here" }), 400);
  assert.equal(await refused(PHONE, { key: "k", text: "x".repeat(70_000) }), 413);
  assert.equal((await postJson(`${carrier.url}/elsewhere`, {})).status, 404);
  const counts = carrier.stats();
  assert.deepEqual([counts.accepted, counts.unauthorized, counts.refused], [0, 1, 4]);
});

for (const [digits, ...statuses] of [
  ["0002", "failed"],
  ["0006", "expired"],
  ["0007", "failed", "delivered"],
  ["0008", "unknown"],
  ["0009", "sent", "delivered"],
  ["1234", "delivered"],
] as const) {
  test(`${digits}: accepted, receipts ${statuses.join(", then ")}`, async (t) => {
    const { carrier, client } = await heardProvider(t);
    const { body } = await send(carrier, `22507000${digits}`, { id: "ours" });
    for (const status of statuses) {
      const receipt = await client.nextJson<Receipt>();
      assert.deepEqual([receipt.id, receipt.clientId, receipt.status], [body.id, "ours", status]);
    }
    await untilCounted(carrier, ({ receiptsAcknowledged }) => receiptsAcknowledged === 1);
    assert.equal(client.heard.length, statuses.length);
  });
}

test("0001 is refused, 0003 gets no receipt, 0004 is throttled twice", async (t) => {
  const { carrier, client } = await heardProvider(t);
  assert.equal((await send(carrier, "225070000001")).status, 400);
  await send(carrier, "225070000003");
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await send(carrier, "225070000004")).status);
  assert.deepEqual(statuses, [429, 429, 200]);
  assert.equal((await client.nextJson<Receipt>()).to, "225070000004", "the first receipt is that of 0004");
  assert.deepEqual([carrier.stats().refused, carrier.stats().throttled, carrier.stats().accepted], [1, 2, 2]);
});

test("faults before acceptance: cut, 500, 503, 429, an error in a 200", async (t) => {
  const carrier = await startProvider(t);
  const sendWith = async (fault: HttpFault) => {
    carrier.faults[fault] = 1;
    const response = await fetch(`${carrier.url}/send?to=${PHONE}&text=x`).catch(() => undefined);
    carrier.faults[fault] = 0;
    return [response?.status, await response?.text()];
  };
  assert.deepEqual(await sendWith("cut-early"), [undefined, undefined]);
  assert.equal((await sendWith("500"))[0], 500);
  assert.equal((await sendWith("503"))[0], 503);
  assert.equal((await sendWith("429"))[0], 429);
  assert.deepEqual(await sendWith("error-in-200"), [
    200,
    '{"status":"error","code":"busy","error":"try again later"}',
  ]);
  const { accepted, refused, throttled } = carrier.stats();
  assert.deepEqual([accepted, refused, throttled, carrier.inbox()], [0, 3, 1, []]);
});

test("faults after acceptance: cut, silent, late, broken JSON, 1 MB; each message is accepted", async (t) => {
  const carrier = await startProvider(t, { lateMs: 30 });
  const sendWith = async (fault: HttpFault, timeoutMs = 30_000) => {
    carrier.faults[fault] = 1;
    const url = `${carrier.url}/send?to=${PHONE}&text=${fault}`;
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { signal })
      .then((response) => response.text())
      .catch((error: Error) => error.name);
    carrier.faults[fault] = 0;
    return answer;
  };
  assert.equal(await sendWith("cut"), "TypeError");
  assert.equal(await sendWith("silent", 50), "TimeoutError");
  const since = performance.now();
  assert.match(await sendWith("late"), /"ok"/);
  assert.ok(performance.now() - since >= 29);
  const broken = await sendWith("garbage");
  assert.throws(() => JSON.parse(broken), SyntaxError);
  const huge = await sendWith("huge");
  assert.ok(huge.length > 1_000_000 && JSON.parse(huge).status === "ok");
  assert.deepEqual(
    carrier.inbox().map(({ text }) => text),
    ["huge", "garbage", "late", "silent", "cut"],
  );
});

test("faults of receipts: double, before the answer, lost, in the wrong order", async (t) => {
  const { carrier, client } = await heardProvider(t, { faults: { double: 1 } });
  const { body } = await send(carrier);
  for (const _ of [1, 2]) assert.equal((await client.nextJson<Receipt>()).id, body.id);
  carrier.faults.double = 0;
  carrier.faults["early-receipt"] = 1;
  await send(carrier, "2250700000007");
  assert.equal(client.heard.length, 4, "both are there when the answer comes");
  for (const status of ["failed", "delivered"])
    assert.equal((await client.nextJson<Receipt>()).status, status);
  carrier.faults["early-receipt"] = 0;
  carrier.faults["lost-receipt"] = 1;
  await send(carrier);
  carrier.faults["lost-receipt"] = 0;
  carrier.faults["out-of-order"] = 1;
  await send(carrier, "2250700000009");
  for (const status of ["delivered", "sent"]) assert.equal((await client.nextJson<Receipt>()).status, status);
  await send(carrier);
  for (const status of ["delivered", "sent"]) assert.equal((await client.nextJson<Receipt>()).status, status);
  assert.equal(carrier.stats().callbacksSent, 8);
});

test("a receipt is sent until it is answered with 2xx, a limited number of times", async (t) => {
  const client = await listenForCallbacks(t, (n) => (n === 2 ? 204 : 503));
  const carrier = await startProvider(t, { receiptUrl: client.url, receiptAttempts: 2 });
  await send(carrier);
  await untilCounted(carrier, ({ receiptsAcknowledged }) => receiptsAcknowledged === 1);
  await send(carrier);
  await untilCounted(carrier, ({ receiptsGivenUp }) => receiptsGivenUp === 1);
  assert.equal(client.heard.length, 4);
});

test("receipts come by GET and as a form, to the URL of the request", async (t) => {
  const { url } = await listenForCallbacks(t);
  const client = await listenForCallbacks(t);
  for (const receiptForm of ["get", "form"] as const) {
    const carrier = await startProvider(t, { receiptUrl: url, receiptForm });
    const { body } = await send(carrier, PHONE, { receiptUrl: `${client.url}?a=1` });
    const callback = await client.next();
    assert.equal(callback.method, receiptForm === "get" ? "GET" : "POST");
    const query = callback.url.split("?")[1];
    const fields = new URLSearchParams(receiptForm === "get" ? query : callback.body);
    assert.deepEqual([fields.get("id"), fields.get("status")], [body.id, "delivered"]);
    assert.match(query ?? "", /^a=1/);
  }
});

test("callbacks are signed in every form, and a forgery has the signature of another key", async (t) => {
  for (const name of ["sha256-hex-body", "sha512-base64-time-body", "sha1-base64-url-params"]) {
    const signature = signatureFormOf(name)!;
    const { carrier, client } = await heardProvider(t, {
      signKey: "key",
      signature,
      receiptForm: "form",
      faults: { forged: 1 },
    });
    await send(carrier);
    const verdicts = [];
    for (const status of ["failed", "delivered"]) {
      const { body, headers } = await client.next();
      const parameters = new URLSearchParams(body);
      assert.equal(parameters.get("status"), status);
      const time = `${headers["x-timestamp"]}.${body}`;
      const sorted =
        client.url +
        [...parameters]
          .toSorted((a, b) => (a[0] < b[0] ? -1 : 1))
          .flat()
          .join("");
      const text = { body, "time-body": time, "url-params": sorted }[signature.over];
      const hmac = createHmac(signature.algorithm, "key").update(text).digest(signature.encoding);
      verdicts.push(hmac === headers["x-signature"]);
    }
    assert.deepEqual(verdicts, [false, true], name);
    assert.deepEqual([carrier.stats().forged, carrier.stats().forgedTaken], [1, 1]);
  }
  assert.equal(signatureFormOf("md5-hex-body"), undefined);
  const impossible = {
    kind: "http",
    signKey: "k",
    signature: signatureFormOf("sha1-hex-url-params")!,
  } as const;
  await assert.rejects(startHttpCarrier(impossible), /parameters/);
});

test("without signature, a forgery comes to another path, and counts as taken only if it is answered with 2xx", async (t) => {
  const { carrier, client } = await heardProvider(t, { faults: { forged: 1 } });
  await send(carrier);
  const [forged, receipt] = [await client.next(), await client.next()];
  assert.deepEqual([forged.url, receipt.url], ["/guessed", "/secret"]);
  assert.deepEqual([carrier.stats().forged, carrier.stats().forgedTaken], [1, 0]);
});

test("the final state of a message can be read by either id, also where its receipt is lost", async (t) => {
  const { carrier } = await heardProvider(t, { faults: { "lost-receipt": 1 } });
  const { body } = await send(carrier, "2250700000002", { id: "m1" });
  for (const id of [body.id, "m1"]) {
    const response = await fetch(`${carrier.url}/status?id=${id}`);
    assert.deepEqual(await response.json(), { status: "failed", id: body.id });
  }
  assert.equal((await fetch(`${carrier.url}/status?id=m2`)).status, 404);
  assert.equal(carrier.stats().callbacksSent, 0);
});

test("ids may be numbers that JSON.parse cannot read exactly, in answers and in receipts", async (t) => {
  const { carrier, client } = await heardProvider(t, { numericIds: true });
  const response = await fetch(`${carrier.url}/send?to=${PHONE}&text=x`);
  const [, id] = /^\{"status":"ok","id":(\d+)\}$/.exec(await response.text()) ?? [];
  assert.ok((await client.next()).body.includes(`"id":${id},`));
  assert.equal(carrier.accepted()[0]?.id, id);
});

test("a client id again: accepted and counted as a duplicate, refused, or answered as the first time", async (t) => {
  const twice = async (duplicates: "accept" | "reject" | "same") => {
    const carrier = await startProvider(t, { duplicates, faults: { cut: 2 } });
    const first = await send(carrier, PHONE, { id: "m1" });
    carrier.faults.cut = 0;
    const second = await send(carrier, PHONE, { id: "m1" });
    const { accepted, duplicates: counted, absorbed } = carrier.stats();
    return [second.status, second.body.id === first.body.id, accepted, counted, absorbed];
  };
  assert.deepEqual(await twice("accept"), [200, false, 2, 1, 0]);
  assert.deepEqual(await twice("reject"), [409, false, 1, 0, 1]);
  assert.deepEqual(await twice("same"), [200, true, 1, 0, 1]);
});

test("the log has the form of SMPP's; after a restart, repeats are known and owed receipts are sent again", async (t) => {
  const { file, entries } = carrierLog(t);
  const refusing = await listenForCallbacks(t, () => 500);
  const first = await startHttpCarrier({ kind: "http", logFile: file, receiptUrl: refusing.url });
  const { body } = await send(first, PHONE, { id: "m1", text: "x".repeat(161) });
  await refusing.next();
  await first.stop();
  const { at, hex, ...entry } = entries()[0]!;
  assert.equal(typeof at, "number");
  assert.equal(hex, Buffer.from("x".repeat(161)).toString("hex"));
  assert.deepEqual(entry, {
    type: "accepted",
    id: body.id,
    system: "http",
    from: "ATUMPAN",
    to: PHONE,
    ton: [5, 0, 1, 1],
    esm: 0,
    dcs: 0,
    receipt: "DELIVERED",
    error: "000",
    http: { clientId: "m1", parts: 2 },
  });

  const { carrier, client } = await heardProvider(t, { logFile: file });
  assert.equal((await client.nextJson<Receipt>()).id, body.id);
  await send(carrier, PHONE, { id: "m1", text: "x".repeat(161) });
  await untilCounted(carrier, ({ receiptsAcknowledged }) => receiptsAcknowledged === 2);
  assert.equal(carrier.stats().duplicates, 1);
  assert.deepEqual(
    entries().map(({ type, http }) => [type, (http as { isDuplicate?: true })?.isDuplicate]),
    [
      ["accepted", undefined],
      ["acknowledged", undefined],
      ["accepted", true],
      ["acknowledged", undefined],
    ],
  );
  assert.deepEqual(
    carrier.inbox().map(({ segments }) => segments),
    [2, 2],
  );
});

test("above the rate and above the window it throttles, and it counts what is outstanding", async (t) => {
  const answersOf = async (options: Partial<HttpCarrierOptions>, count: number) => {
    const carrier = await startProvider(t, options);
    const sent = Array.from({ length: count }, () => send(carrier));
    const throttled = (await Promise.all(sent)).filter(({ status }) => status === 429).length;
    return { throttled, stats: carrier.stats() };
  };
  const rated = await answersOf({ ratePerSecond: 5 }, 20);
  assert.ok(rated.throttled >= 14 && rated.throttled <= 15, `${rated.throttled}`);
  const windowed = await answersOf({ window: 10, latencyMs: 2_000 }, 15);
  assert.deepEqual([windowed.throttled, windowed.stats.maxOutstanding], [5, 15]);
});

test("a handset's message is signed too; without anybody who takes it, that is an error", async (t) => {
  const reply = { from: PHONE, to: "98000", text: "STOP" };
  await assert.rejects((await startProvider(t)).reply(reply), NotTaken);
  const client = await listenForCallbacks(t, (n) => (n === 1 ? 200 : 500));
  const carrier = await startProvider(t, { inboundUrl: client.url, signKey: "key" });
  await carrier.reply(reply);
  const { body, headers } = await client.next();
  assert.partialDeepStrictEqual(JSON.parse(body), { type: "inbound", ...reply });
  assert.equal(headers["x-signature"], createHmac("sha256", "key").update(body).digest("hex"));
  await assert.rejects(carrier.reply(reply), NotTaken);
});

test("HTTPS with a given certificate, HTTP/1.1 or HTTP/2, and connections that are kept", async (t) => {
  const tls = certificateFor("IP:127.0.0.1");
  for (const http2 of [false, true]) {
    const carrier = await startProvider(t, { tls: { ...tls, http2 } });
    const dispatcher = new Agent({ connections: 1, allowH2: http2, connect: { ca: tls.cert } });
    t.after(() => dispatcher.close());
    for (let n = 0; n < 3; n++) {
      const { statusCode, body } = await request(`${carrier.url}/send?to=${PHONE}&text=${n}`, { dispatcher });
      assert.deepEqual([statusCode, ((await body.json()) as Receipt).status], [200, "ok"]);
    }
    assert.deepEqual([carrier.stats().sessions, carrier.stats().accepted], [1, 3]);
    carrier.faults.cut = 1;
    const cut = request(`${carrier.url}/send?to=${PHONE}&text=x`, { dispatcher });
    await assert.rejects(cut);
    assert.equal(carrier.stats().accepted, 4);
  }
});
