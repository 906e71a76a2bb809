// `npm run soak -- --minutes N [--seed S]`: a real service beside hostile operators, judged by the operators' own log.
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { residentMb } from "../../bench/program.ts";
import { rows, type Scope, stacked } from "../sending.ts";
import { ownServer } from "../server.ts";
import { Chance } from "../simulation/chance.ts";
import { type TestService, testService, until } from "../testservice.ts";
import { Load } from "./load.ts";
import { OperatorLog } from "./log.ts";
import { PREFIX } from "./messages.ts";
import { type Account, HostileOperator, SUBMIT_TIMEOUT_S } from "./operator.ts";
import { Service } from "./processes.ts";
import { judge } from "./verdict.ts";

const WINDOW = 20;
const CREDITS = 1_000_000_000;
const COMPANIES = 4;
const MINUTE_MS = 60_000;
/** What a message of unknown fate and a job of each minute need at most, many times over. */
const HEAL_LIMIT_MS = 15 * MINUTE_MS;
/**
 * A process takes its heap within its first hour, 280 MB of it (2026-11-23). From the half of the soak on, of which it
 * has lived a quarter, memory does not go on rising.
 */
const MEMORY_GROWTH_AT_MOST = 1.5;

const { values } = parseArgs({ options: { minutes: { type: "string" }, seed: { type: "string" } } });
const minutes = Number(values.minutes ?? 5);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error("usage: npm run soak -- [--minutes 5] [--seed 7]");
  process.exit(2);
}

const closing: (() => Promise<void>)[] = [];
let ending: Promise<void> | undefined;
const scope = stacked({ after: (close) => void closing.push(close) });
// SIGHUP is left alone, so that `nohup` keeps a soak of hours alive.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    console.log(`soak: ended by ${signal}`);
    void end().then(() => process.exit(130));
  });
console.log(`soak: seed ${seed}, ${minutes} minutes`);
try {
  process.exitCode = (await soak()) ? 0 : 1;
} finally {
  await end();
}

/** Ends all that was started, once: after a signal, what fails because of it waits for this too. */
function end(): Promise<void> {
  ending ??= closeAll();
  return ending;
}

async function closeAll(): Promise<void> {
  for (const close of closing) await close();
}

/** Makes both operators known: one with a session, and one with three. By seed they are one account, or two. */
async function startOperators(
  here: TestService,
  log: OperatorLog,
  chance: Chance,
): Promise<HostileOperator[]> {
  const isOneAccount = chance.happens(0.5);
  const first: Account = { log, sessions: new Set() };
  const second: Account = isOneAccount ? first : { log, sessions: new Set() };
  const operators = [
    new HostileOperator("single", "as-is", WINDOW, first, new Chance(seed + 1)),
    new HostileOperator("several", "hex-to-decimal", WINDOW, second, new Chance(seed + 2)),
  ];
  for (const operator of operators) {
    const { systemId, idForm, window } = operator;
    const isSeveral = systemId === "several";
    const settings = {
      ...{ name: systemId, host: "127.0.0.1", port: await operator.listen(), systemId, password: "drum" },
      // What the second one does not take falls to the first.
      prefixes: [isSeveral ? PREFIX.several : "2250", PREFIX.otp],
      ...{ window, messageIdForm: idForm, plainReceipts: true, submitTimeoutS: SUBMIT_TIMEOUT_S },
      ...{ binds: isSeveral ? 3 : 1, concatenation: isSeveral ? "sar" : "udh8", overflowAfterS: 20 },
      ...(isOneAccount && { operatorGroup: "soak" }),
    };
    const answer = await here.admin("/v1/admin/operator/create", settings);
    if (!answer.success) throw new Error(JSON.stringify(answer));
    scope.after(() => operator.stop());
  }
  console.log(isOneAccount ? "both operators are one account" : "the operators are two accounts");
  return operators;
}

