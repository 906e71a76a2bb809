// The shapes of groups in responses.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";
import { Contact } from "../contacts/shapes.ts";

/** The meanings of the members that several schemas of this capability have. */
export const groupMeanings = {
  contactIds: { fr: "Identifiants de contacts", en: "Contact IDs" },
  groupId: {
    fr: "Groupe dont les contacts sont supprimés. Le groupe est conservé",
    en: "Group whose contacts are deleted. The group is kept",
  },
} satisfies Record<string, Meaning>;

export const Group = shape("Group", {
  id: Type.String(),
  name: Type.String({ examples: ["Clients fidèles"] }),
  description: orNull(Type.String()),
  createdAt: Timestamp,
  contactCount: Type.Integer(),
});
export type Group = Static<typeof Group>;

/** The deletion of all contacts of a group: `total` is the number of contacts when it was requested. */
export const ContactDeletion = shape("ContactDeletion", {
  id: Type.String(),
  groupId: member(Type.String(), groupMeanings.groupId),
  status: Type.Enum(["RUNNING", "DONE"], { examples: ["DONE"] }),
  total: member(Type.Integer({ examples: [1_200] }), {
    fr: "Nombre de contacts du groupe au début",
    en: "Number of contacts in the group at the start",
  }),
  deleted: member(Type.Integer({ examples: [1_200] }), {
    fr: "Nombre de contacts supprimés",
    en: "Number of contacts deleted",
  }),
});
export type ContactDeletion = Static<typeof ContactDeletion>;

export const GroupInFull = shape("GroupInFull", {
  ...Group.properties,
  contacts: Type.Array(Contact),
});
export type GroupInFull = Static<typeof GroupInFull>;
