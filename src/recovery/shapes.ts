// The shape of the recovery in answers.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../kernel/schemas.ts";

/** Which incarnation of the database this is, and whether sending is held. */
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
});
export type Recovery = Static<typeof Recovery>;
