// The rejected rows of an import: page by page with the reason, and as a file that a person corrects and uploads again.
import { BYTE_ORDER_MARK, csvLine } from "../../../platform/csv.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { linkButton } from "../parts/forms.ts";
import { type Column, pagedTable, table } from "../parts/lists.ts";
import { actions, section } from "../parts/parts.ts";
import { Sheet, type Visit } from "../visit.ts";
import { memberWord } from "./importcolumns.ts";

type Import = Data<"/v1/contact/import/{id}">;
type Rejected = Data<"/v1/contact/import/{id}/rejected/list">[number];

const REJECTS_SHOWN = 50;
const REJECTS_AT_ONCE = 100;
/** The service stores up to 10,000 rejected rows of an import. */
const PAGES_AT_MOST = 100;

/** Renders the rejected rows, as a part of the page of their import. */
export async function rejectedPart(visit: Visit, { id, rejected }: Import): Promise<Html> {
  const wanted = { id, limit: REJECTS_SHOWN };
  const listed = await visit.listed("/v1/contact/import/{id}/rejected/list", wanted);
  const title = visit.t("Lignes rejetées", "Rejected rows");
  const columns: Column<Rejected>[] = [
    [visit.t("Ligne", "Row"), ({ row }) => html`${visit.t("Ligne", "Row")} ${visit.formats.number(row)}`],
    [visit.t("Contact", "Contact"), nameOf],
    [visit.t("Colonne", "Column"), ({ column, member }) => `${column} (${memberWord(visit, member)})`],
    [
      visit.t("Cellule", "Cell"),
      ({ cell }) => (cell === "" ? html`<small>${visit.t("(vide)", "(empty)")}</small>` : cell),
    ],
    [visit.t("Raison", "Reason"), ({ reason }) => reason],
  ];
  return section(title, [
    rejected > listed.totalCount &&
      html`<p class="hint">${visit.t(`Seules les ${visit.formats.number(listed.totalCount)} premières sont affichées.`, `Only the first ${visit.formats.number(listed.totalCount)} are shown.`)}</p>`,
    html`<p>${visit.t(
      "Téléchargez ces lignes, corrigez-les, puis envoyez le fichier ici. Le motif du rejet figure dans la dernière colonne.",
      "Download these rows, correct them, then upload the file here. The last column gives the reason.",
    )}</p>`,
    actions([
      linkButton(
        `/contacts/import/${id}/rejected.csv`,
        visit.t("Télécharger les lignes rejetées", "Download rejected rows"),
        "second",
        "download",
      ),
    ]),
    pagedTable(visit, title, columns, listed, `/contacts/import/${id}`),
  ]);
}

/** Renders the rows that were imported with something omitted, as a part of the page of their import. */
export async function notedPart(visit: Visit, { id }: Import): Promise<Html> {
  const listed = await visit.call("/v1/contact/import/{id}/rejected/list", {
    ...{ id, withNotes: true, limit: REJECTS_SHOWN },
  });
  const title = visit.t("Importées partiellement", "Partly imported");
  const columns: Column<Rejected>[] = [
    [visit.t("Ligne", "Row"), ({ row }) => html`${visit.t("Ligne", "Row")} ${visit.formats.number(row)}`],
    [visit.t("Cellule", "Cell"), ({ cell }) => cell],
    [visit.t("Remarque", "Note"), ({ reason }) => reason],
  ];
  return section(title, [
    listed.totalCount > listed.data.length &&
      html`<p class="hint">${visit.t(`Seules les ${listed.data.length} premières sont affichées.`, `Only the first ${listed.data.length} are shown.`)}</p>`,
    table(title, columns, listed.data),
  ]);
}

function nameOf({ cells }: Rejected): string {
  const names = ["firstName", "lastName", "name"].map(
    (member) => cells.find((cell) => cell.member === member)?.cell ?? "",
  );
  const [firstName, lastName, name] = names as [string, string, string];
  return name === "" ? `${firstName} ${lastName}`.trim() : name;
}

/** Returns the rejected rows as a CSV, whose columns an import recognises by their headers. Throws `not-found`. */
export async function rejectedSheet(visit: Visit): Promise<Sheet> {
  const { data: found } = await visit.call("/v1/contact/import/{id}");
  const first = await readSome(visit, 1);
  return new Sheet(reportName(visit, found), linesOf(visit, first));
}

const NAME_CHARACTERS = 60;

/** `import-clients-2026-11-26-lignes-refusees.csv`: the name of the uploaded file, and the day, in ASCII letters. */
function reportName(visit: Visit, { fileName, createdAt }: Import): string {
  const sent = fileName
    .replace(/\.(?:csv|txt|tsv|xlsx)$/i, "")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, NAME_CHARACTERS)
    .replace(/^-+|-+$/g, "");
  const parts = [
    "import",
    sent,
    visit.formats.dateValue(createdAt),
    visit.t("lignes-refusees", "rejected-rows"),
  ];
  return `${parts.filter((part) => part !== "").join("-")}.csv`;
}

function readSome(visit: Visit, page: number) {
  return visit.call("/v1/contact/import/{id}/rejected/list", {
    ...{ id: visit.id, page, limit: REJECTS_AT_ONCE },
  });
}

/** The lines, read from the API as fast as they are consumed. */
async function* linesOf(visit: Visit, first: Awaited<ReturnType<typeof readSome>>): AsyncGenerator<string> {
  const members = (first.data[0]?.cells ?? []).map(({ member }) => member);
  const heads = members.map((member) => memberWord(visit, member));
  const line = (cells: readonly unknown[]) => csvLine(cells, ";", true);
  yield BYTE_ORDER_MARK + line([visit.t("Ligne", "Row"), ...heads, visit.t("Raison", "Reason")]);
  const pages = Math.min(first.totalPage, PAGES_AT_MOST);
  for (let page = 1; page <= pages; page++) {
    const { data } = page === 1 ? first : await readSome(visit, page);
    yield data
      .map(({ row, cells, member, reason }) => {
        const texts = members.map((one) => cells.find((cell) => cell.member === one)?.cell);
        return line([
          row,
          ...texts,
          visit.t(`${memberWord(visit, member)} : ${reason}`, `${memberWord(visit, member)}: ${reason}`),
        ]);
      })
      .join("");
  }
}
