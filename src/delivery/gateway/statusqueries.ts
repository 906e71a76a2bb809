// Asks carriers about messages without an answer or a receipt: those over HTTP whose connectors have a query for that, and
// phones, of which the database knows what they reported.
import { Counter } from "prom-client";
import { reportFailure } from "../../platform/database/outages.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { StatusAnswer } from "../../protocol/carriers/exchange.ts";
import type { StatusQueries } from "../operators/carrier.ts";
import { carrierIdOf } from "../operators/carriermessages.ts";
import { hasStatusQuery } from "../operators/connectors.ts";
import { bindKeyOf, type OperatorAccount } from "../operators/operatoraccounts.ts";
import { type OperatorSettings, settingsOf } from "../operators/settings.ts";
import type { OperatorRow } from "../operators/sql.ts";
import { announceSends } from "../sends/queue/announce.ts";
import { findOwed, freeUnsent, type OwedMessage } from "../sends/settlement/owed.ts";
import { messageKeyOf } from "../sends/settlement/parts.ts";
import { applyCarrierReceipts, finalCarrierReceiptOf } from "./callbacks.ts";
import type { FinalReceipt } from "./finalreceipts.ts";
import type { Plan } from "./machine/plan.ts";
import { proveLate } from "./receipts.ts";
import * as sql from "./statusqueries.sql.ts";

/** A link of this process, its carrier's status query, and its current account. */
type Linked = {
  readonly operatorId: string;
  readonly bindKey: string;
  readonly operator: Pick<OperatorRow, "name">;
  readonly settings: Pick<OperatorSettings, "statusQueriesPerS">;
  readonly queries: StatusQueries | undefined;
  account(): OperatorAccount;
};
type Asking = Linked & { readonly queries: StatusQueries };

/** When messages are asked about first: those of unknown fate, and accepted ones without a receipt. */
export type QueryTimes = { quarantineMs: number; silentReceiptMs: number };

const ASK_EVERY_MS = 1_000;
const LISTED_AT_ONCE = 500;
/** Queries for each message, each after twice the time of the one before. */
const QUERIES_AT_MOST = 4;
/** Of the quarantine, until a message of unknown fate is asked about first: its late answer or its receipt may come. */
const FIRST_SHARE = 1 / 6;
/** A query that is due since so long is given up: more messages are silent than may be asked about. */
const LATE_MS_AT_MOST = 3_600_000;

const queriesOf = perRuntime(
  (app) =>
    new Counter({
      name: "atumpan_status_queries_total",
      help: "Queries to carriers over HTTP for the state of a message, by what the answer says.",
      labelNames: ["operator", "outcome"],
      registers: [app.metrics],
    }),
);

/** Whether the carrier of an operator is asked about messages: it has a query, and its settings allow it. */
export function asksStatus(operator: OperatorRow): boolean {
  const hasQuery = operator.kind === "phone" || hasStatusQuery(operator);
  return hasQuery && settingsOf(operator.settings).statusQueriesPerS > 0;
}

/**
 * Notes the messages of a plan that the carrier may have to be asked about. One-time passwords that it accepted are not
 * among them: they have expired before the first query.
 */
export async function noteQueries(
  tx: Tx,
  operatorId: string,
  { outcomes, moves }: Pick<Plan, "outcomes" | "moves">,
  times: QueryTimes,
): Promise<void> {
  const accepted = outcomes
    .filter(({ status, message }) => status === "SENT" && message.kind !== "otp")
    .map(({ message }) => queryOf(message, false, times));
  const unknown = moves
    .filter(({ fate }) => fate === "unknown")
    .map(({ message }) => queryOf(message, true, times));
  const queries = [...accepted, ...unknown];
  if (queries.length > 0) await tx.run(sql.upsertStatusQueries, { operatorId, queries });
}

function queryOf(
  { accountId, sendId, number }: { accountId: string; sendId: string; number: number },
  unknown: boolean,
  { quarantineMs, silentReceiptMs }: QueryTimes,
): sql.NewStatusQuery {
  const waitMs = Math.round(unknown ? quarantineMs * FIRST_SHARE : silentReceiptMs);
  return { accountId, sendId, number, unknown, waitMs };
}

/**
 * Asks the carriers of these links each second, `statusQueriesPerS` times at most. The link of the first bind of an
 * operator asks for all, so that one process asks. A carrier that answers no queries is left alone for a while, in which
 * the messages that are over are still forgotten. `stop()` waits for the queries under way.
 */
export function keepAsking(app: Runtime, links: ReadonlySet<Linked>): { stop(): Promise<void> } {
  /** By operator. */
  const asking = new Map<string, Promise<void>>();
  const pausedUntil = new Map<string, number>();

  async function ask(link: Asking): Promise<void> {
    const { operatorId } = link;
    try {
      const due = await sortDue(app, link);
      if (performance.now() < (pausedUntil.get(operatorId) ?? 0)) return;
      const pauseMs = await askSome(app, link, due);
      if (pauseMs > 0) pausedUntil.set(operatorId, performance.now() + pauseMs);
      else pausedUntil.delete(operatorId);
    } catch (error) {
      const { name: operator } = link.operator;
      reportFailure(app, error as Error, "a carrier could not be asked about messages", { operator });
    }
  }

  const timer = setInterval(() => {
    if (app.incarnation.isHeld) return;
    for (const link of links) {
      const { operatorId } = link;
      if (asking.has(operatorId) || !isAsking(link)) continue;
      asking.set(
        operatorId,
        ask(link).finally(() => asking.delete(operatorId)),
      );
    }
  }, ASK_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(asking.values());
    },
  };
}

