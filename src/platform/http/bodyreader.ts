// The body reader: reads request bodies and keeps them in memory within limits, and discards the rest.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Limits } from "../limits/limits.ts";
import { perRuntime } from "../runtime.ts";
import { type Network, type Networks, networksOf } from "./networks.ts";
import { Outline } from "./outline.ts";
import { type Outcome, type Refusal, refuse } from "./refusals.ts";

// A body up to this size is read from every caller, because refusing it takes as long.
const SMALL_BYTES = 4 * 1024;

// Bulk bodies may use this share of each budget. The rest is reserved for smaller bodies.
const SHARE_OF_BULK = 0.75;
const BUSY_SECONDS = 5;

// If we closed the connection while the client still writes, it would lose our answer to a TCP reset. So the rest of a
// refused body is read and discarded first, up to these limits.
const DRAIN_BYTES = 32 * 1024 * 1024;
const DRAIN_MS = 2_000;
const DRAINS_AT_ONCE = 256;

const NOTHING = Buffer.alloc(0);

/** The part of a body that has arrived: the first `used` of `bytes`. */
type PartialBody = { bytes: Buffer; used: number };

/** A body that is not small. It has at most `most` bytes, and takes `held` bytes of the budget of its network. */
type Load = PartialBody & {
  readonly network: Network;
  readonly most: number;
  readonly outline: Outline;
  readonly isJson: boolean;
  held: number;
};

declare module "fastify" {
  interface FastifyRequest {
    /** The body of the request, if it is not small. */
    load: Load | undefined;
  }
}

/** Called with the bytes of a body, or with the error if it was not read. */
type Done = (error: Error | null, bytes: Buffer) => void;

/** Reads bodies, each up to the limit of its route and all within the budgets of their networks. */
class BodyReader {
  readonly #networks: Networks;
  readonly #limits: Limits;
  #drains = 0;

  constructor(networks: Networks, limits: Limits) {
    this.#networks = networks;
    this.#limits = limits;
  }

  /**
   * Reads a body and passes its bytes to `done`. Refuses `request-too-large`; `too-many-requests` if the network has
   * too many bytes in progress or has sent too many in refused bodies; `service-unavailable` if all networks together
   * have too many in progress; and `invalid-request` by its outline, if it `isJson`. A refused body holds no memory, and
   * the rest of it may still arrive.
   */
  read(request: FastifyRequest, done: Done, isJson = true): void {
    // This is NaN if the body arrives in chunks.
    const declared = Number(request.headers["content-length"]);
    if (declared <= SMALL_BYTES) readSmall(request.raw, declared, done);
    else this.#readLoad(request, { declared, isJson }, done);
  }

  #readLoad(request: FastifyRequest, body: { declared: number; isJson: boolean }, done: Done): void {
    const { raw } = request;
    const add = (chunk: Buffer) => {
      try {
        this.#add(request.load!, chunk);
      } catch (error) {
        turnAway(error as Refusal);
      }
    };
    const end = (error: Error | null = null) => {
      leave();
      const { bytes, used } = request.load!;
      done(error, bytes.subarray(0, used));
    };
    const leave = () => raw.off("data", add).off("end", end).off("error", end);
    const turnAway = (refusal: Refusal) => {
      leave();
      if (request.load) this.#release(request.load);
      raw.pause();
      // Without this pause, eight connections that post 1.5 MB each, refused at the first 64 KiB, kept the process busy
      // with reading the rest. Now they take 4 % of a core (2 cores, 2026-11-22).
      setTimeout(done, this.#limits.refusedPauseMs, refusal, NOTHING);
    };
    try {
      this.#admit(request, body);
    } catch (error) {
      turnAway(error as Refusal);
      return;
    }
    raw.on("data", add).on("end", end).on("error", end);
  }

