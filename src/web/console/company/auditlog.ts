// The audit log of the company: who did what, and when, in sentences.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { actionOf } from "../parts/auditactions.ts";
import { detailsPart } from "../parts/details.ts";
import { listPart } from "../parts/lists.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";

type Entry = Data<"/v1/company/audit/list">[number];

export function addAuditLog(screens: Screens): void {
  screens.page("/settings/audit", log);
}

const ENTRIES_SHOWN = 20;
const MEMBERS_NAMED = 100;

type Names = ReadonlyMap<string, string | null>;

async function log(visit: Visit): Promise<View> {
  const [entries, members] = await Promise.all([
    visit.listed("/v1/company/audit/list", { limit: ENTRIES_SHOWN }),
    visit.call("/v1/company/member/list", { limit: MEMBERS_NAMED }),
  ]);
  const names: Names = new Map(
    members.data.map(({ id, name, phone }) => [id, name ?? (phone && visit.formats.phone(phone))]),
  );
  const now = nowMs();
  const title = visit.t("Journal d’audit", "Audit log");
  return {
    title,
    back: { href: "/settings", text: visit.t("Réglages", "Settings") },
    body: html`<p class="lead">${visit.t("Les modifications faites dans l’entreprise et leurs auteurs. Les entrées ne sont jamais supprimées.", "The changes in the company and who made them. Entries are never deleted.")}</p>
${listPart(visit, entries, {
  title,
  columns: [
    [visit.t("Action", "Action"), (entry) => sentencePart(visit, entry, names)],
    [visit.t("Date", "Date"), ({ at }) => visit.formats.ago(at, now)],
    [visit.t("Adresse IP", "IP address"), ({ actor }) => actor.address ?? "–"],
  ],
  url: "/settings/audit",
  none: [
    visit.t("Aucune entrée pour le moment", "No entries yet"),
    visit.t("Vos modifications apparaîtront ici.", "Your changes will appear here."),
  ],
})}`,
  };
}

function sentencePart(visit: Visit, entry: Entry, names: Names): Html {
  return html`${actorWords(visit, entry, names)} ${actionOf(visit, entry)}${detailsPart(visit, entry)}`;
}

function actorWords(visit: Visit, { actor }: Entry, names: Names): string {
  switch (actor.kind) {
    case "administrator":
      return visit.t("L’équipe d’Atumpan", "The Atumpan team");
    case "reseller":
      return visit.t("Le serveur du revendeur", "The reseller’s server");
    case "application":
      return actor.name ?? visit.t("Une application", "An application");
    case "visitor":
      return visit.t("Un visiteur", "A visitor");
    case "user": {
      const name = actor.name ?? names.get(actor.id ?? "") ?? visit.t("Un membre", "A member");
      return actor.keyId === null ? name : visit.t(`${name} (clé API)`, `${name} (API key)`);
    }
  }
}
