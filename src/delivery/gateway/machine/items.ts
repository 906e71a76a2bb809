// The units that a session writes: batches, their messages, and what the operator has accepted of each.
import type { OutgoingMessage } from "../../../protocol/smpp/pdu.ts";
import type { QueuedMessage } from "../../sends/queue/packed.ts";

/** A batch that the session has. `open` counts its messages that are neither settled nor moved. */
export type Batch = {
  id: string;
  lane: number;
  prefix: string;
  /** Empty except for bulk. */
  accountId: string;
  /** Since when the batch waits to be sent, and when this link took it, by the monotonic clock. */
  waitsSince: number;
  takenAt: number;
  expiresAt: number;
  intent: number;
  open: number;
  canceled: boolean;
};

export type Item = {
  batch: Batch;
  message: QueuedMessage;
  /** The submit_sm of the message. Empty until the message is first written. */
  pdus: OutgoingMessage[];
  /** The number of short messages that the handset gets. The service bears the cost of more than were charged. */
  parts: number;
  next: number;
  /** Bit sets: the segments that the operator has accepted, and those of them accepted before this link wrote. */
  accepted: number;
  acceptedBefore: number;
  /** See `QueuedMessage`. */
  partIds: readonly string[] | null;
  /** The window slots that the message occupies from its intent until its outcome is committed. */
  slots: number;
};

/** A message that a late answer proves fully accepted. */
export type Proven = { message: QueuedMessage; operatorMessageId: string };