  /** Reads the rest of a body and discards it, within limits. */
  async drain(raw: IncomingMessage): Promise<void> {
    if (this.#drains >= DRAINS_AT_ONCE) return;
    this.#drains++;
    await drained(raw);
    this.#drains--;
  }

  /** Returns the budget of an answered body. A refused body counts against its network for a while. */
  settle(load: Load, outcome: Outcome): void {
    this.#release(load);
    if (outcome === "invalid-request" || outcome === "not-authenticated") this.#countRefused(load);
  }

  /**
   * Delays the answer to a body that was read and then refused because of too many requests: a client that retries at
   * once would have its next body read at once. It counts as refused, and holds no memory.
   */
  putOff(load: Load, answer: () => void): void {
    this.#release(load);
    this.#countRefused(load);
    setTimeout(answer, this.#limits.refusedPauseMs).unref();
  }

  #countRefused({ network, used }: Load): void {
    if (network !== undefined) this.#networks.refused.spend(network, used);
  }

  /** Admits a body before any of it is read, and begins to count it. */
  #admit(request: FastifyRequest, { declared, isJson }: { declared: number; isJson: boolean }): void {
    const { bodyLimit } = request.routeOptions;
    if (declared > bodyLimit) refuse("request-too-large");
    const network = this.#networks.of(request.ip);
    const retryAfterSeconds = network === undefined ? 0 : this.#networks.refused.waitOf(network);
    if (retryAfterSeconds > 0) refuse("too-many-requests", { retryAfterSeconds });
    const most = Number.isNaN(declared) ? bodyLimit : declared;
    const load = { network, most, outline: new Outline(), isJson, bytes: NOTHING, used: 0, held: 0 };
    this.#hold(load, SMALL_BYTES, declared > this.#limits.bodyBytes);
    request.load = load;
  }

  #add(load: Load, chunk: Buffer): void {
    gatherBytes(load, chunk, this.#makeRoom(load, chunk.length));
    if (load.isJson) load.outline.readTo(load.bytes, load.used);
  }

  /**
   * Reserves room for `moreBytes` more and returns the size. The room doubles, so that a growing body is copied less
   * than twice.
   */
  #makeRoom(load: Load, moreBytes: number): number {
    const needed = load.used + moreBytes;
    if (needed > load.most) refuse("request-too-large");
    if (needed > load.held) {
      const room = Math.min(Math.max(needed, 2 * load.held), load.most);
      this.#hold(load, room, room > this.#limits.bodyBytes);
    }
    return load.held;
  }

  #hold(load: Load, bytes: number, isBulk: boolean): void {
    const full = this.#networks.bodies.take(load.network, bytes - load.held, isBulk ? SHARE_OF_BULK : 1);
    if (full) {
      const code = full === "network" ? "too-many-requests" : "service-unavailable";
      refuse(code, { retryAfterSeconds: BUSY_SECONDS });
    }
    load.held = bytes;
  }

  #release(load: Load): void {
    this.#networks.bodies.giveBack(load.network, load.held);
    load.held = 0;
    forget(load.bytes);
    load.bytes = NOTHING;
  }
}

/** The body reader of this process. */
export const bodyReaderOf = perRuntime((app) => new BodyReader(networksOf(app), app.config.limits));

function readSmall(raw: IncomingMessage, declared: number, done: Done): void {
  const body: PartialBody = { bytes: NOTHING, used: 0 };
  raw.on("data", (chunk: Buffer) => gatherBytes(body, chunk, declared));
  raw.on("end", () => done(null, body.bytes));
  raw.on("error", (error) => done(error, NOTHING));
}

/** Copies a chunk into the one buffer of a body, because thousands of small chunks take many times as much memory. */
function gatherBytes(body: PartialBody, chunk: Buffer, room: number): void {
  const { used } = body;
  body.used += chunk.length;
  // Most bodies arrive in one piece, which needs no copy.
  if (used === 0 && chunk.length === room) {
    body.bytes = chunk;
    return;
  }
  if (body.used > body.bytes.length) {
    const wider = Buffer.allocUnsafeSlow(room);
    body.bytes.copy(wider, 0, 0, used);
    forget(body.bytes);
    body.bytes = wider;
  }
  chunk.copy(body.bytes, used);
  forget(chunk);
}

function drained(raw: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, DRAIN_MS);
  let bytes = 0;
  raw
    .on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      forget(chunk);
      if (bytes > DRAIN_BYTES) resolve();
    })
    .once("end", resolve)
    .once("close", resolve)
    .once("error", () => resolve())
    .resume();
  return promise.finally(() => clearTimeout(timer));
}

/**
 * Frees memory now instead of at the next garbage collection. 200 bodies of 5 MiB, refused or cut off, left 190 MB
 * behind for minutes. Now they leave 30 MB (2 cores, 2026-11-22). Node gives each piece of a body a buffer of its own.
 */
function forget(bytes: Buffer): void {
  if (bytes.length > 0 && bytes.length === bytes.buffer.byteLength) (bytes.buffer as ArrayBuffer).transfer(0);
}
