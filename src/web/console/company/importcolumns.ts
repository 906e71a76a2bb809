// The columns of a file: its first rows with the choice for each column, and the other settings of an import.
import { splitName } from "../../../phonebook/imports/fullnames.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { modernise } from "../../../protocol/sms/renumbering.ts";
import type { Body, Data } from "../apiclient.ts";
import { button, type Choice, check, choices, field, form, linkButton, select } from "../parts/forms.ts";
import { actions, remark } from "../parts/parts.ts";
import type { Problem } from "../parts/sentences.ts";
import type { Visit } from "../visit.ts";
import { groupChoice } from "./groupchoice.ts";

type Import = Data<"/v1/contact/import/{id}">;
type Preview = NonNullable<Import["preview"]>;
type Member = NonNullable<Preview["columns"][number]>;

const ROWS_SHOWN = 6;
const COLUMNS_AT_MOST = 50;
const MEMBERS = ["phone", "name", "lastName", "firstName", "sex"] as const;
const OWN = "fields.";

/** Returns the word for a column's meaning, which an import recognises in a header; an own field is its name. */
export function memberWord(visit: Visit, member: Member): string {
  const words: Record<string, readonly [string, string]> = {
    phone: ["Téléphone", "Phone"],
    name: ["Nom complet", "Full name"],
    lastName: ["Nom de famille", "Last name"],
    firstName: ["Prénom", "First name"],
    sex: ["Sexe", "Sex"],
  };
  return member.startsWith(OWN) ? member.slice(OWN.length) : visit.t(...(words[member] ?? [member, member]));
}

/** The options for a column's meaning: its own field, under its heading, comes last. */
function optionsOf(visit: Visit, own: Member | null): Choice[] {
  const ofOwn = (member: Member) => {
    const name = memberWord(visit, member);
    return visit.t(`Champ personnalisé : ${name}`, `Custom field: ${name}`);
  };
  return [
    ["", visit.t("Ne pas importer", "Do not import")],
    ...MEMBERS.map((member): Choice => [member, memberWord(visit, member)]),
    ...(own === null ? [] : [[own, ofOwn(own)] as const]),
  ];
}

/** Renders the form for an uploaded file. After a refusal, it has the values that were sent. */
export async function mappingPart(visit: Visit, found: Import, preview: Preview): Promise<Html> {
  const isAgain = visit.field("columns") !== "";
  const header = isAgain ? visit.field("header") : preview.header ? "yes" : "no";
  return html`${preview.remembered && !isAgain && remark(visit, "note", ["Les colonnes reprennent votre dernier choix.", "The columns match your last choice."])}
${charsetPart(visit, found.id, preview)}
<p class="lead">${visit.t("Indiquez le contenu de chaque colonne.", "Select what each column contains.")} <small>${formatText(visit, preview)}</small></p>
${preview.startRow > 1 && html`<p class="hint">${visit.t(`La liste commence à la ligne ${visit.formats.number(preview.startRow)} du fichier. Les lignes précédentes sont ignorées.`, `The list starts at row ${visit.formats.number(preview.startRow)} of the file. Earlier rows are ignored.`)}</p>`}
${!preview.header && preview.columns.includes(null) && html`<p class="hint">${visit.t("Le fichier n’a pas de titres. Si une autre colonne contient des noms, choisissez « Nom complet » au-dessus de celle-ci.", "The file has no headings. If another column contains names, choose “Full name” above it.")}</p>`}
${form(visit, `/contacts/import/${found.id}/run`, [
  tablePart(visit, preview, header === "yes", isAgain),
  html`<div class="stack narrow">${[
    choices(visit, "header", visit.t("Première ligne", "First row"), {
      chosen: [header],
      choices: [
        ["yes", visit.t("Titres des colonnes", "Column headings")],
        ["no", visit.t("Un contact", "A contact")],
      ],
    }),
    splitPart(visit, preview, isAgain),
    await groupPart(visit, found, isAgain),
    check("old", visit.t("Convertir les anciens numéros à 8 chiffres", "Convert old 8-digit numbers"), {
      hint: oldHint(visit, preview),
      value: visit.field("old"),
    }),
    actions([
      button(visit.t("Importer", "Import")),
      linkButton(
        `/contacts/import/${found.id}/cancel`,
        visit.t("Abandonner l’import", "Cancel import"),
        "plain",
      ),
    ]),
  ]}</div>`,
])}`;
}

