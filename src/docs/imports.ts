// The section of the reference on imports of contacts.
import type { Term } from "./glossary.ts";

export const importTerms: Record<string, Term> = {
  imports: { fr: "Imports en cours", en: "Imports under way", sample: { used: 0, limit: 5 } },
  importId: { fr: "Identifiant de l’import", en: "Id of the import", sample: "66f0c0ffee00000000000001" },
  fileName: { fr: "Nom du fichier", en: "Name of the file", sample: "clients.csv" },
  fingerprint: {
    fr: "Ce à quoi le client reconnaît le fichier, par exemple sa date : le même reprend l’envoi commencé",
    en: "What the client recognises the file by, such as its date: the same one goes on with the upload",
    sample: null,
  },
  groupId: { fr: "Groupe où entrent les contacts", en: "Group into which the contacts come", sample: null },
  groupName: {
    fr: "Nom du groupe ; un nouveau est créé",
    en: "Name of the group; a new one is made",
    sample: null,
  },
  partBytes: {
    fr: "Octets de chaque partie, sauf la dernière",
    en: "Bytes of each part but the last",
    sample: 1_048_576,
  },
  offset: {
    fr: "Octet du fichier où la partie commence",
    en: "Byte of the file at which the part begins",
    sample: 0,
  },
  data: { fr: "La partie, en base64", en: "The part, in base64" },
  last: {
    fr: "La dernière partie d’un fichier dont la longueur n’était pas connue",
    en: "The last part of a file whose length was not known",
  },
  columns: {
    fr: "Ce qu’est chaque colonne : phone, name, firstName, lastName, sex, fields.ville pour le champ propre ville, ou null si elle n’est pas lue",
    en: "What each column is: phone, name, firstName, lastName, sex, fields.city for the own field city, or null where it is not read",
  },
  startRow: {
    fr: "Ligne de la feuille où la liste commence, avec ses titres ou avec le premier contact ; rien n’est lu au-dessus",
    en: "Row of the sheet where the list begins, with its headings or with the first contact; nothing above it is read",
    sample: 1,
  },
  withNotes: {
    fr: "Les lignes importées dont une cellule ne l’a pas été, au lieu des lignes rejetées",
    en: "The rows that were imported without one of their cells, instead of the rejected rows",
  },
  header: { fr: "La première ligne nomme les colonnes", en: "The first row names the columns" },
  convertOldNumbers: {
    fr: "Change les anciens numéros ivoiriens et béninois de 8 chiffres en nouveaux de 10 ; sinon non",
    en: "Changes old Ivorian and Beninese numbers of 8 digits to new ones of 10; else not",
  },
  nameOrder: {
    fr: "L’ordre des noms complets, qui deviennent firstName et lastName : FIRST_LAST ou LAST_FIRST ; sans lui, rien n’est séparé. Un mot tout en capitales est le nom de famille. Dans preview : l’ordre que le fichier montre",
    en: "The order of full names, which become firstName and lastName: FIRST_LAST or LAST_FIRST; without it nothing is split. A word in capitals is the last name. In preview: the order that the file shows",
  },
  created: { fr: "Contacts créés", en: "Contacts that were created", sample: 1_150 },
  updated: { fr: "Contacts qui existaient déjà", en: "Contacts that existed already", sample: 40 },
  repeated: {
    fr: "Lignes dont le numéro vient plus haut dans le fichier ; la dernière l’emporte",
    en: "Rows whose phone comes further up in the file; the last one wins",
    sample: 6,
  },
  rejected: { fr: "Lignes non importées", en: "Rows that were not imported", sample: 4 },
  noted: {
    fr: "Lignes importées dont une cellule ne l’a pas été : sexe inconnu, second numéro d’une cellule",
    en: "Rows that were imported without one of their cells: an unknown sex, a second number in a cell",
    sample: 1,
  },
  failureText: { fr: "Pourquoi l’import a échoué", en: "Why the import failed", sample: null },
  preview: {
    fr: "À quoi ressemble le fichier, tant que l’import attend",
    en: "What the file looks like, while the import waits",
  },
  format: { fr: "CSV ou XLSX", en: "CSV or XLSX" },
  charset: { fr: "Codage du texte ; null pour XLSX", en: "Encoding of the text; null for XLSX" },
  delimiter: { fr: "Séparateur des cellules ; null pour XLSX", en: "What parts the cells; null for XLSX" },
  firstRows: { fr: "Les premières lignes", en: "The first rows", sample: [["Téléphone", "Nom"]] },
  proposed: {
    fr: "Le champ propre que chaque colonne inconnue peut devenir, d’après son titre ; null sinon",
    en: "The own field that each unknown column can be, by its heading; else null",
    sample: [null, null, "fields.ville"],
  },
  remembered: {
    fr: "Les colonnes sont celles que l’entreprise avait choisies pour le même en-tête",
    en: "The columns are those that the company chose for the same header",
  },
  oldNumber: {
    fr: "Un ancien numéro du fichier, et ce qu’il devient",
    en: "An old number of the file, and what it becomes",
    sample: null,
  },
  written: { fr: "Comme il est écrit", en: "As it is written", sample: "07080910" },
  became: { fr: "Ce qu’il devient", en: "What it becomes", sample: "2250707080910" },
  undoableUntil: {
    fr: "Jusque-là, l’import peut être annulé ; null s’il ne le peut pas",
    en: "Until then the import can be undone; null where it cannot",
    sample: null,
  },
  undo: {
    fr: "L’annulation de l’import : contacts retirés, et gardés parce qu’ils ont été modifiés ; null sans annulation",
    en: "The undo of the import: contacts removed, and kept because they were changed; null without one",
    sample: null,
  },
  deleted: { fr: "Contacts supprimés", en: "Contacts deleted", sample: 1_200 },
  kept: { fr: "Contacts gardés", en: "Contacts kept", sample: 37 },
  endedAt: { fr: "Fini le", en: "Ended at", sample: null },
  row: { fr: "Numéro de la ligne dans la feuille", en: "Number of the row in the sheet", sample: 12 },
  column: { fr: "Lettre de la colonne", en: "Letter of the column", sample: "B" },
  member: { fr: "Ce que la colonne est", en: "What the column is" },
  cell: { fr: "Texte de la cellule", en: "Text of the cell", sample: "07 08" },
  cells: {
    fr: "Toutes les cellules lues de la ligne, dans l’ordre de la feuille, 250 caractères de chacune au plus",
    en: "All cells that were read of the row, in the order of the sheet, 250 characters of each at most",
  },
};
