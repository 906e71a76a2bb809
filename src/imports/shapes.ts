// The shapes of imports in answers.
import { type Static, Type } from "typebox";
import { orNull, shape, Timestamp } from "../kernel/schemas.ts";

/** What a column of a file can be. */
export const COLUMN_MEMBERS = ["phone", "name", "firstName", "lastName", "sex"] as const;
export type ColumnMember = (typeof COLUMN_MEMBERS)[number];

/** An upload: send the next part from the byte `received` on. */
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

const ColumnsShown = Type.Array(orNull(Type.Enum([...COLUMN_MEMBERS])));

/** What a file looks like before it is imported. */
const Preview = shape("ContactImportPreview", {
  format: Type.Enum(["CSV", "XLSX"]),
  charset: orNull(Type.String({ examples: ["WINDOWS-1252"] })),
  delimiter: orNull(Type.String({ examples: [";"] })),
  header: Type.Boolean(),
  firstRows: Type.Array(Type.Array(Type.String())),
  columns: ColumnsShown,
  remembered: Type.Boolean(),
  oldNumber: orNull(Type.Object({ written: Type.String(), became: Type.String() })),
});
export type Preview = Static<typeof Preview>;

/** An import: how far it is, what it did, and until it runs what the file looks like. */
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
  failureText: orNull(Type.String()),
  groupId: orNull(Type.String()),
  groupName: orNull(Type.String()),
  preview: orNull(Preview),
  createdAt: Timestamp,
  endedAt: orNull(Timestamp),
});
export type ContactImport = Static<typeof ContactImport>;

/** A row that was not imported: its number in the sheet, the cell to blame, why, and all cells that were read of it. */
export const RejectedRow = shape("RejectedRow", {
  row: Type.Integer({ examples: [12] }),
  column: Type.String({ examples: ["B"] }),
  member: Type.Enum([...COLUMN_MEMBERS]),
  cell: Type.String(),
  reason: Type.String(),
  cells: Type.Array(
    Type.Object({ column: Type.String(), member: Type.Enum([...COLUMN_MEMBERS]), cell: Type.String() }),
    { examples: [[{ column: "A", member: "name", cell: "Awa Koné" }]] },
  ),
});
export type RejectedRow = Static<typeof RejectedRow>;
