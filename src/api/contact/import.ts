// The URLs of /v1/contact/import.

import { Type } from "typebox";
import { companyMay } from "../../identity/accounts/callers.ts";
import { audited } from "../../identity/audit/audit.ts";
import {
  beginImport,
  cancelImport,
  RunInput,
  rereadImport,
  runImport,
  storePart,
} from "../../phonebook/imports/imports.ts";
import { PartInput, UploadInput } from "../../phonebook/imports/inputs.ts";
import {
  CHARSETS,
  ContactImport,
  importMeanings,
  Received,
  RejectedRow,
  Upload,
} from "../../phonebook/imports/shapes.ts";
import { undoImport } from "../../phonebook/imports/undo.ts";
import { listImports, listRejected, readImport } from "../../phonebook/imports/views.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";

const caller = companyMay("contacts");

export const begin = route("/v1/contact/import/begin", {
  title: { fr: "Démarrer un import", en: "Start an import" },
  says: {
    fr: "Démarre l’envoi d’un fichier de contacts CSV ou XLSX. Si le même fichier a été interrompu, l’envoi reprend là où il s’est arrêté.",
    en: "Starts the upload of a CSV or XLSX file of contacts. If the same file was interrupted, the upload resumes where it stopped.",
  },
  body: UploadInput,
  caller,
  answers: Upload,
  refuses: ["request-too-large", "group-not-found", "conflict"],
  example: { fileName: "clients.csv", bytes: 32, groupName: "Clients importés" },
  run: (app, who, body) =>
    app.database.of(who.companyId).transaction((tx) => beginImport(app, tx, who, body)),
});

export const part = route("/v1/contact/import/{id}/part", {
  title: { fr: "Envoyer une partie du fichier", en: "Upload a part of the file" },
  says: {
    fr: "Enregistre la partie suivante du fichier. Répéter la requête est sans effet.",
    en: "Stores the next part of the file. Repeating the request has no effect.",
  },
  body: Type.Object({ id: idOf("import"), ...PartInput.properties }),
  caller,
  answers: Received,
  refuses: ["not-found", "conflict"],
  example: { offset: 0, data: "dGVsZXBob25lO25vbQoyMjUwMTAyMDMwNDA1O0F3YQo=" },
  bulk: true,
  run: (app, who, { id, ...given }) =>
    app.database.of(who.companyId).transaction((tx) => storePart(app, tx, who, id, given)),
});

export const list = listRoute("/v1/contact/import/list", {
  title: { fr: "Lister les imports", en: "List imports" },
  says: {
    fr: "Liste les imports de contacts des 30 derniers jours.",
    en: "Lists the contact imports of the last 30 days.",
  },
  body: inOrder("desc"),
  caller,
  rows: ContactImport,
  list: (app, who, wanted) => listImports(app, app.database.of(who.companyId), who, wanted),
});

export const read = route("/v1/contact/import/{id}", {
  title: { fr: "Lire un import", en: "Read an import" },
  says: {
    fr: "Renvoie l’avancement d’un import et, avant son lancement, un aperçu du fichier.",
    en: "Returns the progress of an import and, before it runs, a preview of the file.",
  },
  body: oneId("import"),
  reads: true,
  caller,
  answers: ContactImport,
  refuses: ["not-found"],
  run: (app, who, { id }) => readImport(app, app.database.of(who.companyId), who, id),
});

export const reread = route("/v1/contact/import/{id}/charset", {
  title: { fr: "Choisir l’encodage du fichier", en: "Choose the encoding of the file" },
  says: {
    fr: "Relit un fichier CSV avec un autre encodage avant l’import : AUTO, UTF-8, UTF-16, WINDOWS-1252 ou MACINTOSH.",
    en: "Reads a CSV file again with another encoding before the import: AUTO, UTF-8, UTF-16, WINDOWS-1252 or MACINTOSH.",
  },
  body: Type.Object({
    id: idOf("import"),
    charset: member(Type.Enum([...CHARSETS]), importMeanings.charset),
  }),
  caller,
  answers: ContactImport,
  refuses: ["not-found", "conflict"],
  example: { charset: "WINDOWS-1252" },
  run: (app, who, { id, charset }) =>
    app.database.of(who.companyId).transaction((tx) => rereadImport(app, tx, who, id, charset)),
});

