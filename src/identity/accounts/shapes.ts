// The response shapes of accounts.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";
import { MEMBER_ROLES, type MemberRole, memberRoleMeaning, SCOPES } from "./permissions.ts";

/** The meanings of the members that several schemas of this capability have. */
export const accountMeanings = {
  approval: {
    fr: "Campagnes qu’un deuxième membre doit approuver",
    en: "Campaigns that a second member must approve",
  },
  approvalThreshold: {
    fr: "Nombre de destinataires à partir duquel un deuxième membre doit approuver une campagne",
    en: "Number of recipients from which a second member must approve a campaign",
    sample: 100,
  },
  approvalOfKeys: {
    fr: "Indique si la règle s’applique aussi aux clés limitées à des portées",
    en: "Whether the rule also applies to keys limited to scopes",
    sample: false,
  },
  openCountries: {
    fr: "Pays que l’entreprise atteint en plus du sien (ISO 3166)",
    en: "Countries that the company reaches in addition to its own (ISO 3166)",
    sample: ["SN", "ML"],
  },
  memberId: { fr: "Membre dont le rôle limite la clé", en: "Member whose role limits the key" },
  scopes: {
    fr: "Portées auxquelles la clé est limitée, ou null pour tout ce que permet le rôle de son membre",
    en: "Scopes that the key is limited to, or null for everything that the role of its member allows",
    sample: ["send"],
  },
  email: { fr: "Adresse e-mail", en: "Email address", sample: "yao@example.com" },
} satisfies Record<string, Meaning>;

/** A new company, with the key of its first user. */
export const NewCompany = shape("NewCompany", {
  companyId: Type.String(),
  userId: Type.String(),
  apiKey: Type.String(),
});
export type NewCompany = Static<typeof NewCompany>;

export const NewKey = shape("NewKey", { apiKey: Type.String() });

/** A key of a company, without its value. `memberId` is the member whose role limits it. */
export const ApiKey = shape("ApiKey", {
  id: Type.String(),
  name: Type.String({ examples: ["Caisse"] }),
  memberId: member(Type.String(), accountMeanings.memberId),
  scopes: member(orNull(Type.Array(Type.Enum([...SCOPES]))), accountMeanings.scopes),
  networks: Type.Array(Type.String()),
  expiresAt: orNull(Timestamp),
  lastUsedAt: orNull(Timestamp),
  createdAt: Timestamp,
});
export type ApiKey = Static<typeof ApiKey>;

/** A new key, with its value. */
export const NewApiKey = shape("NewApiKey", { ...ApiKey.properties, apiKey: Type.String() });
export type NewApiKey = Static<typeof NewApiKey>;

export const APPROVALS = ["none", "campaigns"] as const;

/** The campaigns of a company that a second person must approve. */
export const ApprovalRule = shape("ApprovalRule", {
  approval: member(Type.Enum([...APPROVALS]), accountMeanings.approval),
  approvalThreshold: member(Type.Integer(), accountMeanings.approvalThreshold),
  approvalOfKeys: member(Type.Boolean(), accountMeanings.approvalOfKeys),
});
export type ApprovalRule = Static<typeof ApprovalRule>;

/** The countries that a company reaches. */
export const OpenCountries = shape("OpenCountries", {
  all: member(Type.Boolean(), {
    fr: "Indique si l’entreprise atteint tous les pays",
    en: "Whether the company reaches all countries",
    sample: false,
  }),
  countries: member(Type.Array(Type.String()), {
    fr: "Pays que l’entreprise atteint, le sien en premier (ISO 3166) ; vide si elle les atteint tous",
    en: "Countries that the company reaches, its own first (ISO 3166); empty if it reaches all",
    sample: ["CI", "SN"],
  }),
  isDefault: member(Type.Boolean(), {
    fr: "Indique si ce choix est celui de l’installation et non celui de l’entreprise",
    en: "Whether this is the choice of the installation rather than of the company",
    sample: false,
  }),
});
export type OpenCountries = Static<typeof OpenCountries>;

/** A person who acts for a company. */
export const CompanyMember = shape("CompanyMember", {
  id: Type.String(),
  name: orNull(Type.String({ examples: ["Yao Koffi"] })),
  phone: orNull(Type.String()),
  email: member(orNull(Type.String()), accountMeanings.email),
  role: member(Type.Enum(Object.keys(MEMBER_ROLES) as MemberRole[]), memberRoleMeaning),
  createdAt: Timestamp,
});
export type CompanyMember = Static<typeof CompanyMember>;

/** A new member, with the value of its first key. */
export const NewCompanyMember = shape("NewCompanyMember", {
  ...CompanyMember.properties,
  apiKey: Type.String(),
});
export type NewCompanyMember = Static<typeof NewCompanyMember>;
