// The response shapes of sign-ins, of administrators and of members.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";
import { memberRoleMeaning } from "../accounts/permissions.ts";
import { adminRoleMeaning } from "../admins/roles.ts";
import { Administrator } from "../admins/shapes.ts";

/** The meanings of the members that several schemas of this capability have. */
export const sessionMeanings = {
  otp: { fr: "Code reçu par SMS", en: "Code received by SMS" },
  token: {
    fr: "Jeton de cette connexion, de begin à confirm",
    en: "Token of this sign-in, from begin to confirm",
    sample: "<token>",
  },
} satisfies Record<string, Meaning>;

/** A sign-in that has begun. It looks the same for an unknown phone. */
export const SignInBegun = shape("SignInBegun", {
  token: member(Type.String(), sessionMeanings.token),
  expiresAt: Timestamp,
});
export type SignInBegun = Static<typeof SignInBegun>;

const person = {
  role: member(Type.String({ examples: ["reviewer"] }), adminRoleMeaning),
  name: Type.String(),
};

/**
 * The result of a right code and a right second factor: the key of a session. A person without a second factor gets no
 * key yet, but a secret to enroll one.
 */
export const SignedIn = shape("SignedIn", {
  adminKey: orNull(Type.String()),
  expiresAt: orNull(Timestamp),
  ...person,
  enrolment: member(
    orNull(
      Type.Object({
        secret: member(Type.String(), {
          fr: "Secret TOTP (RFC 6238), en base32",
          en: "TOTP secret (RFC 6238), in base32",
          sample: "whsec_…",
        }),
        url: member(Type.String(), {
          fr: "Adresse otpauth:// pour l’application d’authentification",
          en: "otpauth:// URL for the authenticator app",
        }),
      }),
    ),
    {
      fr: "Second facteur à configurer, ou null s’il y en a déjà un",
      en: "Second factor to set up, or null if there already is one",
    },
  ),
});
export type SignedIn = Static<typeof SignedIn>;

/** The first session of a person, and recovery codes, each of which replaces the second factor once. */
export const Enrolled = shape("Enrolled", {
  adminKey: Type.String(),
  expiresAt: Timestamp,
  ...person,
  recoveryCodes: member(Type.Array(Type.String()), {
    fr: "Dix codes de secours, affichés une seule fois",
    en: "Ten recovery codes, shown only once",
    sample: ["K7QW-2MZA-P4TX-VB6D"],
  }),
});
export type Enrolled = Static<typeof Enrolled>;

/** A disabled administrator, and how many machine keys were revoked with them. */
export const DisabledAdministrator = shape("DisabledAdministrator", {
  ...Administrator.properties,
  revokedKeys: member(Type.Integer({ examples: [0] }), {
    fr: "Nombre de clés de machines révoquées",
    en: "Number of machine keys revoked",
  }),
});
export type DisabledAdministrator = Static<typeof DisabledAdministrator>;

const MemberRoleShown = member(Type.Enum(["reader", "editor", "approver", "owner"]), memberRoleMeaning);

/** A company that a person acts for. On trial, its messages go only to simulated handsets. */
const SessionCompany = Type.Object({
  companyId: Type.String(),
  name: Type.String({ examples: ["Boutique Awa"] }),
  userId: Type.String(),
  role: MemberRoleShown,
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
  role: MemberRoleShown,
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
  companies: member(Type.Array(SessionCompany), {
    fr: "Entreprises de la personne, la plus ancienne en premier",
    en: "Companies of the person, oldest first",
  }),
  closedCompanies: member(Type.Array(ClosedSessionCompany), {
    fr: "Entreprises de la personne fermées à leur demande. Un owner les rouvre avec company/reopen jusqu’à emptyAt",
    en: "Companies of the person that were closed at their own request. An owner reopens them with company/reopen until emptyAt",
  }),
  suspendedCompanies: member(Type.Array(SuspendedSessionCompany), {
    fr: "Entreprises de la personne suspendues par le service. Aucune action n’y est possible : contactez le service",
    en: "Companies of the person suspended by the service. No action is possible for them: contact the service",
  }),
});
export type WhoAmI = Static<typeof WhoAmI>;

/** A session that was just opened: its key is an `apiKey` for each of these companies. */
export const MemberSignedIn = shape("MemberSignedIn", {
  sessionKey: member(Type.String(), {
    fr: "Clé de session. Elle sert d’apiKey pour chacune de ces entreprises, jusqu’à la fin de la session",
    en: "Session key. It works as apiKey for each of these companies until the session ends",
    sample: "ses_4f…",
  }),
  expiresAt: Timestamp,
  ...WhoAmI.properties,
});
export type MemberSignedIn = Static<typeof MemberSignedIn>;

/** A live session of a person. */
export const MemberSession = shape("MemberSession", {
  id: Type.String(),
  address: Type.String({ examples: ["41.202.10.7"] }),
  browser: member(Type.String({ examples: ["Mozilla/5.0 (Android 15; Mobile) Firefox/150.0"] }), {
    fr: "Navigateur, tel qu’il s’identifie",
    en: "Browser, as it identifies itself",
  }),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  current: Type.Boolean(),
});

export const EndedMemberSession = shape("EndedMemberSession", { id: Type.String() });
