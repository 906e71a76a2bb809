// Incarnations: a process detects that its database is not the one that it knew, before it uses it.
import { Gauge } from "prom-client";
import { machineAheadMs } from "../clock.ts";
import { type Memory, readMemory, writeMemory } from "../files/memory.ts";
import type { Gateway } from "../files/submittedlines.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { AnyDatabase } from "../runtime.ts";
import type { OnConnection } from "./database.ts";
import * as sql from "./incarnations.sql.ts";
import { one, type Statements } from "./query.ts";
import type { Tx } from "./transaction.ts";

export type IncarnationOptions = {
  log: Log;
  metrics: Metrics;
  /** The folder with the file that outlives this process. */
  folder: string;
  /** Marks all queued messages as in doubt, or removes the mark, in the transaction that records the reason. */
  doubt: (tx: Tx, isInDoubt: boolean) => Promise<void>;
  /** Receives the live gateways. */
  hearGateways: (gateways: readonly Gateway[]) => void;
};

/** A part of this process that knows about commits. */
export type Verifier = {
  /** Whether the database still has every commit that was acknowledged to this part. */
  finds: (db: Statements) => Promise<boolean>;
  /**
   * Takes note of the work that has ended. The returned function drops it: a heartbeat was committed after it, so a
   * database that has the heartbeat has all of that work too.
   */
  takeDownEnded: () => () => void;
};

type Hearer = (state: sql.State, reason: sql.Reason | null) => void;

/** The incarnation that this process knew before. `isFound`: the current one has everything of it. */
type Before = { beat: number; wasSynchronous: boolean; isFound: boolean };

const BEAT_EVERY_MS = 3_000;
const TRIES_AT_MOST = 5;

const WHY: Record<sql.Reason, string> = {
  RESTORED: "the database was restored from a copy",
  PROMOTED: "another server took over the database, or it was restored to a point in time",
  LOST: "the database has forgotten what this process had committed",
  WENT_BACK: "the database went back in time",
};

/**
 * Which incarnation of the database this process works with, and whether sending is held. Each new connection is
 * checked before anything else runs on it: a restored backup, a standby that took over, and a database that went back
 * in time all require new connections. If a standby took over and has lost nothing, the surviving processes know it,
 * and sending resumes by itself. Everything else waits for an administrator.
 */
export class Incarnation {
  readonly #options: IncarnationOptions;
  readonly #witnesses = new Set<Verifier>();
  readonly #hearers = new Set<Hearer>();
  #memory: Memory | undefined;
  #state: sql.State = "NORMAL";
  #reason: sql.Reason | null = null;
  #firstBeat = 0;
  #isSynchronous = false;
  /** Undefined: this process cannot vouch for the incarnation. */
  #before: Before | undefined;
  #beatAt = Number.NEGATIVE_INFINITY;
  /** Whether this process has checked the database itself. An earlier one's memory cannot vouch for anything. */
  #hasMet = false;
  #isUnwritable = false;
  /** Settled once this process has searched for what it had committed, or could not. */
  #check: PromiseWithResolvers<void> | undefined;

  constructor(options: IncarnationOptions) {
    this.#options = options;
    this.#memory = readMemory(options.folder);
    const isHeld = () => this.isHeld;
    new Gauge({
      name: "atumpan_sending_held",
      help: "1 while nothing is sent because the database may have forgotten what was sent, else 0.",
      registers: [options.metrics],
      collect() {
        this.set(Number(isHeld()));
      },
    });
  }

  /** Whether nothing may be sent. */
  get isHeld(): boolean {
    return this.#state !== "NORMAL";
  }

  /** The incarnation that this process works with; undefined before the first connection. */
  get number(): number | undefined {
    return this.#hasMet ? this.#memory?.number : undefined;
  }

  /** Calls `hear` when the state or its reason changes. */
  onChange(hear: Hearer): void {
    this.#hearers.add(hear);
  }

  /** Adds a verifier that is checked before this process vouches for an incarnation. */
  addVerifier(verifier: Verifier): void {
    this.#witnesses.add(verifier);
  }

  /**
   * Resolves once this process has searched for what it had committed before another server took over the database.
   * Throws if the database did not answer.
   */
  async checked(): Promise<void> {
    if (!this.#isChecking) return;
    this.#check ??= Promise.withResolvers();
    await this.#check.promise;
  }

  /** The incarnation that this process knows; every connection is greeted before it is used. */
  get #known(): Memory {
    if (!this.#memory) throw new Error("the database was not greeted yet");
    return this.#memory;
  }

  get #isChecking(): boolean {
    return this.#mayVouch && !this.#before?.isFound;
  }

