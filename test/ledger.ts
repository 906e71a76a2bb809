// A model of the ledger, and the operations of a random test. The test runs them on the model and on PostgreSQL, with
// crashes.
import assert from "node:assert/strict";
import type fc from "fast-check";
import { createCustomer } from "../src/commerce/partners/customers.ts";
import { createOffer } from "../src/commerce/partners/offers.ts";
import { enablePartner } from "../src/commerce/partners/partners.ts";
import { takePayment } from "../src/commerce/partners/payments.ts";
import { createPurchase, fundPurchases } from "../src/commerce/partners/purchases.ts";
import { createCompany } from "../src/identity/accounts/accounts.ts";
import {
  grantCredits,
  holdCredits,
  readBalance,
  settleCredits,
  transferCredits,
} from "../src/ledger/credits/credits.ts";
import type { Tx } from "../src/platform/database/transaction.ts";
import { isUnavailable } from "../src/platform/http/envelope.ts";
import { Refusal } from "../src/platform/http/refusals.ts";
import { newId } from "../src/platform/ids.ts";
import type { Runtime } from "../src/platform/runtime.ts";
import { QUOTAS } from "./fixtures.ts";
import { rows } from "./sending.ts";
import { until } from "./testservice.ts";

/** The reseller, two customers of it, and a user. */
export const KINDS = ["company", "customer", "customer", "user"] as const;
const RESELLER = 0;

type Held = { id: string; pool: number; left: number };
type Bought = {
  id: string;
  pool: number;
  credits: number;
  status: "PENDING" | "PAID" | "GRANTED";
  events: { id: string; refused: boolean }[];
};
export type Model = {
  available: number[];
  captured: number[];
  held: Held[];
  bought: Bought[];
  /** Purchases that are paid and not granted, in order of payment. */
  waiting: Bought[];
};
export type Real = {
  app: Runtime;
  pools: string[];
  /** Breaks something now, or in a moment. */
  strike: () => void;
  /** How many operations were run, and how many of them got no answer. */
  count: { operations: number; lost: number };
};

export function emptyModel(): Model {
  return { available: KINDS.map(() => 0), captured: KINDS.map(() => 0), held: [], bought: [], waiting: [] };
}

/** Makes a reseller with two customers, and a user. Returns their pools. */
export async function makePools(app: Runtime): Promise<string[]> {
  return app.database.transaction(async (tx) => {
    const { companyId } = await createCompany(tx, app, { name: "Revendeur" });
    await enablePartner(tx, app, companyId);
    const partner = { companyId, language: "fr", quotas: QUOTAS } as const;
    const first = await createCustomer(tx, partner, { name: "Awa" });
    const second = await createCustomer(tx, partner, { name: "Binta" });
    return [companyId, first.id, second.id, newId()];
  });
}

const DATABASE_BACK_MS = 60_000;

/** Asks again for as long as the database is away. */
export function insist<T>(ask: () => Promise<T>): Promise<T> {
  return until(
    () =>
      ask().then(
        (answer) => ({ answer }),
        (error) => (isUnavailable(error) ? undefined : Promise.reject(error)),
      ),
    DATABASE_BACK_MS,
  ).then(({ answer }) => answer);
}

/** One step, first on PostgreSQL and then on the model. If it `strikes`, something breaks while it runs. */
abstract class Operation implements fc.AsyncCommand<Model, Real> {
  readonly strikes: boolean;
  constructor(strikes: boolean) {
    this.strikes = strikes;
  }
  check(_model: Readonly<Model>): boolean {
    return true;
  }
  async run(model: Model, real: Real): Promise<void> {
    real.count.operations++;
    if (this.strikes) real.strike();
    await this.step(model, real);
  }
  abstract step(model: Model, real: Real): Promise<void>;
  toString = () => `${this.constructor.name}(${JSON.stringify(this)})`;

  /**
   * The answer of a transaction. If no answer came, `happened` finds out by the operation key whether it was committed.
   */
  async attempt<T>(
    real: Real,
    work: (tx: Tx) => Promise<T>,
    happened: () => Promise<boolean>,
  ): Promise<{ answer: T | undefined; happened: boolean }> {
    try {
      return { answer: await real.app.database.transaction(work), happened: true };
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      real.count.lost++;
      return { answer: undefined, happened: await insist(happened) };
    }
  }
}

