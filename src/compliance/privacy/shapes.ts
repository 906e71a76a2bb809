// What the URLs of erasing answer.
import { type Static, Type } from "typebox";
import { Message } from "../../delivery/sends/sends.ts";
import { orNull, shape, Timestamp } from "../../platform/schemas.ts";

/** An erasure: how far it is, and what was taken out or emptied so far. It does not say whom. */
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

/** How far a file is that is written in the background, and where it can be fetched. */
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
 * The messages of a send as CSV: how far it is, and where it can be fetched. `runId` names the send; with `messageStatus` it
 * has only the messages of that status.
 */
export const CampaignExport = shape("CampaignExport", {
  exportId: Type.String(),
  campaignId: Type.String(),
  runId: Type.String(),
  messageStatus: orNull(Message.properties.status),
  ...PROGRESS,
});
export type CampaignExport = Static<typeof CampaignExport>;

/** An archive of what a company has: how far it is, and where it can be fetched. */
export const Export = shape("Export", {
  id: Type.String(),
  ...PROGRESS,
});
export type Export = Static<typeof Export>;

/** An erasure as the audit log names it. */
export const erasureNoted = ({ id }: Erasure) => ({ kind: "erasure", id });