async function soak(): Promise<boolean> {
  await ownServer(scope);
  const here = await testService(scope as Scope, { config: { roles: new Set(["api"]), simulator: false } });
  const log = new OperatorLog();
  const operators = await startOperators(here, log, new Chance(seed));
  const service = await Service.start(scope, here, new Chance(seed + 3), log, WINDOW);
  const companies = await Promise.all(
    Array.from({ length: COMPANIES }, () => here.company({ credits: CREDITS })),
  );
  const load = new Load({
    companies,
    chance: new Chance(seed + 4),
    urlNow: () => service.url,
    held: () => heldIn(here),
  });
  // Where the load itself failed, that was said, and all the rest must end too.
  scope.after(() => load.stop().catch(() => {}));
  for (const operator of operators) operator.rage();
  service.disturb();
  const memory = { half: 0, end: 0 };
  const since = performance.now();
  for (let left = minutes; left > 0; left--) {
    await wait(Math.min(1, left) * MINUTE_MS);
    const passed = minutes - left + 1;
    if (passed >= minutes / 4) service.isFirstSpared = true;
    if (service.firstPid) memory.end = residentMb(service.firstPid);
    if (passed >= minutes / 2 && service.firstPid) memory.half ||= memory.end;
    await report(here, { log, load, service, since });
  }
  await load.stop();
  for (const operator of operators) operator.calm();
  await service.calm();
  console.log("healing");
  const isHealed = await heal(here, log);
  const { wrong, messages, unpaid, expired } = await judge(here, log, load);
  if (!isHealed) wrong.unshift(`not all is final: ${JSON.stringify(await leftIn(here, log))}`);
  if (memory.end > memory.half * MEMORY_GROWTH_AT_MOST)
    wrong.push(`memory rose from ${Math.round(memory.half)} to ${Math.round(memory.end)} MB`);
  for (const what of wrong) console.log(`  ${what}`);
  const { losses, duplicates, allowed, receipts, handsetMessages } = log;
  console.log(
    `${losses.sessions} sessions lost, ${losses.ofAnswers} late answers, ${losses.kills} gateways killed, ` +
      `${service.restarts} restarts of the interface, ${service.terminated} connections ended, ${receipts} receipts, ` +
      `${handsetMessages} messages of handsets, ${load.otps.size} one-time passwords, ${load.canceled.size} cancels, ` +
      `memory ${Math.round(memory.half)} to ${Math.round(memory.end)} MB`,
  );
  console.log(
    `soak: ${messages} messages, ${duplicates} duplicates of at most ${allowed}, ${unpaid} accepted and not charged, ` +
      `${expired} expired, ` +
      (wrong.length === 0 ? "0 lost, 0 charged twice: passed" : `FAILED with --seed ${seed}`),
  );
  return wrong.length === 0;
}

/** The credits that are held: the price of all that is not final. */
async function heldIn(here: TestService): Promise<number> {
  const [pools] = await rows(
    here.app,
    `SELECT (SELECT sum(held_ever) FROM pools)::bigint - sum(captured + released)::bigint AS held FROM pool_outcomes`,
  );
  return pools.held;
}

async function leftIn(here: TestService, log: OperatorLog) {
  const [left] = await rows(
    here.app,
    `SELECT (SELECT count(*) FROM batches) AS batches, (SELECT count(*) FROM unqueued_sends) AS sends,
       (SELECT count(*) FROM message_queue WHERE unknown_since IS NOT NULL) AS unknown`,
  );
  return { ...left, held: await heldIn(here), owed: log.owed };
}

/** Waits until nothing is queued or of unknown fate, and every receipt was taken. False if that never comes. */
async function heal(here: TestService, log: OperatorLog): Promise<boolean> {
  const isDone = async () => Object.values(await leftIn(here, log)).every((count) => count === 0);
  return until(isDone, HEAL_LIMIT_MS).catch(() => false);
}

type Running = { log: OperatorLog; load: Load; service: Service; since: number };

async function report(here: TestService, { log, load, service, since }: Running): Promise<void> {
  const [counts] = await rows(
    here.app,
    `SELECT (SELECT count(*) FROM messages) AS final, (SELECT count(*) FROM orphan_receipts) AS orphans,
       (SELECT count(*) FROM message_queue WHERE unknown_since IS NOT NULL) AS unknown`,
  );
  const seconds = (performance.now() - since) / 1_000;
  const memory = service.pids.map((pid) => Math.round(residentMb(pid)));
  console.log(
    [
      `${Math.round(seconds / 60)} min: ${load.messages} created`,
      `${log.accepted} accepted`,
      `${counts.final} final`,
      `${log.duplicates} of ${log.allowed} duplicates`,
      `${log.throttled} throttled`,
      `${Math.round(log.accepted / seconds)}/s`,
      `${counts.unknown} unknown`,
      `${counts.orphans} orphans`,
      `${memory.join("+")} MB`,
    ].join(", "),
  );
}
