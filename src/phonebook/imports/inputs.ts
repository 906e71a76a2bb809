// The bodies of requests on imports.
import { type Static, Type } from "typebox";
import { idOf } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import { Name } from "../../platform/http/schemas.ts";
import { PART_BYTES } from "./files.ts";
import { importMeanings } from "./shapes.ts";

/** The group to which the contacts are added: an existing or a new one. */
export const IntoGroup = {
  groupId: member(Type.Optional(idOf("group")), importMeanings.groupId),
  groupName: member(Type.Optional(Name), importMeanings.groupName),
};
export type IntoGroup = { groupId?: string; groupName?: string };

/** The announcement of a file to upload. */
export const UploadInput = Type.Object({
  fileName: member(Name, importMeanings.fileName),
  bytes: Type.Optional(Type.Integer({ minimum: 1 })),
  fingerprint: member(
    Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    importMeanings.fingerprint,
  ),
  ...IntoGroup,
});
export type UploadInput = Static<typeof UploadInput>;

const BASE64_CHARACTERS = 4 * Math.ceil(PART_BYTES / 3);

/** A part of a file, starting at byte `offset`. */
export const PartInput = Type.Object({
  offset: member(Type.Integer({ minimum: 0 }), {
    fr: "Position de la partie dans le fichier, en octets",
    en: "Position of the part in the file, in bytes",
  }),
  data: member(Type.String({ minLength: 1, maxLength: BASE64_CHARACTERS }), {
    fr: "Contenu de la partie, en base64",
    en: "Content of the part, in base64",
  }),
  last: member(Type.Optional(Type.Boolean()), {
    fr: "Indique la dernière partie d’un fichier dont la longueur n’était pas connue",
    en: "Whether this is the last part of a file whose length was not known",
  }),
});
export type PartInput = Static<typeof PartInput>;
