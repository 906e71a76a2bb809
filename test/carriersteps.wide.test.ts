// A gateway is killed at each step of a message to a carrier over HTTP, and a second gateway takes over. The carrier's
// own log tells how often the message reached it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { expireMessages } from "../src/delivery/sends/settlement/expire.ts";
import { callbackOf, carrierService, createCarrier, orangeOperator } from "./httpprovider.ts";
import { readMetrics } from "./metrics.ts";
import { ableIs } from "./operators.ts";
import { type Process, startProcess } from "./process.ts";
import { type ScriptedOrange, startOrange } from "./scriptedorange.ts";
import { assertBalanced, balanceOf, phones, rows, type Scope, send, stacked } from "./sending.ts";
import { type Company, type TestService, until } from "./testservice.ts";
import { startWire, type Wire } from "./wire.ts";

/** No quarantine ends by itself: a test ends it. */
const QUARANTINE_MS = 3_600_000;
const END_OF_QUARANTINE =
  "UPDATE batches SET not_before = now() WHERE unknown AND not_before > now() AND not_before <> 'infinity' RETURNING id";
const CREDITS = 10;
const PREFIX = "22507";
const LATER_PREFIX = "22505";

type Gateway = { process: Process; wire: Wire };

/** A service that judges, a carrier that keeps a log, and gateways that reach PostgreSQL through a proxy each. */
type Stage = {
  here: TestService;
  orange: ScriptedOrange;
  operatorId: string;
  begin(): Promise<Gateway>;
};

async function openStage(t: Scope): Promise<Stage> {
  const scope = stacked(t);
  const orange = await startOrange(scope);
  const here = await carrierService(scope, QUARANTINE_MS, { config: { roles: new Set(["api"]) } });
  const operatorId = await createCarrier(here, orangeOperator(orange), false);
  const begin = async () => {
    const wire = await startWire(scope, here.databaseUrl);
    const process = await startProcess(
      {
        DATABASE_URL: wire.url,
        MASTER_KEY: here.app.config.keys?.masterKey ?? "",
        ADMIN_KEY: here.adminKey,
        ROLES: "gateway",
        PUBLIC_URL: here.url,
        CARRIER_ALLOW_CIDRS: "127.0.0.0/8",
      },
      { settings: { quarantineMs: QUARANTINE_MS } },
    );
    scope.after(() => process.end("SIGKILL"));
    return { process, wire };
  };
  return { here, orange, operatorId, begin };
}

type Passing = Parameters<Parameters<Wire["hold"]>[1]>[0];

/** The commit of a cycle that takes a message: its intent is in that transaction. */
const isIntent = ({ name, before }: Passing) =>
  name === "COMMIT" && before.some((one) => one.name === "sends.takeBatches" && (one.rows ?? 0) > 0);
/** The commit of a cycle with an outcome: only an outcome settles credits. */
const isOutcome = ({ name, before }: Passing) =>
  name === "COMMIT" && before.some((one) => one.name === "credits.settleHolds");

type Step = {
  /** The case of docs/reliability.md, section H, and its moment. */
  title: string;
  /** Makes the gateway stop at the step. Returns what resolves when it stands there. */
  stop(stage: Stage, victim: Gateway): () => Promise<void>;
  /** Whether the database tells what became of the message. */
  fate: "unknown" | "known";
  /** How often the carrier has accepted the message when the gateway dies. */
  accepted: 0 | 1;
  /** Whether the carrier may send a receipt meanwhile. */
  hasReceipt?: true;
};

const STEPS: Step[] = [
  {
    title: "H100: a gateway dies while its request for a new token is not answered",
    stop({ orange }) {
      orange.endTokens();
      orange.stopAt("token");
      return orange.stopped;
    },
    fate: "unknown",
    accepted: 0,
  },
  {
    // The gateway cannot write before it has read the answer to this commit, and the proxy keeps that answer.
    title: "H101: a gateway dies between the commit of the intent and the request",
    stop(_, { wire }) {
      wire.hold("answer", isIntent);
      return () => wire.held(1);
    },
    fate: "unknown",
    accepted: 0,
  },
  {
    title: "H102: a gateway dies when the carrier has read the request, and not answered",
    stop({ orange }) {
      orange.stopAt("message");
      return orange.stopped;
    },
    fate: "unknown",
    accepted: 1,
  },
  {
    // The proxy has the commit, and PostgreSQL never gets it.
    title: "H103: a gateway dies between the answer and the commit of the outcome",
    stop(_, { wire }) {
      wire.hold("statement", isOutcome);
      return () => wire.held(1);
    },
    fate: "unknown",
    accepted: 1,
    hasReceipt: true,
  },
  {
    // PostgreSQL has answered the commit, and the gateway never reads that answer.
    title: "H104: a gateway dies just after the commit of the outcome",
    stop(_, { wire }) {
      wire.hold("answer", isOutcome);
      return () => wire.held(1);
    },
    fate: "known",
    accepted: 1,
  },
];

