// The options of a session (timers, callbacks), its counters, and the errors with which a request or a session ends.
import type { SubmitAnswer } from "./inflight.ts";
import type { Bind, BindCommand, Body, DeliverSm, OutgoingMessage, SubmitSm } from "./pdu.ts";
import { statusName } from "./pdu.ts";
import type { Session } from "./session.ts";

/** Timers of section 7.2, by a monotonic clock. The session checks them a few times per shortest timer, not per PDU. */
export interface Timers {
  connectMs: number;
  /** ESME: from the connection to the answer to the bind. SMSC: from the connection to the bind. */
  bindMs: number;
  responseMs: number;
  /** The silence after which an enquire_link is sent; two unanswered ones end the session. */
  enquireLinkMs: number;
  /** The time within which a PDU must be complete once it has begun. */
  pduReadMs: number;
  /** How long an unbind, ours or the peer's, lets requests in flight finish. */
  drainMs: number;
  /** After this long without any submit_sm or deliver_sm, the session unbinds; 0 means never. */
  inactivityMs: number;
}

export const DEFAULT_TIMERS: Timers = {
  connectMs: 10_000,
  bindMs: 10_000,
  responseMs: 10_000,
  enquireLinkMs: 30_000,
  pduReadMs: 10_000,
  drainMs: 5_000,
  inactivityMs: 0,
};

type Later<T> = T | Promise<T>;

export interface SessionOptions {
  timers?: Partial<Timers>;
  /** ESME: the command_status to answer, once the message is stored. A throw answers ESME_RX_T_APPN: send again. */
  onDeliver?: (pdu: DeliverSm, session: Session) => Later<number>;
  /** SMSC: returns the answer; answers may come in any order. If it throws, the answer is ESME_RSYSERR. */
  onSubmit?: (pdu: SubmitSm, session: Session) => Later<SubmitAnswer>;
  /** SMSC: returns the command_status of the bind; 0 accepts. */
  onBind?: (bind: Bind, session: Session) => Later<number>;
  /** SMSC: the bind has been answered, and `deliver` may be called. */
  onBound?: (session: Session) => void;
  /** An answer arrived after `ResponseTimeout`; `message` is the message that was sent. */
  onLateAnswer?: (message: OutgoingMessage | undefined, answer: SubmitAnswer) => void;
  /**
   * The peer unbinds: resolves once everything received before is settled. The unbind is answered then, or after
   * `drainMs`, because the peer may close the connection as soon as it has the answer (S20).
   */
  onUnbind?: () => Promise<void>;
  /** A PDU was read, and unreadable octets after its fields were ignored (S32). */
  onUnreadTail?: () => void;
  /** A handler above threw this error; the peer has been answered. */
  onHandlerError?: (error: unknown) => void;
  /** SMSC: its system_id in the answer to the bind. */
  systemId?: string;
  /** As a fault, each PDU ends with one NUL too many (S32). */
  strayNul?: boolean;
}

/** What the bind negotiated. A version that is neither 3.3 nor 5.0 counts as 3.4. */
export interface Bound {
  command: BindCommand;
  systemId: string;
  systemType: string;
  interfaceVersion: 0x33 | 0x34 | 0x50;
}

export function agreeOn(command: BindCommand, bind: Body<BindCommand>): Bound {
  const { systemId, systemType, interfaceVersion: version } = bind;
  return {
    command,
    systemId,
    systemType,
    interfaceVersion: version === 0x33 || version === 0x50 ? version : 0x34,
  };
}

/** The counters of one session; they only grow. */
export interface Counters {
  /** Our requests, and the answers to them. */
  sent: number;
  answered: number;
  /** Messages from the peer. */
  received: number;
  timeouts: number;
  lateAnswers: number;
  repeatedAnswers: number;
  unknownAnswers: number;
  /** Requests whose mandatory fields could not be read, and streams that lost their framing. */
  malformed: number;
  /** PDUs that were read without unreadable octets after their fields (S32). */
  unreadTails: number;
  unknownCommands: number;
  handlerErrors: number;
}

export function newCounters(): Counters {
  return {
    sent: 0,
    answered: 0,
    received: 0,
    timeouts: 0,
    lateAnswers: 0,
    repeatedAnswers: 0,
    unknownAnswers: 0,
    malformed: 0,
    unreadTails: 0,
    unknownCommands: 0,
    handlerErrors: 0,
  };
}

export type CloseKind =
  | "aborted"
  | "bind-refused"
  | "bind-timeout"
  | "enquire-link-timeout"
  | "generic-nack"
  | "inactive"
  | "malformed"
  | "pdu-read-timeout"
  | "peer-closed"
  | "peer-unbound"
  | "socket-error"
  | "too-many-faults"
  | "unbound";

export interface CloseReason {
  kind: CloseKind;
  detail: string;
}

/** The session ended before the answer arrived: the fate of the request is unknown. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
  readonly reason: CloseReason;
  constructor(reason: CloseReason) {
    super(`session lost: ${reason.kind} ${reason.detail}`.trimEnd());
    this.reason = reason;
  }
}

/** The request was never sent (session not bound, ending, or the peer reads too slowly): safe to send again. */
export class NotSent extends Error {
  override readonly name = "NotSent";
}

/** The SMSC refused the bind with this command_status. */
export class BindRefused extends Error {
  override readonly name = "BindRefused";
  readonly status: number;
  constructor(status: number) {
    super(`bind refused: ${statusName(status)}`);
    this.status = status;
  }
}

/** The session could not be established: no TCP connection, no TLS, or no answer to the bind. */
export class ConnectFailed extends Error {
  override readonly name = "ConnectFailed";
}
