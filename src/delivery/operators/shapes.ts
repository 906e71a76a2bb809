// The shapes of operators in responses.
import { type Static, Type } from "typebox";
import { orNull, PhoneShown, shape, Timestamp } from "../../platform/http/schemas.ts";
import { settingsShown } from "./settings.ts";

/** An operator as administrators see it. */
export const Operator = shape("Operator", {
  id: Type.String(),
  name: Type.String({ examples: ["Opérateur 07"] }),
  host: Type.String(),
  port: Type.Integer(),
  tls: Type.Boolean(),
  tlsCa: orNull(Type.String()),
  tlsServerName: orNull(Type.String()),
  tlsCert: orNull(Type.String()),
  systemId: Type.String(),
  systemType: orNull(Type.String()),
  window: Type.Integer(),
  tps: orNull(Type.Integer()),
  prefixes: Type.Array(Type.String()),
  priority: Type.Integer(),
  enabled: Type.Boolean(),
  concatenation: Type.Enum(["udh8", "udh16", "sar", "payload"]),
  messageIdForm: Type.Enum(["as-is", "quoted", "hex-to-decimal", "decimal-to-hex", "case"]),
  receiptTimeZone: orNull(Type.String()),
  plainReceipts: Type.Boolean(),
  operatorGroup: orNull(Type.String()),
  ...settingsShown,
  overflowAfterS: orNull(Type.Integer()),
  createdAt: Timestamp,
  heldAt: orNull(Timestamp),
  state: Type.Enum(["CONNECTING", "BOUND", "REFUSED", "DISCONNECTED", "DISABLED"], { examples: ["BOUND"] }),
  able: Type.Boolean({ examples: [true] }),
  bound: Type.Integer({ examples: [1] }),
  inFlight: Type.Integer(),
  rate: Type.Number(),
  error: orNull(Type.String()),
  boundAt: orNull(Timestamp),
});
export type Operator = Static<typeof Operator>;

/** A bind that moves from one process to another, and until when the move takes precedence over equal shares. */
export const BindMove = shape("BindMove", {
  operatorId: Type.String(),
  bind: Type.Integer({ examples: [0] }),
  from: Type.String({ examples: ["atumpan 19a8f1c2b3d40000000000aa"] }),
  node: Type.String({ examples: ["atumpan 19a8f1c2b3d40000000000bb"] }),
  movedUntil: Timestamp,
});
export type BindMove = Static<typeof BindMove>;

/** The results of an import by line. `refusedLines` are the first hundred of the `refused` ones. */
export const PortedImport = shape("PortedImport", {
  imported: Type.Integer({ examples: [99_998] }),
  removed: Type.Integer({ examples: [1] }),
  refused: Type.Integer({ examples: [1] }),
  refusedLines: Type.Array(
    Type.Object({
      line: Type.Integer(),
      text: Type.String({ examples: ["2250501020304,Inconnu"] }),
      code: Type.Enum(["invalid-line", "invalid-number", "unknown-operator"], {
        examples: ["unknown-operator"],
      }),
    }),
  ),
});
export type PortedImport = Static<typeof PortedImport>;

/** A number and the operator that it is ported to, or null; `operator` is its name, null if it is deleted. */
export const PortedNumber = shape("PortedNumber", {
  phone: PhoneShown,
  operatorId: orNull(Type.String()),
  operator: orNull(Type.String({ examples: ["Opérateur 07"] })),
});
export type PortedNumber = Static<typeof PortedNumber>;
