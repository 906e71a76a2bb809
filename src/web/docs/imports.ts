// The section of the reference on imports of contacts.
import type { Term } from "./glossary.ts";

export const importTerms: Record<string, Term> = {
  imports: { fr: "Imports en cours", en: "Imports in progress", sample: { used: 0, limit: 5 } },
  importId: { fr: "Identifiant de l’import", en: "Import ID", sample: "66f0c0ffee00000000000001" },
  fileName: { fr: "Nom du fichier", en: "File name", sample: "clients.csv" },
  fingerprint: {
    fr: "Valeur à laquelle le client reconnaît le fichier, par exemple sa date. La même valeur reprend l’envoi commencé",
    en: "Value by which the client recognizes the file, such as its date. The same value resumes the upload",
    sample: null,
  },
  groupId: {
    fr: "Groupe auquel les contacts sont ajoutés",
    en: "Group that the contacts are added to",
    sample: null,
  },
  groupName: {
    fr: "Nom du nouveau groupe à créer",
    en: "Name of the new group to create",
    sample: null,
  },
  partBytes: {
    fr: "Taille de chaque partie sauf la dernière, en octets",
    en: "Size of each part but the last, in bytes",
    sample: 1_048_576,
  },
  offset: {
    fr: "Position de la partie dans le fichier, en octets",
    en: "Position of the part in the file, in bytes",
    sample: 0,
  },
  data: { fr: "Contenu de la partie, en base64", en: "Content of the part, in base64" },
  last: {
    fr: "Indique la dernière partie d’un fichier dont la longueur n’était pas connue",
    en: "Whether this is the last part of a file whose length was not known",
  },
  columns: {
    fr: "Champ de chaque colonne : phone, name, firstName, lastName, sex, fields.ville pour le champ personnalisé ville, ou null pour une colonne ignorée",
    en: "Field of each column: phone, name, firstName, lastName, sex, fields.city for the custom field city, or null for an ignored column",
  },
  startRow: {
    fr: "Ligne de la feuille où la liste commence, avec ses titres ou son premier contact. Les lignes au-dessus sont ignorées",
    en: "Row of the sheet where the list starts, with its headings or its first contact. Rows above it are ignored",
    sample: 1,
  },
  withNotes: {
    fr: "Renvoie les lignes importées dont une cellule a été ignorée, au lieu des lignes rejetées",
    en: "Returns the rows imported with an ignored cell, instead of the rejected rows",
  },
  header: {
    fr: "Indique si la première ligne contient les noms des colonnes",
    en: "Whether the first row contains the column names",
  },
  convertOldNumbers: {
    fr: "Convertit les anciens numéros ivoiriens et béninois de 8 chiffres en numéros de 10 chiffres. Par défaut : non",
    en: "Converts old Ivorian and Beninese numbers of 8 digits to numbers of 10 digits. Default: no",
  },
  nameOrder: {
    fr: "Ordre des noms complets, séparés en firstName et lastName : FIRST_LAST ou LAST_FIRST. Sans ce champ, rien n’est séparé. Un mot tout en majuscules est le nom de famille. Dans preview : ordre observé dans le fichier",
    en: "Order of full names, which are split into firstName and lastName: FIRST_LAST or LAST_FIRST. Without it, nothing is split. A word in capitals is the last name. In preview: the order found in the file",
  },
  created: { fr: "Nombre de contacts créés", en: "Number of contacts created", sample: 1_150 },
  updated: {
    fr: "Nombre de contacts qui existaient déjà",
    en: "Number of contacts that already existed",
    sample: 40,
  },
  repeated: {
    fr: "Nombre de lignes dont le numéro figure déjà plus haut dans le fichier. La dernière l’emporte",
    en: "Number of rows whose phone number appears further up in the file. The last one wins",
    sample: 6,
  },
  rejected: { fr: "Nombre de lignes non importées", en: "Number of rows not imported", sample: 4 },
  noted: {
    fr: "Nombre de lignes importées dont une cellule a été ignorée : sexe inconnu, second numéro d’une cellule",
    en: "Number of rows imported with an ignored cell: unknown sex, second number in a cell",
    sample: 1,
  },
  failureText: { fr: "Raison de l’échec de l’import", en: "Reason why the import failed", sample: null },
  preview: {
    fr: "Aperçu du fichier, avant le début de l’import",
    en: "Preview of the file, before the import starts",
  },
  format: { fr: "CSV ou XLSX", en: "CSV or XLSX" },
  charset: { fr: "Encodage du texte, ou null pour XLSX", en: "Text encoding, or null for XLSX" },
  delimiter: { fr: "Séparateur des cellules, ou null pour XLSX", en: "Cell delimiter, or null for XLSX" },
  firstRows: { fr: "Premières lignes", en: "First rows", sample: [["Téléphone", "Nom"]] },
  proposed: {
    fr: "Champ personnalisé proposé pour chaque colonne inconnue, d’après son titre, sinon null",
    en: "Custom field proposed for each unknown column, based on its heading, otherwise null",
    sample: [null, null, "fields.ville"],
  },
  remembered: {
    fr: "Indique si les colonnes sont celles que l’entreprise avait choisies pour le même en-tête",
    en: "Whether the columns are those that the company chose for the same header",
  },
  oldNumber: {
    fr: "Exemple d’ancien numéro du fichier, avec sa conversion",
    en: "Example of an old number in the file, with its conversion",
    sample: null,
  },
  written: { fr: "Numéro tel qu’il est écrit", en: "Number as it is written", sample: "07080910" },
  became: { fr: "Numéro converti", en: "Converted number", sample: "2250707080910" },
  undoableUntil: {
    fr: "Date limite pour annuler l’import, ou null s’il ne peut pas être annulé",
    en: "Time until which the import can be undone, or null if it cannot be undone",
    sample: null,
  },
  undo: {
    fr: "Annulation de l’import, ou null. Compte les contacts retirés, et ceux conservés car ils ont été modifiés",
    en: "Undo of the import, or null. Counts the contacts removed, and those kept because they were changed",
    sample: null,
  },
  deleted: { fr: "Nombre de contacts supprimés", en: "Number of contacts deleted", sample: 1_200 },
  kept: { fr: "Nombre de contacts conservés", en: "Number of contacts kept", sample: 37 },
  endedAt: { fr: "Date de fin", en: "End time", sample: null },
  row: { fr: "Numéro de la ligne dans la feuille", en: "Row number in the sheet", sample: 12 },
  column: { fr: "Lettre de la colonne", en: "Column letter", sample: "B" },
  member: { fr: "Champ de la colonne", en: "Field of the column" },
  cell: { fr: "Texte de la cellule", en: "Cell text", sample: "07 08" },
  cells: {
    fr: "Cellules lues de la ligne, dans l’ordre de la feuille, avec 250 caractères au plus chacune",
    en: "Cells read from the row, in the order of the sheet, with at most 250 characters each",
  },
};
