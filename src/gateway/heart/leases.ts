// The leases of a link: new batches that are accepted with places in its window, and written once they are committed.
import type { WantedLease } from "../../sends/sends.ts";
import type { Window } from "./window.ts";

// The server ends a statement after 10 s. So long after a connection broke, nothing that it asked for is committed.
const STRAGGLER_MS = 60_000;

/** Counts the leases of a link. Those whose commit had no answer are lost: what they began may still be committed. */
export class Leases {
  /** The batches whose leases have not ended. */
  readonly ids = new Set<string>();
  readonly #window: Window;
  #lost = 0;
  #mayComeUntil = Number.NEGATIVE_INFINITY;

  constructor(window: Window) {
    this.#window = window;
  }

  begin({ batchId, slots }: WantedLease): void {
    this.#window.promise(slots);
    this.ids.add(batchId);
  }

  /** The places stay in use if the batch was made. */
  end(batchId: string, slots: number, isMade: boolean): void {
    this.ids.delete(batchId);
    this.#window.endPromise(slots, isMade);
  }

  addLost(ms: number): void {
    this.#lost++;
    this.#mayComeUntil = ms + STRAGGLER_MS;
  }

  /** How many were lost since the link began. */
  get lostCount(): number {
    return this.#lost;
  }

  /** Whether a batch of a lost lease may still come. */
  mayCome(ms: number): boolean {
    return ms < this.#mayComeUntil;
  }
}
