// The ledger: credits are granted, held for a send, then captured or released. They only move between pools.
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuse } from "../../platform/http/refusals.ts";
import { newId } from "../../platform/ids.ts";
import type { Granted } from "./shapes.ts";
import * as sql from "./sql.ts";

export const WORLD = "world";

const OWNERS = { company: sql.findCompany, user: sql.findUser, customer: sql.findCustomerPool } as const;

/** Returns whether an owner of this kind of pool exists. */
export async function ownerExists(db: Statements, kind: keyof typeof OWNERS, id: string): Promise<boolean> {
  return (await db.run(OWNERS[kind], [id])).length > 0;
}

/** Creates an empty pool, or does nothing if it exists. Other pools are created with their first credits. */
export async function openPool(tx: Tx, poolId: string, kind: sql.PoolKind): Promise<void> {
  await tx.run(sql.upsertPool, [poolId, kind]);
}

/** Returns a pool's available credits, without held ones. A pool that never had credits has 0. */
export async function readBalance(db: Statements, poolId: string): Promise<number> {
  const [pool] = await db.run(sql.findBalance, [poolId]);
  return pool?.available ?? 0;
}

/**
 * Moves credits from the world pool to a pool, or back for a correction (`credit` below zero), and creates a missing
 * pool. Refuses `insufficient-credits` if a correction exceeds the available credits.
 */
export async function grantCredits(
  tx: Tx,
  grant: { poolId: string; kind: sql.PoolKind; credit: number; reason: string | null; key: string },
): Promise<Granted> {
  const { poolId, credit } = grant;
  await tx.run(sql.upsertPool, [poolId, grant.kind]);
  const locked = await tx.run(sql.lockPools, [[poolId, WORLD]]);
  const available = locked.find((pool) => pool.id === poolId)?.available ?? 0;
  if (available + credit < 0) refuse("insufficient-credits");
  const [from, to] = credit > 0 ? ([WORLD, poolId] as const) : ([poolId, WORLD] as const);
  const kind = credit > 0 ? "grant" : "correction";
  const { key, reason } = grant;
  await tx.run(sql.insertEntry, { key, kind, from, to, amount: Math.abs(credit), reason });
  await tx.run(sql.movePoolBalance, [WORLD, -credit]);
  const pool = await one(tx, sql.movePoolBalance, [poolId, credit]);
  // A grant of the service to itself only pays for a notice, and is not acknowledged separately.
  if (poolId !== SERVICE)
    tx.acknowledges([{ kind: "credits", id: grant.key, accountId: poolId, count: credit }]);
  return { balance: pool.available, transactionId: grant.key };
}

/** Grants like `grantCredits`, unless the operation key was used before: then nothing moves, and it returns false. */
export async function grantOnce(tx: Tx, grant: Parameters<typeof grantCredits>[1]): Promise<boolean> {
  // Checked under the locks, so that only one of two processes that start together grants.
  await tx.run(sql.upsertPool, [grant.poolId, grant.kind]);
  await tx.run(sql.lockPools, [[grant.poolId, WORLD]]);
  const known = await tx.run(sql.findEntry, [grant.key]);
  if (known.length > 0) return false;
  await grantCredits(tx, grant);
  return true;
}

/**
 * Moves credits from one pool to another, all parts or none, and creates a missing receiving pool. Returns undefined if
 * the giving pool has too little: nothing has moved then, and the transaction may continue.
 */
export async function transferCredits(
  tx: Tx,
  transfer: { from: string; to: string; toKind: sql.PoolKind; parts: readonly sql.TransferPart[] },
): Promise<{ fromBalance: number; toBalance: number } | undefined> {
  const { from, to, parts } = transfer;
  const credit = parts.reduce((sum, part) => sum + part.credit, 0);
  await tx.run(sql.upsertPool, [to, transfer.toKind]);
  const locked = await tx.run(sql.lockPools, [[from, to]]);
  const available = locked.find((pool) => pool.id === from)?.available ?? 0;
  if (available < credit) return undefined;
  const [, [giving], [receiving]] = await Promise.all([
    tx.run(sql.insertTransfers, { parts, from, to }),
    tx.run(sql.movePoolBalance, [from, -credit]),
    tx.run(sql.movePoolBalance, [to, credit]),
  ]);
  tx.acknowledges(
    parts.map((part) => ({ kind: "credits", id: part.key, accountId: to, count: part.credit })),
  );
  return { fromBalance: giving!.available, toBalance: receiving!.available };
}

