// The shapes of groups in responses.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../../platform/http/schemas.ts";
import { Contact } from "../contacts/shapes.ts";

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
  groupId: Type.String(),
  status: Type.Enum(["RUNNING", "DONE"], { examples: ["DONE"] }),
  total: Type.Integer({ examples: [1_200] }),
  deleted: Type.Integer({ examples: [1_200] }),
});
export type ContactDeletion = Static<typeof ContactDeletion>;

export const GroupInFull = shape("GroupInFull", {
  ...Group.properties,
  contacts: Type.Array(Contact),
});
export type GroupInFull = Static<typeof GroupInFull>;
