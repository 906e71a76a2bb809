// A process dies at an exact point of an acceptance, at which a proxy before PostgreSQL holds it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { LANE } from "../src/delivery/sends/queue/enqueue.ts";
import { query } from "../src/platform/database/query.ts";
import { application, connected, dataOf } from "./applications.ts";
import { atLength } from "./length.ts";
import { type Process, tryCall } from "./process.ts";
import { assertBalanced, phones, rows, waitingMessages } from "./sending.ts";
import { kill, openStage, reached, type Stage, untilBound } from "./stage.ts";
import { type Answered, type Company, caller, type TestService, until } from "./testservice.ts";
import type { Passing } from "./wire.ts";

const CREDITS = 10_000;
/** One more than a campaign may have that shares a transaction with others, so that each request has its own. */
const BULK = 101;

const endQuarantines = query(
  "test.endQuarantines",
  `UPDATE batches SET not_before = now() WHERE unknown AND not_before > now()
   AND NOT EXISTS (SELECT FROM message_queue queued WHERE queued.batch_id = batches.id AND phone = ANY($1::text[]))`,
);

/** Waits until all is sent. Messages of unknown fate that the operator has are proven by receipts, and not sent again. */
async function allSent(stage: Stage): Promise<void> {
  const { here } = stage;
  await until(async () => {
    await here.app.database.transaction((tx) => tx.run(endQuarantines, [reached(stage)]));
    return (await rows(here.app, "SELECT FROM batches")).length === 0;
  });
  assert.equal((await assertBalanced(here)).held, 0);
}

/** A kind of request that is sent again and again. Each kind has its own pool, so that none waits for another. */
type Kind = {
  name: string;
  company: Company;
  path: string;
  credentials: object;
  /** The members of the body that say what goes to whom. */
  about: (contacts: string[]) => object;
  count: number;
  isKeyed: boolean;
  /** The phones of everything that was accepted, and the number of acceptances. */
  phones: string[];
  accepted: number;
};

/** One campaign to one phone, one to many, and one message of an application: each with an idempotency key and without. */
async function kindsOf(here: TestService): Promise<Kind[]> {
  const kinds: Kind[] = [];
  for (const isKeyed of [true, false]) {
    for (const count of [1, BULK]) {
      const company = await here.company({ credits: CREDITS });
      const { apiKey, companyId } = company;
      const path = "/v1/campaign/create";
      const about = (contacts: string[]) => ({ contacts, text: "Bonjour" });
      const common = { name: `campaign to ${count}`, phones: [], accepted: 0 };
      kinds.push({ ...common, company, path, credentials: { apiKey, companyId }, about, count, isKeyed });
    }
    const company = await here.company({ credits: CREDITS });
    const { connectionToken } = await connected(here, await application(here), company);
    const path = "/v1/third-party-app/sms/send";
    const about = (contacts: string[]) => ({ contacts, message: "Bonjour" });
    const common = { name: "sms/send", phones: [], accepted: 0 };
    kinds.push({ ...common, company, path, credentials: { connectionToken }, about, count: 1, isKeyed });
  }
  return kinds;
}

/** What the database has of a kind, which is all of it or nothing for each acceptance. */
async function standingOf({ app }: TestService, { company: { companyId } }: Kind) {
  const [{ campaigns }] = await rows(
    app,
    "SELECT count(*) AS campaigns FROM campaigns WHERE company_id = $1",
    [companyId],
  );
  const [held] = await rows(
    app,
    "SELECT count(*) AS holds, coalesce(sum(total), 0) AS total FROM holds WHERE pool_id = $1",
    [companyId],
  );
  const [{ available }] = await rows(app, "SELECT available FROM pools WHERE id = $1", [companyId]);
  const recorded = await rows(app, "SELECT phone FROM messages WHERE account_id = $1", [companyId]);
  const waiting = (await waitingMessages(app)).filter(({ accountId }) => accountId === companyId);
  const messages = [...recorded, ...waiting].map(({ phone }) => phone).sort();
  return { campaigns, ...held, available, messages };
}

