// The shapes of imports in responses.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";
import { patterned } from "../../platform/http/schemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const importMeanings = {
  fileName: { fr: "Nom du fichier", en: "File name" },
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
  groupName: { fr: "Nom du nouveau groupe à créer", en: "Name of the new group to create", sample: null },
  charset: { fr: "Encodage du texte, ou null pour XLSX", en: "Text encoding, or null for XLSX" },
  header: {
    fr: "Indique si la première ligne contient les noms des colonnes",
    en: "Whether the first row contains the column names",
  },
  columns: {
    fr: "Champ de chaque colonne : phone, name, firstName, lastName, sex, fields.ville pour le champ personnalisé ville, ou null pour une colonne ignorée",
    en: "Field of each column: phone, name, firstName, lastName, sex, fields.city for the custom field city, or null for an ignored column",
  },
  nameOrder: {
    fr: "Ordre des noms complets, séparés en firstName et lastName : FIRST_LAST ou LAST_FIRST. Sans ce champ, rien n’est séparé. Un mot tout en majuscules est le nom de famille. Dans preview : ordre observé dans le fichier",
    en: "Order of full names, which are split into firstName and lastName: FIRST_LAST or LAST_FIRST. Without it, nothing is split. A word in capitals is the last name. In preview: the order found in the file",
  },
  column: { fr: "Lettre de la colonne", en: "Column letter" },
  member: { fr: "Champ de la colonne", en: "Field of the column" },
  cell: { fr: "Texte de la cellule", en: "Cell text", sample: "07 08" },
} satisfies Record<string, Meaning>;

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

const BytesReceived = member(Type.Integer(), {
  fr: "Nombre d’octets reçus. La partie suivante commence à cette position",
  en: "Number of bytes received. The next part starts at this position",
  sample: 1,
});

/** An upload: send the next part from byte `received` on. */
export const Upload = shape("ContactImportUpload", {
  importId: member(Type.String(), {
    fr: "Identifiant de l’import",
    en: "Import ID",
    sample: "66f0c0ffee00000000000001",
  }),
  partBytes: member(Type.Integer(), {
    fr: "Taille de chaque partie sauf la dernière, en octets",
    en: "Size of each part but the last, in bytes",
    sample: 1048576,
  }),
  received: BytesReceived,
});
export type Upload = Static<typeof Upload>;

const STATUSES = ["UPLOADING", "READY", "RUNNING", "DONE", "FAILED", "CANCELED"] as const;

export const Received = shape("ContactImportReceived", {
  received: BytesReceived,
  status: Type.Enum([...STATUSES]),
});
export type Received = Static<typeof Received>;

const ColumnsShown = Type.Array(orNull(ColumnShown));

/** The content of a file before it is imported. */
const Preview = shape("ContactImportPreview", {
  format: member(Type.Enum(["CSV", "XLSX"]), { fr: "CSV ou XLSX", en: "CSV or XLSX" }),
  charset: member(orNull(Type.String({ examples: ["WINDOWS-1252"] })), importMeanings.charset),
  delimiter: member(orNull(Type.String({ examples: [";"] })), {
    fr: "Séparateur des cellules, ou null pour XLSX",
    en: "Cell delimiter, or null for XLSX",
  }),
  startRow: member(Type.Integer(), {
    fr: "Ligne de la feuille où la liste commence, avec ses titres ou son premier contact. Les lignes au-dessus sont ignorées",
    en: "Row of the sheet where the list starts, with its headings or its first contact. Rows above it are ignored",
    sample: 1,
  }),
  header: member(Type.Boolean(), importMeanings.header),
  firstRows: member(Type.Array(Type.Array(Type.String())), {
    fr: "Premières lignes",
    en: "First rows",
    sample: [["Téléphone", "Nom"]],
  }),
  columns: member(ColumnsShown, importMeanings.columns),
  proposed: member(ColumnsShown, {
    fr: "Champ personnalisé proposé pour chaque colonne inconnue, d’après son titre, sinon null",
    en: "Custom field proposed for each unknown column, based on its heading, otherwise null",
    sample: [null, null, "fields.ville"],
  }),
  remembered: member(Type.Boolean(), {
    fr: "Indique si les colonnes sont celles que l’entreprise avait choisies pour le même en-tête",
    en: "Whether the columns are those that the company chose for the same header",
  }),
  nameOrder: member(orNull(Type.Enum([...NAME_ORDERS])), importMeanings.nameOrder),
  oldNumber: member(
    orNull(
      Type.Object({
        written: member(Type.String(), { fr: "Numéro tel qu’il est écrit", en: "Number as it is written" }),
        became: member(Type.String(), { fr: "Numéro converti", en: "Converted number" }),
      }),
    ),
    {
      fr: "Exemple d’ancien numéro du fichier, avec sa conversion",
      en: "Example of an old number in the file, with its conversion",
      sample: null,
    },
  ),
});
export type Preview = Static<typeof Preview>;

