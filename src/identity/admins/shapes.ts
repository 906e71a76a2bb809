// The response shapes of administrators.
import { type Static, Type } from "typebox";
import { orNull, PhoneShown, shape, Timestamp } from "../../platform/http/schemas.ts";
import { ADMIN_ROLES } from "./roles.ts";

const AdminRole = Type.Enum([...ADMIN_ROLES], { examples: ["reviewer"] });

/** A person. `secondFactor` is false until one is enrolled, which is possible until `invitedUntil`. */
export const Administrator = shape("Administrator", {
  id: Type.String(),
  name: Type.String(),
  phone: PhoneShown,
  role: AdminRole,
  language: Type.Enum(["fr", "en"]),
  secondFactor: Type.Boolean({ examples: [true] }),
  invitedUntil: orNull(Timestamp),
  createdAt: Timestamp,
  disabledAt: orNull(Timestamp),
});
export type Administrator = Static<typeof Administrator>;

/** The caller. `id` is that of the person or the key, null for the installation's key; a key has no session. */
export const ActingAdministrator = shape("ActingAdministrator", {
  id: orNull(Type.String()),
  name: Type.String({ examples: ["Prometheus"] }),
  role: AdminRole,
  sessionId: orNull(Type.String()),
});

/** A live session of a person; `current` is the session of the request. */
export const AdministratorSession = shape("AdministratorSession", {
  id: Type.String(),
  administratorId: Type.String(),
  name: Type.String(),
  address: Type.String(),
  current: Type.Boolean({ examples: [true] }),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  expiresAt: Timestamp,
});
export type AdministratorSession = Static<typeof AdministratorSession>;

/** A key of a machine. Without `networks` it may be used from anywhere; `createdBy` is a person. */
export const AdministratorKey = shape("AdministratorKey", {
  id: Type.String(),
  name: Type.String({ examples: ["Prometheus"] }),
  role: AdminRole,
  networks: Type.Array(Type.String()),
  createdBy: orNull(Type.String()),
  createdAt: Timestamp,
  expiresAt: orNull(Timestamp),
  revokedAt: orNull(Timestamp),
  lastUsedAt: orNull(Timestamp),
});
export type AdministratorKey = Static<typeof AdministratorKey>;

/** A new key, with its value. */
export const NewAdministratorKey = shape("NewAdministratorKey", {
  ...AdministratorKey.properties,
  adminKey: Type.String(),
});
export type NewAdministratorKey = Static<typeof NewAdministratorKey>;

export const EndedSession = shape("EndedSession", { id: Type.String() });
export type EndedSession = Static<typeof EndedSession>;
