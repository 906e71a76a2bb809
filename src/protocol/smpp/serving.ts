// The peer's messages that are being handled: each goes to its handler, whose result becomes the answer.
import type { SubmitAnswer } from "./inflight.ts";
import { type Bind, type BindCommand, type DataSm, type DeliverSm, STATUS, type SubmitSm } from "./pdu.ts";
import type { Session } from "./session.ts";
import type { SessionOptions } from "./terms.ts";

/** Messages beyond this number are refused temporarily. */
const MAX_SERVING = 10_000;

export type MessagePdu = SubmitSm | DeliverSm | DataSm;
type HandlerAnswer = number | SubmitAnswer;
type Handler = (pdu: SubmitSm | DeliverSm, session: Session) => HandlerAnswer | Promise<HandlerAnswer>;

/** Handlers may answer at once or later, in any order; if a handler throws, the answer is a temporary error. */
export class Serving {
  readonly #options: SessionOptions;
  readonly #session: Session;
  readonly #onIdle: () => void;
  #count = 0;
  #handled: PromiseWithResolvers<void> | undefined;

  constructor(session: Session, options: SessionOptions, onIdle: () => void) {
    this.#session = session;
    this.#options = options;
    this.#onIdle = onIdle;
  }

  get idle(): boolean {
    return this.#count === 0;
  }

  /** Resolves once the handlers of all messages received so far have finished. */
  handled(): Promise<void> {
    if (this.idle) return Promise.resolve();
    this.#handled ??= Promise.withResolvers();
    return this.#handled.promise;
  }

  /** Returns the command_status for a bind: the handler's, or ESME_RBINDFAIL if it throws. */
  async decide(onBind: NonNullable<SessionOptions["onBind"]>, bind: Bind): Promise<number> {
    try {
      return await onBind(bind, this.#session);
    } catch (error) {
      this.#session.counters.handlerErrors++;
      this.#options.onHandlerError?.(error);
      return STATUS.ESME_RBINDFAIL;
    }
  }

  /** Handles one message. Without a handler, or with the wrong kind of bind, answers ESME_RINVBNDSTS (section 2.3). */
  take(pdu: MessagePdu, bind: BindCommand | undefined): void {
    const isSubmit = pdu.command === "submit_sm";
    const handler = (isSubmit ? this.#options.onSubmit : this.#options.onDeliver) as Handler | undefined;
    if (
      handler === undefined ||
      bind === undefined ||
      bind === (isSubmit ? "bind_receiver" : "bind_transmitter")
    ) {
      this.#session.respond(pdu, STATUS.ESME_RINVBNDSTS, "");
      return;
    }
    if (this.#count >= MAX_SERVING) {
      this.#session.respond(pdu, isSubmit ? STATUS.ESME_RMSGQFUL : STATUS.ESME_RX_T_APPN, "");
      return;
    }
    try {
      const outcome = handler(pdu.command === "data_sm" ? deliverSmOf(pdu) : pdu, this.#session);
      if (outcome instanceof Promise) void this.#await(pdu, outcome);
      else this.#respond(pdu, outcome);
    } catch (error) {
      this.#onError(pdu, error);
    }
  }

  async #await(pdu: MessagePdu, outcome: Promise<HandlerAnswer>): Promise<void> {
    this.#count++;
    try {
      this.#respond(pdu, await outcome);
    } catch (error) {
      this.#onError(pdu, error);
    }
    this.#count--;
    if (this.#count > 0) return;
    this.#handled?.resolve();
    this.#handled = undefined;
    this.#onIdle();
  }

  #respond(pdu: MessagePdu, outcome: HandlerAnswer): void {
    if (typeof outcome === "number") this.#session.respond(pdu, outcome, "");
    else this.#session.respond(pdu, outcome.status, outcome.messageId);
  }

  #onError(pdu: MessagePdu, error: unknown): void {
    this.#session.counters.handlerErrors++;
    const status = pdu.command === "submit_sm" ? STATUS.ESME_RSYSERR : STATUS.ESME_RX_T_APPN;
    this.#session.respond(pdu, status, "");
    this.#options.onHandlerError?.(error);
  }
}

/** The deliver_sm that is equivalent to an SMSC's data_sm (section 4.7). Its text is in message_payload. */
function deliverSmOf(pdu: DataSm): DeliverSm {
  return {
    protocolId: 0,
    priorityFlag: 0,
    scheduleDeliveryTime: "",
    validityPeriod: "",
    replaceIfPresentFlag: 0,
    smDefaultMsgId: 0,
    shortMessage: Buffer.alloc(0),
    ...pdu,
    command: "deliver_sm",
  };
}
