// The shapes of contacts in responses.
import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";
import { OwnFieldsShown } from "./fields.ts";

const person = {
  id: Type.String(),
  name: Type.String(),
  firstName: orNull(Type.String()),
  lastName: orNull(Type.String()),
  phone: Type.String(),
  sex: orNull(Type.Enum(["M", "F"])),
  fields: OwnFieldsShown,
};

export const Contact = shape("Contact", { ...person, createdAt: Timestamp });
export type Contact = Static<typeof Contact>;

/** A custom field that contacts of the company have. */
export const ContactField = shape("ContactField", { name: Type.String({ examples: ["city"] }) });
export type ContactField = Static<typeof ContactField>;

/** A contact in the response of an update. */
export const UpdatedContact = shape("UpdatedContact", { ...person, updatedAt: Timestamp });
export type UpdatedContact = Static<typeof UpdatedContact>;

export const ContactCount = Type.Object({
  count: member(Type.Integer(), { fr: "Nombre de contacts", en: "Number of contacts", sample: 160 }),
});
export type ContactCount = Static<typeof ContactCount>;