function isAsking(link: Linked): link is Asking {
  const { operatorId, bindKey, queries, settings } = link;
  return queries !== undefined && settings.statusQueriesPerS > 0 && bindKey === bindKeyOf(operatorId, 0);
}

/** A message that is asked about. */
type Asked = { query: sql.DueQuery; message: OwedMessage };

/** Returns messages to be asked about now, after those that are over were deleted and the answered ones noted anew. */
async function sortDue(app: Runtime, link: Asking): Promise<Asked[]> {
  const { operatorId } = link;
  const due = await app.database.run(sql.listDueQueries, [operatorId, LISTED_AT_ONCE]);
  if (due.length === 0) return [];
  const owed = await findOwed(app.database, operatorId, due);
  const asked: Asked[] = [];
  const answered: sql.DueQuery[] = [];
  const over: sql.DueQuery[] = [];
  for (const query of due) {
    const message = owed.get(messageKeyOf(query));
    if (!message || !mayBeAsked(query, message, link)) over.push(query);
    else if (query.unknown && message.operator_message_id !== null) answered.push(query);
    else asked.push({ query, message });
  }
  if (over.length > 0) await app.database.run(sql.deleteStatusQueries, { operatorId, ...keysOf(over) });
  if (answered.length > 0) await noteAnswered(app, operatorId, answered);
  return asked;
}

/** Asks about some of these messages. Returns how long the carrier is to be left alone. */
async function askSome(app: Runtime, link: Asking, due: readonly Asked[]): Promise<number> {
  const answers = await Promise.all((await claim(app, link, due)).map((one) => askOne(app, link, one)));
  await applyAnswers(app, link, answers);
  return Math.max(0, ...answers.map(({ answer }) => (answer.is === "unavailable" ? answer.waitMs : 0)));
}

/** A message of unknown fate has no id of the carrier. */
function mayBeAsked({ asked, late_ms: lateMs }: sql.DueQuery, message: OwedMessage, link: Asking): boolean {
  const hasId = link.queries.by === "id" || message.operator_message_id !== null;
  return hasId && asked < QUERIES_AT_MOST && lateMs < LATE_MS_AT_MOST;
}

function keysOf(queries: readonly sql.DueQuery[]) {
  return {
    sendIds: queries.map((query) => query.send_id),
    numbers: queries.map(({ number }) => number),
  };
}

/** Their answers or receipts came meanwhile: now only the receipt may be missing. */
async function noteAnswered(app: Runtime, operatorId: string, all: readonly sql.DueQuery[]): Promise<void> {
  const queries = all.map(({ account_id: accountId, send_id: sendId, number }) =>
    queryOf({ accountId, sendId, number }, false, app.config.settings),
  );
  await app.database.run(sql.upsertStatusQueries, { operatorId, queries });
}

/** Claims as many of these messages as may be asked about now; another process may have claimed some. */
async function claim(app: Runtime, link: Asking, due: readonly Asked[]): Promise<Asked[]> {
  const some = due.slice(0, link.settings.statusQueriesPerS);
  if (some.length === 0) return [];
  const keys = keysOf(some.map(({ query }) => query));
  const rows = await app.database.run(sql.claimStatusQueries, { operatorId: link.operatorId, ...keys });
  const claimed = new Set(rows.map((row) => `${row.send_id} ${row.number}`));
  return some.filter(({ query }) => claimed.has(`${query.send_id} ${query.number}`));
}

type Answered = Asked & { ownId: string; answer: StatusAnswer };

async function askOne(app: Runtime, link: Asking, asked: Asked): Promise<Answered> {
  const { query, message } = asked;
  const ownId = carrierIdOf({ sendId: query.send_id, number: query.number });
  const { operator_message_id: carrierId, lost_ms: lostMs } = message;
  const answer = await link.queries.ask({ id: ownId, carrierId: carrierId ?? "", lostMs });
  const outcome = answer.is === "known" ? answer.state : answer.is;
  queriesOf(app).inc({ operator: link.operator.name, outcome });
  return { ...asked, ownId, answer };
}

/**
 * Applies what the carrier said: a final state as a receipt, any other state of a message of unknown fate as its late
 * answer.
 */
async function applyAnswers(app: Runtime, link: Asking, answers: readonly Answered[]): Promise<void> {
  const receipts: FinalReceipt[] = [];
  for (const answered of answers) {
    const receipt = receiptIn(answered);
    if (receipt) receipts.push(receipt);
    else if (answered.message.operator_message_id === null) await applyToUnknown(app, link, answered);
  }
  await applyCarrierReceipts(app, link.operatorId, link.account(), receipts);
}

function receiptIn({ answer, message, ownId }: Answered): FinalReceipt | undefined {
  if (answer.is !== "known") return undefined;
  const { phone, operator_message_id: given } = message;
  return finalCarrierReceiptOf({ ...answer, id: given ?? answer.id, ownId, phone, sender: "" });
}

async function applyToUnknown(app: Runtime, link: Asking, { query, answer }: Answered): Promise<void> {
  const { operatorId } = link;
  if (answer.is === "known") {
    const { send_id: sendId, number } = query;
    const proven = { message: { sendId, number }, operatorMessageId: answer.id };
    await proveLate(app, { operatorId, ...link.account() }, proven);
  } else if (answer.is === "absent") {
    const isFree = await app.database.transaction(async (tx) => {
      const freed = await freeUnsent(tx, operatorId, query);
      // An answer about this loss must not count for a later one.
      if (freed) await tx.run(sql.deleteStatusQueries, { operatorId, ...keysOf([query]) });
      return freed;
    });
    if (isFree) announceSends(app);
  }
}
