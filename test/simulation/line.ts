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
  handle(run: () => void): void;
};

type Request<T> = {
  asker: Asker;
  /** The cycles of a session go over one connection, in order. */
  kind: "cycle" | "lease" | "receipts" | "statement";
  /** The session whose row the transaction locks, if any: others that need the row wait for its end. */
  session: string;
  run: () => T;
  done: (result: T) => void;
  failed: (why: Why) => void;
};

/**
 * The connection over which a session sends its cycles: what is on its way, how many are not answered, and when the last
 * answer comes. While it is broken, what is sent over it is lost; there is another one once all of them have heard so.
 */
type Pipe = {
  sent: Request<unknown>[];
  arrivesAt: number;
  answersAt: number;
  unanswered: number;
  isBroken: boolean;
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
  readonly #pipes = new Map<string, Pipe>();
  readonly #distanceMs: number;
  /** How often a cycle arrived while others of its session were on their way behind it. */
  overlaps = 0;

  constructor(timeline: Timeline, chance: Chance, faults: Faults, distanceMs: number) {
    this.#timeline = timeline;
    this.#chance = chance;
    this.#faults = faults;
    this.#distanceMs = distanceMs;
  }

  ask<T>(request: Request<T>): void {
    const slow = this.#faults.happens("database slow") ? this.#chance.between(100, 7_000) : 0;
    const at = this.#timeline.now + slow + this.#tripMs();
    if (request.kind === "cycle") this.#send(request as Request<unknown>, at);
    else this.#timeline.at(at, () => this.#arrive(request));
  }

  #tripMs(): number {
    return this.#distanceMs + this.#chance.between(0.2, 4);
  }

  #pipeOf({ session }: Request<unknown>): Pipe {
    const pipe = this.#pipes.get(session) ?? {
      sent: [],
      arrivesAt: 0,
      answersAt: 0,
      unanswered: 0,
      isBroken: false,
    };
    this.#pipes.set(session, pipe);
    return pipe;
  }

  /** Sends a cycle behind those on their way. */
  #send(request: Request<unknown>, at: number): void {
    const pipe = this.#pipeOf(request);
    if (pipe.unanswered++ === 0) pipe.isBroken = false;
    if (pipe.isBroken) {
      this.#tell(request, 1, "unknown");
      return;
    }
    pipe.sent.push(request);
    pipe.arrivesAt = Math.max(pipe.arrivesAt, at);
    this.#timeline.at(pipe.arrivesAt, () => {
      // The connection may have broken before.
      if (!pipe.sent.includes(request)) return;
      pipe.sent.shift();
      if (pipe.sent.length > 0) this.overlaps++;
      this.#arrive(request);
    });
  }

  /**
   * The connection of a cycle breaks: nobody knows what becomes of those behind it. `ran`: the server had it, and goes on
   * with some of the others.
   */
  #break(request: Request<unknown>, ran: boolean): (() => unknown)[] {
    const pipe = this.#pipeOf(request);
    pipe.isBroken = true;
    const behind = pipe.sent.splice(0);
    for (const other of behind) this.#tell(other, 1, "unknown");
    const reached = ran ? behind.slice(0, this.#chance.int(0, behind.length)) : [];
    return reached.map(({ run }) => run);
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
      if (kind === "cycle") this.#break(request as Request<unknown>, false);
      return;
    }
    if (kind === "statement") {
      if (this.#faults.happens("statement failed")) this.#tell(request, 1, "undone");
      else this.#run(request);
      return;
    }
    const happens = (what: string) => this.#faults.happens(`${kind} ${what}` as Fault);
    if (happens("undone")) this.#tell(request, 1, "undone");
    else if (happens("unknown, undone")) this.#lose(request, false);
    else if (happens("unknown, committed later")) this.#straggle(request);
    else if (happens("unknown, committed")) for (const run of this.#lose(request, true)) this.#attempt(run);
    else this.#run(request);
  }

  /** Nobody knows what became of a transaction. Returns what the server does of it, and of cycles behind it. */
  #lose<T>(request: Request<T>, ran: boolean): (() => unknown)[] {
    this.#tell(request, 1, "unknown");
    const behind = request.kind === "cycle" ? this.#break(request as Request<unknown>, ran) : [];
    return ran ? [request.run, ...behind] : [];
  }

  #run<T>(request: Request<T>): void {
    try {
      const result = request.run();
      this.#answer(request, this.#tripMs(), () => request.done(result));
    } catch (error) {
      if (!(error instanceof Mistaken)) throw error;
      this.#tell(request, 1, "mistaken");
    }
  }

  #tell<T>(request: Request<T>, ms: number, why: Why): void {
    this.#answer(request, ms, () => request.failed(why));
  }

  #answer<T>(request: Request<T>, ms: number, handle: () => void): void {
    if (request.kind !== "cycle") {
      this.#timeline.after(ms, () => request.asker.handle(handle));
      return;
    }
    const pipe = this.#pipeOf(request as Request<unknown>);
    pipe.answersAt = Math.max(pipe.answersAt, this.#timeline.now + ms);
    this.#timeline.at(pipe.answersAt, () => {
      pipe.unanswered--;
      request.asker.handle(handle);
    });
  }

  #straggle<T>(request: Request<T>): void {
    const runs = this.#lose(request, true);
    const straggler = {
      session: request.session,
      run: () => {
        for (const run of runs) this.#attempt(run);
      },
    };
    this.#stragglers.push(straggler);
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
