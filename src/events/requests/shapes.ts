// The response shapes of the request log.
import { type Static, Type } from "typebox";
import { outcomes } from "../../platform/http/refusals.ts";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";

export const OUTCOMES = ["success", ...new Set(Object.values(outcomes))].filter(
  (outcome, i, all) => all.indexOf(outcome) === i,
);

/**
 * One request that was refused or that its caller named, or a count for an hour, without `requestId`. `ms` and `bytes`
 * are then averages.
 */
export const RequestEntry = shape("RequestEntry", {
  id: Type.String(),
  at: Timestamp,
  path: Type.String({ examples: ["/v1/campaign/create"] }),
  outcome: Type.Enum([...OUTCOMES], { examples: ["invalid-request"] }),
  error: orNull(Type.String({ examples: ["invalid-phone-number"] })),
  fields: Type.Array(Type.String(), { examples: [["contacts[0].phone"]] }),
  caller: Type.Enum(["key", "server-key", "application", "connection"], { examples: ["key"] }),
  keyId: orNull(Type.String()),
  appId: orNull(Type.String()),
  address: Type.String(),
  ms: Type.Integer(),
  bytes: Type.Integer(),
  requestCount: Type.Integer({ examples: [1] }),
  lastAt: Timestamp,
  requestId: orNull(Type.String()),
});
export type RequestEntry = Static<typeof RequestEntry>;