async function isEntered({ app }: Real, key: string): Promise<boolean> {
  return (await rows(app, "SELECT 1 FROM entries WHERE key = $1", [key])).length > 0;
}

/** A grant, or a correction if its credits are below zero. */
export class Grant extends Operation {
  readonly pool: number;
  readonly credit: number;
  constructor(pool: number, credit: number, strikes: boolean) {
    super(strikes);
    this.pool = pool;
    this.credit = credit;
  }
  override check = () => this.credit !== 0;
  async step(model: Model, real: Real): Promise<void> {
    const { credit } = this;
    const [poolId, kind] = [real.pools[this.pool]!, KINDS[this.pool]!];
    const key = newId();
    const work = (tx: Tx) => grantCredits(tx, { poolId, kind, credit, reason: null, key });
    const granting = this.attempt(real, work, () => isEntered(real, key));
    const after = model.available[this.pool]! + credit;
    if (after < 0) {
      const refused = await granting.catch((error: Error) => error);
      if (refused instanceof Error)
        assert.ok(refused instanceof Refusal && refused.code === "insufficient-credits");
      else assert.equal(refused.happened, false);
      return;
    }
    const { answer, happened } = await granting;
    if (answer) assert.equal(answer.balance, after);
    if (happened) model.available[this.pool] = after;
  }
}

export class Transfer extends Operation {
  readonly from: number;
  readonly to: number;
  readonly credit: number;
  constructor(from: number, to: number, credit: number, strikes: boolean) {
    super(strikes);
    this.from = from;
    this.to = to;
    this.credit = credit;
  }
  override check = () => this.from !== this.to;
  async step(model: Model, real: Real): Promise<void> {
    const { credit } = this;
    const [from, to] = [real.pools[this.from]!, real.pools[this.to]!];
    const key = newId();
    const transfer = { from, to, toKind: KINDS[this.to]!, parts: [{ credit, reason: null, key }] };
    const work = async (tx: Tx) => ({ moved: await transferCredits(tx, transfer) });
    const { answer, happened } = await this.attempt(real, work, () => isEntered(real, key));
    const fits = model.available[this.from]! >= credit;
    if (answer) assert.equal(answer.moved !== undefined, fits);
    if (!happened || !fits) return assert.ok(answer || !happened, "moved what was not there");
    model.available[this.from]! -= credit;
    model.available[this.to]! += credit;
    if (answer)
      assert.deepEqual(answer.moved, {
        fromBalance: model.available[this.from],
        toBalance: model.available[this.to],
      });
  }
}

/** Several sends in one transaction, as when many wait together. Those that fit are paid, in order. */
export class Hold extends Operation {
  readonly sends: readonly (readonly [number, number])[];
  constructor(sends: readonly (readonly [number, number])[], strikes: boolean) {
    super(strikes);
    this.sends = sends;
  }
  async step(model: Model, real: Real): Promise<void> {
    const wanted = this.sends.map(([pool, amount]) => ({
      holdId: newId(),
      poolId: real.pools[pool]!,
      amount,
    }));
    const left = [...model.available];
    const fitting: Held[] = [];
    for (const [i, [pool, amount]] of this.sends.entries()) {
      if (left[pool]! < amount) continue;
      left[pool]! -= amount;
      fitting.push({ id: wanted[i]!.holdId, pool, left: amount });
    }
    const ids = fitting.map((hold) => hold.id);
    const isHeld = async () => {
      const found = await rows(real.app, "SELECT id FROM holds WHERE id = ANY($1)", [
        wanted.map((send) => send.holdId),
      ]);
      if (found.length > 0) assert.deepEqual(found.map((row) => row.id).sort(), ids.toSorted());
      return found.length > 0;
    };
    const { answer, happened } = await this.attempt(real, (tx) => holdCredits(tx, wanted), isHeld);
    if (answer) assert.deepEqual([...answer].sort(), ids.toSorted());
    if (!happened) return;
    model.available = left;
    model.held.push(...fitting);
  }
}

