// The shape of a process in responses.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";

/** A process of the service. `binds`: those that it owns now. */
export const Node = shape("Node", {
  id: Type.String({ examples: ["atumpan 66f0c0ffee00000000000002"] }),
  host: Type.String({ examples: ["sms-1"] }),
  pid: Type.Integer({ examples: [4242] }),
  version: Type.String({ examples: ["0.1.0"] }),
  roles: Type.Array(Type.String({ examples: ["gateway"] })),
  startedAt: Timestamp,
  seenAt: Timestamp,
  isAlive: Type.Boolean({ examples: [true] }),
  lastTurnAt: orNull(Timestamp),
  aheadMs: orNull(Type.Integer()),
  binds: Type.Array(
    Type.Object({
      operatorId: Type.String(),
      operator: Type.String({ examples: ["Opérateur 07"] }),
      bind: Type.Integer({ examples: [0] }),
      state: Type.Enum(["CONNECTING", "BOUND", "REFUSED", "DISCONNECTED"], { examples: ["BOUND"] }),
    }),
  ),
});
export type Node = Static<typeof Node>;
