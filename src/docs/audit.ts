// The section of the reference on the audit log, and the meaning of its members.
import type { Term } from "./glossary.ts";

export const auditTerms: Record<string, Term> = {
  actorId: {
    fr: "Identifiant de l’utilisateur, de la clé, du revendeur ou de l’application",
    en: "Id of the user, the key, the reseller or the application",
    sample: "66f0c0ffee00000000000002",
  },
  keyId: {
    fr: "La clé avec laquelle un membre agit ; null : sa première",
    en: "The key by which a member acts; null: the first",
    sample: null,
  },
  action: {
    fr: "L’URL de l’action sans /v1/, ou pair/answer et claim/{token} sur les pages",
    en: "The URL of the action without /v1/, or pair/answer and claim/{token} on the pages",
    sample: "contact/{id}/update",
  },
  until: {
    fr: "Seulement avant ce moment : la liste cherche dans les 10 000 entrées les plus récentes avant lui",
    en: "Only before this moment: the list looks into the newest 10,000 entries before it",
    sample: "2027-01-01T00:00:00Z",
  },
  chain: {
    fr: "La chaîne : platform pour les administrateurs, sinon le compte qui agit",
    en: "The chain: platform for administrators, else the account that acts",
    sample: "platform",
  },
  next: {
    fr: "Où continuer (d’une liste de messages, à donner comme afterNumber ou afterId) ; null : tout est vu",
    en: "Where to go on (of a list of messages, to be given as afterNumber or afterId); null: all is seen",
    sample: null,
  },
  at: { fr: "Quand", en: "When" },
  hash: {
    fr: "L’empreinte de l’entrée et de toutes celles d’avant",
    en: "The hash of the entry and of all before it",
    sample: "x4mD3nFhVJ8yq0oM5cQF0s1a2b3c4d5e6f7g8h9i0jk",
  },
  actor: {
    fr: "Qui : un administrateur n’a ni identifiant, ni nom, ni adresse pour une entreprise",
    en: "Who: an administrator has no id, name or address for a company",
  },
  address: {
    fr: "L’adresse d’où vient la requête",
    en: "The address that the request came from",
    sample: "192.0.2.7",
  },
  on: { fr: "Sur quoi", en: "On what" },
  before: {
    fr: "Ce qui a changé, avant ; jamais un secret",
    en: "What has changed, before; never a secret",
  },
  isCut: {
    fr: "Vrai si before ou after étaient trop longs pour être gardés en entier",
    en: "True if before or after were too long to be kept whole",
  },
  chains: { fr: "Chaînes prouvées jusqu’au bout", en: "Chains that were proven to their end", sample: 1 },
  faults: {
    fr: "Ce qui est faux, la première faute de chaque chaîne",
    en: "What is wrong, the first fault of each chain",
  },
  fault: {
    fr: "changed : l’entrée n’est pas celle qui fut écrite ; missing : il en manque avant elle ; cut : il en manque à la fin",
    en: "changed: the entry is not what was written; missing: some before it are gone; cut: some at the end are gone",
  },
};
