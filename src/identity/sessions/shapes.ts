// The response shapes of sign-ins, of administrators and of members.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";
import { Administrator } from "../admins/shapes.ts";

/** A sign-in that has begun. It looks the same for an unknown phone. */
export const SignInBegun = shape("SignInBegun", { token: Type.String(), expiresAt: Timestamp });
export type SignInBegun = Static<typeof SignInBegun>;

const person = { role: Type.String({ examples: ["reviewer"] }), name: Type.String() };

/**
 * The result of a right code and a right second factor: the key of a session. A person without a second factor gets no
 * key yet, but a secret to enroll one.
 */
export const SignedIn = shape("SignedIn", {
  adminKey: orNull(Type.String()),
  expiresAt: orNull(Timestamp),
  ...person,
  enrolment: orNull(Type.Object({ secret: Type.String(), url: Type.String() })),
});
export type SignedIn = Static<typeof SignedIn>;

/** The first session of a person, and recovery codes, each of which replaces the second factor once. */
export const Enrolled = shape("Enrolled", {
  adminKey: Type.String(),
  expiresAt: Timestamp,
  ...person,
  recoveryCodes: Type.Array(Type.String()),
});
export type Enrolled = Static<typeof Enrolled>;

/** A disabled administrator, and how many machine keys were revoked with them. */
export const DisabledAdministrator = shape("DisabledAdministrator", {
  ...Administrator.properties,
  revokedKeys: Type.Integer({ examples: [0] }),
});
export type DisabledAdministrator = Static<typeof DisabledAdministrator>;

const MEMBER_ROLE = Type.Enum(["reader", "editor", "approver", "owner"]);

/** A company that a person acts for. On trial, its messages go only to simulated handsets. */
const SessionCompany = Type.Object({
  companyId: Type.String(),
  name: Type.String({ examples: ["Boutique Awa"] }),
  userId: Type.String(),
  role: MEMBER_ROLE,
  country: Type.String({ examples: ["CI"] }),
  language: Type.Enum(["fr", "en"]),
  partner: Type.Boolean(),
  trial: Type.Boolean(),
  balance: Type.Integer(),
});
export type SessionCompany = Static<typeof SessionCompany>;

/** A company of a person that has closed itself: an owner can reopen it until it is emptied. */
const ClosedSessionCompany = Type.Object({
  companyId: Type.String(),
  name: Type.String({ examples: ["Boutique Awa"] }),
  userId: Type.String(),
  role: MEMBER_ROLE,
  closedAt: Timestamp,
  emptyAt: Timestamp,
});

/** A company of a person that an administrator has suspended. The person cannot act for it, and does not see why. */
const SuspendedSessionCompany = Type.Object({
  companyId: Type.String(),
  name: Type.String({ examples: ["Boutique Awa"] }),
});

/** The signed-in person; the phone is masked. */
export const WhoAmI = shape("WhoAmI", {
  name: orNull(Type.String({ examples: ["Awa Koné"] })),
  phone: Type.String({ examples: ["225******05"] }),
  companies: Type.Array(SessionCompany),
  closedCompanies: Type.Array(ClosedSessionCompany),
  suspendedCompanies: Type.Array(SuspendedSessionCompany),
});
export type WhoAmI = Static<typeof WhoAmI>;

/** A session that was just opened: its key is an `apiKey` for each of these companies. */
export const MemberSignedIn = shape("MemberSignedIn", {
  sessionKey: Type.String(),
  expiresAt: Timestamp,
  ...WhoAmI.properties,
});
export type MemberSignedIn = Static<typeof MemberSignedIn>;

/** A live session of a person. */
export const MemberSession = shape("MemberSession", {
  id: Type.String(),
  address: Type.String({ examples: ["41.202.10.7"] }),
  browser: Type.String({ examples: ["Mozilla/5.0 (Android 15; Mobile) Firefox/150.0"] }),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  current: Type.Boolean(),
});

export const EndedMemberSession = shape("EndedMemberSession", { id: Type.String() });