async function assertStanding(here: TestService, kinds: readonly Kind[]): Promise<void> {
  for (const kind of kinds) {
    const { accepted, phones: all } = kind;
    assert.deepEqual(
      await standingOf(here, kind),
      {
        campaigns: accepted,
        holds: accepted,
        total: all.length,
        available: CREDITS - all.length,
        messages: all.toSorted(),
      },
      `${kind.name}, ${kind.isKeyed ? "with" : "without"} a key`,
    );
  }
  await assertBalanced(here);
}

type Point = {
  name: string;
  /** Brings the requests to the point. Resolves to what resolves to the answers that the clients have read. */
  reach: (stage: Stage, victim: Process, asked: Asked[]) => Promise<{ answers: Promise<Read[]> }>;
  isAccepted: boolean;
  /** What else must be so after the kill. */
  check?: (here: TestService) => Promise<void>;
};

type Read = Answered | undefined;

/** A request of a kind at a point. */
type Asked = { kind: Kind; contacts: string[]; body: object };

/**
 * The first statement of an acceptance, in its three ways: without a key by a process that does not know the company yet, of
 * an application that is known, with a key.
 */
const OPENERS = ["accounts.findTrial", "apps.requireVersions", "platform.lockIdempotencyKey"];
const isAcceptance = ({ opener }: Passing) => OPENERS.includes(opener);
const isLookUp = ({ name }: Passing) =>
  name === "accounts.listCompanyCallers" || name === "apps.listConnectionCallers";
const isWrite = ({ text }: { text: string }) =>
  /\b(INSERT INTO|DELETE FROM)\b|\bUPDATE \w+ (\w+ )?SET\b/.test(text);
const isCommit = (passing: Passing) => passing.name === "COMMIT" && isAcceptance(passing);

/** The point at which each request is held at a statement, or at its answer. */
function heldAt(name: string, what: "statement" | "answer", isHere: (passing: Passing) => boolean): Point {
  return {
    name,
    isAccepted: what === "answer",
    async reach({ wire }, victim, asked) {
      await believe(victim, asked);
      const openers = new Set<string>();
      wire.hold(what, (passing) => isHere(passing) && openers.add(passing.opener).size > 0);
      const answers = askAll(victim, asked);
      await wire.held(asked.length);
      assert.deepEqual([...openers].sort(), OPENERS);
      return { answers };
    },
  };
}

/** Asks for everything at once. A process that dies gives no answers. */
function askAll(victim: Process, asked: readonly Asked[]): Promise<Read[]> {
  return Promise.all(asked.map(({ kind, body }) => tryCall(victim.url + kind.path, body)));
}

/** Makes the process know the connections, so that those without a key are found in the transaction that accepts. */
async function believe(victim: Process, asked: readonly Asked[]): Promise<void> {
  for (const { kind } of asked)
    if ("connectionToken" in kind.credentials)
      await dataOf(caller(victim.url, {})("/v1/third-party-app/balance", kind.credentials));
}

/** Waits until the process has read what was written to it before. */
async function heard(victim: Process): Promise<void> {
  assert.equal((await fetch(`${victim.url}/healthz`)).status, 200);
}

