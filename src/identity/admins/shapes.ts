// The response shapes of administrators.
import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import { orNull, PhoneShown, shape, Timestamp } from "../../platform/http/responseschemas.ts";
import { ADMIN_ROLES, adminRoleMeaning } from "./roles.ts";

const AdminRole = member(Type.Enum([...ADMIN_ROLES], { examples: ["reviewer"] }), adminRoleMeaning);

/** A person. `secondFactor` is false until one is enrolled, which is possible until `invitedUntil`. */
export const Administrator = shape("Administrator", {
  id: Type.String(),
  name: Type.String(),
  phone: PhoneShown,
  role: AdminRole,
  language: Type.Enum(["fr", "en"]),
  secondFactor: member(Type.Boolean({ examples: [true] }), {
    fr: "Indique si un second facteur est configuré",
    en: "Whether a second factor is set up",
  }),
  invitedUntil: member(orNull(Timestamp), {
    fr: "Date limite de connexion sans second facteur, ou null s’il y en a un",
    en: "Time until which the person can sign in without a second factor, or null if there is one",
    sample: null,
  }),
  createdAt: Timestamp,
  disabledAt: member(orNull(Timestamp), {
    fr: "Date de désactivation, ou null si l’administrateur est actif",
    en: "Time when the administrator was disabled, or null if active",
    sample: null,
  }),
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
  administratorId: member(Type.String(), { fr: "Identifiant de l’administrateur", en: "Administrator ID" }),
  name: Type.String(),
  address: member(Type.String(), {
    fr: "Adresse IP depuis laquelle la personne s’est connectée",
    en: "IP address that the person signed in from",
    sample: "192.0.2.7",
  }),
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
  createdBy: member(orNull(Type.String()), {
    fr: "Administrateur qui a créé la clé, lui-même ou avec une de ses clés. null si elle a été créée avec la clé de l’installation",
    en: "Administrator who created the key, in person or with one of their keys. null if it was created with the installation key",
  }),
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