/** Outcomes of several holds in one transaction. `over` asks for one credit too many; then nothing may move. */
export class Settle extends Operation {
  readonly parts: readonly { pick: number; captured: number; released: number }[];
  readonly over: boolean;
  constructor(
    parts: readonly { pick: number; captured: number; released: number }[],
    over: boolean,
    strikes: boolean,
  ) {
    super(strikes);
    this.parts = parts;
    this.over = over;
  }
  override check = (model: Readonly<Model>) => model.held.some((hold) => hold.left > 0);
  async step(model: Model, real: Real): Promise<void> {
    const open = model.held.filter((hold) => hold.left > 0);
    const chosen = new Map(this.parts.map((part) => [open[part.pick % open.length]!, part]));
    const settled = [...chosen].map(([hold, part]) => {
      const captured = part.captured % (hold.left + 1);
      return { hold, captured, released: part.released % (hold.left - captured + 1) };
    });
    const last = settled.at(-1)!;
    if (this.over) last.released = last.hold.left - last.captured + 1;
    const parts = settled.map(({ hold, captured, released }) => {
      return { holdId: hold.id, poolId: real.pools[hold.pool]!, captured, released };
    });
    const isSettled = async () => {
      const text = "SELECT id, total - captured - released AS left FROM holds WHERE id = ANY($1)";
      const found = await rows(real.app, text, [parts.map((part) => part.holdId)]);
      const left = new Map(found.map((row) => [row.id, row.left]));
      const after = settled.map(
        ({ hold, captured, released }) => left.get(hold.id) === hold.left - captured - released,
      );
      const before = settled.map(({ hold }) => left.get(hold.id) === hold.left);
      assert.ok(after.every(Boolean) || before.every(Boolean), "settled in part");
      return after.every(Boolean);
    };
    const settling = this.attempt(real, (tx) => settleCredits(tx, parts), isSettled);
    if (this.over) {
      const refused = await settling.catch((error: { code?: string }) => error);
      if ("happened" in refused) assert.equal(refused.happened, false);
      else assert.equal(refused.code, "23514");
      return;
    }
    if (!(await settling).happened) return;
    for (const { hold, captured, released } of settled) {
      hold.left -= captured + released;
      model.available[hold.pool]! += released;
      model.captured[hold.pool]! += captured;
    }
  }
}

const PRICE = 500;

/** A customer buys an offer, and nothing moves yet. */
export class Buy extends Operation {
  readonly pool: number;
  readonly credit: number;
  readonly bonusCredit: number;
  constructor(pool: number, credit: number, bonusCredit: number, strikes: boolean) {
    super(strikes);
    this.pool = pool;
    this.credit = credit;
    this.bonusCredit = bonusCredit;
  }
  async step(model: Model, real: Real): Promise<void> {
    const [companyId, customerId] = [real.pools[RESELLER]!, real.pools[this.pool]!];
    const { credit, bonusCredit } = this;
    const caller = { companyId, language: "fr", quotas: QUOTAS } as Parameters<typeof createOffer>[1];
    const work = async (tx: Tx) => {
      const offer = await createOffer(tx, caller, { name: "Pack", price: PRICE, credit, bonusCredit });
      return createPurchase(tx, caller, { customerId, offerId: offer.id });
    };
    await this.attempt(real, work, async () => true);
    const known = "SELECT id FROM purchases WHERE company_id = $1 ORDER BY id DESC LIMIT 1";
    const [newest] = await insist(() => rows(real.app, known, [companyId]));
    if (!newest || model.bought.some(({ id }) => id === newest.id)) return;
    const credits = credit + bonusCredit;
    model.bought.push({ id: newest.id, pool: this.pool, credits, status: "PENDING", events: [] });
  }
}

/** Grants the first waiting purchase, if the reseller can fund it. */
function grantFirst(model: Model): Bought | undefined {
  const [first] = model.waiting;
  if (!first || model.available[RESELLER]! < first.credits) return undefined;
  model.waiting.shift();
  first.status = "GRANTED";
  model.available[RESELLER]! -= first.credits;
  model.available[first.pool]! += first.credits;
  return first;
}

