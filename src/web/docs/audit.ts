// The section of the reference on the audit log, and the meaning of its fields.
import type { Term } from "./glossary.ts";

export const auditTerms: Record<string, Term> = {
  actorId: {
    fr: "Identifiant de l’utilisateur, de la clé, du revendeur ou de l’application",
    en: "ID of the user, key, reseller or application",
    sample: "66f0c0ffee00000000000002",
  },
  keyId: {
    fr: "Clé utilisée par le membre, ou null pour sa première clé",
    en: "Key used by the member, or null for their first key",
    sample: null,
  },
  action: {
    fr: "URL de l’action sans /v1/, ou pair/answer et claim/{token} pour les pages",
    en: "URL of the action without /v1/, or pair/answer and claim/{token} for the pages",
    sample: "contact/{id}/update",
  },
  until: {
    fr: "Renvoie les entrées antérieures à cette date. La recherche porte sur les 10 000 entrées les plus récentes avant elle",
    en: "Returns entries from before this time. The search covers the newest 10,000 entries before it",
    sample: "2027-01-01T00:00:00Z",
  },
  chain: {
    fr: "Chaîne : platform pour les administrateurs, sinon le compte qui agit",
    en: "Chain: platform for administrators, otherwise the account that acts",
    sample: "platform",
  },
  next: {
    fr: "Point où continuer, ou null à la fin. Dans une liste de messages, donnez-le dans afterNumber ou afterId",
    en: "Where to continue, or null at the end. In a list of messages, pass it as afterNumber or afterId",
    sample: null,
  },
  at: { fr: "Date", en: "Time" },
  hash: {
    fr: "Empreinte de l’entrée et de toutes les précédentes",
    en: "Hash of the entry and all previous ones",
    sample: "x4mD3nFhVJ8yq0oM5cQF0s1a2b3c4d5e6f7g8h9i0jk",
  },
  actor: {
    fr: "Auteur de l’action. Une entreprise ne voit ni l’identifiant, ni le nom, ni l’adresse d’un administrateur",
    en: "Who performed the action. A company does not see the ID, name or address of an administrator",
  },
  address: {
    fr: "Adresse IP d’origine de la requête",
    en: "IP address that the request came from",
    sample: "192.0.2.7",
  },
  on: { fr: "Objet de l’action", en: "Object of the action" },
  before: {
    fr: "Valeurs avant la modification, sans aucun secret",
    en: "Values before the change, without any secret",
  },
  isCut: {
    fr: "Indique si before ou after, trop longs, sont incomplets",
    en: "Whether before or after were too long and are incomplete",
  },
  chains: {
    fr: "Nombre de chaînes vérifiées jusqu’à la fin",
    en: "Number of chains verified to their end",
    sample: 1,
  },
  faults: {
    fr: "Anomalies : la première de chaque chaîne",
    en: "Faults: the first one of each chain",
  },
  fault: {
    fr: "changed : l’entrée a été modifiée. missing : des entrées manquent avant elle. cut : des entrées manquent à la fin",
    en: "changed: the entry was modified. missing: entries before it are missing. cut: entries at the end are missing",
  },
};
