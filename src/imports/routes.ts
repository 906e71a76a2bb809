// The URLs of imports.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { changing } from "../audit/audit.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Id } from "../kernel/schemas.ts";
import {
  beginImport,
  cancelImport,
  listImports,
  listRejected,
  PartInput,
  RunInput,
  readImport,
  rereadImport,
  runImport,
  storePart,
  UploadInput,
  undoImport,
} from "./imports.ts";
import { CHARSETS, ContactImport, Received, RejectedRow, Upload } from "./shapes.ts";

const caller = companyMay("contacts");

export const begin = route({
  summary: "Begins the upload of a file of contacts, CSV or XLSX; the same file goes on where it was",
  body: UploadInput,
  caller,
  answers: Upload,
  run: (app, who, body) =>
    app.database.of(who.companyId).transaction((tx) => beginImport(app, tx, who, body)),
});

export const part = route({
  summary: "Stores the next part of a file; a repeat changes nothing",
  body: Type.Object({ id: Id, ...PartInput.properties }),
  caller,
  answers: Received,
  bulk: true,
  run: (app, who, { id, ...given }) =>
    app.database.of(who.companyId).transaction((tx) => storePart(app, tx, who, id, given)),
});

export const list = listRoute({
  summary: "Lists the imports of contacts of the last 30 days",
  body: inOrder("desc"),
  caller,
  rows: ContactImport,
  list: (app, who, wanted) => listImports(app, app.database.of(who.companyId), who, wanted),
});

export const read = route({
  summary: "Says how far an import is, and before it runs what the file looks like",
  body: Type.Object({ id: Id }),
  reads: true,
  caller,
  answers: ContactImport,
  run: (app, who, { id }) => readImport(app, app.database.of(who.companyId), who, id),
});

export const reread = route({
  summary: "Reads a CSV file again with another encoding, before it is imported",
  body: Type.Object({ id: Id, charset: Type.Enum([...CHARSETS]) }),
  caller,
  answers: ContactImport,
  run: (app, who, { id, charset }) =>
    app.database.of(who.companyId).transaction((tx) => rereadImport(app, tx, who, id, charset)),
});

/** What is noted of an import: never a row of it. */
function noting(id: string) {
  return {
    on: { kind: "import", id },
    after: ({ status, groupId }: ContactImport) => ({ status, groupId }),
  };
}

export const run = route({
  summary:
    "Imports the rows of a file; a phone that exists is updated. The same request again changes nothing; another one is refused with conflict, which says what runs",
  body: Type.Object({ id: Id, ...RunInput.properties }),
  caller,
  answers: ContactImport,
  run: (app, who, { id, ...input }) =>
    changing(app, who, noting(id), (tx) => runImport(app, tx, who, id, input)),
});

export const cancel = route({
  summary: "Ends an import; what it has written stays",
  body: Type.Object({ id: Id }),
  caller,
  answers: ContactImport,
  run: (app, who, { id }) => changing(app, who, noting(id), (tx) => cancelImport(app, tx, who, id)),
});

export const undo = route({
  summary:
    "Removes, within 24 hours, the contacts that an import created and that nobody changed since, and the group that it created, if it is empty and no campaign that is still to run goes to it",
  body: Type.Object({ id: Id }),
  caller,
  answers: ContactImport,
  run: (app, who, { id }) => {
    const after = ({ created, updated }: ContactImport) => ({ created, updated });
    const noted = { on: { kind: "import", id }, after };
    return changing(app, who, noted, (tx) => undoImport(app, tx, who, id));
  },
});

export const listRejectedRows = listRoute({
  summary: "Lists the rows that were not imported, by their number in the sheet, with the reason",
  body: { id: Id, withNotes: Type.Optional(Type.Boolean()), ...inOrder("asc") },
  caller,
  rows: RejectedRow,
  list: (app, who, { id, ...page }) => listRejected(app.database.of(who.companyId), who, id, page),
});
