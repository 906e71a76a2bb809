// The units that a session writes: batches, their messages, and what the operator has accepted of each.
import type { Outgoing } from "../../operators/carrier.ts";
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
  /** The requests of the message, one for each segment, or one for all. Empty until the message is first written. */
  requests: readonly Outgoing[];
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
export type Proven = {
  message: Pick<QueuedMessage, "sendId" | "number" | "partIds">;
  operatorMessageId: string;
};

/** Returns a message with the operator's ids of its parts; unchanged if it has none, as for all texts of one part. */
export function withPartIds({ message, partIds }: Pick<Item, "message" | "partIds">): QueuedMessage {
  return partIds === null ? message : { ...message, partIds };
}