/**
 * An import: its progress, its results, and its preview until it runs. `undoableUntil` is null if it cannot be undone;
 * `undo` is present once an undo was requested.
 */
export const ContactImport = shape("ContactImport", {
  id: Type.String(),
  fileName: member(Type.String({ examples: ["clients.csv"] }), importMeanings.fileName),
  status: Type.Enum([...STATUSES]),
  bytes: Type.Integer(),
  fingerprint: member(orNull(Type.String()), importMeanings.fingerprint),
  received: BytesReceived,
  percent: Type.Integer(),
  rows: Type.Integer(),
  created: member(Type.Integer(), {
    fr: "Nombre de contacts créés",
    en: "Number of contacts created",
    sample: 1150,
  }),
  updated: member(Type.Integer(), {
    fr: "Nombre de contacts qui existaient déjà",
    en: "Number of contacts that already existed",
    sample: 40,
  }),
  repeated: member(Type.Integer(), {
    fr: "Nombre de lignes dont le numéro figure déjà plus haut dans le fichier. La dernière l’emporte",
    en: "Number of rows whose phone number appears further up in the file. The last one wins",
    sample: 6,
  }),
  rejected: member(Type.Integer(), {
    fr: "Nombre de lignes non importées",
    en: "Number of rows not imported",
    sample: 4,
  }),
  noted: member(Type.Integer(), {
    fr: "Nombre de lignes importées dont une cellule a été ignorée : sexe inconnu, second numéro d’une cellule",
    en: "Number of rows imported with an ignored cell: unknown sex, second number in a cell",
    sample: 1,
  }),
  failureText: member(orNull(Type.String()), {
    fr: "Raison de l’échec de l’import",
    en: "Reason why the import failed",
    sample: null,
  }),
  groupId: member(orNull(Type.String()), importMeanings.groupId),
  groupName: member(orNull(Type.String()), importMeanings.groupName),
  preview: member(orNull(Preview), {
    fr: "Aperçu du fichier, avant le début de l’import",
    en: "Preview of the file, before the import starts",
  }),
  createdAt: Timestamp,
  endedAt: member(orNull(Timestamp), { fr: "Date de fin", en: "End time", sample: null }),
  undoableUntil: member(orNull(Timestamp), {
    fr: "Date limite pour annuler l’import, ou null s’il ne peut pas être annulé",
    en: "Time until which the import can be undone, or null if it cannot be undone",
    sample: null,
  }),
  undo: member(
    orNull(
      Type.Object({
        status: Type.Enum(["RUNNING", "DONE"]),
        removed: member(Type.Integer(), {
          fr: "Nombre de contacts retirés",
          en: "Number of contacts removed",
        }),
        kept: member(Type.Integer(), { fr: "Nombre de contacts conservés", en: "Number of contacts kept" }),
      }),
    ),
    {
      fr: "Annulation de l’import, ou null. Compte les contacts retirés, et ceux conservés car ils ont été modifiés",
      en: "Undo of the import, or null. Counts the contacts removed, and those kept because they were changed",
      sample: null,
    },
  ),
});
export type ContactImport = Static<typeof ContactImport>;

/**
 * A row that was not imported, or only in part: its number in the sheet, the cell that is the cause, the reason, and,
 * if it was not imported, all cells that were read.
 */
export const RejectedRow = shape("RejectedRow", {
  row: member(Type.Integer({ examples: [12] }), {
    fr: "Numéro de la ligne dans la feuille",
    en: "Row number in the sheet",
  }),
  column: member(Type.String({ examples: ["B"] }), importMeanings.column),
  member: member(ColumnShown, importMeanings.member),
  cell: member(Type.String(), importMeanings.cell),
  reason: Type.String(),
  cells: member(
    Type.Array(
      Type.Object({
        column: member(Type.String(), importMeanings.column),
        member: member(ColumnShown, importMeanings.member),
        cell: member(Type.String(), importMeanings.cell),
      }),
      {
        examples: [[{ column: "A", member: "name", cell: "Awa Koné" }]],
      },
    ),
    {
      fr: "Cellules lues de la ligne, dans l’ordre de la feuille, avec 250 caractères au plus chacune",
      en: "Cells read from the row, in the order of the sheet, with at most 250 characters each",
    },
  ),
});
export type RejectedRow = Static<typeof RejectedRow>;