const KINDS = ["message", "one-time password"] as const;
type Kind = (typeof KINDS)[number];

/** A message, and the company that pays for it alone. */
type Sent = { kind: Kind; to: string; company: Company };

async function sendOne({ here }: Stage, kind: Kind, to: string): Promise<Sent> {
  const company = await here.company({ credits: CREDITS });
  if (kind === "message") await send(company, to);
  else {
    const { error } = await company.call("/v1/auth/otp/get", { phoneNumber: `+${to}` });
    assert.equal(error, null);
  }
  return { kind, to, company };
}

/** Kills the gateway where it stands, and waits until the other one has its bind. */
async function takeOver({ here, orange, operatorId }: Stage, victim: Gateway): Promise<void> {
  const bind = "SELECT node, state FROM operator_binds WHERE operator_id = $1";
  const [before] = await rows(here.app, bind, [operatorId]);
  orange.stopAt(undefined);
  await victim.process.end("SIGKILL");
  await assertBalanced(here);
  await until(async () => {
    const [now] = await rows(here.app, bind, [operatorId]);
    return now.state === "BOUND" && now.node !== before.node;
  });
  // Only now: the proxy may hear of the death late, and would let pass what it holds.
  victim.wire.release();
}

const countTo = ({ orange }: Stage, phone: string) =>
  orange.requests.filter(({ to, isAccepted }) => isAccepted && to === phone).length;

