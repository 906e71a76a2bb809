// The response shapes of erasures, closings and exports.
import { type Static, Type } from "typebox";
import { Message } from "../../delivery/sends/record/shapes.ts";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";

/** An erasure: its progress, and what was deleted or emptied so far. It does not name the person. */
export const Erasure = shape("Erasure", {
  id: Type.String(),
  status: Type.Enum(["RUNNING", "DONE"]),
  percent: Type.Integer({ examples: [40] }),
  erased: Type.Object({
    contacts: Type.Integer(),
    optouts: Type.Integer(),
    queued: Type.Integer(),
    messages: Type.Integer(),
    received: Type.Integer(),
    codes: Type.Integer(),
    events: Type.Integer(),
  }),
  createdAt: Timestamp,
  doneAt: orNull(Timestamp),
});
export type Erasure = Static<typeof Erasure>;

/** Whether a company has closed itself, and when it is emptied. */
export const Closing = shape("Closing", {
  companyId: Type.String(),
  status: Type.Enum(["OPEN", "CLOSED"]),
  emptyAt: orNull(Timestamp),
});
export type Closing = Static<typeof Closing>;

/** The progress of a file written in the background, and its link. */
const PROGRESS = {
  status: Type.Enum(["RUNNING", "DONE", "FAILED"]),
  percent: Type.Integer({ examples: [40] }),
  rows: Type.Integer(),
  bytes: Type.Integer(),
  url: orNull(Type.String()),
  expiresAt: orNull(Timestamp),
  createdAt: Timestamp,
};
const Progress = Type.Object(PROGRESS);
export type Progress = Static<typeof Progress>;

/**
 * The messages of a send as CSV: its progress and its link. `runId` names the send; with `messageStatus` it has only
 * the messages with that status.
 */
export const CampaignExport = shape("CampaignExport", {
  exportId: Type.String(),
  campaignId: Type.String(),
  runId: Type.String(),
  messageStatus: orNull(Message.properties.status),
  ...PROGRESS,
});
export type CampaignExport = Static<typeof CampaignExport>;

/** An archive of a company's data: its progress and its link. */
export const Export = shape("Export", {
  id: Type.String(),
  ...PROGRESS,
});
export type Export = Static<typeof Export>;

/** An erasure as the object of an audit entry. */
export const erasureNoted = ({ id }: Erasure) => ({ kind: "erasure", id });
