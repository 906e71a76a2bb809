// The ledger against a model: grants, holds and settlements in random order, on real PostgreSQL.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { rows } from "../../test/sending.ts";
import { type World, world } from "../../test/world.ts";
import { newId } from "../kernel/ids.ts";
import { Refusal } from "../kernel/refusals.ts";
import { auditLedger, grantCredits, holdCredits, readBalance, settleCredits } from "./credits.ts";

// A slow suite sets it to hundreds of thousands.
const OPERATIONS = Number(process.env.LEDGER_OPERATIONS ?? 2_000);
const OPERATIONS_PER_RUN = 50;
const POOLS = 3;

type Held = { id: string; pool: number; left: number };
type Model = { available: number[]; held: Held[]; captured: number[] };
type Real = { here: World; pools: string[] };
type Command = fc.AsyncCommand<Model, Real>;

const pool = fc.nat(POOLS - 1);
const amount = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2_000 }));

class Grant implements Command {
  readonly pool: number;
  readonly credit: number;
  constructor(pool: number, credit: number) {
    this.pool = pool;
    this.credit = credit;
  }
  check = () => this.credit !== 0;
  async run(model: Model, { here, pools }: Real): Promise<void> {
    const grant = {
      poolId: pools[this.pool]!,
      kind: "user" as const,
      credit: this.credit,
      reason: null,
      key: newId(),
    };
    const granting = here.app.database.transaction((tx) => grantCredits(tx, grant));
    const after = model.available[this.pool]! + this.credit;
    if (after < 0) {
      const isRefused = (error: unknown) => error instanceof Refusal && error.code === "insufficient-credits";
      await assert.rejects(granting, isRefused);
    } else {
      assert.equal((await granting).balance, after);
      model.available[this.pool] = after;
    }
  }
  toString = () => `grant(${this.pool}, ${this.credit})`;
}

/** Several sends in one transaction, as they come when many wait together: those that fit are paid, in order. */
class Hold implements Command {
  readonly sends: readonly (readonly [number, number])[];
  constructor(sends: readonly (readonly [number, number])[]) {
    this.sends = sends;
  }
  check = () => true;
  async run(model: Model, { here, pools }: Real): Promise<void> {
    const wanted = this.sends.map(([pool, amount]) => ({ holdId: newId(), poolId: pools[pool]!, amount }));
    const paid = await here.app.database.transaction((tx) => holdCredits(tx, wanted));
    for (const [i, [pool, amount]] of this.sends.entries()) {
      const fits = model.available[pool]! >= amount;
      const id = wanted[i]!.holdId;
      assert.equal(paid.has(id), fits);
      if (!fits) continue;
      model.available[pool]! -= amount;
      model.held.push({ id, pool, left: amount });
    }
  }
  toString = () => `hold(${this.sends.join("; ")})`;
}

/** Outcomes of several holds in one transaction; `over` asks for one credit too many, and then nothing may move. */
class Settle implements Command {
  readonly parts: readonly { pick: number; captured: number; released: number }[];
  readonly over: boolean;
  constructor(parts: readonly { pick: number; captured: number; released: number }[], over: boolean) {
    this.parts = parts;
    this.over = over;
  }
  check = (model: Readonly<Model>) => model.held.some((hold) => hold.left > 0);
  async run(model: Model, { here, pools }: Real): Promise<void> {
    const open = model.held.filter((hold) => hold.left > 0);
    const chosen = new Map(this.parts.map((part) => [open[part.pick % open.length]!, part]));
    const settled = [...chosen].map(([hold, part]) => {
      const captured = part.captured % (hold.left + 1);
      return { hold, captured, released: part.released % (hold.left - captured + 1) };
    });
    const last = settled.at(-1)!;
    if (this.over) last.released = last.hold.left - last.captured + 1;
    const settling = here.app.database.transaction((tx) =>
      settleCredits(
        tx,
        settled.map(({ hold, captured, released }) => ({
          holdId: hold.id,
          poolId: pools[hold.pool]!,
          captured,
          released,
        })),
      ),
    );
    if (this.over) {
      await assert.rejects(settling, { code: "23514" });
      return;
    }
    await settling;
    for (const { hold, captured, released } of settled) {
      hold.left -= captured + released;
      model.available[hold.pool]! += released;
      model.captured[hold.pool]! += captured;
    }
  }
  toString = () => `settle(${JSON.stringify(this.parts)}${this.over ? ", one too many" : ""})`;
}

async function assertSame(model: Model, { here, pools }: Real): Promise<void> {
  for (const [i, id] of pools.entries()) {
    assert.equal(await readBalance(here.app.database, id), model.available[i]);
    const [outcome] = await rows(
      here.app,
      `SELECT pools.held_ever - o.captured - o.released AS held, o.captured
       FROM pools JOIN pool_outcomes o ON o.pool_id = pools.id WHERE pools.id = $1`,
      [id],
    );
    const held = model.held.filter((hold) => hold.pool === i).reduce((sum, hold) => sum + hold.left, 0);
    assert.deepEqual(outcome ?? { held: 0, captured: 0 }, { held, captured: model.captured[i] });
  }
  const audit = await here.app.database.snapshot(auditLedger);
  assert.deepEqual({ sum: audit.sum, wrong: audit.wrong }, { sum: 0, wrong: [] });
}

test("L01 L02: random grants, holds and settlements leave exactly the balances of the model", async (t) => {
  const here = await world(t, { config: { roles: new Set(["api"] as const), simulator: false } });
  const part = fc.record({ pick: fc.nat(1_000), captured: fc.nat(2_000), released: fc.nat(2_000) });
  const commands = fc.commands(
    [
      fc.tuple(pool, fc.integer({ min: -500, max: 2_000 })).map((it) => new Grant(...it)),
      fc.array(fc.tuple(pool, amount), { minLength: 1, maxLength: 4 }).map((sends) => new Hold(sends)),
      fc
        .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.integer({ min: 0, max: 9 }))
        .map(([parts, dice]) => new Settle(parts, dice === 0)),
    ],
    { maxCommands: 2 * OPERATIONS_PER_RUN, size: "max" },
  );
  const property = fc.asyncProperty(commands, async (commands) => {
    const model: Model = { available: Array(POOLS).fill(0), held: [], captured: Array(POOLS).fill(0) };
    const real: Real = { here, pools: Array.from({ length: POOLS }, () => newId()) };
    await fc.asyncModelRun(() => ({ model, real }), commands);
    await assertSame(model, real);
  });
  await fc.assert(property, { numRuns: Math.ceil(OPERATIONS / OPERATIONS_PER_RUN), endOnFailure: true });
});