  get #mayVouch(): boolean {
    return this.#state === "HELD" && this.#reason === "PROMOTED" && this.#before !== undefined;
  }

  /** Checks which database a new connection leads to, and records an incarnation that is not recorded yet. */
  async greet(connection: OnConnection): Promise<void> {
    for (let tries = 1; tries <= TRIES_AT_MOST; tries++) {
      // A heartbeat may be committed while this is read. It is no sign that the database went back.
      const memory = this.#memory;
      const met = await connection((tx) => {
        const reading = one(tx, sql.meet);
        tx.commitNow();
        return reading;
      });
      const change = changeOf(met, memory);
      if (change === undefined) {
        this.#follow({ ...(met as sql.Said), place: placeOf(met) });
        return;
      }
      const number = Math.max(met.number ?? 0, memory?.number ?? 0) + 1;
      await connection((tx) => this.#note(tx, number, met, change));
    }
    throw new Error("the incarnation of the database could not be noted");
  }

  /** Records an incarnation, unless another process has done so. */
  async #note(tx: Tx, number: number, here: sql.Identity, reason: sql.Reason | null): Promise<void> {
    const state = reason === null ? "NORMAL" : "HELD";
    const noted = await tx.run(sql.insertIncarnation, { ...here, number, reason, state });
    if (noted.length === 0 || reason === null) return;
    await this.#options.doubt(tx, true);
    tx.onEnd((fate) => {
      if (fate === "committed")
        this.#options.log.error({ incarnation: number, reason }, `${WHY[reason]}: sending is held`);
    });
  }

  /** Adopts the database's state, unless this process has newer information by now. */
  #follow(said: sql.Said & { place: string }): void {
    const memory = this.#memory?.place === said.place ? this.#memory : undefined;
    const { number, beat, state, reason } = said;
    if (memory && (number < memory.number || (number === memory.number && beat < memory.beat))) return;
    if (number !== memory?.number) {
      const isNext = number === (memory?.number ?? 0) + 1;
      this.#before =
        memory && isNext && this.#hasMet
          ? { beat: memory.beat, wasSynchronous: this.#isSynchronous, isFound: false }
          : undefined;
    }
    this.#memory = { place: said.place, number, beat };
    this.#hasMet = true;
    this.#firstBeat = said.firstBeat;
    if (state === this.#state && reason === this.#reason) return;
    this.#state = state;
    this.#reason = reason;
    if (state === "NORMAL" && reason !== null)
      this.#options.log.info({ incarnation: number }, "sending goes on");
    for (const hear of this.#hearers) hear(state, reason);
  }

  /** Sends a heartbeat every 3 s, or at once while sending is held. Vouches for the incarnation if it can. */
  async look(database: AnyDatabase, process: sql.Process): Promise<void> {
    if (!this.isHeld && performance.now() - this.#beatAt < BEAT_EVERY_MS) return;
    try {
      await this.#look(database, process);
      if (!this.#isChecking) this.#check?.resolve();
    } catch (error) {
      this.#check?.reject(error);
      throw error;
    } finally {
      if (!this.#isChecking) this.#check = undefined;
    }
  }

  async #look(database: AnyDatabase, process: sql.Process): Promise<void> {
    const ended = [...this.#witnesses].map((verifier) => verifier.takeDownEnded());
    const aheadMs = Math.round(machineAheadMs());
    const said = await one(database, sql.beat, { ...process, node: database.node, aheadMs });
    this.#beatAt = performance.now();
    this.#isSynchronous = said.isSynchronous;
    // A database that went back has old information about gateways.
    if (said.state === "NORMAL") this.#options.hearGateways(said.gateways);
    this.#follow({ ...said, place: this.#known.place });
    this.#remember();
    if (!this.isHeld) for (const forget of ended) forget();
    if (this.#mayVouch && this.#before) await this.#vouch(database, this.#before);
  }

  /** Reports that a process has ended, so that nobody waits for it to vouch. */
  async leave(database: AnyDatabase): Promise<void> {
    await database.run(sql.deleteNode, [database.node]);
  }

  #remember(): void {
    try {
      writeMemory(this.#options.folder, this.#known);
    } catch (error) {
      if (!this.#isUnwritable)
        this.#options.log.warn({ err: error }, "what this process knows of its database dies with it");
      this.#isUnwritable = true;
    }
  }

  async #vouch(database: AnyDatabase, before: Before): Promise<void> {
    const { place, number } = this.#known;
    before.isFound ||= await this.#findsAll(database, before);
    if (!before.isFound) {
      await database.transaction(async (tx) => {
        const met = await one(tx, sql.meet);
        await this.#note(tx, number + 1, met, "LOST");
      });
      this.#before = undefined;
      return;
    }
    const [said] = await database.transaction(async (tx) => {
      const goesOn = await tx.run(sql.vouch, [database.node, number, before.wasSynchronous]);
      if (goesOn.length > 0) await this.#options.doubt(tx, false);
      return goesOn;
    });
    if (said) this.#follow({ ...said, place });
  }

  /** Whether this incarnation has everything that this process had committed in the previous one. */
  async #findsAll(database: AnyDatabase, { beat }: Before): Promise<boolean> {
    if (this.#firstBeat < beat) return false;
    const found = await Promise.all([...this.#witnesses].map(({ finds }) => finds(database)));
    return found.every((isThere) => isThere);
  }
}

function placeOf({ systemId, databaseOid }: sql.Identity): string {
  return `${systemId} ${databaseOid}`;
}

/** Returns the change of a database: null without an incarnation, undefined if it is as this process knows it. */
function changeOf(met: sql.Met, memory: Memory | undefined): sql.Reason | null | undefined {
  const { number, beat } = met;
  if (number === null) return null;
  if (!met.isSame) return "RESTORED";
  if (!met.isSameTimeline) return "PROMOTED";
  if (!memory || memory.place !== placeOf(met)) return undefined;
  const wentBack = number < memory.number || (number === memory.number && beat! < memory.beat);
  return wentBack ? "WENT_BACK" : undefined;
}
