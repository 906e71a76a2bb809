// What one process knows about each receiver: its limit of concurrent tries, and the connections to it.
import type { LookupFunction } from "node:net";
import type { Limits } from "../../platform/limits/limits.ts";
import { openLine, type ReceiverLine } from "./post.ts";

/** Endpoints that are unproven or failing share this part of the room: the others always have the rest. */
const DOUBTFUL_SHARE = 0.75;
const FORGOTTEN_AFTER_MS = 30_000;
const SWEEP_MS = 5_000;

/** The free room at this moment, distributed endpoint by endpoint. */
export type Rooms = {
  readonly full: boolean;
  /** Returns how many deliveries this endpoint may take. */
  take(endpointId: string): number;
};

class Peer {
  /** The limit of concurrent tries: one at first and after a failure, doubled by each success. */
  window = 1;
  open = 0;
  line: ReceiverLine | undefined;
  address = "";
  idleSince = 0;
}

/** One try under way. */
export type Begun = { learn(success: boolean): void; end(): void };

/**
 * Distributes the room of one process. An endpoint starts with one delivery at a time, so that any number of dead ones,
 * each of which occupies its slot for 15 s, leave room for those that work.
 */
export class Peers {
  readonly #limits: Limits;
  readonly #peers = new Map<string, Peer>();
  #open = 0;
  #doubtful = 0;
  #sweptAt = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  rooms(): Rooms {
    const { webhooksInFlight } = this.#limits;
    let free = webhooksInFlight - this.#open;
    let doubtfulFree = Math.ceil(webhooksInFlight * DOUBTFUL_SHARE) - this.#doubtful;
    const peers = this.#peers;
    return {
      get full() {
        return free <= 0;
      },
      take(endpointId) {
        const peer = peers.get(endpointId);
        const { window, open } = peer ?? { window: 1, open: 0 };
        const room = Math.max(0, Math.min(window - open, free, window === 1 ? doubtfulFree : free));
        free -= room;
        if (window === 1) doubtfulFree -= room;
        return room;
      },
    };
  }

  begin(endpointId: string): Begun {
    const peer = this.#peers.get(endpointId) ?? new Peer();
    this.#peers.set(endpointId, peer);
    const doubt = peer.window === 1 ? 1 : 0;
    peer.open++;
    this.#open++;
    this.#doubtful += doubt;
    return {
      learn: (success) => {
        peer.window = success ? Math.min(peer.window * 2, this.#limits.webhooksInFlightPerEndpoint) : 1;
      },
      end: () => {
        peer.open--;
        this.#open--;
        this.#doubtful -= doubt;
        peer.idleSince = performance.now();
      },
    };
  }

  /** Returns the connections to an endpoint with a try under way; new ones if its URL has changed. */
  line(endpointId: string, address: string, guard: (url: URL) => LookupFunction): ReceiverLine {
    const peer = this.#peers.get(endpointId)!;
    if (peer.line && peer.address === address) return peer.line;
    const url = new URL(address);
    const lookup = guard(url);
    closeLater(peer.line);
    peer.address = address;
    peer.line = openLine(url, lookup);
    return peer.line;
  }

  /** Deletes endpoints to which nothing was sent for a while. */
  sweep(now: number): void {
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [id, peer] of this.#peers) {
      if (peer.open > 0 || now - peer.idleSince < FORGOTTEN_AFTER_MS) continue;
      peer.line?.agent.destroy();
      this.#peers.delete(id);
    }
  }

  close(): void {
    for (const peer of this.#peers.values()) peer.line?.agent.destroy();
    this.#peers.clear();
  }
}

/** Tries on old connections end by themselves; idle connections are closed by their time limit. */
function closeLater(line: ReceiverLine | undefined): void {
  if (line)
    for (const sockets of Object.values(line.agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
}
