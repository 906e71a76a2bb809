// The request log: the results of the requests of the company's programs in the last days, without their content.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Code } from "../../../platform/http/refusals.ts";
import { type Body, type Data, Refused } from "../apiclient.ts";
import { button, type Choice, field, select } from "../parts/forms.ts";
import { type Column, listPart } from "../parts/lists.ts";
import { actions, badge, facts, type Tone } from "../parts/parts.ts";
import { may } from "../parts/roles.ts";
import { sentenceOf } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";
import { developerTabs } from "./developer.ts";

type Entry = Data<"/v1/company/request/list">[number];
type Outcome = Entry["outcome"];
type Wanted = Body<"/v1/company/request/list">;
type Pair = readonly [fr: string, en: string];

const HERE = "/developer/requests";
const ENTRIES_SHOWN = 20;
const KEYS_NAMED = 100;
const HOUR_MS = 3_600_000;

export function addRequests(screens: Screens): void {
  screens.page("/developer/requests", log);
}

const OUTCOMES: Readonly<Record<string, { tone: Tone; words: Pair }>> = {
  success: { tone: "good", words: ["Réussie", "Succeeded"] },
  "invalid-request": { tone: "wrong", words: ["Requête incorrecte", "Invalid request"] },
  "not-authenticated": { tone: "wrong", words: ["Clé refusée", "Key refused"] },
  "not-authorized": { tone: "wrong", words: ["Non autorisée", "Not allowed"] },
  "not-found": { tone: "wrong", words: ["Introuvable", "Not found"] },
  "too-many-requests": { tone: "wait", words: ["Trop de requêtes", "Too many requests"] },
  "server-error": { tone: "wrong", words: ["Erreur du service", "Service error"] },
} satisfies Record<Outcome, { tone: Tone; words: Pair }>;

/** How far back the list goes, by the value of the field; empty means the whole log. */
const PERIODS: readonly { value: string; ms: number; words: Pair }[] = [
  { value: "hour", ms: HOUR_MS, words: ["Dernière heure", "Last hour"] },
  { value: "day", ms: 24 * HOUR_MS, words: ["Dernières 24 heures", "Last 24 hours"] },
  { value: "week", ms: 7 * 24 * HOUR_MS, words: ["7 derniers jours", "Last 7 days"] },
];

async function log(visit: Visit): Promise<View> {
  const chosen = chosenIn(visit);
  const [listed, names] = await Promise.all([
    visit.listed("/v1/company/request/list", {
      ...wantedOf(visit, chosen),
      limit: ENTRIES_SHOWN,
    }),
    keyNames(visit),
  ]);
  const title = visit.t("Requêtes", "Requests");
  return {
    title,
    body: html`${developerTabs(visit, HERE)}
<p class="lead">${visit.t(
      "Requêtes de vos programmes sur les 14 derniers jours, avec nos réponses. Leur contenu n’est pas conservé.",
      "Requests from your programs over the last 14 days, with our responses. Their content is not stored.",
    )}</p>
${filterPart(visit, chosen)}
${listPart(visit, listed, {
  title,
  columns: columns(visit, names),
  url: HERE,
  filters: chosen,
  none: [
    visit.t("Aucune requête pour le moment", "No requests yet"),
    visit.t(
      "La première requête d’un de vos programmes apparaîtra ici après quelques secondes.",
      "The first request from one of your programs will appear here after a few seconds.",
    ),
    html`<a href="/developer#code">${visit.t("Code à copier", "Code to copy")}</a>`,
  ],
  missed: [
    visit.t("Aucune requête", "No requests"),
    visit.t("Aucune requête ne correspond à ces filtres.", "No requests match these filters."),
    visit.t("Toutes les requêtes", "All requests"),
  ],
})}`,
  };
}

type Chosen = { outcome?: string; path?: string; period?: string };

function chosenIn(visit: Visit): Chosen {
  const [outcome, path, period] = [visit.field("outcome"), visit.field("path").trim(), visit.field("period")];
  return {
    ...(Object.hasOwn(OUTCOMES, outcome) && { outcome }),
    ...(path !== "" && { path }),
    ...(PERIODS.some(({ value }) => value === period) && { period }),
  };
}

function wantedOf({ api }: Visit, { outcome, path, period }: Chosen): Wanted {
  const back = PERIODS.find(({ value }) => value === period);
  return {
    ...(outcome !== undefined && { outcome: outcome as Outcome }),
    ...(path !== undefined && { path: knownPath([...api.routes.keys()], path) }),
    ...(back && { from: new Date(nowMs() - back.ms).toISOString() }),
  };
}

