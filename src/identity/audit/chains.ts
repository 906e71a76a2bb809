// Chains: each entry contains a keyed hash over itself and the entry before, so that changes and gaps are detected.
import { nowMs } from "../../platform/clock.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Acknowledged } from "../../platform/files/acknowledgedlines.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { currentRequest } from "../../platform/http/requestids.ts";
import type { Actor } from "../../platform/http/routes.ts";
import { newId, timeOf } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { sameDigest } from "../../platform/secrets/secrets.ts";
import { keptId, keptJson, type Members } from "./members.ts";
import type { AuditFault, AuditProof } from "./shapes.ts";
import * as sql from "./sql.ts";

/** The actor: a caller, or the visitor of a link without an account. */
export type AuditedActor = {
  readonly by: Omit<Actor, "kind"> & { readonly kind: Actor["kind"] | "visitor" };
  readonly companyId?: string | null;
};

/** The object of an action, by its kind and its id. Null: all of its kind. */
export type Thing = { kind: string; id: string | null };

/** An audited action. */
export type AuditedAction = {
  actor: AuditedActor;
  on: Thing;
  /** The company that the action concerns, if it is not the company that acts. */
  companyId?: string | null;
  before: Members | null;
  after: Members | null;
  /** The request behind it, if its entry is written together with those of others. */
  requestId?: string | undefined;
};

/** The chain of administrators' actions. Other chains have the id of the account that acts. */
const PLATFORM = "platform";

function chainOf({ actor }: AuditedAction): string {
  const { by, companyId } = actor;
  if (by.kind === "administrator") return PLATFORM;
  return companyId ?? by.id ?? PLATFORM;
}

/** Reads the names of actors. Called at the start of a transaction, it does not prolong any lock. */
export function readNames(tx: Tx, acting: readonly AuditedActor[]) {
  return tx.run(sql.listActorNames, { actors: acting.map(({ by }) => by) });
}

/**
 * Appends entries to their chains, whose heads stay locked until the commit. It must come last in a transaction, so
 * that a transaction that holds a head waits for nothing else. `isLast` sends the commit with it.
 */
export async function appendEntries(
  tx: Tx,
  app: Runtime,
  actions: readonly AuditedAction[],
  isLast = false,
  reading = readNames(
    tx,
    actions.map(({ actor }) => actor),
  ),
): Promise<void> {
  const chains = [...new Set(actions.map(chainOf))];
  const [names, known] = await Promise.all([reading, tx.run(sql.lockHeads, [chains])]);
  const heads = new Map((await allHeads(tx, chains, known)).map((head) => [head.chain, head]));
  const entries = actions.map((action, i) => {
    const chain = chainOf(action);
    const head = heads.get(chain);
    if (!head) throw new Error(`the chain ${chain} has no head`);
    const entry = entryOf(app, head, action, action.actor.by.name ?? names[i]?.name ?? null);
    heads.set(chain, { ...head, number: entry.number, hash: entry.hash, lastId: entry.id });
    return entry;
  });
  const written = tx.run(sql.insertEntries, { entries, heads: [...heads.values()] });
  tx.acknowledges(entries.map(acknowledgedBy));
  if (isLast) tx.commitNow();
  await written;
}

function acknowledgedBy({ id, companyId: accountId, action }: sql.EntryRow): Acknowledged {
  return { kind: "change", id, accountId, count: 1, name: action };
}

/** Returns the locked heads of all of these chains, and creates missing ones. */
async function allHeads(tx: Tx, chains: readonly string[], known: sql.HeadRow[]): Promise<sql.HeadRow[]> {
  if (known.length === chains.length) return known;
  await tx.run(sql.insertHeads, [chains]);
  return tx.run(sql.lockHeads, [chains]);
}

/** The prefix of a session's id in the column of keys: the entry is of the member who was signed in. */
export const SESSION = "session ";

