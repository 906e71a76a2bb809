// The carrier of one SMPP bind: one session of a transceiver, or a transmitter and a receiver side by side.

import type { Runtime } from "../../platform/runtime.ts";
import { type ConnectOptions, connect } from "../../protocol/smpp/connect.ts";
import type { OutgoingMessage } from "../../protocol/smpp/pdu.ts";
import type { Session } from "../../protocol/smpp/session.ts";
import { type Carrier, carrierAnswerOf, type Outgoing, type Submittable, type When } from "./carrier.ts";
import type { Traffic } from "./link.ts";
import { type OperatorSettings, settingsOf } from "./settings.ts";
import type * as sql from "./sql.ts";
import { submissionOf } from "./submit.ts";
import { tlsOptionsOf } from "./tls.ts";

/** SMPP 3.4, section 5.2.4. */
const VERSIONS = { "3.3": 0x33, "3.4": 0x34, "5.0": 0x50 } as const;

/**
 * Connects and binds; `carried` resolves when the session carries traffic. The receiver of a pair binds first, so that
 * receipts always have a session (SMPP 3.4, section 2.2). Throws `BindRefused` and `ConnectFailed`.
 */
export async function connectSmpp(
  app: Pick<Runtime, "secrets">,
  operator: sql.OperatorRow,
  password: string,
  carried: Promise<Traffic>,
): Promise<Carrier> {
  const settings = settingsOf(operator.settings);
  let traffic: Traffic | undefined;
  void carried.then((carrying) => {
    traffic = carrying;
  });
  const options: Omit<ConnectOptions, "bindType"> = {
    host: operator.host,
    port: operator.port,
    tls: tlsOptionsOf(app, operator),
    systemId: operator.system_id,
    password,
    systemType: operator.system_type,
    interfaceVersion: VERSIONS[settings.interfaceVersion],
    addrTon: settings.addressRangeTonNpi.ton,
    addrNpi: settings.addressRangeTonNpi.npi,
    addressRange: settings.addressRange ?? "",
    timers: { enquireLinkMs: settings.enquireLinkS * 1000, responseMs: settings.submitTimeoutS * 1000 },
    // PDUs that the operator delivers right after the bind wait until the session carries traffic.
    onDeliver: async (pdu) => (await carried).receive(pdu),
    onLateAnswer: (message, answer) =>
      message && traffic?.answeredLate(message, carrierAnswerOf(answer, settings)),
    onUnbind: async () => (await carried).drain(false),
    onUnreadTail: () => void carried.then((carrying) => carrying.countUnreadTail()),
  };
  const terms = { operator, settings };
  if (settings.bindType === "transceiver")
    return new SmppCarrier(await connect({ ...options, bindType: "transceiver" }), terms);
  const receiver = await connect({ ...options, bindType: "receiver" });
  try {
    return new Pair(await connect({ ...options, bindType: "transmitter" }), receiver, terms);
  } catch (error) {
    receiver.abort("the transmitter could not be bound");
    throw error;
  }
}

type Terms = { operator: sql.OperatorRow; settings: OperatorSettings };

/** A transceiver, or the transmitter of a pair. */
class SmppCarrier implements Carrier {
  readonly closed: Carrier["closed"];
  protected readonly session: Session;
  readonly #terms: Terms;

  constructor(session: Session, terms: Terms) {
    this.session = session;
    this.#terms = terms;
    this.closed = session.closed;
  }

  requestsOf(message: Submittable, when: When): ReturnType<Carrier["requestsOf"]> {
    return submissionOf(message, this.#terms, when);
  }

  /** `requestsOf` built the request. */
  async submit(request: Outgoing): ReturnType<Carrier["submit"]> {
    return carrierAnswerOf(await this.session.submit(request as OutgoingMessage), this.#terms.settings);
  }

  get ready(): boolean {
    return this.session.ready;
  }

  get isClosed(): boolean {
    return this.session.isClosed;
  }

  handled(): Promise<void> {
    return this.session.handled();
  }

  abort(why?: string): void {
    this.session.abort(why);
  }

  unbind(): Promise<void> {
    return this.session.unbind();
  }
}

/**
 * A transmitter, which submits, and a receiver, which gets receipts and replies. Each needs the other: when one closes,
 * the other does; then `closed` resolves.
 */
class Pair extends SmppCarrier {
  override readonly closed: Carrier["closed"];
  readonly #receiver: Session;

  constructor(transmitter: Session, receiver: Session, terms: Terms) {
    super(transmitter, terms);
    this.#receiver = receiver;
    // The other one ends in order: its requests under way are answered first.
    void transmitter.closed.then(() => receiver.unbind());
    void receiver.closed.then(() => transmitter.unbind());
    const first = Promise.race([transmitter.closed, receiver.closed]);
    this.closed = Promise.all([first, transmitter.closed, receiver.closed]).then(([reason]) => reason);
  }

  /** Only the receiver gets messages, and answers them. */
  override get isClosed(): boolean {
    return this.#receiver.isClosed;
  }

  override handled(): Promise<void> {
    return this.#receiver.handled();
  }

  override abort(why?: string): void {
    this.session.abort(why);
    this.#receiver.abort(why);
  }

  /** The transmitter first: the receiver may get receipts until then. */
  override async unbind(): Promise<void> {
    await this.session.unbind();
    await this.#receiver.closed;
  }
}
