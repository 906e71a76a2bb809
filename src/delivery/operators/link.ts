// A link: a bound session as the dispatch of messages sees it, and what each side tells the other.
import type { DeliverSm, OutgoingMessage, SubmitAnswer } from "../../protocol/smpp/smpp.ts";
import type { OperatorAccount } from "./operatoraccounts.ts";
import type { Pace } from "./pace.ts";
import type { Carrier } from "./pair.ts";
import type { Routing } from "./routing.ts";
import type { OperatorSettings } from "./settings.ts";
import type * as sql from "./sql.ts";

/** A bound session to an operator: what the dispatch of messages works with. */
export type Link = {
  readonly operator: sql.OperatorRow;
  readonly settings: OperatorSettings;
  /** Which bind of which operator: see `bindKeyOf`. */
  readonly bindKey: string;
  readonly sessionId: string;
  readonly session: Carrier;
  readonly pace: Pace;
  /** False from the moment at which another process may own the bind: nothing may be written then. */
  owned(): boolean;
  /** Who may take what, as read at most half a second ago. */
  routing(): Routing;
  /** The rows whose receipts may come over this link, read as late. */
  account(): OperatorAccount;
  /**
   * Drains and ends this session for a new one, because of this error code. Does nothing if it is ending already, or if
   * sessions were ended so twice within the last minute: no message may keep a link from the others.
   */
  rebind(code: string): void;
};

/** What is known of all operators, as read at most half a second ago. */
export type Around = {
  routing(): Routing;
  accountOf(operatorId: string): OperatorAccount;
  /** The pace of all binds that this process has of an operator. `learned`: the rate that an earlier session found. */
  paceOf(operator: sql.OperatorRow, learned: number | null): Pace;
  /** To be called when a bind is bound: what is left of the operator's limit for this process may have changed. */
  shareRate(operator: sql.OperatorRow): void;
  /** The part of that pace's messages that goes over one bind, as far as it is shown. */
  partOf(operatorId: string): number;
  /** Whether this process may take a bind of an operator that nobody has. */
  mayClaim(operatorId: string, number: number): boolean;
};

/** What uses a link. */
export type Traffic = {
  /** A deliver_sm of the operator; resolves with its command_status once what it says is committed. */
  receive(pdu: DeliverSm): Promise<number>;
  /** An answer that came after its time. */
  answeredLate(message: OutgoingMessage, answer: SubmitAnswer): void;
  /** submit_sm of unknown outcome so far. */
  inFlight(): number;
  /** Whether the operator takes nothing for now, so that others should take what waits. */
  stalled(): boolean;
  /** A PDU of the operator was read without the octets behind its fields (S32). */
  countUnreadTail(): void;
  /**
   * Takes nothing new, and resolves when all that was written is answered and committed. With `finishes` false nothing
   * more is written, not even the rest of a long message: the operator unbinds (S20).
   */
  drain(finishes?: boolean): Promise<void>;
  /** The session is gone: commits what is known of it, and what the operator said (S33). */
  end(): Promise<void>;
};

/** A bind that a new session has, before it begins. */
type RecoveredBind = { operator: sql.OperatorRow; bindKey: string; sessionId: string };

/** Who sends over the links; wired in `src/start.ts`, since operators know nothing of messages. */
export type LinkUser = {
  /** This process owns the bind from now on: takes care of what an earlier session left behind. */
  recover(bind: RecoveredBind, account: OperatorAccount): Promise<void>;
  carry(link: Link): Traffic;
  /** Other operators may take what waits than a moment ago. */
  rerouted(): void;
};