function entryOf(
  app: Runtime,
  head: sql.HeadRow,
  { actor, on, companyId, before, after, requestId }: AuditedAction,
  name: string | null,
): sql.EntryRow {
  const { by } = actor;
  const was = keptJson(before, on.kind);
  const is = keptJson(after, on.kind);
  const entry = {
    // Each entry is later than the one before, whatever process writes it: a month is a contiguous part of the chain.
    id: newId(Math.max(nowMs(), timeOf(head.lastId) + 1)),
    chain: head.chain,
    number: head.number + 1,
    companyId: companyId === undefined ? (actor.companyId ?? null) : companyId,
    actorKind: by.kind,
    actorId: by.id,
    keyId: by.sessionId ? SESSION + by.sessionId : by.keyId,
    actorName: name,
    address: by.address,
    action: by.endpoint,
    thing: on.kind,
    thingId: on.id === null ? null : keptId(on.id),
    before: was.json,
    after: is.json,
    isCut: was.isCut || is.isCut,
    previous: head.hash,
    requestId: requestId ?? currentRequest()?.shown ?? null,
  };
  return { ...entry, hash: hashOf(app, entry) };
}

/** Returns the hash of an entry and, by `previous`, of all before it. Its key is not in the database in plain text. */
function hashOf(app: Runtime, entry: Omit<sql.EntryRow, "hash">): string {
  const values = sql.HASHED.map((name) => entry[name]);
  // Entries from before 2026-11-27 have no request, and keep the hash that they had.
  if (entry.requestId !== null) values.push(entry.requestId);
  return app.secrets.digest("audit", JSON.stringify(values));
}

/** The number of chains that one call verifies, however short they are. */
const CHAINS_AT_ONCE = 200;
const FAULTS_SHOWN = 100;

/** Where a proof continues: after the entry `number` of a chain. */
type Place = { chain: string; number: number };

/**
 * Verifies the next part of the log, starting from `next` of the previous response; only one chain, if it is named.
 * Each chain has at most one fault, its first. `changed`: the entry differs from what was written. `missing`: entries
 * before it were deleted or moved. `cut`: the last entries, or the head with their number, were deleted. Refuses
 * `invalid-request` for a `next` that no response had.
 */
export async function proveChains(
  app: Runtime,
  { chain, next }: { chain?: string; next?: string },
): Promise<AuditProof> {
  const db = app.database;
  const proof: AuditProof = { entries: 0, chains: 0, faults: [], next: null };
  let place = next === undefined ? await placeAfter(db, "", chain) : readPlace(app, next);
  if (place && chain !== undefined && place.chain !== chain) refuseField("next", OTHER_CHAIN);
  while (place && proof.faults.length < FAULTS_SHOWN) {
    const room = app.config.limits.auditEntriesAtOnce - proof.entries;
    if (room <= 0 || proof.chains >= CHAINS_AT_ONCE) return { ...proof, next: nextOf(app, place) };
    const { entries, fault, reached } = await proveChain(app, place, room);
    proof.entries += entries;
    if (fault) proof.faults.push(fault);
    if (reached === null) proof.chains++;
    place =
      reached === null ? await placeAfter(db, place.chain, chain) : { chain: place.chain, number: reached };
  }
  return place ? { ...proof, next: nextOf(app, place) } : proof;
}

const SIGNATURE_CHARACTERS = 22;

/** Returns `next` of a response: the place, signed. A place that no proof reached would show whole chains as cut. */
function nextOf(app: Runtime, { chain, number }: Place): string {
  const place = `${chain} ${number}`;
  return `${place} ${app.secrets.digest("audit-next", place).slice(0, SIGNATURE_CHARACTERS)}`;
}

/** Reads `next` of a response. Refuses `invalid-request` for anything else. */
function readPlace(app: Runtime, next: string): Place {
  const [, chain = "", digits = ""] = /^(\S+) (\d{1,15}) \S+$/.exec(next) ?? [];
  const place = { chain, number: Number(digits) };
  return sameDigest(next, nextOf(app, place)) ? place : refuseField("next", NOT_OURS);
}

const NOT_OURS = {
  fr: "doit être la valeur next de la réponse précédente",
  en: "must be the value next of the previous response",
};
const OTHER_CHAIN = { fr: "appartient à une autre chaîne", en: "belongs to another chain" };