/** Writes a request up to the middle of its body. */
async function writeHalf(victim: Process, { kind, body }: Asked): Promise<void> {
  const { hostname, port } = new URL(victim.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {}); // the process dies
  await once(socket, "connect");
  const text = JSON.stringify(body);
  const head = `POST ${kind.path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
  await new Promise((resolve) => socket.write(head + text.slice(0, text.length / 2), resolve));
}

/** `npm test` reaches every fifth point. */
const EVERY = atLength({ short: 5, long: 1 });
const POINTS: Point[] = [
  {
    name: "parse",
    isAccepted: false,
    async reach(_, victim, asked) {
      for (const one of asked) await writeHalf(victim, one);
      await heard(victim);
      return { answers: Promise.resolve([]) };
    },
  },
  {
    name: "auth",
    isAccepted: false,
    async reach({ wire }, victim, asked) {
      wire.hold("statement", isLookUp);
      const answers = askAll(victim, asked);
      // Requests share look-ups: one of each kind is held, and the other requests wait behind it.
      await wire.held(2);
      await heard(victim);
      return { answers };
    },
  },
  heldAt("before tx", "statement", (passing) => passing.name === "BEGIN" && isAcceptance(passing)),
  heldAt("in tx", "statement", (passing) => isAcceptance(passing) && passing.before.some(isWrite)),
  heldAt("before commit", "statement", isCommit),
  { ...heldAt("after commit", "answer", isCommit), check: assertLeased },
  {
    // Whether the process has begun to write its answers cannot be told from outside. It acts on the commits, since the
    // operator has a message, and the clients have read nothing.
    name: "before reply",
    isAccepted: true,
    async reach({ wire, nextAccepted }, victim, asked) {
      await believe(victim, asked);
      wire.hold("answer", isCommit);
      const answers = askAll(victim, asked).then(() => []);
      await wire.held(asked.length);
      const accepted = nextAccepted();
      wire.release();
      await accepted;
      return { answers };
    },
  },
  {
    name: "after reply",
    isAccepted: true,
    async reach(_, victim, asked) {
      await believe(victim, asked);
      const ask = caller(victim.url, {});
      const answers = await Promise.all(asked.map(({ kind, body }) => ask(kind.path, body)));
      assert.ok(answers.every((answer) => answer.success));
      return { answers: Promise.resolve(answers) };
    },
  },
];

test("M02: after SIGKILL at each point of an acceptance all of it exists or nothing, and what exists is sent once", async (t) => {
  const stage = await openStage(t);
  const { here, begin } = stage;
  const kinds = await kindsOf(here);
  const fresh = phones(POINTS.length * kinds.reduce((sum, kind) => sum + kind.count, 0));
  let victim = await begin("api,gateway");
  for (const point of POINTS.filter((_, i) => i % EVERY === 0)) {
    let isPassed = false;
    await t.test(`M02: ${point.name}`, async () => {
      await untilBound(stage);
      const asked = kinds.map((kind) => askedOf(kind, fresh.splice(0, kind.count), point));
      const { answers } = await point.reach(stage, victim, asked);
      await kill(stage, victim);
      if (point.isAccepted) asked.forEach(note);
      await assertStanding(here, kinds);
      await point.check?.(here);

      victim = await begin("api,gateway");
      const read = await answers;
      if (!point.isAccepted) assert.ok(!read.some((answer) => answer?.success), "acknowledged, and gone");
      for (const [i, one] of asked.entries()) {
        if (!one.kind.isKeyed) continue;
        const data = await repeat(victim, one);
        if (read[i]?.success) assert.deepEqual(data, read[i].data);
        if (!point.isAccepted) note(one);
      }
      await allSent(stage);
      await assertStanding(here, kinds);
      assert.deepEqual(reached(stage).sort(), kinds.flatMap((kind) => kind.phones).sort());
      isPassed = true;
    });
    // The next point needs the process and the pools as this one leaves them.
    if (!isPassed) return;
  }
});

function askedOf(kind: Kind, contacts: string[], point: Point): Asked {
  const key = kind.isKeyed && { idempotencyKey: point.name.replace(" ", "-") };
  return { kind, contacts, body: { ...kind.credentials, ...kind.about(contacts), ...key } };
}

/** Asserts that the messages to one phone were made with their intents, for the session of the process that died. */
async function assertLeased({ app }: TestService): Promise<void> {
  const singles = (await waitingMessages(app)).filter(({ lane }) => lane === LANE.single);
  assert.deepEqual([...new Set(singles.map(({ isWritten }) => isWritten))], [true]);
}

/** Asks twice again with the same key, and returns what both answers say. */
async function repeat(victim: Process, { kind, body }: Asked): Promise<object> {
  const ask = caller(victim.url, {});
  const data = await dataOf(ask(kind.path, body));
  assert.deepEqual(await dataOf(ask(kind.path, body)), data);
  return data;
}

/** Notes that a request was accepted. */
function note({ kind, contacts }: Asked): void {
  kind.accepted++;
  kind.phones.push(...contacts);
}
