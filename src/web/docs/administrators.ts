// The sections of the reference on administration, in reading order, and the meaning of their fields.
import type { Term } from "./glossary.ts";

export const administratorTerms: Record<string, Term> = {
  confirmation: {
    fr: "Présent si l’attribution est en attente. Les crédits sont versés après confirmation par un autre administrateur, possible jusqu’à expiresAt",
    en: "Present if the grant is pending. The credits are granted after another administrator confirms, which is possible until expiresAt",
    sample: { id: "66f0c0ffee00000000000001", expiresAt: "2026-11-21T09:10:00.000Z" },
  },
  ownerKind: { fr: "Type de titulaire du solde", en: "Type of balance holder", sample: "company" },
  ownerId: {
    fr: "Identifiant de l’entreprise, de l’utilisateur ou du client",
    en: "ID of the company, user or customer",
    sample: "66f0c0ffee00000000000001",
  },
  requestedBy: {
    fr: "Administrateur qui a fait la demande",
    en: "Administrator who made the request",
    sample: "Fatou Diop",
  },
  isOwn: {
    fr: "Indique si vous avez fait la demande. Un autre administrateur doit alors confirmer",
    en: "Whether you made the request. Another administrator must then confirm",
    sample: false,
  },
  refusalReason: { fr: "Raison du refus", en: "Reason for the refusal", sample: null },
  adminKey: {
    fr: "Clé d’administrateur : de l’installation, d’une machine ou d’une session",
    en: "Administrator key: of the installation, a machine or a session",
    sample: "<adminKey>",
  },
  role: {
    fr: "Rôle de l’administrateur : owner peut tout faire, support lit sans voir les numéros, reviewer examine, finance gère les crédits",
    en: "Role of the administrator: owner can do everything, support can read without phone numbers, reviewer can review, finance can manage credits",
    sample: "reviewer",
  },
  secondFactor: {
    fr: "Indique si un second facteur est configuré",
    en: "Whether a second factor is set up",
    sample: true,
  },
  invitedUntil: {
    fr: "Date limite de connexion sans second facteur, ou null s’il y en a un",
    en: "Time until which the person can sign in without a second factor, or null if there is one",
    sample: null,
  },
  createdBy: {
    fr: "Administrateur qui a créé la clé, lui-même ou avec une de ses clés. null si elle a été créée avec la clé de l’installation",
    en: "Administrator who created the key, in person or with one of their keys. null if it was created with the installation key",
  },
  revokeKeys: {
    fr: "Révoque aussi les clés de machines que la personne a créées",
    en: "Also revokes the machine keys that the person created",
    sample: true,
  },
  revokedKeys: {
    fr: "Nombre de clés de machines révoquées",
    en: "Number of machine keys revoked",
    sample: 0,
  },
  disabledAt: {
    fr: "Date de désactivation, ou null si l’administrateur est actif",
    en: "Time when the administrator was disabled, or null if active",
    sample: null,
  },
  administratorId: { fr: "Identifiant de l’administrateur", en: "Administrator ID" },
  current: {
    fr: "Indique s’il s’agit de la session de cette requête",
    en: "Whether this is the session of this request",
    sample: true,
  },
  lastUsedAt: {
    fr: "Date de la dernière utilisation, à la minute près, ou null si aucune",
    en: "Time of the last use, to the minute, or null if never used",
    sample: "2026-11-21T09:00:00.000Z",
  },
  networks: {
    fr: "Adresses et plages IP depuis lesquelles la clé fonctionne, 20 au plus. Si la liste est vide, la clé fonctionne de partout",
    en: "IP addresses and ranges that the key works from, at most 20. If the list is empty, the key works from anywhere",
    sample: ["41.202.10.0/24"],
  },
  totp: {
    fr: "Code de l’application d’authentification, valable 30 secondes et une seule fois",
    en: "Code of the authenticator app, valid for 30 seconds and only once",
    sample: "654321",
  },
  recoveryCode: {
    fr: "Code de secours à usage unique, à la place de totp",
    en: "One-time recovery code, instead of totp",
    sample: "K7QW-2MZA-P4TX-VB6D",
  },
  recoveryCodes: {
    fr: "Dix codes de secours, affichés une seule fois",
    en: "Ten recovery codes, shown only once",
    sample: ["K7QW-2MZA-P4TX-VB6D"],
  },
  enrolment: {
    fr: "Second facteur à configurer, ou null s’il y en a déjà un",
    en: "Second factor to set up, or null if there already is one",
  },
};
