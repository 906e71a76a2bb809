// The shapes of accounts in answers.
import { type Static, Type } from "typebox";
import { shape } from "../kernel/schemas.ts";

/** A company that was just made, with the key of its first user. */
export const NewCompany = shape("NewCompany", {
  companyId: Type.String(),
  userId: Type.String(),
  apiKey: Type.String(),
});
export type NewCompany = Static<typeof NewCompany>;

export const NewKey = shape("NewKey", { apiKey: Type.String() });
