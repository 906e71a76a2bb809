// The shapes of the recovery in responses.
import { type Static, Type } from "typebox";
import { ACKNOWLEDGED_KINDS } from "../../platform/files/acknowledgedlines.ts";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";

/** The sums of acknowledged data that an incarnation lacks. */
const ForgottenSums = shape("ForgottenSums", {
  campaigns: Type.Integer(),
  messages: Type.Integer(),
  codes: Type.Integer(),
  credits: Type.Integer(),
  changes: Type.Integer(),
});
export type ForgottenSums = Static<typeof ForgottenSums>;

/** The result of a process that checked what the processes with its folder had acknowledged. */
const ForgottenReport = shape("ForgottenReport", {
  host: Type.String(),
  folder: Type.String(),
  since: Timestamp,
  acknowledged: Type.Integer(),
  forgotten: ForgottenSums,
  reportedAt: Timestamp,
});
export type ForgottenReport = Static<typeof ForgottenReport>;

/** A gateway from before the incarnation, and whether all that it had submitted since the last heartbeat is known. */
const GatewayReport = shape("GatewayReport", {
  node: Type.String(),
  host: Type.String(),
  reported: Type.Enum(["ALL", "PART", "NOTHING"]),
});
export type GatewayReport = Static<typeof GatewayReport>;

/** Acknowledged data that the database has lost. */
export const Forgotten = shape("Forgotten", {
  kind: Type.Enum([...ACKNOWLEDGED_KINDS]),
  id: Type.String(),
  accountId: orNull(Type.String()),
  accountName: orNull(Type.String()),
  count: Type.Integer(),
  name: orNull(Type.String()),
  acknowledgedAt: Timestamp,
  notifiedAt: orNull(Timestamp),
});
export type Forgotten = Static<typeof Forgotten>;

/** An accepted campaign that the database has lost. */
export const ForgottenCampaign = shape("ForgottenCampaign", {
  campaignId: Type.String(),
  name: orNull(Type.String()),
  contactCount: Type.Integer(),
  createdAt: Timestamp,
});
export type ForgottenCampaign = Static<typeof ForgottenCampaign>;

/** The current incarnation of the database, and whether sending is held. */
export const Recovery = shape("Recovery", {
  state: Type.Enum(["NORMAL", "HELD", "SETTLING"], { examples: ["HELD"] }),
  incarnation: Type.Integer(),
  reason: orNull(Type.Enum(["RESTORED", "PROMOTED", "LOST", "WENT_BACK"], { examples: ["RESTORED"] })),
  heldAt: orNull(Timestamp),
  lastSeenAt: orNull(Timestamp),
  messages: Type.Integer(),
  decision: orNull(Type.Enum(["CONTINUED", "RESUMED", "UNKNOWN"])),
  decidedAt: orNull(Timestamp),
  decidedBy: orNull(Type.String()),
  since: orNull(Timestamp),
  submittedOnly: Type.Boolean(),
  forgotten: ForgottenSums,
  reports: Type.Array(ForgottenReport),
  gateways: Type.Array(GatewayReport),
});
export type Recovery = Static<typeof Recovery>;
