// The shapes of administrators in answers.
import { type Static, Type } from "typebox";
import { orNull, PhoneShown, shape, Timestamp } from "../../platform/schemas.ts";
import { ADMIN_ROLES } from "./roles.ts";

const AdminRole = Type.Enum([...ADMIN_ROLES], { examples: ["reviewer"] });

/** A person. `secondFactor` is false until it has enrolled one, for which there is time until `invitedUntil`. */
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

/** Who asks. `id` is that of the person or the key, null for the key of the installation; a key has no session. */
export const ActingAdministrator = shape("ActingAdministrator", {
  id: orNull(Type.String()),
  name: Type.String({ examples: ["Prometheus"] }),
  role: AdminRole,
  sessionId: orNull(Type.String()),
});

/** A session of a person that is neither ended nor over; `current` is the one that asks. */
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

/** A key that was just made, with the key itself. */
export const NewAdministratorKey = shape("NewAdministratorKey", {
  ...AdministratorKey.properties,
  adminKey: Type.String(),
});
export type NewAdministratorKey = Static<typeof NewAdministratorKey>;

export const EndedSession = shape("EndedSession", { id: Type.String() });
export type EndedSession = Static<typeof EndedSession>;
