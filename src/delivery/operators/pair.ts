// The carrier of one bind's messages: one session of a transceiver, or a transmitter and a receiver side by side.
import { type ConnectOptions, connect } from "../../protocol/smpp/connect.ts";
import type { Session } from "../../protocol/smpp/session.ts";

/** A session as the sender of messages sees it. When one part closes, the others do; then `closed` resolves. */
export type Carrier = Pick<
  Session,
  "submit" | "ready" | "isClosed" | "abort" | "unbind" | "closed" | "handled"
>;

export type BindType = "transceiver" | "transmitter+receiver";

/**
 * Connects and binds (SMPP 3.4, section 2.2). The receiver of a pair binds first, so that receipts always have a
 * session. Throws like `connect`.
 */
export async function connectCarrier(
  bindType: BindType,
  options: Omit<ConnectOptions, "bindType">,
): Promise<Carrier> {
  if (bindType === "transceiver") return connect({ ...options, bindType });
  const receiver = await connect({ ...options, bindType: "receiver" });
  try {
    return new Pair(await connect({ ...options, bindType: "transmitter" }), receiver);
  } catch (error) {
    receiver.abort("the transmitter could not be bound");
    throw error;
  }
}

/** A transmitter, which submits, and a receiver, which gets receipts and replies. Each needs the other. */
class Pair implements Carrier {
  readonly closed: Carrier["closed"];
  readonly #transmitter: Session;
  readonly #receiver: Session;

  constructor(transmitter: Session, receiver: Session) {
    this.#transmitter = transmitter;
    this.#receiver = receiver;
    // The other one ends in order: its requests under way are answered first.
    void transmitter.closed.then(() => receiver.unbind());
    void receiver.closed.then(() => transmitter.unbind());
    const first = Promise.race([transmitter.closed, receiver.closed]);
    this.closed = Promise.all([first, transmitter.closed, receiver.closed]).then(([reason]) => reason);
  }

  get ready(): boolean {
    return this.#transmitter.ready;
  }

  readonly submit: Carrier["submit"] = (message) => this.#transmitter.submit(message);

  /** Only the receiver gets messages, and answers them. */
  get isClosed(): boolean {
    return this.#receiver.isClosed;
  }

  handled(): Promise<void> {
    return this.#receiver.handled();
  }

  abort(why?: string): void {
    this.#transmitter.abort(why);
    this.#receiver.abort(why);
  }

  /** The transmitter first: the receiver may get receipts until then. */
  async unbind(): Promise<void> {
    await this.#transmitter.unbind();
    await this.#receiver.closed;
  }
}
