// Keys of the company: several, each for one program, with what it may do, until when, from where, and its last use.
import { nowMs } from "../kernel/clock.ts";
import { type Html, html } from "../kernel/html.ts";
import { type Body, type Data, Refused } from "./ask.ts";
import { confirmView, secretView } from "./confirm.ts";
import { button, choices, field, form, linkButton, textArea } from "./forms.ts";
import { badge, pager, section, table } from "./parts.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

type Key = Data<"/v1/company/key/list">[number];
type Scope = NonNullable<Key["scopes"]>[number];

export function addApiKeys(screens: Screens): void {
  screens.page("/developer/keys/new", (visit) => create(visit));
  screens.form("/developer/keys/new", takeNew);
  screens.page("/developer/keys/first", (visit) => askRenewal(visit));
  screens.form("/developer/keys/first", renewFirst);
  screens.page("/developer/keys/:id", (visit) => edit(visit));
  screens.form("/developer/keys/:id", takeChange);
  screens.page("/developer/keys/:id/revoke", (visit) => askRevocation(visit));
  screens.form("/developer/keys/:id/revoke", revoke);
}

const KEYS_SHOWN = 20;
/** The quota of keys is below this in all but the largest companies. */
const KEYS_SEARCHED = 100;
const MEMBERS_SHOWN = 100;

const backOf = (visit: Visit) => ({ href: "/developer", text: visit.t("Développeur", "Developer") });

function scopeWord(visit: Visit, scope: Scope): string {
  const words: Record<Scope, readonly [string, string]> = {
    send: ["Envoyer des campagnes", "Send campaigns"],
    contacts: ["Changer les contacts et les groupes", "Change contacts and groups"],
    otp: ["Envoyer et vérifier des codes", "Send and verify codes"],
    read: ["Lire", "Read"],
  };
  return visit.t(...words[scope]);
}

function scopeWords(visit: Visit, { scopes }: Key): string {
  if (scopes === null) return visit.t("Tout ce que peut son membre", "All that its member may do");
  return scopes.map((scope) => scopeWord(visit, scope)).join(", ");
}

/** The keys of the company, as a part of the page for developers. */
export async function keysPart(visit: Visit): Promise<Html> {
  const [keys, members] = await Promise.all([
    visit.ask("/v1/company/key/list", { page: visit.page, limit: KEYS_SHOWN }),
    visit.ask("/v1/company/member/list", { limit: MEMBERS_SHOWN }),
  ]);
  const { formats } = visit;
  const now = nowMs();
  const names = new Map(
    members.data.map(({ id, name, phone }) => [id, name ?? (phone && formats.phone(phone)) ?? "–"]),
  );
  const title = visit.t("Clés", "Keys");
  return section(
    title,
    [
      keys.data.length === 0
        ? html`<p>${visit.t("Faites une clé pour chaque programme : si l’une se perd, les autres continuent.", "Make a key for each program: if one is lost, the others go on.")}</p>`
        : table(
            title,
            [
              {
                head: visit.t("Nom", "Name"),
                cell: ({ id, name }) => html`<a href="/developer/keys/${id}">${name}</a>`,
              },
              { head: visit.t("Peut", "May"), cell: (key) => scopeWords(visit, key) },
              {
                head: visit.t("Fin", "End"),
                cell: ({ expiresAt }) =>
                  expiresAt === null
                    ? visit.t("Aucune", "None")
                    : Date.parse(expiresAt) <= now
                      ? badge("wrong", visit.t("Expirée", "Expired"))
                      : formats.moment(expiresAt),
              },
              {
                head: visit.t("Adresses", "Addresses"),
                cell: ({ networks }) =>
                  networks.length === 0 ? visit.t("Toutes", "All") : networks.map(shortRange).join(", "),
              },
              ...(names.size > 1
                ? [
                    {
                      head: visit.t("Membre", "Member"),
                      cell: ({ memberId }: Key) => names.get(memberId) ?? "–",
                    },
                  ]
                : []),
              {
                head: visit.t("Dernier usage", "Last use"),
                cell: ({ lastUsedAt }) =>
                  lastUsedAt === null ? visit.t("Jamais", "Never") : formats.ago(lastUsedAt, now),
              },
            ],
            keys.data,
          ),
      pager(visit, keys, "/developer"),
      html`<p><small>${visit.t("La première clé de chaque membre n’est pas dans cette liste.", "The first key of each member is not in this list.")} <a href="/developer/keys/first">${visit.t("Remplacer la mienne", "Replace mine")}</a></small></p>`,
    ],
    linkButton("/developer/keys/new", visit.t("Nouvelle clé", "New key"), "second", "add"),
  );
}

