// The response shapes of accounts.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";
import { MEMBER_ROLES, type MemberRole, SCOPES } from "./permissions.ts";

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
  memberId: Type.String(),
  scopes: orNull(Type.Array(Type.Enum([...SCOPES]))),
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
  approval: Type.Enum([...APPROVALS]),
  approvalThreshold: Type.Integer(),
  approvalOfKeys: Type.Boolean(),
});
export type ApprovalRule = Static<typeof ApprovalRule>;

/** A person who acts for a company. */
export const CompanyMember = shape("CompanyMember", {
  id: Type.String(),
  name: orNull(Type.String({ examples: ["Yao Koffi"] })),
  phone: orNull(Type.String()),
  email: orNull(Type.String()),
  role: Type.Enum(Object.keys(MEMBER_ROLES) as MemberRole[]),
  createdAt: Timestamp,
});
export type CompanyMember = Static<typeof CompanyMember>;

/** A new member, with the value of its first key. */
export const NewCompanyMember = shape("NewCompanyMember", {
  ...CompanyMember.properties,
  apiKey: Type.String(),
});
export type NewCompanyMember = Static<typeof NewCompanyMember>;
