// The sections of the reference on the administration, in reading order, and the meaning of their members.
import type { Term } from "./glossary.ts";

export const administratorTerms: Record<string, Term> = {
  confirmation: {
    fr: "Présent si rien n’est versé : le crédit attend la confirmation d’un autre administrateur, jusqu’à expiresAt",
    en: "There if nothing is granted yet: the grant waits for the confirmation of another administrator, until expiresAt",
    sample: { id: "66f0c0ffee00000000000001", expiresAt: "2026-11-21T09:10:00.000Z" },
  },
  ownerKind: { fr: "À qui est le solde", en: "Whose balance it is", sample: "company" },
  ownerId: {
    fr: "Identifiant de l’entreprise, de l’utilisateur ou du client",
    en: "Id of the company, the user or the customer",
    sample: "66f0c0ffee00000000000001",
  },
  requestedBy: {
    fr: "L’administrateur qui l’a demandé",
    en: "The administrator who asked for it",
    sample: "Fatou Diop",
  },
  isOwn: {
    fr: "Vrai si vous l’avez demandé : un autre doit confirmer",
    en: "True if you asked for it: another one has to confirm",
    sample: false,
  },
  refusalReason: { fr: "Pourquoi il a été refusé", en: "Why it was refused", sample: null },
  adminKey: {
    fr: "Clé d’un administrateur : de l’installation, d’une machine ou d’une session",
    en: "An administrator’s key: of the installation, a machine or a session",
    sample: "<adminKey>",
  },
  role: {
    fr: "Ce que l’administrateur peut faire : owner tout, support lire sans les numéros, reviewer examiner, finance les crédits",
    en: "What the administrator may do: owner everything, support read without phones, reviewer review, finance credits",
    sample: "reviewer",
  },
  secondFactor: { fr: "A choisi un second facteur", en: "Has enrolled a second factor", sample: true },
  invitedUntil: {
    fr: "Sans second facteur, la personne peut se connecter jusque-là ; null : elle en a un",
    en: "Without a second factor the person can sign in until then; null: there is one",
    sample: null,
  },
  createdBy: {
    fr: "L’administrateur qui a fait la clé, par lui-même ou par une de ses clés ; null : la clé de l’installation",
    en: "The administrator who made the key, in person or by one of their keys; null: the key of the installation",
  },
  revokeKeys: {
    fr: "Révoquer aussi les clés de machines que la personne a faites",
    en: "Revoke the keys of machines that the person made too",
    sample: true,
  },
  revokedKeys: { fr: "Clés de machines révoquées", en: "Keys of machines that were revoked", sample: 0 },
  disabledAt: {
    fr: "Désactivé depuis ; null : ne l’est pas",
    en: "Disabled since; null: it is not",
    sample: null,
  },
  administratorId: { fr: "Identifiant de l’administrateur", en: "Id of the administrator" },
  current: { fr: "C’est la session qui demande", en: "It is the session that asks", sample: true },
  lastUsedAt: {
    fr: "Dernier usage, à la minute près ; null : jamais",
    en: "Last use, to the minute; null: never",
    sample: "2026-11-21T09:00:00.000Z",
  },
  networks: {
    fr: "Adresses et plages d’où la clé peut servir, 20 au plus ; aucune : de partout",
    en: "Addresses and ranges that the key may be used from, 20 at most; none: from anywhere",
    sample: ["41.202.10.0/24"],
  },
  totp: {
    fr: "Code de l’application d’authentification, valable 30 secondes, une fois",
    en: "Code of the authenticator application, good for 30 seconds, once",
    sample: "654321",
  },
  recoveryCode: {
    fr: "Un code de secours, au lieu de totp, une fois",
    en: "A recovery code, instead of totp, once",
    sample: "K7QW-2MZA-P4TX-VB6D",
  },
  recoveryCodes: {
    fr: "Dix codes de secours, montrés seulement ici",
    en: "Ten recovery codes, shown only here",
    sample: ["K7QW-2MZA-P4TX-VB6D"],
  },
  enrolment: {
    fr: "Le second facteur à choisir ; null s’il y en a un",
    en: "The second factor to enrol; null where there is one",
  },
};
