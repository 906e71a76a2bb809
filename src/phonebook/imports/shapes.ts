// The shapes of imports in responses.
import { type Static, Type } from "typebox";
import { orNull, patterned, shape, Timestamp } from "../../platform/http/schemas.ts";

/** The possible members of a column, except custom fields. */
const COLUMN_MEMBERS = ["phone", "name", "firstName", "lastName", "sex"] as const;
type OwnColumn = `fields.${string}`;
export type ColumnMember = (typeof COLUMN_MEMBERS)[number] | OwnColumn;

const OWN = "fields.";

/** Returns the custom field of a column; undefined if it is something else. */
export function ownFieldOf(column: string): string | undefined {
  return column.startsWith(OWN) ? column.slice(OWN.length) : undefined;
}

/** Returns the column of a custom field. */
export function columnOfField(name: string): OwnColumn {
  return `${OWN}${name}`;
}

/** The chosen member of a column. */
export const ColumnChosen = Type.Unsafe<ColumnMember>(
  patterned(`^(${COLUMN_MEMBERS.join("|")}|fields\\.[A-Za-z0-9_]+)$`, {
    rule: "choice",
    message: {
      fr: `doit être l’une de ces valeurs : ${COLUMN_MEMBERS.join(", ")}, ou fields. suivi du nom d’un champ`,
      en: `must be one of ${COLUMN_MEMBERS.join(", ")}, or fields. followed by the name of a field`,
    },
  }),
);

const ColumnShown = Type.Unsafe<ColumnMember>(Type.String({ examples: ["phone"] }));

export const NAME_ORDERS = ["FIRST_LAST", "LAST_FIRST"] as const;
export type NameOrder = (typeof NAME_ORDERS)[number];

/** The encodings that a user can choose. `AUTO`: the detected one; `UTF-16` with the byte order of the file. */
export const CHARSETS = ["AUTO", "UTF-8", "UTF-16", "WINDOWS-1252", "MACINTOSH"] as const;
export type CharsetChosen = (typeof CHARSETS)[number];

/** An upload: send the next part from byte `received` on. */
export const Upload = shape("ContactImportUpload", {
  importId: Type.String(),
  partBytes: Type.Integer(),
  received: Type.Integer(),
});
export type Upload = Static<typeof Upload>;

const STATUSES = ["UPLOADING", "READY", "RUNNING", "DONE", "FAILED", "CANCELED"] as const;

export const Received = shape("ContactImportReceived", {
  received: Type.Integer(),
  status: Type.Enum([...STATUSES]),
});
export type Received = Static<typeof Received>;

const ColumnsShown = Type.Array(orNull(ColumnShown));

/** The content of a file before it is imported. */
const Preview = shape("ContactImportPreview", {
  format: Type.Enum(["CSV", "XLSX"]),
  charset: orNull(Type.String({ examples: ["WINDOWS-1252"] })),
  delimiter: orNull(Type.String({ examples: [";"] })),
  startRow: Type.Integer(),
  header: Type.Boolean(),
  firstRows: Type.Array(Type.Array(Type.String())),
  columns: ColumnsShown,
  proposed: ColumnsShown,
  remembered: Type.Boolean(),
  nameOrder: orNull(Type.Enum([...NAME_ORDERS])),
  oldNumber: orNull(Type.Object({ written: Type.String(), became: Type.String() })),
});
export type Preview = Static<typeof Preview>;

/**
 * An import: its progress, its results, and its preview until it runs. `undoableUntil` is null if it cannot be undone;
 * `undo` is present once an undo was requested.
 */
export const ContactImport = shape("ContactImport", {
  id: Type.String(),
  fileName: Type.String({ examples: ["clients.csv"] }),
  status: Type.Enum([...STATUSES]),
  bytes: Type.Integer(),
  fingerprint: orNull(Type.String()),
  received: Type.Integer(),
  percent: Type.Integer(),
  rows: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  repeated: Type.Integer(),
  rejected: Type.Integer(),
  noted: Type.Integer(),
  failureText: orNull(Type.String()),
  groupId: orNull(Type.String()),
  groupName: orNull(Type.String()),
  preview: orNull(Preview),
  createdAt: Timestamp,
  endedAt: orNull(Timestamp),
  undoableUntil: orNull(Timestamp),
  undo: orNull(
    Type.Object({
      status: Type.Enum(["RUNNING", "DONE"]),
      removed: Type.Integer(),
      kept: Type.Integer(),
    }),
  ),
});
export type ContactImport = Static<typeof ContactImport>;

/**
 * A row that was not imported, or only in part: its number in the sheet, the cell that is the cause, the reason, and,
 * if it was not imported, all cells that were read.
 */
export const RejectedRow = shape("RejectedRow", {
  row: Type.Integer({ examples: [12] }),
  column: Type.String({ examples: ["B"] }),
  member: ColumnShown,
  cell: Type.String(),
  reason: Type.String(),
  cells: Type.Array(Type.Object({ column: Type.String(), member: ColumnShown, cell: Type.String() }), {
    examples: [[{ column: "A", member: "name", cell: "Awa Koné" }]],
  }),
});
export type RejectedRow = Static<typeof RejectedRow>;
