// The response shapes of the audit log.
import { type Static, Type } from "typebox";
import { orNull, ShortText, shape, Timestamp } from "../../platform/http/schemas.ts";

const Members = Type.Unsafe<object>({ type: "object", examples: [{ name: "Clients" }] });

/** The actor. A company sees an administrator without id, name and address. */
const AuditActor = Type.Object({
  kind: Type.Enum(["administrator", "user", "reseller", "application", "visitor"]),
  id: orNull(Type.String()),
  /** Which of several keys a member acts by. Null: the first. */
  keyId: orNull(Type.String()),
  /** The session of a member who signed in instead of using a key. */
  sessionId: orNull(Type.String()),
  name: orNull(Type.String()),
  address: orNull(Type.String()),
});

/** An audited action. `before` and `after` have the members that it changed. */
export const AuditEntry = shape("AuditEntry", {
  id: Type.String(),
  at: Timestamp,
  chain: Type.String({ examples: ["platform"] }),
  number: Type.Integer(),
  hash: Type.String(),
  companyId: orNull(Type.String()),
  actor: AuditActor,
  action: Type.String({ examples: ["contact/{id}/update"] }),
  on: Type.Object({ kind: Type.String({ examples: ["contact"] }), id: orNull(Type.String()) }),
  before: orNull(Members),
  after: orNull(Members),
  isCut: Type.Boolean(),
  /** The request that caused it. A company does not see that of an administrator. */
  requestId: orNull(Type.String()),
});
export type AuditEntry = Static<typeof AuditEntry>;

/** The first faulty entry of a chain. */
const AuditFault = Type.Object({
  chain: Type.String({ examples: ["platform"] }),
  number: Type.Integer(),
  fault: Type.Enum(["changed", "missing", "cut"]),
});
export type AuditFault = Static<typeof AuditFault>;

/** The result of verifying a part of the log: how much was checked, its faults, and where to continue. */
export const AuditProof = shape("AuditProof", {
  entries: Type.Integer(),
  chains: Type.Integer(),
  faults: Type.Array(AuditFault),
  next: orNull(Type.String()),
});
export type AuditProof = Static<typeof AuditProof>;

/** The filters of the lists of the audit log. */
export const auditFilter = {
  action: Type.Optional(ShortText),
  until: Type.Optional(Type.String({ maxLength: 64 })),
};