const CHARSETS = [
  ["UTF-8", "UTF-8"],
  ["WINDOWS-1252", "Windows-1252"],
  ["MACINTOSH", "MacRoman"],
  ["UTF-16", "UTF-16"],
] as const;

/** The choice of the encoding, for a text whose letters look wrong. */
function charsetPart(visit: Visit, id: string, preview: Preview): Html | false {
  if (preview.format !== "CSV") return false;
  const charset = preview.charset?.replace(/^UTF-16.*/, "UTF-16") ?? "";
  const options = [["AUTO", visit.t("Automatique", "Automatic")] as const, ...CHARSETS];
  const label = visit.t("Encodage du fichier", "File encoding");
  return html`<details class="narrow"><summary>${visit.t("Caractères mal affichés ? Changer l’encodage", "Garbled characters? Change the encoding")}</summary>
${form(visit, `/contacts/import/${id}/charset`, [
  select(visit, "charset", label, { value: visit.field("charset") || charset, choices: options }),
  button(visit.t("Relire le fichier", "Reload file"), "second"),
])}</details>`;
}

const ORDERS = ["FIRST_LAST", "LAST_FIRST"] as const;
const NAMES_SHOWN = 4;

/** The question whether full names are split, with the first rows as each order would split them. */
function splitPart(visit: Visit, preview: Preview, isAgain: boolean): Html | false {
  const { columns, firstRows, header } = preview;
  const at = columns.indexOf("name");
  if (at < 0 || columns.includes("firstName") || columns.includes("lastName")) return false;
  const names = firstRows
    .slice(header ? 1 : 0)
    .map((row) => row[at]?.trim() ?? "")
    .filter((name) => /\s/.test(name));
  if (names.length === 0) return false;
  const [first, last] = [visit.t("prénom", "first name"), visit.t("nom", "last name")];
  const exampleOf = (order: (typeof ORDERS)[number]) =>
    names
      .slice(0, NAMES_SHOWN)
      .map((name) => {
        const split = splitName(name, order);
        return split === null
          ? name
          : `${first}\u00a0« ${split.firstName} », ${last}\u00a0« ${split.lastName} »`.replace(
              /« | »/g,
              (mark) => mark.replace(" ", "\u00a0"),
            );
      })
      .join(" · ");
  const chosen = isAgain ? visit.field("order") : (preview.nameOrder ?? "");
  const label = visit.t(
    "La colonne « Nom complet » contient-elle le prénom et le nom ?",
    "Does the “Full name” column contain first and last names?",
  );
  return choices(visit, "order", label, {
    chosen: [chosen],
    choices: [
      ["", visit.t("Ne pas séparer", "Do not split")],
      ["FIRST_LAST", visit.t("Prénom Nom", "First name, last name"), exampleOf("FIRST_LAST")],
      ["LAST_FIRST", visit.t("NOM Prénom", "LAST NAME, first name"), exampleOf("LAST_FIRST")],
    ],
  });
}

function formatText(visit: Visit, { format, charset, delimiter }: Preview): string {
  if (format === "XLSX")
    return visit.t(
      "Classeur Excel, première feuille contenant des lignes.",
      "Excel workbook, first sheet with rows.",
    );
  const names: Record<string, string> = {
    ";": visit.t("point-virgule", "semicolon"),
    ",": visit.t("virgule", "comma"),
    "\t": visit.t("tabulation", "tab"),
    "|": visit.t("barre verticale", "vertical bar"),
  };
  const by = names[delimiter ?? ""] ?? "";
  const codes: Record<string, string> = { "WINDOWS-1252": "Windows-1252", MACINTOSH: "MacRoman" };
  const code = codes[charset ?? ""] ?? charset ?? "";
  return visit.t(`CSV, séparateur : ${by}, encodage : ${code}.`, `CSV, separator: ${by}, encoding: ${code}.`);
}