/** A payment with a new event, or `again` with one that was sent before. If `wrong`, the amount is wrong. */
export class Pay extends Operation {
  readonly pick: number;
  readonly again: boolean;
  readonly wrong: boolean;
  constructor(pick: number, again: boolean, wrong: boolean, strikes: boolean) {
    super(strikes);
    this.pick = pick;
    this.again = again;
    this.wrong = wrong;
  }
  override check = (model: Readonly<Model>) => model.bought.length > 0;
  async step(model: Model, real: Real): Promise<void> {
    const purchase = model.bought[this.pick % model.bought.length]!;
    // A refused event moved nothing, so a repeat of it is judged anew.
    const earlier = this.again ? purchase.events.at(-1) : undefined;
    const isDuplicate = earlier !== undefined && !earlier.refused;
    const eventId = earlier?.id ?? newId();
    const event = {
      eventId,
      type: "payment.succeeded",
      succeeded: true,
      purchase: { by: "id" as const, value: purchase.id },
      amount: this.wrong ? PRICE - 1 : PRICE,
      unitsPerPrice: 1,
      providerReference: eventId,
      currency: null,
    };
    const isPending = purchase.status === "PENDING";
    const fresh = !isPending ? "already-paid" : this.wrong ? "wrong-amount" : "accepted";
    const reason = isDuplicate ? "duplicate" : fresh;
    const isNoted = async () => {
      const text = "SELECT 1 FROM payment_events WHERE event_id = $1 AND reason = $2 AND slot IS NULL";
      return (await rows(real.app, text, [eventId, reason])).length > 0;
    };
    const work = (tx: Tx) => takePayment(tx, real.app, { provider: "standard", ip: "127.0.0.1", event });
    const { answer, happened } = await this.attempt(real, work, isNoted);
    if (answer) assert.equal(answer instanceof Refusal ? "wrong-amount" : answer.reason, reason);
    if (!happened || isDuplicate) return;
    if (!earlier) purchase.events.push({ id: eventId, refused: reason === "wrong-amount" });
    else earlier.refused = reason === "wrong-amount";
    if (reason !== "accepted") return;
    purchase.status = "PAID";
    model.waiting.push(purchase);
    // The payment's own transaction grants it only if no other purchase waits before it.
    if (model.waiting.length === 1) grantFirst(model);
  }
}

/**
 * Does what a worker does again and again: it grants waiting purchases in order, as far as the reseller can fund them.
 */
export class Fund extends Operation {
  async step(model: Model, real: Real): Promise<void> {
    let isLost = false;
    await fundPurchases(real.app).catch((error) => {
      if (!isUnavailable(error)) throw error;
      isLost = true;
      real.count.lost++;
    });
    const text = "SELECT id FROM purchases WHERE company_id = $1 AND status = 'GRANTED'";
    const found = await insist(() => rows(real.app, text, [real.pools[RESELLER]]));
    const granted = new Set(found.map((row) => row.id));
    // After a crash some purchases may still wait, but none is granted before an earlier one.
    while (!isLost || granted.has(model.waiting[0]?.id)) {
      const first = grantFirst(model);
      if (!first) break;
      assert.ok(granted.has(first.id));
    }
    assert.equal(granted.size, model.bought.filter((purchase) => purchase.status === "GRANTED").length);
  }
}

/** Asserts that every balance, and what is held and captured, equal the model's. */
export async function assertSame(model: Model, { app, pools }: Real): Promise<void> {
  for (const [i, id] of pools.entries()) {
    assert.equal(await insist(() => readBalance(app.database, id)), model.available[i]);
    const text = `SELECT pools.held_ever - o.captured - o.released AS held, o.captured
       FROM pools JOIN pool_outcomes o ON o.pool_id = pools.id WHERE pools.id = $1`;
    const [outcome] = await insist(() => rows(app, text, [id]));
    const held = model.held.filter((hold) => hold.pool === i).reduce((sum, hold) => sum + hold.left, 0);
    assert.deepEqual(outcome ?? { held: 0, captured: 0 }, { held, captured: model.captured[i] });
  }
}