/** A range of one address reads as the address. */
function shortRange(range: string): string {
  return range.replace(/\/(32|128)$/, (length) =>
    range.includes(":") === (length === "/128") ? "" : length,
  );
}

/** The fields of a key, with what was given or what the key is. */
function fieldsPart(visit: Visit, key: Key | undefined, problem: Problem | undefined): Html[] {
  const chosen = visit.has("name") ? visit.list("scopes") : key ? (key.scopes ?? [EVERYTHING]) : [];
  const value = (name: string, of = "") => visit.typed(name, of);
  const end = key?.expiresAt ? visit.formats.dateValue(key.expiresAt) : undefined;
  return [
    field(visit, {
      name: "name",
      label: visit.t("Nom", "Name"),
      hint: visit.t(
        "Le programme qui l’utilisera, par exemple « Caisse ».",
        "The program that will use it, for example “Till”.",
      ),
      value: value("name", key?.name),
      problem,
      attributes: html`maxlength="100"`,
    }),
    choices(
      visit,
      {
        name: "scopes",
        label: visit.t("Ce qu’elle peut faire", "What it may do"),
        hint: visit.t(
          "Cochez ce dont le programme a besoin, et rien de plus.",
          "Tick what the program needs, and nothing else.",
        ),
        chosen,
        isMany: true,
        problem,
        isOptional: "silent",
      },
      [
        ...(["send", "otp", "contacts", "read"] as const).map((scope) => ({
          value: scope as string,
          text: scopeWord(visit, scope),
        })),
        {
          value: EVERYTHING,
          text: visit.t(
            "Tout ce que peut son membre, gérer l’entreprise compris",
            "All that its member may do, managing the company included",
          ),
        },
      ],
    ),
    field(
      visit,
      {
        name: "expiresAt",
        label: visit.t("Dernier jour", "Last day"),
        hint: visit.t(
          "Vide : elle vaut jusqu’à ce que vous la retiriez.",
          "Empty: it is good until you revoke it.",
        ),
        value: value("expiresAt", end),
        problem,
        attributes: html`class="short"`,
        isOptional: true,
      },
      "date",
    ),
    textArea(
      visit,
      {
        name: "networks",
        label: visit.t("Adresses permises", "Addresses that are allowed"),
        hint: visit.t(
          "L’adresse IP de votre serveur, ou une plage comme 41.202.10.0/24 ; une par ligne. Vide : toutes.",
          "The IP address of your server, or a range such as 41.202.10.0/24; one on each line. Empty: all.",
        ),
        value: value("networks", key?.networks.map(shortRange).join("\n")),
        problem,
        isOptional: true,
      },
      3,
    ),
  ];
}

function create(visit: Visit, problem?: Problem): View {
  return {
    title: visit.t("Nouvelle clé", "New key"),
    at: "developer",
    narrow: true,
    back: backOf(visit),
    problem,
    body: form(visit, "/developer/keys/new", [
      ...fieldsPart(visit, undefined, problem),
      button(visit.t("Créer la clé", "Make the key")),
    ]),
  };
}

/** The last instant of the day that was chosen, in the zone of the company. */
function endIn(visit: Visit): string | undefined {
  const day = visit.field("expiresAt");
  return day === "" ? undefined : visit.formats.instantOf(day, "23:59");
}

/** Chosen for a key without limits. Nothing ticked is no choice. */
const EVERYTHING = "everything";

/** The scopes that were chosen; null: everything. A problem where nothing is ticked, or everything beside something. */
function scopesIn(visit: Visit): Scope[] | null | Problem {
  const ticked = visit.list("scopes").filter((one) => one !== "");
  const isEverything = ticked.includes(EVERYTHING);
  if (ticked.length > 0 && (!isEverything || ticked.length === 1))
    return isEverything ? null : (ticked as Scope[]);
  const message = isEverything
    ? visit.t("« Tout » se coche seul : décochez le reste.", "“All” is ticked alone: untick the rest.")
    : visit.t("Cochez ce que la clé peut faire.", "Tick what the key may do.");
  return new Problem(message, "scopes");
}

const networksIn = (visit: Visit) =>
  visit
    .field("networks")
    .split(/[\s,;]+/)
    .filter((one) => one !== "");