/** How often a gateway has sent messages of unknown fate again, by its own count. */
async function resentBy({ here }: Stage, { process }: Gateway): Promise<number> {
  const metrics = await readMetrics(process.url, here.adminKey);
  return Number(/^atumpan_unknown_resent_total\{.*\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

/** The final status of a message, once it has one. */
const statusOf = ({ here }: Stage, phone: string) =>
  until(
    async () => (await rows(here.app, "SELECT status FROM messages WHERE phone = $1", [phone]))[0]?.status,
  );

/** Waits until the fate of a message is unknown. Returns whether it is never sent again. */
const unknownFate = ({ here }: Stage, phone: string) =>
  until(async () => {
    const text = `SELECT not_before = 'infinity' AS "isLast" FROM batches JOIN message_queue queued ON queued.batch_id = batches.id
      WHERE phone = $1 AND unknown AND not_before > now()`;
    return (await rows(here.app, text, [phone]))[0] as { isLast: boolean } | undefined;
  });

/** Asserts that one credit was paid if the message was sent, and returned if not. */
async function assertPaid({ here }: Stage, { company }: Sent, status: string): Promise<void> {
  const isPaid = status === "SENT" || status === "DELIVERED";
  const holds = "SELECT total, captured, released FROM holds WHERE pool_id = $1";
  const wanted = { total: 1, captured: isPaid ? 1 : 0, released: isPaid ? 0 : 1 };
  assert.deepEqual(await rows(here.app, holds, [company.companyId]), [wanted]);
  assert.equal(await balanceOf(company), CREDITS - wanted.captured);
  assert.equal((await assertBalanced(here)).held, 0);
}

/** What becomes of a message of unknown fate: a receipt proves it, or the quarantine ends, or its time. */
async function settleUnknown(stage: Stage, { kind, to }: Sent, hasReceipt: boolean): Promise<void> {
  const { here, orange, operatorId } = stage;
  const countBefore = countTo(stage, to);
  const { isLast } = await unknownFate(stage, to);
  assert.equal(isLast, kind === "one-time password");
  if (hasReceipt) {
    const callbackData = orange.requests.find((request) => request.to === to)?.id;
    const deliveryInfo = { address: `tel:+${to}`, deliveryStatus: "DeliveredToTerminal" };
    const url = await callbackOf(here, operatorId);
    const body = { deliveryInfoNotification: { callbackData, deliveryInfo } };
    const { ok } = await fetch(url, {
      ...{ method: "POST", body: JSON.stringify(body) },
      headers: { "Content-Type": "application/json" },
    });
    assert.ok(ok);
  } else if (kind === "message") {
    // More than once: the first cycle of a session defers what it finds of unknown fate.
    await until(async () => {
      await rows(here.app, END_OF_QUARANTINE);
      return countTo(stage, to) > countBefore;
    });
  } else {
    // The gateway sends a message that came later, and does not send this one.
    const later = to.replace(PREFIX, LATER_PREFIX);
    await sendOne(stage, "message", later);
    assert.equal(await statusOf(stage, later), "SENT");
    await rows(here.app, "UPDATE batches SET expires_at = now() WHERE unknown RETURNING id");
    await expireMessages(here.app);
  }
}

type Case = { step: Step; kind: Kind; hasReceipt: boolean };

/** The cases of a step: both kinds of messages, and what a receipt proves. */
const casesOf = (step: Step): Case[] =>
  KINDS.flatMap((kind) => [
    { step, kind, hasReceipt: false },
    ...(step.hasReceipt ? [{ step, kind, hasReceipt: true }] : []),
  ]);

/** What the carrier and the ledger show in the end. `resent`: by the count of the gateway that took over. */
function endOf({ step, kind, hasReceipt }: Case) {
  const { accepted, fate } = step;
  if (hasReceipt) return { status: "DELIVERED", accepted, resent: 0 };
  if (fate === "known") return { status: "SENT", accepted, resent: 0 };
  if (kind === "message") return { status: "SENT", accepted: accepted + 1, resent: 1 };
  return { status: "UNKNOWN", accepted, resent: 0 };
}

/** Runs a case with the gateway that has the bind and the one that takes over. */
async function runCase(stage: Stage, some: Case, to: string, [victim, heir]: [Gateway, Gateway]) {
  const { step, kind, hasReceipt } = some;
  const stopped = step.stop(stage, victim);
  const sent = await sendOne(stage, kind, to);
  await stopped();
  assert.equal(countTo(stage, to), step.accepted);
  await takeOver(stage, victim);
  assert.equal(await resentBy(stage, heir), 0);
  if (step.fate === "unknown") await settleUnknown(stage, sent, hasReceipt);
  const status = await statusOf(stage, to);
  const end = { status, accepted: countTo(stage, to), resent: await resentBy(stage, heir) };
  assert.deepEqual(end, endOf(some));
  await assertPaid(stage, sent, status);
}

/** Asserts that the carrier got each message with one id only, and returns how often it accepted each. */
function acceptedOf({ orange }: Stage): Record<string, number> {
  const byPhone = Object.groupBy(orange.requests, ({ to }) => to);
  return Object.fromEntries(
    Object.entries(byPhone).map(([to, requests = []]) => {
      assert.equal(new Set(requests.map(({ id }) => id)).size, 1, `${to} has more than one id`);
      return [to, requests.filter(({ isAccepted }) => isAccepted).length];
    }),
  );
}

test("H99: a gateway dies while its first token is not answered: the next one sends all messages once", async (t) => {
  const stage = await openStage(t);
  const { orange } = stage;
  orange.stopAt("token");
  const victim = await stage.begin();
  await orange.stopped();
  const [first = "", second = ""] = phones(2, PREFIX);
  const sent = [await sendOne(stage, "message", first), await sendOne(stage, "one-time password", second)];
  const heir = await stage.begin();
  await takeOver(stage, victim);
  for (const one of sent) {
    const status = await statusOf(stage, one.to);
    assert.equal(status, "SENT");
    await assertPaid(stage, one, status);
  }
  assert.deepEqual(acceptedOf(stage), { [first]: 1, [second]: 1 });
  assert.equal(await resentBy(stage, heir), 0);
});

// A test for each step, because a busy machine takes a minute for the processes of one.
for (const step of STEPS)
  test(`${step.title}: its message is sent once, or twice and counted, and paid once`, async (t) => {
    const stage = await openStage(t);
    let gateway = await stage.begin();
    await ableIs(stage.here, stage.operatorId, true);
    const cases = casesOf(step);
    const to = phones(cases.length, PREFIX);
    for (const [i, some] of cases.entries()) {
      const heir = await stage.begin();
      const name = `${some.kind}${some.hasReceipt ? ", with a receipt" : ""}`;
      await t.test(name, () => runCase(stage, some, to[i] ?? "", [gateway, heir]));
      gateway = heir;
    }
    const accepted = acceptedOf(stage);
    assert.deepEqual(
      to.map((phone) => accepted[phone] ?? 0),
      cases.map((some) => endOf(some).accepted),
    );
  });
