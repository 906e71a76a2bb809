// The response shapes of the audit log.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";
import { ShortText } from "../../platform/http/schemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const auditMeanings = {
  action: {
    fr: "URL de l’action sans /v1/, ou pair/answer et claim/{token} pour les pages",
    en: "URL of the action without /v1/, or pair/answer and claim/{token} for the pages",
  },
  chain: {
    fr: "Chaîne : platform pour les administrateurs, sinon le compte qui agit",
    en: "Chain: platform for administrators, otherwise the account that acts",
  },
  next: {
    fr: "Point où continuer la vérification, ou null si tout est vérifié",
    en: "Where to continue the verification, or null if everything is verified",
    sample: null,
  },
} satisfies Record<string, Meaning>;

const Members = Type.Unsafe<object>({ type: "object", examples: [{ name: "Clients" }] });

/** The actor. A company sees an administrator without id, name and address. */
const AuditActor = Type.Object({
  kind: member(Type.Enum(["administrator", "user", "reseller", "application", "visitor"]), {
    fr: "Type d’acteur",
    en: "Type of actor",
  }),
  id: orNull(Type.String()),
  /** Which of several keys a member acts by. Null: the first. */
  keyId: orNull(Type.String()),
  /** The session of a member who signed in instead of using a key. */
  sessionId: orNull(Type.String()),
  name: orNull(Type.String()),
  address: orNull(Type.String()),
});

const EntryNumber = member(Type.Integer(), {
  fr: "Position de l’entrée dans sa chaîne",
  en: "Position of the entry in its chain",
});

/** An audited action. `before` and `after` have the members that it changed. */
export const AuditEntry = shape("AuditEntry", {
  id: Type.String(),
  at: Timestamp,
  chain: member(Type.String({ examples: ["platform"] }), auditMeanings.chain),
  number: EntryNumber,
  hash: member(Type.String(), {
    fr: "Empreinte de l’entrée et de toutes les précédentes",
    en: "Hash of the entry and all previous ones",
    sample: "x4mD3nFhVJ8yq0oM5cQF0s1a2b3c4d5e6f7g8h9i0jk",
  }),
  companyId: orNull(Type.String()),
  actor: member(AuditActor, {
    fr: "Auteur de l’action. Une entreprise ne voit ni l’identifiant, ni le nom, ni l’adresse d’un administrateur",
    en: "Who performed the action. A company does not see the ID, name or address of an administrator",
  }),
  action: member(Type.String({ examples: ["contact/{id}/update"] }), auditMeanings.action),
  on: member(
    Type.Object({
      kind: member(Type.String({ examples: ["contact"] }), { fr: "Type d’objet", en: "Type of object" }),
      id: orNull(Type.String()),
    }),
    { fr: "Objet de l’action", en: "Object of the action" },
  ),
  before: member(orNull(Members), {
    fr: "Valeurs avant la modification, sans aucun secret",
    en: "Values before the change, without any secret",
  }),
  after: member(orNull(Members), {
    fr: "Valeurs après la modification. Une longue liste est remplacée par { count, first }",
    en: "Values after the change. A long list is replaced by { count, first }",
  }),
  isCut: member(Type.Boolean(), {
    fr: "Indique si before ou after, trop longs, sont incomplets",
    en: "Whether before or after were too long and are incomplete",
  }),
  /** The request that caused it. A company does not see that of an administrator. */
  requestId: orNull(Type.String()),
});
export type AuditEntry = Static<typeof AuditEntry>;

/** The first faulty entry of a chain. */
const AuditFault = Type.Object({
  chain: member(Type.String({ examples: ["platform"] }), auditMeanings.chain),
  number: EntryNumber,
  fault: member(Type.Enum(["changed", "missing", "cut"]), {
    fr: "changed : l’entrée a été modifiée. missing : des entrées manquent avant elle. cut : des entrées manquent à la fin",
    en: "changed: the entry was modified. missing: entries before it are missing. cut: entries at the end are missing",
  }),
});
export type AuditFault = Static<typeof AuditFault>;

/** The result of verifying a part of the log: how much was checked, its faults, and where to continue. */
export const AuditProof = shape("AuditProof", {
  entries: member(Type.Integer(), {
    fr: "Nombre d’entrées vérifiées",
    en: "Number of entries verified",
    sample: 3,
  }),
  chains: member(Type.Integer(), {
    fr: "Nombre de chaînes vérifiées jusqu’à la fin",
    en: "Number of chains verified to their end",
    sample: 1,
  }),
  faults: member(Type.Array(AuditFault), {
    fr: "Anomalies : la première de chaque chaîne",
    en: "Faults: the first one of each chain",
  }),
  next: member(orNull(Type.String()), auditMeanings.next),
});
export type AuditProof = Static<typeof AuditProof>;

/** The filters of the lists of the audit log. */
export const auditFilter = {
  action: member(Type.Optional(ShortText), auditMeanings.action),
  until: member(Type.Optional(Type.String({ maxLength: 64 })), {
    fr: "Renvoie les entrées antérieures à cette date. La recherche porte sur les 10 000 entrées les plus récentes avant elle",
    en: "Returns entries from before this time. The search covers the newest 10,000 entries before it",
  }),
};
