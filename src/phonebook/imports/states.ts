// The refusals of an import by its state, and of a second run that differs from the first.

import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { refuse, type Sentence } from "../../platform/http/refusals.ts";
import type { RunInput } from "./imports.ts";
import type { ImportRow, LockedImport } from "./sql.ts";

const STATES: Readonly<Record<ImportRow["status"], Sentence>> = {
  UPLOADING: {
    fr: "le fichier n’est pas encore entièrement reçu ; envoyez le reste",
    en: "the file has not been fully received yet; send the rest",
  },
  READY: {
    fr: "le fichier est entièrement reçu ; lancez l’import",
    en: "the file has been fully received; run the import",
  },
  RUNNING: {
    fr: "l’import est en cours ; attendez la fin ou annulez-le",
    en: "the import is running; wait until it ends or cancel it",
  },
  DONE: {
    fr: "l’import est terminé ; commencez-en un autre",
    en: "the import is done; start another one",
  },
  FAILED: {
    fr: "l’import a échoué ; commencez-en un autre",
    en: "the import has failed; start another one",
  },
  CANCELED: {
    fr: "l’import a été annulé ; commencez-en un autre",
    en: "the import was canceled; start another one",
  },
};

/** Refuses `conflict`, with a sentence about the state of the import. */
export function refuseState({ status }: Pick<ImportRow, "status">): never {
  refuseConflict("id", STATES[status]);
}

/** Refuses `conflict` for an import that cannot be undone, with the reason. */
export function refuseUndo(found: ImportRow): never {
  if (found.status !== "DONE" && found.endedAt === null) refuseState(found);
  refuseConflict("id", found.created === 0 ? NOBODY_CREATED : TOO_LATE);
}

const NOBODY_CREATED: Sentence = {
  fr: "cet import n’a créé aucun contact",
  en: "this import created no contacts",
};
const TOO_LATE: Sentence = {
  fr: "un import ne peut être annulé que dans les 24 heures qui suivent sa fin",
  en: "an import can be undone only within 24 hours of its end",
};

/**
 * Accepts a repeat of the request that started the run of an import. Refuses `conflict` if it differs, with a detail
 * for each member that differs, and if the import did not run. A request without a group matches any group of the run.
 */
export function requireSameRun(found: LockedImport, input: RunInput): void {
  if (found.status !== "RUNNING" && found.status !== "DONE") refuseState(found);
  const { groupId, groupName } = input;
  const pairs: Readonly<Record<string, readonly [given: unknown, running: unknown]>> = {
    columns: [input.columns, found.columns.map((column) => column || null)],
    header: [input.header, found.hasHeader],
    convertOldNumbers: [input.convertOldNumbers ?? false, found.converts],
    nameOrder: [input.nameOrder ?? null, found.nameOrder],
    ...(groupId !== undefined && { groupId: [groupId, found.groupId] }),
    ...(groupName !== undefined && { groupName: [groupName, found.groupName] }),
  };
  const differing = Object.entries(pairs)
    .map(([field, values]) => [field, ...values.map((value) => JSON.stringify(value))] as const)
    .filter(([, given, running]) => given !== running);
  if (differing.length === 0) return;
  const isRunning = found.status === "RUNNING";
  const details = differing.map(([field, , running]) => ({
    field,
    message: (isRunning ? runsWith : hasRunWith)(
      running === "null"
        ? { fr: `sans ${field}`, en: `without ${field}` }
        : { fr: `avec ${running}`, en: `with ${running}` },
    ),
  }));
  refuse("conflict", { details });
}

function runsWith({ fr, en }: Sentence): Sentence {
  return {
    fr: `l’import est en cours ${fr} ; attendez la fin ou annulez-le`,
    en: `the import is running ${en}; wait until it ends or cancel it`,
  };
}

function hasRunWith({ fr, en }: Sentence): Sentence {
  return {
    fr: `l’import est terminé, ${fr} ; commencez-en un autre`,
    en: `the import is done, ${en}; start another one`,
  };
}
