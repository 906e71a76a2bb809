// The audit log: who did what, in sentences, with filters; and the verification that nobody changed it.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { actionOf, everyAction } from "../parts/auditactions.ts";
import { detailsPart } from "../parts/details.ts";
import { button, type Choice, field, formButton, select } from "../parts/forms.ts";
import { empty, pager, queryOf, table } from "../parts/lists.ts";
import { actions, figure, figures, notice, section } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";
import { companyLink } from "./admin.ts";
import { type LogEntry, namesIn, whoOf } from "./entries.ts";

export function addAdminAudit(screens: Screens): void {
  screens.page("/admin/audit", list);
  screens.form("/admin/audit/verify", verify);
}

const SHOWN = 25;
const NAMES = ["companyId", "actorId", "action"] as const;

async function list(visit: Visit): Promise<View> {
  const filters = Object.fromEntries(
    NAMES.map((name) => [name, visit.field(name)] as const).filter(([, value]) => value !== ""),
  );
  const until = visit.field("until");
  // Includes the entries of the day itself.
  const before = until === "" ? {} : { until: visit.formats.instantOf(until, "23:59") };
  const calling = visit.listedAsAdmin("/v1/admin/audit/list", {
    limit: SHOWN,
    ...filters,
    ...before,
  });
  const listed = await visit.attempt(calling);
  const title = visit.t("Journal d’audit", "Audit log");
  const url = `/admin/audit${queryOf({ ...filters, until })}`;
  const isProblem = listed instanceof Problem;
  const names = await namesIn(visit, isProblem ? [] : listed.data);
  return {
    title,
    body: html`${filterPart(visit, filters, until, isProblem ? [] : listed.data, names)}
${
  isProblem || listed.data.length === 0
    ? empty(
        visit.t("Aucune entrée", "No entries"),
        visit.t("Aucune entrée ne correspond à ces critères.", "No entries match these criteria."),
        html`<a href="/admin/audit">${visit.t("Voir tout le journal", "View the full log")}</a>`,
      )
    : section(title, [
        entriesTable(visit, title, listed.data, names),
        pager(visit, listed, url),
        olderPart(visit, listed, filters),
      ])
}
${section(visit.t("Intégrité du journal", "Log integrity"), [
  html`<p>${visit.t("Chaque entrée contient l’empreinte de la précédente. Toute suppression ou modification est donc détectée.", "Each entry contains the digest of the previous one, so any deletion or change is detected.")}</p>`,
  formButton(visit, "/admin/audit/verify", visit.t("Vérifier le journal", "Verify the log")),
])}`,
  };
}

function filterPart(
  visit: Visit,
  filters: Record<string, string>,
  until: string,
  entries: readonly LogEntry[],
  names: ReadonlyMap<string, string>,
): Html {
  const { companyId, actorId, action = "" } = filters;
  const words = everyAction(visit).map((one): Choice => [one.action, capitalised(one.said)]);
  const known = action === "" || words.some(([value]) => value === action);
  const actor = actorId !== undefined && (entries[0]?.actor.name ?? visit.t("une personne", "one person"));
  const chosen = [
    companyId !== undefined && (names.get(companyId) ?? visit.t("une entreprise", "one company")),
    actor,
  ].filter((name) => name !== false);
  return html`${
    chosen.length > 0 &&
    html`<p>${visit.t("Filtre :", "Filter:")} <b>${chosen.join(", ")}</b> · <a href="/admin/audit">${visit.t("effacer le filtre", "clear filter")}</a></p>`
  }
<section><form method="get" action="/admin/audit">
${[companyId !== undefined && ["companyId", companyId], actorId !== undefined && ["actorId", actorId]].filter((one) => one !== false).map((one) => html`<input type="hidden" name="${one[0]}" value="${one[1]}">`)}
<div class="columns">${select(visit, "action", visit.t("Action", "Action"), {
    value: action,
    isOptional: "silent",
    choices: [
      ["", visit.t("Toutes", "All")],
      ...(known ? [] : [[action, action] as const]),
      ...words.sort((a, b) => a[1].localeCompare(b[1])),
    ],
  })}
${field(visit, "until", visit.t("Jusqu’au", "Until"), {
  value: until,
  isOptional: "silent",
  type: "date",
})}</div>
${actions([button(visit.t("Filtrer", "Filter"), "second")])}
</form></section>`;
}

