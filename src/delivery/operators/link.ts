// A link: a bound session as the gateway sees it, and the calls between the two sides.

import type { DeliverSm } from "../../protocol/smpp/pdu.ts";
import type { Carrier, CarrierAnswer, Outgoing } from "./carrier.ts";
import type { OperatorAccount } from "./operatoraccounts.ts";
import type { Pace } from "./pace.ts";
import type { Routing } from "./routing.ts";
import type { OperatorSettings } from "./settings.ts";
import type * as sql from "./sql.ts";

/** A bound session to an operator, for the code that sends messages over it. */
export type Link = {
  readonly operator: sql.OperatorRow;
  readonly settings: OperatorSettings;
  /** Identifies the bind: see `bindKeyOf`. */
  readonly bindKey: string;
  readonly sessionId: string;
  readonly session: Carrier;
  readonly pace: Pace;
  /** False from the moment at which another process may own the bind: nothing may be written then. */
  owned(): boolean;
  /** The routing, at most half a second old. */
  routing(): Routing;
  /** The rows whose receipts may arrive over this link, at most half a second old. */
  account(): OperatorAccount;
  /**
   * Drains and ends this session for a new one, because of this error code. Does nothing if the session is already
   * ending, or if sessions were ended so twice within the last minute: no message may keep a link from the others.
   */
  rebind(code: string): void;
};

/** The state of all operators, at most half a second old. */
export type OperatorContext = {
  routing(): Routing;
  accountOf(operatorId: string): OperatorAccount;
  /** The pace of all binds that this process has of an operator. `learned`: the rate that an earlier session found. */
  paceOf(operator: sql.OperatorRow, learned: number | null): Pace;
  /** Call it when a bind is bound: this process's share of the operator's limit may have changed. */
  shareRate(operator: sql.OperatorRow): void;
  /** The share of that pace's messages that goes over one bind, for display. */
  partOf(operatorId: string): number;
  /** Whether this process may take a free bind of an operator. */
  mayClaim(operatorId: string, number: number): boolean;
};

/** The user of a link. */
export type Traffic = {
  /** Handles a deliver_sm of the operator; resolves with its command_status once its content is committed. */
  receive(pdu: DeliverSm): Promise<number>;
  /** Handles an answer that arrived after its timeout. */
  answeredLate(request: Outgoing, answer: CarrierAnswer): void;
  /** The number of requests without an answer. */
  inFlight(): number;
  /** Whether the operator takes nothing for now, so that others should take its queued messages. */
  stalled(): boolean;
  /** Counts a PDU of the operator that was read without the octets behind its fields (S32). */
  countUnreadTail(): void;
  /**
   * Takes nothing new, and resolves when everything written is answered and committed. With `finishes` false nothing
   * more is written, not even the rest of a long message: the operator unbinds (S20).
   */
  drain(finishes?: boolean): Promise<void>;
  /** The session is lost: commits everything known of it, and the incoming receipts (S33). */
  end(): Promise<void>;
};

/** A bind that a new session has, before it begins. */
type RecoveredBind = { operator: sql.OperatorRow; bindKey: string; sessionId: string };

/** The code that sends over the links; wired in `src/start.ts`, since this folder does not import messages. */
export type LinkUser = {
  /** This process owns the bind from now on: recovers the messages that an earlier session left behind. */
  recover(bind: RecoveredBind, account: OperatorAccount): Promise<void>;
  carry(link: Link): Traffic;
  /** The routing has changed. */
  rerouted(): void;
};
