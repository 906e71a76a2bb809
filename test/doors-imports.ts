// The rows of the doors of imports, for the tests of every door.
import { byId, type Row, unique } from "./estates.ts";

const company = ["company"] as const;

export const rowsOfImports: Readonly<Record<string, Row>> = {
  "/v1/contact/import/begin": {
    callers: company,
    body: ({ own }) => ({ fileName: "a.csv", bytes: 30, fingerprint: unique(), groupId: own.group }),
    ids: { groupId: "group" },
  },
  "/v1/contact/import/list": { callers: company, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/contact/import/{id}": { callers: company, ...byId("import"), ids: { id: "import" } },
  "/v1/contact/import/{id}/part": {
    callers: company,
    body: ({ own }) => ({ id: own.upload, offset: 0, data: "MjI1Cg==" }),
    ids: { id: "upload" },
  },
  "/v1/contact/import/{id}/charset": {
    callers: company,
    body: ({ own }) => ({ id: own.import, charset: "WINDOWS-1252" }),
    ids: { id: "import" },
  },
  "/v1/contact/import/{id}/run": {
    callers: company,
    body: ({ own }) => ({
      ...{ id: own.import, columns: ["phone", "name"], header: true, convertOldNumbers: true },
      groupId: own.group,
    }),
    ids: { id: "import", groupId: "group" },
    spends: true,
  },
  "/v1/contact/import/{id}/cancel": { callers: company, ...byId("upload"), ids: { id: "upload" } },
  "/v1/contact/import/{id}/undo": {
    callers: company,
    body: ({ own }) => ({ id: own.undoable }),
    ids: { id: "undoable" },
  },
  "/v1/contact/import/{id}/rejected/list": { callers: company, ...byId("import"), ids: { id: "import" } },
};