/** What an old number becomes, and how many of the first rows seem to have one: the person decides. */
function oldHint(visit: Visit, preview: Preview): string {
  const { written, became } = preview.oldNumber ?? { written: "07 08 09 10", became: "2250707080910" };
  const example = visit.t(
    `Côte d’Ivoire et Bénin : ${written} devient ${visit.formats.phone(became)}.`,
    `Côte d’Ivoire and Benin: ${written} becomes ${visit.formats.phone(became)}.`,
  );
  const count = oldRows(visit, preview);
  if (count === 0) return example;
  const rows = visit.count(
    count,
    ["des premières lignes semble", "des premières lignes semblent"],
    ["of the first rows seems", "of the first rows seem"],
  );
  return `${visit.t(`${rows} contenir un ancien numéro.`, `${rows} to contain an old number.`)} ${example}`;
}

/** How many of the first rows have an old number in the phone column. */
function oldRows(visit: Visit, { firstRows, columns }: Preview): number {
  const at = columns.indexOf("phone");
  return firstRows.filter((row) => modernise(row[at]?.trim() ?? "", visit.company.country).isOld).length;
}

/** The first rows, under a choice for each column. It scrolls on its own if it is wide. */
function tablePart(
  visit: Visit,
  { firstRows, columns, proposed }: Preview,
  hasHeader: boolean,
  isAgain: boolean,
): Html {
  const label = visit.t("Premières lignes du fichier", "First rows of the file");
  const options = (chosen: string, own: Member | null) =>
    optionsOf(visit, own).map(
      ([value, text]) =>
        html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
    );
  const rows = firstRows.slice(0, ROWS_SHOWN);
  return html`<input type="hidden" name="columns" value="${columns.length}">
<div class="sheet" role="region" aria-label="${label}" tabindex="0"><table><caption>${label}</caption>
<thead><tr>${columns.map((member, at) => {
    const name = `${visit.t("Colonne", "Column")} ${letterOf(at)}`;
    const own = member?.startsWith(OWN) ? member : (proposed[at] ?? null);
    return html`<th scope="col"><select name="column${at}" aria-label="${name}">${options(isAgain ? visit.field(`column${at}`) : (member ?? ""), own)}</select></th>`;
  })}</tr></thead>
<tbody>${rows.map((row, number) => html`<tr${hasHeader && number === 0 && html` class="titles"`}>${columns.map((_, at) => html`<td>${row[at] ?? ""}</td>`)}</tr>`)}</tbody></table></div>`;
}

const LETTERS = 26;

/** The name of a column as spreadsheets show it. */
function letterOf(at: number): string {
  const before = at < LETTERS ? "" : letterOf(Math.floor(at / LETTERS) - 1);
  return before + String.fromCharCode(65 + (at % LETTERS));
}

async function groupPart(visit: Visit, { groupId, groupName }: Import, isAgain: boolean): Promise<Html> {
  // The URL has the group of the file that this one corrects.
  const chosen = visit.field("group") || (isAgain ? "" : (groupId ?? ""));
  const label = visit.t("Ajouter à un groupe", "Add to a group");
  const groups = await groupChoice(visit, { name: "group", label, chosen: [chosen], isMany: false });
  return html`${groups}
${field(
  visit,
  "groupName",
  groups
    ? visit.t("Ou à un nouveau groupe", "Or to a new group")
    : visit.t("Ajouter à un nouveau groupe", "Add to a new group"),
  {
    value: isAgain ? visit.field("groupName") : groupId === null ? (groupName ?? "") : "",
    attributes: html`maxlength="200"`,
    isOptional: true,
  },
)}`;
}

/** Starts the import with the settings of the form. */
export function runImport(visit: Visit): Promise<unknown | Problem> {
  const count = Math.min(COLUMNS_AT_MOST, Number(visit.field("columns")) || 0);
  const columns = Array.from({ length: count }, (_, at) => visit.field(`column${at}`) || null);
  const [groupId, groupName] = [visit.field("group"), visit.field("groupName")];
  const into = groupName ? { groupName } : groupId ? { groupId } : {};
  // The question is shown beside a column of full names; without such a column, nothing is split.
  const nameOrder = (columns.includes("name") && visit.field("order")) || undefined;
  const wanted = {
    ...{ id: visit.id, columns, header: visit.field("header") === "yes" },
    ...{ convertOldNumbers: visit.field("old") === "yes", ...into },
    ...(nameOrder && { nameOrder }),
  };
  const fields = { columns: "column0", groupId: "group", nameOrder: "order" };
  return visit.attempt(
    visit.call("/v1/contact/import/{id}/run", wanted as Body<"/v1/contact/import/{id}/run">),
    fields,
  );
}
