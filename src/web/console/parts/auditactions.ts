// The sentences of a company's audit log and of the whole service's: "Awa Koné a accepté un expéditeur : BOUTIQUE".
import type { Sentence } from "../../../platform/http/refusals.ts";
import type { Visit } from "../visit.ts";
import type { AuditEntry } from "./details.ts";

type Known = Record<string, unknown>;

const OTHER: Sentence = { fr: "a fait une modification", en: "made a change" };
/** Actions of pages, which are no URL of the API, and of URLs that earlier versions logged. */
const OTHERS: Readonly<Record<string, Sentence>> = {
  "pair/answer": { fr: "a répondu à une demande de connexion", en: "answered a connection request" },
  "campaign/draft/save": { fr: "a enregistré un brouillon", en: "saved a draft" },
};

/** Returns the action in words, with the name of the thing from the entry, or else `name`. */
export function actionOf(visit: Visit, { action, before, after }: AuditEntry, name?: string): string {
  const known: Known = { ...(before as Known | null), ...(after as Known | null) };
  if (action === "admin/credit/grant" && typeof known.credit === "number") {
    const words = [visit.t("crédit", "credit"), visit.t("crédits", "credits")] as const;
    const amount = visit.formats.count(known.credit, ...words);
    return visit.t(`a attribué ${amount}`, `granted ${amount}`);
  }
  const { fr, en } = visit.api.routes.get(`/v1/${action}`)?.audit ?? OTHERS[action] ?? OTHER;
  const done = visit.t(fr, en);
  const which = typeof known.name === "string" ? known.name : name;
  return which === undefined ? done : visit.t(`${done} : ${which}`, `${done}: ${which}`);
}

/** Returns every action that the audit log may have, with its sentence. */
export function everyAction(visit: Visit): { action: string; said: string }[] {
  const ofUrls = [...visit.api.routes.values()].map(
    ({ path, audit }) => [path.replace("/v1/", ""), audit] as const,
  );
  return [...ofUrls, ...Object.entries(OTHERS)].flatMap(([action, audit]) =>
    audit ? [{ action, said: visit.t(audit.fr, audit.en) }] : [],
  );
}