/** The URL of the API that was meant: the typed text may lack `/v1/`, and have an id in place of its parameter. */
function knownPath(urls: readonly string[], typed: string): string {
  const path = `/v1/${typed.replace(/^\/?(v1\/)?/, "")}`;
  if (urls.includes(path)) return path;
  const parts = path.split("/");
  const fits = (url: string) => {
    const wanted = url.split("/");
    return wanted.length === parts.length && wanted.every((part, i) => /^\{/.test(part) || part === parts[i]);
  };
  return urls.find(fits) ?? path;
}

function filterPart(visit: Visit, { outcome, path, period }: Chosen): Html {
  const all: Choice = ["", visit.t("Toutes", "All")];
  const whole: Choice = ["", visit.t("14 derniers jours", "Last 14 days")];
  return html`<section><form method="get" action="${HERE}" role="search">
<div class="columns">${select(visit, "outcome", visit.t("Réponse", "Response"), {
    value: outcome ?? "",
    choices: [
      all,
      ...Object.entries(OUTCOMES).map(([value, { words }]): Choice => [value, visit.t(...words)]),
    ],
  })}
${select(visit, "period", visit.t("Période", "Period"), {
  value: period ?? "",
  choices: [whole, ...PERIODS.map(({ value, words }): Choice => [value, visit.t(...words)])],
})}
${field(visit, "path", visit.t("Chemin", "Path"), {
  value: path,
  isOptional: "silent",
  attributes: html`maxlength="200" placeholder="/v1/campaign/create" autocapitalize="none" autocomplete="off" spellcheck="false"`,
})}</div>
${actions([button(visit.t("Filtrer", "Filter"), "second")])}
</form></section>`;
}

/** The names of keys by id. Only owners may list them. */
async function keyNames(visit: Visit): Promise<ReadonlyMap<string, string>> {
  if (!may(visit, "manage")) return new Map();
  const { data } = await visit.call("/v1/company/key/list", { limit: KEYS_NAMED });
  return new Map(data.map(({ id, name }) => [id, name]));
}

function columns(visit: Visit, names: ReadonlyMap<string, string>): Column<Entry>[] {
  return [
    [
      visit.t("Chemin", "Path"),
      (entry) =>
        html`<a class="code" href="${HERE}?${new URLSearchParams({ path: entry.path })}">${entry.path}</a>${detailsPart(visit, entry)}`,
    ],
    [visit.t("Réponse", "Response"), (entry) => answerPart(visit, entry)],
    [visit.t("Date", "Date"), ({ lastAt }) => visit.formats.moment(lastAt)],
    [visit.t("Appelant", "Caller"), (entry) => callerPart(visit, entry, names)],
    [visit.t("Nombre", "Count"), ({ requestCount }) => visit.formats.number(requestCount), "figure"],
  ];
}

function answerPart(visit: Visit, { outcome, error }: Entry): Html {
  const known = OUTCOMES[outcome];
  return html`<div>${badge(known?.tone ?? "calm", known ? visit.t(...known.words) : outcome)}${
    error !== null &&
    html`<small class="line">${sentenceOf(visit, new Refused(error as Code))}</small><small class="line code">${error}</small>`
  }</div>`;
}

function callerPart(visit: Visit, { caller, keyId, appId }: Entry, names: ReadonlyMap<string, string>) {
  if (appId !== null) {
    const word =
      caller === "connection"
        ? visit.t("Une application, par sa connexion", "An application, through its connection")
        : visit.t("Une application", "An application");
    return html`<a href="/developer/apps/${appId}">${word}</a>`;
  }
  if (caller === "server-key") return visit.t("La clé de serveur du revendeur", "The reseller’s server key");
  if (keyId === null) return visit.t("La première clé d’un membre", "The first key of a member");
  return names.get(keyId) ?? visit.t("Une clé révoquée", "A revoked key");
}

/** What helps to find the mistake: the refused fields, the client's address, the duration. */
function detailsPart(visit: Visit, { at, fields, address, ms, bytes, requestCount }: Entry): Html {
  const each = requestCount > 1 ? visit.t(" en moyenne", " on average") : "";
  return html`<details><summary>${visit.t("Détails", "Details")}</summary>${facts([
    fields.length > 0 && [
      visit.t("Champs refusés", "Refused fields"),
      html`<span class="code">${fields.join(", ")}</span>`,
    ],
    requestCount > 1 && [visit.t("Depuis", "Since"), visit.formats.moment(at)],
    [visit.t("Adresse", "Address"), html`<span class="code">${address}</span>`],
    [visit.t("Durée", "Duration"), `${visit.formats.number(ms)} ms${each}`],
    [visit.t("Taille", "Size"), visit.count(bytes, ["octet", "octets"], ["byte", "bytes"]) + each],
  ])}</details>`;
}
