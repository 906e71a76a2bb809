// The receipts that the simulated operator owes to one system_id: sent to any of its sessions, until acknowledged.
import type { OutgoingMessage } from "../../protocol/smpp/pdu.ts";
import { writeReceipt } from "../../protocol/smpp/receipts.ts";
import type { Session } from "../../protocol/smpp/session.ts";
import type { Accepted } from "./journal.ts";

/** The maximum number of unacknowledged receipts of one session. */
const RECEIPT_WINDOW = 200;
/** A receipt that was answered with an error, or not at all, is sent again after this time. */
const RETRY_MS = 1_000;
/** The maximum number of waiting receipts; beyond it the oldest stay in the log, and are sent after the next start. */
const MAX_WAITING = 500_000;

export class ReceiptQueue {
  readonly #receivers = new Set<Session>();
  readonly #onAcknowledged: (entry: Accepted) => void;
  readonly #idOf: (entry: Accepted) => string;
  #waiting: Accepted[] = [];
  #next = 0;
  #scheduled = false;

  /** `idOf` returns the message id in the form of receipts. */
  constructor(idOf: (entry: Accepted) => string, onAcknowledged: (entry: Accepted) => void) {
    this.#idOf = idOf;
    this.#onAcknowledged = onAcknowledged;
  }

  /** A session that may receive, if any is bound. */
  get receiver(): Session | undefined {
    for (const session of this.#receivers) if (session.ready) return session;
    return undefined;
  }

  attach(session: Session): void {
    this.#receivers.add(session);
    void session.closed.then(() => this.#receivers.delete(session));
    this.#schedule();
  }

  add(entry: Accepted): void {
    this.#waiting.push(entry);
    if (this.#waiting.length - this.#next > MAX_WAITING) this.#next++;
    this.#schedule();
  }

  /** At the end of the event-loop turn, so that the answer to a submit_sm is sent before its receipt. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    for (const session of this.#receivers) {
      while (this.#next < this.#waiting.length && session.ready && session.inFlight < RECEIPT_WINDOW) {
        const entry = this.#waiting[this.#next++];
        if (entry) void this.#sendOne(session, entry);
      }
    }
    if (this.#next > 10_000 || this.#next === this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
  }

  async #sendOne(session: Session, entry: Accepted): Promise<void> {
    const status = await session.deliver(receiptOf(entry, this.#idOf(entry))).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status === 0) {
      this.#onAcknowledged(entry);
      this.#schedule();
    } else setTimeout(() => this.add(entry), RETRY_MS).unref();
  }
}

function receiptOf(entry: Accepted, messageId: string): OutgoingMessage {
  const [sourceAddrTon, sourceAddrNpi, destAddrTon, destAddrNpi] = entry.ton;
  return writeReceipt({
    messageId,
    state: entry.receipt!,
    errorCode: entry.error ?? "000",
    submittedAt: new Date(entry.at),
    doneAt: new Date(),
    message: {
      sourceAddr: entry.from,
      sourceAddrTon,
      sourceAddrNpi,
      destinationAddr: entry.to,
      destAddrTon,
      destAddrNpi,
    },
    text: "",
    userMessageReference: entry.ref,
  });
}
