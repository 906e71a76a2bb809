// The leases of a link: new batches that are accepted with places in its window, and written once they are committed.
import type { Runtime } from "../kernel/runtime.ts";
import type { Link } from "../operators/operators.ts";
import { type Lease, type LeasedBatch, returnLeased, type WantedLease } from "../sends/sends.ts";
import type { Window } from "./window.ts";

/** What a link makes of its leases. */
export type LeaseUser = {
  /** Whether a new batch of this lane may be written now, and overtakes nothing. */
  mayLease(lane: number): boolean;
  adopt(batch: LeasedBatch): void;
  /** Slots are free again. */
  freed(): void;
  /** A batch may have been made, and nobody heard of it. */
  doubt(): void;
};

/** Leases places in the window of a link. */
export class Leases {
  /** The batches whose leases have not ended. */
  readonly ids = new Set<string>();
  readonly #app: Runtime;
  readonly #link: Link;
  readonly #window: Window;
  readonly #user: LeaseUser;

  constructor(app: Runtime, link: Link, window: Window, user: LeaseUser) {
    this.#app = app;
    this.#link = link;
    this.#window = window;
    this.#user = user;
  }

  /** Offers places for a new batch: none where the link may not write it now. */
  readonly lease = ({ batchId, lane, prefix, slots }: WantedLease): Lease | undefined => {
    const { operator, pace, sessionId } = this.#link;
    if (!this.#user.mayLease(lane) || !this.#link.routing().mayTake(operator.id, prefix)) return undefined;
    if (this.#window.roomForLease(pace) < slots) return undefined;
    this.#window.promise(slots);
    this.ids.add(batchId);
    return {
      operatorId: operator.id,
      sessionId,
      adopt: (batch) => {
        this.#end(batchId, slots, true);
        this.#user.adopt(batch);
      },
      giveUp: () => {
        this.#end(batchId, slots, false);
        this.#user.freed();
      },
      doubt: () => {
        this.#end(batchId, slots, false);
        this.#user.doubt();
      },
    };
  };

  #end(batchId: string, slots: number, isWritten: boolean): void {
    this.ids.delete(batchId);
    this.#window.endPromise(slots, isWritten);
  }

  /** Gives back a batch that was made after its session had ended: nothing of it was written. */
  giveBack({ id }: LeasedBatch): void {
    returnLeased(this.#app.database, this.#link.sessionId, id).catch((error: Error) =>
      this.#app.log.warn({ err: error }, "messages that were not written count as of unknown fate"),
    );
  }
}
