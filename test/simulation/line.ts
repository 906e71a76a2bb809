// The line from a process to the database of the simulation: requests take time, fail, and lose their answers.
import type { Chance } from "./chance.ts";
import type { Fault, Faults } from "./faults.ts";
import { Mistaken } from "./tables.ts";
import type { Timeline } from "./timeline.ts";

/** Why a transaction failed: it was undone, nobody knows, or the database is not as the caller believes. */
export type Why = "undone" | "unknown" | "mistaken";

/** Who asks. What it hears waits while it is paused, and is lost if it is dead. */
type Asker = {
  readonly isAlive: boolean;
  readonly isCutOff: boolean;
  hear(run: () => void): void;
};

type Request<T> = {
  asker: Asker;
  kind: "turn" | "lease" | "statement";
  /** The session whose row the transaction locks, if any: others that need the row wait for its end. */
  session: string;
  run: () => T;
  done: (result: T) => void;
  failed: (why: Why) => void;
};

// The server ends a statement after 10 s.
const STRAGGLES_MS = 10_000;

export class Line {
  isDown = false;
  readonly #timeline: Timeline;
  readonly #chance: Chance;
  readonly #faults: Faults;
  /** Transactions whose asker has been told that nobody knows, and that are still under way. */
  #stragglers: { session: string; run: () => void }[] = [];

  constructor(timeline: Timeline, chance: Chance, faults: Faults) {
    this.#timeline = timeline;
    this.#chance = chance;
    this.#faults = faults;
  }

  ask<T>(request: Request<T>): void {
    const slow = this.#faults.happens("database slow") ? this.#chance.between(100, 7_000) : 0;
    this.#timeline.after(slow + this.#chance.between(0.2, 4), () => this.#arrive(request));
  }

  /** Before somebody locks the row of a session: what has the lock ends first, the rest comes after. */
  settleStragglers(session: string): void {
    const mine = this.#stragglers.filter((straggler) => straggler.session === session);
    for (const straggler of mine) if (this.#chance.happens(0.5)) this.#end(straggler);
  }

  #arrive<T>(request: Request<T>): void {
    const { asker, kind } = request;
    const isReached = !this.isDown && !asker.isCutOff;
    if (!isReached || (!asker.isAlive && this.#chance.happens(0.5))) {
      const unknown = kind !== "statement" && this.#chance.happens(0.5);
      this.#tell(request, this.#chance.between(1, 3_000), unknown ? "unknown" : "undone");
      return;
    }
    if (kind === "statement") {
      if (this.#faults.happens("statement failed")) this.#tell(request, 1, "undone");
      else this.#run(request);
      return;
    }
    const happens = (what: string) => this.#faults.happens(`${kind} ${what}` as Fault);
    if (happens("undone")) this.#tell(request, 1, "undone");
    else if (happens("unknown, undone")) this.#tell(request, 1, "unknown");
    else if (happens("unknown, committed later")) this.#straggle(request);
    else if (happens("unknown, committed")) {
      this.#attempt(request.run);
      this.#tell(request, 1, "unknown");
    } else this.#run(request);
  }

  #run<T>({ asker, run, done, failed }: Request<T>): void {
    try {
      const result = run();
      this.#timeline.after(this.#chance.between(0.2, 4), () => asker.hear(() => done(result)));
    } catch (error) {
      if (!(error instanceof Mistaken)) throw error;
      this.#timeline.after(1, () => asker.hear(() => failed("mistaken")));
    }
  }

  #tell<T>({ asker, failed }: Request<T>, ms: number, why: Why): void {
    this.#timeline.after(ms, () => asker.hear(() => failed(why)));
  }

  #straggle<T>(request: Request<T>): void {
    const straggler = { session: request.session, run: () => this.#attempt(request.run) };
    this.#stragglers.push(straggler);
    this.#tell(request, 1, "unknown");
    this.#timeline.after(this.#chance.between(1, STRAGGLES_MS), () => this.#end(straggler));
  }

  #end(straggler: { session: string; run: () => void }): void {
    if (!this.#stragglers.includes(straggler)) return;
    this.#stragglers = this.#stragglers.filter((other) => other !== straggler);
    straggler.run();
  }

  /** Whether it could be done; nobody hears of it. */
  #attempt(run: () => unknown): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof Mistaken)) throw error;
    }
  }
}