/** The audit entry of an import, which never contains a row of it. */
function audit(id: string) {
  return {
    on: { kind: "import", id },
    after: ({ status, groupId }: ContactImport) => ({ status, groupId }),
  };
}

export const run = route("/v1/contact/import/{id}/run", {
  title: { fr: "Lancer un import", en: "Run an import" },
  says: {
    fr: "Importe les lignes du fichier. Un contact dont le numéro existe déjà est mis à jour. Répéter la même requête est sans effet ; une requête différente est refusée (`conflict`), avec l’import en cours dans les détails.",
    en: "Imports the rows of the file. A contact whose phone number exists is updated. Repeating the same request has no effect; a different one is refused (`conflict`), and the details name the import in progress.",
  },
  body: Type.Object({ id: idOf("import"), ...RunInput.properties }),
  caller,
  answers: ContactImport,
  refuses: ["not-found", "group-not-found", "conflict"],
  example: { columns: ["phone", "name"], header: true, convertOldNumbers: true },
  audit: { fr: "a importé un fichier de contacts", en: "imported a contact file" },
  run: (app, who, { id, ...input }) =>
    audited(app, who, audit(id), (tx) => runImport(app, tx, who, id, input)),
});

export const cancel = route("/v1/contact/import/{id}/cancel", {
  title: { fr: "Arrêter un import", en: "Stop an import" },
  says: {
    fr: "Arrête un import. Les contacts déjà importés sont conservés.",
    en: "Stops an import. Contacts already imported are kept.",
  },
  body: oneId("import"),
  caller,
  answers: ContactImport,
  refuses: ["not-found", "conflict"],
  audit: { fr: "a arrêté un import de contacts", en: "stopped a contact import" },
  run: (app, who, { id }) => audited(app, who, audit(id), (tx) => cancelImport(app, tx, who, id)),
});

export const undo = route("/v1/contact/import/{id}/undo", {
  title: { fr: "Annuler un import", en: "Undo an import" },
  says: {
    fr: "Supprime, dans les 24 heures, les contacts créés par l’import que personne n’a modifiés ni ajoutés à un autre groupe depuis. Le groupe créé par l’import est supprimé s’il est vide et qu’aucune campagne à venir ne l’utilise. Les contacts que l’import a seulement mis à jour sont conservés. L’annulation se fait en arrière-plan : undo en donne l’avancement.",
    en: "Deletes, within 24 hours, the contacts that the import created and that nobody has changed or added to another group since. The group that the import created is deleted if it is empty and no upcoming campaign uses it. Contacts that the import only updated are kept. The work runs in the background: undo reports its progress.",
  },
  body: oneId("import"),
  caller,
  answers: ContactImport,
  refuses: ["not-found", "conflict"],
  audit: { fr: "a annulé un import de contacts", en: "undid a contact import" },
  run: (app, who, { id }) => {
    const after = ({ created, updated }: ContactImport) => ({ created, updated });
    const noted = { on: { kind: "import", id }, after };
    return audited(app, who, noted, (tx) => undoImport(app, tx, who, id));
  },
});

export const listRejectedRows = listRoute("/v1/contact/import/{id}/rejected/list", {
  title: { fr: "Lister les lignes rejetées", en: "List rejected rows" },
  says: {
    fr: "Liste les lignes non importées, avec leur numéro dans la feuille, le motif et leurs cellules : les 10 000 premières. Avec withNotes, liste les lignes importées dont une cellule a été ignorée (sexe inconnu, second numéro dans une cellule) : les 1 000 premières.",
    en: "Lists the rows that were not imported, with their number in the sheet, the reason and their cells: the first 10,000. With withNotes, lists the imported rows of which one cell was ignored (unknown sex, second number in a cell): the first 1,000.",
  },
  body: {
    id: idOf("import"),
    withNotes: member(Type.Optional(Type.Boolean()), {
      fr: "Renvoie les lignes importées dont une cellule a été ignorée, au lieu des lignes rejetées",
      en: "Returns the rows imported with an ignored cell, instead of the rejected rows",
    }),
    ...inOrder("asc"),
  },
  caller,
  rows: RejectedRow,
  refuses: ["not-found"],
  list: (app, who, { id, ...page }) => listRejected(app.database.of(who.companyId), who, id, page),
});
