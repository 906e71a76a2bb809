// Imports: a file of contacts is uploaded, its columns are assigned, and the page follows the progress of its rows.
import type { MultipartFile } from "@fastify/multipart";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Body, Data } from "../apiclient.ts";
import { button, form, linkButton, wrongPart } from "../parts/forms.ts";
import { type Column, listSection } from "../parts/lists.ts";
import {
  actions,
  badge,
  figure,
  figures,
  notice,
  progress,
  type State,
  section,
  stateBadge,
} from "../parts/parts.ts";
import { may } from "../parts/roles.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";
import { isGroupSearch } from "./groupchoice.ts";
import { mappingPart, runImport } from "./importcolumns.ts";
import { confirmUndo, undo, undoLive, undoPart } from "./importundo.ts";
import { notedPart, rejectedPart, rejectedSheet } from "./rejects.ts";

type Import = Data<"/v1/contact/import/{id}">;

/** A part of a file in a form: base64, in which some characters are percent-encoded with three. */
const PART_FORM_BYTES = 512 * 1024;
const LISTED = 10;
const MEGABYTE = 1024 * 1024;

export function addImports(screens: Screens): void {
  screens.page("/contacts/import", start);
  screens.upload("/contacts/import/file", takeFile);
  screens.form("/contacts/import/begin", begin);
  screens.page("/contacts/import/:id", shown);
  screens.page("/contacts/import/:id/live", live);
  screens.page("/contacts/import/:id/rejected.csv", rejectedSheet);
  screens.form("/contacts/import/:id/part", takePart, { bodyBytes: PART_FORM_BYTES });
  screens.form("/contacts/import/:id/run", run);
  screens.form("/contacts/import/:id/charset", reread);
  screens.pageAndForm("/contacts/import/:id/cancel", confirmCancel, cancel);
  screens.pageAndForm("/contacts/import/:id/undo", confirmUndo, undo);
  screens.page("/contacts/import/:id/undo/live", undoLive);
}

const back = (visit: Visit) => ({ href: "/contacts", text: visit.t("Contacts", "Contacts") });

async function start(visit: Visit): Promise<View> {
  const listed = await visit.listed("/v1/contact/import/list", { limit: LISTED });
  const title = visit.t("Derniers imports", "Recent imports");
  return {
    title: visit.t("Importer des contacts", "Import contacts"),
    back: back(visit),
    islands: ["importer"],
    body: html`<div class="stack narrow">${filePart(visit, null)}</div>
${listed.data.length > 0 && listSection(visit, title, importColumns(visit), listed, "/contacts/import")}`,
  };
}

/**
 * The field of the file. With a script, the file is sent in parts, and the upload resumes after an interruption;
 * without one, it is sent at once. The group is proposed for its contacts.
 */
function filePart(visit: Visit, groupId: string | null = null): Html {
  const label = visit.t("Fichier", "File");
  const wrong = wrongPart(visit, "file", label);
  const words = {
    of: visit.t("{sent} Mo sur {all} Mo", "{sent} MB of {all} MB"),
    waits: visit.t(
      "Connexion perdue. L’envoi reprendra dès son rétablissement.",
      "Connection lost. The upload resumes when it is back.",
    ),
    checks: visit.t("Fichier reçu, lecture en cours…", "File received, reading…"),
    language: visit.language,
  };
  const hint = visit.t(
    "CSV ou Excel (.xlsx), 64 Mo au plus. Une ligne par contact, avec son numéro de téléphone.",
    "CSV or Excel (.xlsx), up to 64 MB. One row per contact, with the phone number.",
  );
  return form(
    visit,
    {
      action: "/contacts/import/file",
      attributes: html`enctype="multipart/form-data" data-import="/contacts/import" data-words="${JSON.stringify(words)}"`,
    },
    html`${groupId !== null && html`<input type="hidden" name="group" value="${groupId}">`}
<div class="field"><label for="file">${label}</label>${wrong}<p class="hint" id="file-hint">${hint}</p>
<input type="file" id="file" name="file" required aria-describedby="${wrong && "file-wrong "}file-hint"${wrong && html` aria-invalid="true"`} accept=".csv,.txt,.tsv,.xlsx,text/csv"></div>
<div class="progress" data-progress hidden><progress value="0" max="1" aria-label="${visit.t("Envoi du fichier", "Uploading the file")}"></progress><p role="status"></p></div>
${button(visit.t("Envoyer le fichier", "Upload file"))}`,
  );
}

