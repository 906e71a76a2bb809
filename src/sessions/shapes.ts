// The shapes of signing in as an administrator, in answers.
import { type Static, Type } from "typebox";
import { Administrator } from "../admins/admins.ts";
import { orNull, shape, Timestamp } from "../kernel/schemas.ts";

/** A sign-in that has begun. It looks the same for a phone that no administrator has. */
export const SignInBegun = shape("SignInBegun", { token: Type.String(), expiresAt: Timestamp });
export type SignInBegun = Static<typeof SignInBegun>;

const person = { role: Type.String({ examples: ["reviewer"] }), name: Type.String() };

/**
 * What a right code and a right second factor give: the key of a session. A person without a second factor gets no key
 * yet, and the secret to enrol one with.
 */
export const SignedIn = shape("SignedIn", {
  adminKey: orNull(Type.String()),
  expiresAt: orNull(Timestamp),
  ...person,
  enrolment: orNull(Type.Object({ secret: Type.String(), url: Type.String() })),
});
export type SignedIn = Static<typeof SignedIn>;

/** The first session of a person, and its recovery codes, each of which replaces the second factor once. */
export const Enrolled = shape("Enrolled", {
  adminKey: Type.String(),
  expiresAt: Timestamp,
  ...person,
  recoveryCodes: Type.Array(Type.String()),
});
export type Enrolled = Static<typeof Enrolled>;

/** An administrator who was disabled, and how many keys of machines were revoked with that. */
export const DisabledAdministrator = shape("DisabledAdministrator", {
  ...Administrator.properties,
  revokedKeys: Type.Integer({ examples: [0] }),
});
export type DisabledAdministrator = Static<typeof DisabledAdministrator>;
