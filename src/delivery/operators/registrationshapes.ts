// The shapes of the registrations of sender names in responses.
import { type Static, Type } from "typebox";
import { ReviewedSender, SenderInFull } from "../../phonebook/senders/shapes.ts";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";

export const REGISTRATION_STATES = ["REQUESTED", "REGISTERED", "REFUSED", "EXPIRED"] as const;
export type RegistrationState = (typeof REGISTRATION_STATES)[number];

/** The meanings of the members that several schemas of registrations have. */
export const registrationMeanings = {
  operatorId: {
    fr: "Opérateur auprès duquel le nom est enregistré",
    en: "Operator at which the name is registered",
    sample: "66f0c0ffee00000000000001",
  },
  country: { fr: "Pays de l’enregistrement (ISO 3166)", en: "Country of the registration (ISO 3166)" },
  state: {
    fr: "État : `REQUESTED` demandé, `REGISTERED` enregistré, `REFUSED` refusé, `EXPIRED` expiré",
    en: "State: `REQUESTED`, `REGISTERED`, `REFUSED` or `EXPIRED`",
    sample: "REGISTERED",
  },
  reference: {
    fr: "Numéro du dossier chez l’opérateur",
    en: "Reference of the request at the operator",
    sample: "OCI-2026-118",
  },
  document: {
    fr: "Emplacement des justificatifs",
    en: "Where the supporting documents are",
    sample: "Dossier 118, lettre du 3 mars",
  },
  expiresOn: {
    fr: "Dernier jour de validité (2027-03-31), ou null",
    en: "Last day of validity (2027-03-31), or null",
    sample: "2027-03-31",
  },
} satisfies Record<string, Meaning>;

/** A registration as the company of the sender sees it. */
export const OwnRegistration = shape("OwnRegistration", {
  operatorName: member(Type.String(), {
    fr: "Nom de l’opérateur",
    en: "Name of the operator",
    sample: "Orange CI",
  }),
  country: member(Type.String(), registrationMeanings.country),
  state: member(Type.Enum([...REGISTRATION_STATES]), registrationMeanings.state),
  expiresOn: member(orNull(Type.String()), registrationMeanings.expiresOn),
  updatedAt: Timestamp,
});
export type OwnRegistration = Static<typeof OwnRegistration>;

/** A registration as administrators see it. */
export const Registration = shape("Registration", {
  operatorId: member(Type.String(), registrationMeanings.operatorId),
  ...OwnRegistration.properties,
  reference: member(Type.String(), registrationMeanings.reference),
  document: member(Type.String(), registrationMeanings.document),
});
export type Registration = Static<typeof Registration>;

const registrationsOf = {
  fr: "Enregistrements du nom chez les opérateurs",
  en: "Registrations of the name at operators",
};

/** A sender of a company with its registrations. */
export const SenderWithRegistrations = shape("SenderWithRegistrations", {
  ...SenderInFull.properties,
  registrations: member(Type.Array(OwnRegistration), registrationsOf),
});

/** The same for administrators. */
export const ReviewedWithRegistrations = shape("ReviewedWithRegistrations", {
  ...ReviewedSender.properties,
  registrations: member(Type.Array(Registration), registrationsOf),
});

/** The registrations of a sender, after a change. */
export const Registrations = shape("Registrations", {
  companyId: Type.String(),
  registrations: member(Type.Array(Registration), registrationsOf),
});
export type Registrations = Static<typeof Registrations>;

/** A registration in the list of all of them. */
export const ListedRegistration = shape("ListedRegistration", {
  ...Registration.properties,
  senderId: Type.String(),
  senderName: member(Type.String({ examples: ["BOUTIQUE"] }), {
    fr: "Nom d’expéditeur",
    en: "Sender name",
  }),
  companyId: Type.String(),
  companyName: Type.String(),
});
export type ListedRegistration = Static<typeof ListedRegistration>;