const capitalised = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function entriesTable(
  visit: Visit,
  title: string,
  entries: readonly LogEntry[],
  names: ReadonlyMap<string, string>,
): Html {
  return table(
    title,
    [
      [visit.t("Événement", "Event"), (entry) => entryPart(visit, entry, names)],
      [
        visit.t("Entreprise", "Company"),
        ({ companyId }) => (companyId === null ? "" : companyLink(visit, companyId, names.get(companyId))),
      ],
      [visit.t("Adresse IP", "IP address"), ({ actor }) => actor.address ?? "–"],
      [visit.t("Date", "Date"), ({ at }) => visit.formats.moment(at)],
    ],
    entries,
  );
}

function entryPart(visit: Visit, entry: LogEntry, names: ReadonlyMap<string, string>): Html {
  const { actor } = entry;
  const who = whoOf(visit, entry);
  const name =
    actor.id === null ? html`<b>${who}</b>` : html`<a href="/admin/audit?actorId=${actor.id}">${who}</a>`;
  return html`${name} ${actionOf(visit, entry, names.get(entry.on.id ?? ""))}${detailsPart(visit, entry)}`;
}

type Listed = { data: LogEntry[]; page: number; totalPage: number };

/** A list ends after the newest 10,000 entries; a date filter reaches older ones. */
function olderPart(
  visit: Visit,
  { data, page, totalPage }: Listed,
  filters: Record<string, string>,
): Html | false {
  const last = data.at(-1);
  if (!last || page < totalPage || page === 1) return false;
  const query = new URLSearchParams({ ...filters, until: visit.formats.dateValue(last.at) });
  return html`<p><a href="/admin/audit?${query}">${visit.t("Voir les entrées plus anciennes", "View older entries")}</a></p>`;
}

type Proof = Data<"/v1/admin/audit/verify">;

/** Verifies a part of the log; a long log is verified in several parts, one for each press of the button. */
async function verify(visit: Visit): Promise<View> {
  const next = visit.field("next");
  const proved = await visit.attempt(visit.callAsAdmin("/v1/admin/audit/verify", next ? { next } : {}));
  const view = {
    title: visit.t("Vérification du journal", "Log verification"),
    narrow: true,
    back: { href: "/admin/audit", text: visit.t("Journal d’audit", "Audit log") },
  };
  if (proved instanceof Problem) {
    visit.problem = proved;
    return { ...view, body: html`` };
  }
  const { entries, chains, faults, next: more } = proved.data;
  const before = Number(visit.field("entries")) || 0;
  return {
    ...view,
    body: html`${faults.length > 0 ? faultsPart(visit, faults) : notice("good", more === null ? visit.t("Le journal est intact jusqu’à la dernière entrée.", "The log is intact, up to the last entry.") : visit.t("Cette partie est intacte. Il reste des entrées à vérifier.", "This part is intact. There are more entries to verify."))}
${figures([
  figure(visit.t("Entrées vérifiées", "Entries verified"), visit.formats.number(before + entries)),
  figure(visit.t("Chaînes dans cette partie", "Chains in this part"), visit.formats.number(chains)),
])}
${more !== null && formButton(visit, "/admin/audit/verify", visit.t("Vérifier la suite", "Verify the next part"), { kind: "main", members: { next: more, entries: String(before + entries) } })}`,
  };
}

function faultsPart(visit: Visit, faults: Proof["faults"]): Html {
  const words = {
    changed: visit.t("a été modifiée", "was changed"),
    missing: visit.t("est manquante", "is missing"),
    cut: visit.t("et les suivantes ont été supprimées", "and all later entries were deleted"),
  };
  const lines = faults.map(({ chain, number, fault }) => {
    const name =
      chain === "platform"
        ? visit.t("du service", "the service chain")
        : visit.t("d’une entreprise", "a company chain");
    return html`<li>${visit.t(`L’entrée ${number} de la chaîne ${name} ${words[fault]}.`, `Entry ${number} of ${name} ${words[fault]}.`)}</li>`;
  });
  return notice(
    "wrong",
    [html`<ul>${lines}</ul>`],
    visit.t("Le journal a été altéré", "The log has been tampered with"),
  );
}