const STATES: Readonly<Record<Import["status"], State>> = {
  UPLOADING: ["wait", "Envoi inachevé", "Incomplete upload"],
  READY: ["wait", "Colonnes à choisir", "Columns to choose"],
  RUNNING: ["note", "En cours", "In progress"],
  DONE: ["good", "Terminé", "Completed"],
  FAILED: ["wrong", "Échoué", "Failed"],
  CANCELED: ["calm", "Arrêté", "Stopped"],
};

function importState(visit: Visit, { status, undo: undone }: Pick<Import, "status" | "undo">): Html {
  if (undone !== null) return badge("calm", visit.t("Annulé", "Undone"));
  return stateBadge(visit, STATES[status]);
}

function importColumns(visit: Visit): Column<Import>[] {
  const count = (head: string, of: (row: Import) => number): Column<Import> => [
    head,
    (row) => visit.formats.number(of(row)),
    "figure",
  ];
  return [
    [
      visit.t("Fichier", "File"),
      ({ id, fileName }) => html`<a href="/contacts/import/${id}">${fileName}</a>`,
    ],
    [visit.t("Statut", "Status"), (row) => importState(visit, row)],
    [visit.t("Date", "Date"), ({ createdAt }) => visit.formats.moment(createdAt)],
    count(visit.t("Créés", "Created"), ({ created }) => created),
    count(visit.t("Mis à jour", "Updated"), ({ updated }) => updated),
    count(visit.t("Rejetées", "Rejected"), ({ rejected }) => rejected),
  ];
}

/**
 * Receives a file that is sent with a form at once. An incomplete upload is canceled: only a script can resume it, and
 * until it expires it would take one of the few imports that a company may have at a time.
 */
async function takeFile(visit: Visit, sent: MultipartFile | undefined): Promise<View | Redirect> {
  if (!sent?.filename) return start(visit.wrong(visit.t("Choisissez un fichier.", "Choose a file."), "file"));
  const fields = { fileName: "file", bytes: "file" };
  const begun = await visit.attempt(
    visit.call("/v1/contact/import/begin", { fileName: sent.filename }),
    fields,
  );
  if (begun instanceof Problem) return start(visit.with(begun));
  const { importId: id } = begun.data;
  const giveUp = () => visit.attempt(visit.call("/v1/contact/import/{id}/cancel", { id }));
  try {
    const problem = await storeFile(visit, sent.file, begun.data);
    if (problem) {
      await giveUp();
      return start(visit.with(problem));
    }
  } catch (error) {
    // The first error is more informative than an error of the cancellation.
    await giveUp().catch(() => undefined);
    throw error;
  }
  const group = visit.field("group");
  return new Redirect(`/contacts/import/${id}${group && `?${new URLSearchParams({ group })}`}`);
}

/** Stores a file part by part as it arrives, or returns why it cannot be accepted. Throws if the connection breaks. */
async function storeFile(
  visit: Visit,
  file: MultipartFile["file"],
  { importId: id, partBytes }: Data<"/v1/contact/import/begin">,
): Promise<Problem | undefined> {
  let waiting = Buffer.alloc(0);
  let offset = 0;
  const send = async (bytes: Buffer, last: boolean) => {
    const data = bytes.toString("base64");
    await visit.call("/v1/contact/import/{id}/part", { id, offset, data, ...(last && { last }) });
    offset += bytes.length;
  };
  for await (const chunk of file as AsyncIterable<Buffer>) {
    waiting = Buffer.concat([waiting, chunk]);
    for (; waiting.length > partBytes; waiting = waiting.subarray(partBytes))
      await send(waiting.subarray(0, partBytes), false);
  }
  if (file.truncated)
    return new Problem(visit.t("Ce fichier dépasse 64 Mo.", "This file is larger than 64 MB."), "file");
  if (waiting.length === 0)
    return new Problem(visit.t("Ce fichier est vide.", "This file is empty."), "file");
  await send(waiting, true);
  return undefined;
}