/** The available credits of pools, by id; they stay locked until the transaction ends. */
export type Balances = Map<string, number>;

export async function lockBalances(tx: Tx, poolIds: readonly string[]): Promise<Balances> {
  const locked = await tx.run(sql.lockPools, [[...new Set(poolIds)]]);
  return new Map(locked.map((pool) => [pool.id, pool.available]));
}

/** Returns the sends that their pools can pay, in order of arrival, and subtracts their prices from `balances`. */
export function takePayable<Send extends sql.WantedHold>(
  balances: Balances,
  wanted: readonly Send[],
): Send[] {
  return wanted.filter((send) => {
    const left = (balances.get(send.poolId) ?? 0) - send.amount;
    if (left < 0) return false;
    balances.set(send.poolId, left);
    return true;
  });
}

/** Holds the prices of sends whose pools are locked and have enough credits. */
export async function insertHolds(tx: Tx, payable: readonly sql.WantedHold[]): Promise<void> {
  if (payable.length === 0) return;
  await tx.run(sql.insertHolds, { holds: payable });
}

/** All transactions lock pools in order of id. */
function inOrder(amounts: ReadonlyMap<string, number>): { poolId: string; amount: number }[] {
  return [...amounts]
    .map(([poolId, amount]) => ({ poolId, amount }))
    .sort((a, b) => (a.poolId < b.poolId ? -1 : 1));
}

/** Holds prices in one statement. The statement fails (by `must`) unless the pools can pay all of them. */
export async function takeHolds(tx: Tx, wanted: readonly sql.WantedHold[]): Promise<void> {
  const amounts = new Map<string, number>();
  for (const { poolId, amount } of wanted) amounts.set(poolId, (amounts.get(poolId) ?? 0) + amount);
  await tx.run(sql.takeHolds, { holds: wanted, pools: inOrder(amounts) });
}

/**
 * Holds the price of each send that its pool can pay, in order of arrival, and returns the ids of those holds. The
 * pools stay locked until the transaction ends, so that waiting sends share one statement and commit.
 */
export async function holdCredits(tx: Tx, wanted: readonly sql.WantedHold[]): Promise<Set<string>> {
  const balances = await lockBalances(
    tx,
    wanted.map((send) => send.poolId),
  );
  const paid = takePayable(balances, wanted);
  await insertHolds(tx, paid);
  return new Set(paid.map((send) => send.holdId));
}

/** The pool of the service itself, which pays for the service's notices; also the account of these messages. */
export const SERVICE = "service";

/**
 * Holds a price in the service's own pool. Released credits of earlier notices pay first; if they do not suffice, the
 * pool is granted the price.
 */
export async function holdForService(
  tx: Tx,
  hold: { holdId: string; amount: number; reason: string },
): Promise<void> {
  const { holdId, amount, reason } = hold;
  const wanted = [{ holdId, poolId: SERVICE, amount }];
  if ((await holdCredits(tx, wanted)).has(holdId)) return;
  const key = `service:${holdId}`;
  await grantCredits(tx, { poolId: SERVICE, kind: "service", credit: amount, reason, key });
  await holdCredits(tx, wanted);
}

/**
 * Captures and releases parts of holds. The caller guarantees that each part became final in this transaction; the
 * constraint on `holds` refuses whatever exceeds the held amount.
 */
export async function settleCredits(tx: Tx, settled: readonly sql.Settled[]): Promise<void> {
  if (settled.length === 0) return;
  const parts = settled.toSorted((a, b) => (a.holdId < b.holdId ? -1 : 1));
  const pools = [...new Set(parts.map((part) => part.poolId))].sort();
  const released = new Map<string, number>();
  for (const part of parts) {
    if (part.released > 0) released.set(part.poolId, (released.get(part.poolId) ?? 0) + part.released);
  }
  // Locks pools before outcomes before holds, each in order of id: the same order in every transaction.
  const steps: Promise<unknown>[] = [];
  if (released.size > 0) {
    const returned = inOrder(released);
    steps.push(tx.run(sql.lockPools, [returned.map(({ poolId }) => poolId)]));
    steps.push(tx.run(sql.returnToPools, { pools: returned }));
  }
  if (pools.length > 1) steps.push(tx.run(sql.lockOutcomes, [pools]));
  steps.push(tx.run(sql.settleHolds, { parts, settlementId: newId() }));
  await Promise.all(steps);
}
