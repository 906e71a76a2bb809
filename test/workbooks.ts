// Workbooks for tests: XLSX files as spreadsheets write them, from rows of texts, numbers and days.
import { strToU8, zipSync } from "fflate";

/** A text, a number, or a cell in the XML of a sheet. */
export type Cell = string | number | { xml: string };

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The bytes of a workbook with one sheet. Rows by their number; texts are shared, as Excel writes them. */
export function workbookOf(
  rows: Readonly<Record<number, readonly Cell[]>>,
  entries: Record<string, string> = {},
) {
  const texts: string[] = [];
  const cellOf = (cell: Cell, row: string, at: number) => {
    const r = `r="${String.fromCharCode(65 + at)}${row}"`;
    if (cell === "") return "";
    if (typeof cell === "number") return `<c ${r}><v>${cell}</v></c>`;
    if (typeof cell !== "string") return cell.xml.replace("<c", `<c ${r}`);
    return `<c ${r} t="s"><v>${texts.push(`<si><t>${escaped(cell)}</t></si>`) - 1}</v></c>`;
  };
  const lines = Object.entries(rows).map(
    ([number, cells]) =>
      `<row r="${number}">${cells.map((cell, at) => cellOf(cell, number, at)).join("")}</row>`,
  );
  const head = '<?xml version="1.0" encoding="UTF-8"?>';
  const files = {
    "[Content_Types].xml": `${head}<Types/>`,
    "xl/workbook.xml": `${head}<workbook xmlns:r="r"><workbookPr/><sheets><sheet name="A" sheetId="1" r:id="rId7"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `${head}<Relationships><Relationship Id="rId7" Target="worksheets/feuille.xml"/></Relationships>`,
    "xl/styles.xml": `${head}<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    "xl/worksheets/feuille.xml": `${head}<worksheet><sheetData>${lines.join("")}</sheetData></worksheet>`,
    "xl/sharedStrings.xml": `${head}<sst>${texts.join("")}</sst>`,
    ...entries,
  };
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([path, xml]) => [path, strToU8(xml)]))),
  );
}