/** For the island: starts an upload, or resumes the one of the same file. */
async function begin(visit: Visit): Promise<Fragment> {
  const file = {
    fileName: visit.field("fileName"),
    bytes: Number(visit.field("bytes")),
    fingerprint: visit.field("fingerprint"),
  };
  const begun = await visit.attempt(visit.call("/v1/contact/import/begin", file));
  if (begun instanceof Problem) {
    const sentence = begun.isAt("bytes") ? wrongSize(visit, file.bytes) : begun.sentence;
    return new Fragment(html`<p data-problem="${sentence}"></p>`, true);
  }
  const { importId, received, partBytes } = begun.data;
  return new Fragment(
    html`<p data-id="${importId}" data-received="${received}" data-part="${partBytes}"></p>`,
    false,
  );
}

function wrongSize(visit: Visit, bytes: number): string {
  return bytes === 0
    ? visit.t("Ce fichier est vide.", "This file is empty.")
    : visit.t("Ce fichier dépasse 64 Mo.", "This file is larger than 64 MB.");
}

/** For the island: stores the next part of a file. */
async function takePart(visit: Visit): Promise<Fragment> {
  const part = { offset: Number(visit.field("offset")), data: visit.field("data") };
  const taken = await visit.attempt(visit.call("/v1/contact/import/{id}/part", { ...part }));
  if (taken instanceof Problem) return new Fragment(html`<p data-problem="${taken.sentence}"></p>`, true);
  const { received, status } = taken.data;
  return new Fragment(html`<p data-received="${received}"></p>`, status !== "UPLOADING");
}

async function shown(visit: Visit): Promise<View> {
  const { data: found } = await visit.call("/v1/contact/import/{id}");
  const { id, status, fileName } = found;
  const frame = {
    title: fileName,
    back: { href: "/contacts/import", text: visit.t("Imports", "Imports") },
  };
  if (status === "READY" && found.preview !== null)
    return { ...frame, islands: ["groups"], body: await mappingPart(visit, found, found.preview) };
  // The import has begun or ended meanwhile: what was wrong with its form no longer matters.
  visit.problem = undefined;
  if (status === "RUNNING")
    return {
      ...frame,
      narrow: true,
      islands: ["live"],
      body: html`<div class="stack" data-live="/contacts/import/${id}/live">${runningPart(visit, found)}</div>
<noscript><p><a href="/contacts/import/${id}">${visit.t("Voir l’avancement", "See progress")}</a></p></noscript>`,
    };
  return { ...frame, islands: ["importer", "live"], body: await endedPart(visit, found) };
}

async function live(visit: Visit): Promise<Fragment> {
  const { data: found } = await visit.call("/v1/contact/import/{id}");
  const isOver = found.status !== "RUNNING";
  const result = html`${countsPart(visit, found)}
<p>${importState(visit, found)}</p><p>${linkButton(`/contacts/import/${found.id}`, visit.t("Voir le résultat", "View result"))}</p>`;
  return new Fragment(isOver ? result : runningPart(visit, found), isOver);
}

function runningPart(visit: Visit, found: Import): Html {
  const rows = visit.count(found.rows, ["ligne lue", "lignes lues"], ["row read", "rows read"]);
  return html`<p>${importState(visit, found)}</p>
${progress(found.percent, 100, `${visit.formats.number(found.percent)} % · ${rows}`)}
${countsPart(visit, found)}
<p class="hint">${visit.t("Vous pouvez quitter cette page. L’import continue.", "You can leave this page. The import continues.")}</p>
<p>${linkButton(`/contacts/import/${found.id}/cancel`, visit.t("Arrêter l’import", "Stop import"), "danger")}</p>`;
}

function countsPart(visit: Visit, { created, updated, repeated, rejected }: Import): Html {
  return figures([
    figure(visit.t("Créés", "Created"), visit.formats.number(created)),
    figure(visit.t("Mis à jour", "Updated"), visit.formats.number(updated)),
    figure(
      visit.t("Doublons dans le fichier", "Duplicates in the file"),
      visit.formats.number(repeated),
      repeated > 0 ? visit.t("la dernière ligne est retenue", "the last row is used") : undefined,
    ),
    figure(visit.t("Lignes rejetées", "Rejected rows"), visit.formats.number(rejected)),
  ]);
}