/** Returns the start of the next chain, which has a head or only entries; with `only`, of that one. */
async function placeAfter(
  db: Statements,
  after: string,
  only: string | undefined,
): Promise<Place | undefined> {
  if (only !== undefined) return after === "" ? { chain: only, number: 0 } : undefined;
  const [[head], [entry]] = await Promise.all([
    db.run(sql.listHeads, [after, 1]),
    db.run(sql.findNextChain, [after]),
  ]);
  const [chain] = [head?.chain, entry?.chain].filter((found) => found !== undefined).sort();
  return chain === undefined ? undefined : { chain, number: 0 };
}

type Proven = { entries: number; fault?: AuditFault; reached: number | null };

/** Verifies up to `room` entries of a chain after a place. `reached` is null at the end and after a fault. */
async function proveChain(app: Runtime, { chain, number }: Place, room: number): Promise<Proven> {
  const db = app.database;
  // The head is read first: entries written meanwhile are left to the next proof.
  const [head] = await db.run(sql.findHead, [chain]);
  const faultAt = (at: number, fault: AuditFault["fault"], entries = 0): Proven => ({
    entries,
    fault: { chain, number: at, fault },
    reached: null,
  });
  if (!head) {
    const [left] = await db.run(sql.listChain, { chain, from: 0, to: Number.MAX_SAFE_INTEGER, atMost: 1 });
    return left ? faultAt(left.number, "cut") : { entries: 0, reached: null };
  }
  const from = Math.max(number, head.dropped);
  // The entry before is read again for its hash.
  const rows = await db.run(sql.listChain, { chain, from, to: head.number, atMost: room + 1 });
  let before: { number: number; hash: string | null } =
    rows[0]?.number === from ? rows.shift()! : { number: from, hash: from === 0 ? "" : null };
  for (const [i, row] of rows.slice(0, room).entries()) {
    if (hashOf(app, row) !== row.hash) return faultAt(row.number, "changed", i);
    const follows = row.number === before.number + 1 && (before.hash ?? row.previous) === row.previous;
    if (!follows) return faultAt(row.number, "missing", i);
    before = row;
  }
  const entries = Math.min(rows.length, room);
  if (before.number < head.number && entries === room) return { entries, reached: before.number };
  const isWhole = before.number === head.number && (before.hash ?? head.hash) === head.hash;
  return isWhole ? { entries, reached: null } : faultAt(before.number + 1, "cut", entries);
}

const HEADS_AT_ONCE = 5_000;
const HEAD_STEPS_AT_MOST = 1_000;

/**
 * Logs the ends of the chains. Run by a job. A copy of the log elsewhere shows whether entries were cut off together
 * with their head: `entries` never falls, and the entry `number` of the platform's chain keeps its hash.
 */
export async function logHeads(app: Runtime, signal?: AbortSignal): Promise<void> {
  let after = "";
  let digest = "";
  let chains = 0;
  let entries = 0;
  let platform: Pick<sql.HeadRow, "number" | "hash"> = { number: 0, hash: "" };
  for (let step = 0; step < HEAD_STEPS_AT_MOST && !signal?.aborted; step++) {
    const heads = await app.database.run(sql.listHeads, [after, HEADS_AT_ONCE]);
    for (const { chain, number, hash } of heads) {
      if (chain === PLATFORM) platform = { number, hash };
      digest = app.secrets.digest("audit-heads", JSON.stringify([digest, chain, number, hash]));
      entries += number;
    }
    chains += heads.length;
    if (heads.length < HEADS_AT_ONCE) break;
    after = heads.at(-1)!.chain;
  }
  const { number, hash } = platform;
  app.log.info({ platform: { number, hash }, chains, entries, digest }, "the heads of the audit log");
}

/** Creates the next months of the log, and drops those past their retention time. Run by a job. */
export async function keepAuditMonths(app: Runtime): Promise<void> {
  await app.database.run(sql.makeMonths);
  const dropped = await one(app.database, sql.dropMonths, [app.config.settings.auditMonths]);
  if (dropped.months.length > 0) app.log.info({ months: dropped.months }, "months of the audit log are over");
}
