// What a session writes: batches, their messages and what is proven of them.
import type { OutgoingMessage } from "../../../protocol/smpp/smpp.ts";
import type { QueuedMessage } from "../../sends/sends.ts";

/** A batch that the session has. `open` counts its messages that are not settled and not moved. */
export type Batch = {
  id: string;
  lane: number;
  prefix: string;
  /** Empty except for bulk. */
  accountId: string;
  /** Since when it waits to be sent, and when this link took it, by the monotonic clock. */
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
  /** Its submit_sm. They are made when it is first written. */
  pdus: OutgoingMessage[];
  /** The short messages that the handset gets. More than those that were charged are ours to pay. */
  parts: number;
  next: number;
  /** The segments that the operator has accepted, one bit each, and those of them that it had before this link wrote. */
  accepted: number;
  acceptedBefore: number;
  /** See `QueuedMessage`. */
  partIds: readonly string[] | null;
  /** The window slots that it keeps from its intent until its outcome is committed. */
  slots: number;
};

/** A message that an answer proves accepted in full, after the time for it was over. */
export type Proven = { message: QueuedMessage; operatorMessageId: string };