async function endedPart(visit: Visit, found: Import): Promise<Html> {
  const { status, groupId, groupName } = found;
  const isUnfinished = status === "UPLOADING";
  return html`<p>${importState(visit, found)}</p>
${found.failureText !== null && notice("wrong", found.failureText)}
${isUnfinished ? unfinishedPart(visit, found) : countsPart(visit, found)}
${status === "DONE" && groupId !== null && found.undo === null && groupPart(visit, groupId, groupName)}
${await undoPart(visit, found)}
${found.rejected > 0 && (await rejectedPart(visit, found))}
${found.noted > 0 && (await notedPart(visit, found))}
${section(
  isUnfinished
    ? visit.t("Envoyer le fichier", "Upload file")
    : visit.t("Envoyer un fichier corrigé ou un autre", "Upload a corrected file or another one"),
  [
    // No rows were read if the file is no list, or before its columns were chosen.
    found.rows > 0 &&
      html`<p class="hint">${visit.t("Vos choix de colonnes sont mémorisés. Les contacts déjà importés ne sont pas créés en double.", "Your column choices are remembered. Contacts that are already imported are not duplicated.")}</p>`,
    html`<div class="narrow">${filePart(visit, groupId)}</div>`,
  ],
)}`;
}

function groupPart(visit: Visit, groupId: string, groupName: string | null): Html {
  return html`<p>${visit.t("Groupe :", "Group:")} <a href="/groups/${groupId}">${groupName}</a></p>
${
  may(visit, "contacts") &&
  actions([
    linkButton(`/campaigns/new?group=${groupId}`, visit.t("Envoyer à ce groupe", "Send to this group")),
  ])
}`;
}

/** Only the module of the form can resume an upload, and only one that it started with a fingerprint. */
function unfinishedPart(visit: Visit, { id, received, bytes, fingerprint }: Import): Html {
  const megabytes = (of: number) => visit.formats.number(Math.round((of / MEGABYTE) * 10) / 10);
  const came =
    fingerprint === null
      ? visit.t(`${megabytes(received)} Mo reçus.`, `${megabytes(received)} MB received.`)
      : visit.t(
          `${megabytes(received)} Mo reçus sur ${megabytes(bytes)} Mo.`,
          `${megabytes(received)} MB of ${megabytes(bytes)} MB received.`,
        );
  return notice("wait", [
    html`<p>${came}</p>`,
    fingerprint !== null &&
      html`<p data-resumes hidden>${visit.t("Choisissez le même fichier : l’envoi reprend là où il s’est arrêté.", "Choose the same file: the upload resumes where it stopped.")}</p>`,
    html`<p>${visit.t("Un envoi inachevé compte parmi vos imports en cours. Si vous ne le terminez pas, abandonnez-le.", "An incomplete upload counts toward your imports in progress. If you do not finish it, cancel it.")}</p>`,
    html`<p>${linkButton(`/contacts/import/${id}/cancel`, visit.t("Abandonner l’envoi", "Cancel upload"), "plain")}</p>`,
  ]);
}

async function run(visit: Visit): Promise<View | Redirect> {
  if (isGroupSearch(visit)) return shown(visit);
  const begun = await runImport(visit);
  return begun instanceof Problem ? shown(visit.with(begun)) : new Redirect(`/contacts/import/${visit.id}`);
}

/** Shows the file again, in the chosen encoding. */
async function reread(visit: Visit): Promise<View | Redirect> {
  const wanted = { id: visit.id, charset: visit.field("charset") };
  const calling = visit.call(
    "/v1/contact/import/{id}/charset",
    wanted as Body<"/v1/contact/import/{id}/charset">,
  );
  return visit.submit(calling, shown, `/contacts/import/${visit.id}`);
}

async function confirmCancel(visit: Visit): Promise<View> {
  const { data: found } = await visit.call("/v1/contact/import/{id}");
  const url = `/contacts/import/${found.id}`;
  return {
    title: visit.t("Arrêter cet import ?", "Stop this import?"),
    narrow: true,
    back: { href: url, text: found.fileName },
    body: html`<p class="lead">${visit.t("Les contacts déjà importés sont conservés. Le fichier est supprimé.", "Contacts already imported are kept. The file is deleted.")}</p>
${form(visit, `${url}/cancel`, button(visit.t("Arrêter l’import", "Stop import"), "danger"))}`,
  };
}

async function cancel(visit: Visit): Promise<View | Redirect> {
  const id = visit.id;
  const canceled = await visit.attempt(visit.call("/v1/contact/import/{id}/cancel", { id }));
  // The import has ended meanwhile: its page shows how.
  return canceled instanceof Problem ? shown(visit) : new Redirect(`/contacts/import/${id}`);
}