async function takeNew(visit: Visit): Promise<View> {
  const [scopes, networks, expiresAt] = [scopesIn(visit), networksIn(visit), endIn(visit)];
  if (scopes instanceof Problem) return create(visit, scopes);
  const made = await visit.attempt(
    visit.ask("/v1/company/key/create", {
      name: visit.field("name"),
      ...(networks.length > 0 && { networks }),
      ...(scopes && { scopes }),
      ...(expiresAt !== undefined && { expiresAt }),
    }),
  );
  if (made instanceof Problem) return create(visit, made);
  const { name, apiKey } = made.data;
  return secretView(visit, {
    title: visit.t(`La clé « ${name} » est prête`, `The key “${name}” is ready`),
    label: visit.t("Clé", "Key"),
    secret: apiKey,
    text: visit.t("C’est l’apiKey de votre programme.", "It is the apiKey of your program."),
    next: "/developer",
    at: "developer",
  });
}

/** The interface has no door to read one key, so it is looked for in the list. Throws `not-found`. */
async function read(visit: Visit): Promise<Key> {
  const { data } = await visit.ask("/v1/company/key/list", { limit: KEYS_SEARCHED });
  const key = data.find(({ id }) => id === visit.params.id);
  if (!key) throw new Refused("not-found");
  return key;
}

async function edit(visit: Visit, problem?: Problem): Promise<View> {
  const key = await read(visit);
  return {
    title: key.name,
    at: "developer",
    narrow: true,
    back: backOf(visit),
    problem,
    body: html`${form(visit, `/developer/keys/${key.id}`, [...fieldsPart(visit, key, problem), button(visit.t("Enregistrer", "Save"))])}
${section(visit.t("Ne plus l’utiliser", "Use it no more"), [
  html`<p>${visit.t("Un programme qui l’utilise encore sera refusé aussitôt.", "A program that still uses it is refused at once.")}</p>`,
  linkButton(`/developer/keys/${key.id}/revoke`, visit.t("Retirer la clé", "Revoke the key"), "danger"),
])}`,
  };
}

async function takeChange(visit: Visit): Promise<View | Redirect> {
  const { id } = visit.params as { id: string };
  const [scopes, networks] = [scopesIn(visit), networksIn(visit)];
  if (scopes instanceof Problem) return edit(visit, scopes);
  const change: Body<"/v1/company/key/{id}/update"> = {
    id,
    name: visit.field("name"),
    scopes,
    expiresAt: endIn(visit) ?? "",
    networks: networks.length > 0 ? networks : null,
  };
  const changed = await visit.attempt(visit.ask("/v1/company/key/{id}/update", change));
  return changed instanceof Problem ? edit(visit, changed) : new Redirect("/developer");
}

async function askRevocation(visit: Visit, problem?: Problem): Promise<View> {
  const { id, name } = await read(visit);
  return confirmView(visit, {
    title: visit.t(`Retirer la clé « ${name} » ?`, `Revoke the key “${name}”?`),
    text: visit.t(
      "Elle est morte aussitôt, partout, et ne revient pas. Vous pourrez en faire une autre.",
      "It is dead at once, everywhere, and does not come back. You can make another one.",
    ),
    action: `/developer/keys/${id}/revoke`,
    yes: visit.t("Retirer la clé", "Revoke the key"),
    back: { href: `/developer/keys/${id}`, text: name },
    at: "developer",
    problem,
  });
}

async function revoke(visit: Visit): Promise<View | Redirect> {
  const { id } = visit.params as { id: string };
  const revoked = await visit.attempt(visit.ask("/v1/company/key/{id}/revoke", { id }));
  return revoked instanceof Problem ? askRevocation(visit, revoked) : new Redirect("/developer");
}

function askRenewal(visit: Visit, problem?: Problem): View {
  return confirmView(visit, {
    title: visit.t("Remplacer votre première clé ?", "Replace your first key?"),
    text: visit.t(
      "Vous recevrez une nouvelle clé. L’ancienne est morte aussitôt : les programmes qui l’utilisent s’arrêtent.",
      "You will get a new key. The old one is dead at once: the programs that use it stop.",
    ),
    action: "/developer/keys/first",
    yes: visit.t("Remplacer ma première clé", "Replace my first key"),
    back: backOf(visit),
    at: "developer",
    problem,
  });
}

async function renewFirst(visit: Visit): Promise<View> {
  const made = await visit.attempt(visit.ask("/v1/user/key/regenerate"));
  if (made instanceof Problem) return askRenewal(visit, made);
  return secretView(visit, {
    title: visit.t("Votre nouvelle clé", "Your new key"),
    label: visit.t("Clé", "Key"),
    secret: made.data.apiKey,
    text: visit.t("Elle remplace votre première clé.", "It replaces your first key."),
    next: "/developer",
    at: "developer",
  });
}
