// Answers of carriers over HTTP that are late, broken or misleading: what becomes of the message, and of its credits.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { suite, test } from "node:test";
import {
  type CarrierScript,
  DECLARATION,
  reply,
  type ScriptedCarrier,
  startCarrier,
  testServiceOver,
} from "../../../test/httpcarrier.ts";
import { assertBalanced, balanceOf, rows, type Scope, send, settled } from "../../../test/sending.ts";
import { type Company, type TestService, until } from "../../../test/testservice.ts";

/** Writes octets that no HTTP library would. */
function raw(response: ServerResponse, ...parts: (string | Uint8Array)[]): void {
  for (const part of parts) response.socket?.write(part);
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n";

/** What a carrier answers to the first attempt; it accepts the second. */
type Case = {
  id: string;
  says: string;
  first: (response: ServerResponse) => void;
  /** The attempts that reach the carrier, and the status in the end. */
  attempts: number;
  /** It gives no whole answer to the first attempt, within any time. */
  isSilent?: true;
  status?: string;
  error?: RegExp;
};

/** After the first answer the fate of the message is unknown: it waits, and is sent once more. */
const UNKNOWN: Case[] = [
  {
    id: "H02",
    says: "the connection is cut after the request",
    first: (response) => response.socket?.destroy(),
    attempts: 2,
  },
  { id: "H08", says: "502", first: (response) => reply(response, 502, {}), attempts: 2 },
  { id: "H08", says: "504", first: (response) => reply(response, 504, {}), attempts: 2 },
  {
    id: "H11",
    says: "a 200 that no rule knows",
    first: (response) => reply(response, 200, { ok: "maybe" }),
    attempts: 2,
  },
  {
    id: "H12",
    says: "half of the JSON in a 200",
    first: (response) => response.writeHead(200).end('{"ok":true,"id":"a'),
    attempts: 2,
  },
  {
    id: "H13",
    says: "an answer of 1 MB",
    first: (response) => reply(response, 200, { ok: true, id: "m", more: "x".repeat(1 << 20) }),
    attempts: 2,
  },
  {
    id: "H14",
    says: "headers of 1 MB",
    first: (response) => raw(response, HEAD, `X-More: ${"x".repeat(1 << 20)}\r\n\r\n`),
    attempts: 2,
  },
  {
    id: "H15",
    says: "an answer that drips octet by octet without end",
    first: (response) => drip(response),
    attempts: 2,
    isSilent: true,
  },
  {
    id: "H16",
    says: "an answer that is not HTTP",
    first: (response) => raw(response, "NOT HTTP\r\n\r\n"),
    attempts: 2,
  },
  {
    id: "H17",
    says: "fewer octets than announced",
    first: (response) => {
      raw(response, `${HEAD}Content-Length: 100\r\n\r\n{"ok":true`);
      response.socket?.end();
    },
    attempts: 2,
  },
];

/** After the first answer the fate of the message is known. */
const KNOWN: Case[] = [
  {
    id: "H10",
    says: "200 with an error inside",
    first: (response) => reply(response, 200, { ok: false, error: "number", code: "E7" }),
    attempts: 1,
    status: "REJECTED",
    error: /^invalid-number:E7$/,
  },
  {
    id: "H18",
    says: "the wrong charset",
    first: (response) =>
      raw(
        response,
        `${HEAD}Content-Length: 39\r\n\r\n`,
        Buffer.from('{"ok":true,"id":"m18","note":"envoyé"} ', "latin1"),
      ),
    attempts: 1,
  },
  {
    id: "H18",
    says: "a charset that does not exist, and a BOM",
    first: (response) =>
      response
        .writeHead(200, { "Content-Type": "application/json; charset=morse" })
        .end('\uFEFF{"ok":true,"id":"m"}'),
    attempts: 1,
  },
  {
    id: "H19",
    says: "informational answers before the true one",
    first: (response) => {
      for (let i = 0; i < 20; i++) raw(response, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
      reply(response, 200, { ok: true, id: "m" });
    },
    attempts: 1,
  },
  {
    id: "H20",
    says: "an accepted message without an id",
    first: (response) => reply(response, 200, { ok: true }),
    attempts: 1,
  },
  {
    id: "H20",
    says: "an id that cannot be stored",
    first: (response) => reply(response, 200, { ok: true, id: `a\u0000${"b".repeat(500)}` }),
    attempts: 1,
  },
  {
    id: "H09",
    says: "429 with Retry-After in seconds",
    first: (response) => reply(response, 429, {}, { "Retry-After": "1" }),
    attempts: 2,
  },
  {
    id: "H09",
    says: "429 with Retry-After as a date",
    first: (response) => reply(response, 429, {}, { "Retry-After": dateIn(3_000) }),
    attempts: 2,
  },
  {
    id: "H09",
    says: "429 with a Retry-After without meaning",
    first: (response) => reply(response, 429, {}, { "Retry-After": "when you like" }),
    attempts: 2,
  },
];

const CASES = [...UNKNOWN, ...KNOWN];

const dateIn = (ms: number) => new Date(Date.now() + ms).toUTCString();

/** One octet every 20 ms, until the connection ends. */
function drip(response: ServerResponse): void {
  raw(response, `${HEAD}\r\n`);
  const dripping = setInterval(() => raw(response, " "), 20);
  response.socket?.on("close", () => clearInterval(dripping));
}

type Stage = { here: TestService; company: Company; carriers: ScriptedCarrier[]; at: number[][] };

/** One service whose operators are these carriers, each with the prefix of its place. */
async function stage(t: Scope, cases: readonly Case[]): Promise<Stage> {
  const carriers: ScriptedCarrier[] = [];
  const at: number[][] = cases.map(() => []);
  for (const [i, { first }] of cases.entries()) {
    const script: CarrierScript = (_message, response, n) => {
      at[i]?.push(performance.now());
      if (n === 1) first(response);
      else reply(response, 200, { ok: true, id: `second-${i}` });
    };
    carriers.push(await startCarrier(t, script));
  }
  carriers.push(
    await startCarrier(t, (_message, response, n) => reply(response, n % 2 === 1 ? 500 : 503, {})),
  );
  const { here } = await testServiceOver(
    t,
    carriers.map(({ url }, i) => ({
      url,
      more: {
        prefixes: [prefixOf(i)],
        // An answer that a busy machine gives late would be of unknown fate.
        submitTimeoutS: cases[i]?.isSilent ? 5 : 60,
        connector: { ...DECLARATION, account: "{{baseUrl}}" },
      },
    })),
    { settings: { quarantineMs: 500 } },
  );
  return { here, company: await here.company({ credits: 100 }), carriers, at };
}

const prefixOf = (i: number) => `2250${String(i).padStart(2, "0")}`;
const phoneOf = (i: number) => `${prefixOf(i)}0001000`;

async function judge(
  { company, carriers }: Stage,
  i: number,
  { attempts, status = "SENT", error }: Case,
): Promise<void> {
  const id = await send(company, phoneOf(i));
  await settled(company, id);
  const { data } = await company.call(`/v1/campaign/${id}/messages`, { limit: 10 });
  assert.equal(data[0].status, status);
  if (error) assert.match(data[0].error, error);
  assert.equal(carriers[i]?.taken.length, attempts);
}

suite("answers of carriers over HTTP", () => {
  test("the fate of each message is what the answer proves, and each is charged once or refunded", {
    concurrency: CASES.length + 1,
  }, async (t) => {
    const here = await stage(t, CASES);
    const judged = CASES.map((one, i) => t.test(`${one.id}: ${one.says}`, () => judge(here, i, one)));
    const tried = t.test("H07: 500 and 503 are tried again three times, then refused and refunded", () =>
      judgeRetries(here),
    );
    await Promise.all([...judged, tried]);
    const refused = CASES.filter(({ status }) => status === "REJECTED").length;
    assert.equal(await balanceOf(here.company), 100 - CASES.length + refused);
    assert.equal((await assertBalanced(here.here)).held, 0);
    // Lower bounds only: a slow machine waits longer. A date has whole seconds, and a wait varies by a quarter.
    const waitedMs = (which: string) => {
      const i = CASES.findIndex(({ says }) => says === which);
      return (here.at[i]?.[1] ?? 0) - (here.at[i]?.[0] ?? 0);
    };
    assert.ok(waitedMs("429 with Retry-After in seconds") >= 500);
    assert.ok(waitedMs("429 with Retry-After as a date") >= 1_000);
  });
});

test("H118: an answer to the first request that comes while the repeat is under way proves the message", async (t) => {
  let first: ServerResponse | undefined;
  const carrier = await startCarrier(t, (_message, response, n) => {
    if (n === 1) first = response;
    // The repeat itself gets no answer.
    else if (n === 2 && first) reply(first, 200, { ok: true, id: "of-the-first" });
    else reply(response, 200, { ok: true, id: `again-${n}` });
  });
  const { here } = await testServiceOver(
    t,
    [{ url: carrier.url, more: { submitTimeoutS: 1, connector: { ...DECLARATION, idempotent: true } } }],
    { settings: { quarantineMs: 500 } },
  );
  const company = await here.company({ credits: 1 });
  const id = await send(company, phoneOf(1));
  await settled(company, id);
  const { data } = await company.call(`/v1/campaign/${id}/messages`, { limit: 10 });
  assert.deepEqual([data[0].status, carrier.taken.length], ["SENT", 2]);
  const { held } = await assertBalanced(here);
  assert.deepEqual([held, await balanceOf(company)], [0, 0]);
});

/** The last carrier fails each time; the waits of 30 s between the attempts are shortened. */
async function judgeRetries({ here, company, carriers }: Stage): Promise<void> {
  const id = await send(company, phoneOf(CASES.length));
  for (let tries = 1; tries <= 3; tries++) {
    await until(async () => {
      const queued = await rows(here.app, "SELECT retries FROM message_queue WHERE retries > 0");
      return queued.some(({ retries }) => retries === tries);
    });
    await rows(
      here.app,
      `UPDATE batches SET not_before = now() WHERE id IN (SELECT batch_id FROM message_queue WHERE retries > 0) RETURNING id`,
    );
  }
  await settled(company, id);
  const { data } = await company.call(`/v1/campaign/${id}/messages`, { limit: 10 });
  assert.deepEqual([data[0].status, data[0].error], ["REJECTED", "http-503"]);
  assert.match(data[0].errorReason, /\S/);
  assert.equal(carriers.at(-1)?.taken.length, 4);
}
