// Keys of the company: one per program, with its scopes, expiry, addresses and last use.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Body, Data } from "../apiclient.ts";
import { confirmView, secretView } from "../parts/confirm.ts";
import { button, type Choice, choices, field, form, linkButton, textArea } from "../parts/forms.ts";
import { pager, table } from "../parts/lists.ts";
import { badge, section } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";

type Key = Data<"/v1/company/key/list">[number];
type Scope = NonNullable<Key["scopes"]>[number];

export function addApiKeys(screens: Screens): void {
  screens.pageAndForm("/developer/keys/new", create, takeNew);
  screens.pageAndForm("/developer/keys/first", confirmRenewal, renewFirst);
  screens.pageAndForm("/developer/keys/:id", edit, takeChange);
  screens.question("/developer/keys/:id/revoke", confirmRevocation, {
    call: (visit) => visit.call("/v1/company/key/{id}/revoke"),
    next: "/developer",
  });
}

const KEYS_SHOWN = 20;
const MEMBERS_SHOWN = 100;

const backOf = (visit: Visit) => ({ href: "/developer", text: visit.t("Développeur", "Developer") });

const SCOPES = ["send", "otp", "contacts", "read"] as const;

function scopeWord(visit: Visit, scope: Scope): string {
  const words: Record<Scope, readonly [string, string]> = {
    send: ["Envoyer des campagnes", "Send campaigns"],
    contacts: ["Gérer les contacts et les groupes", "Manage contacts and groups"],
    otp: ["Envoyer et vérifier des codes", "Send and verify codes"],
    read: ["Consulter les données", "Read data"],
  };
  return visit.t(...words[scope]);
}

function scopeWords(visit: Visit, { scopes }: Key): string {
  if (scopes === null) return visit.t("Tous les droits de son membre", "All permissions of its member");
  return scopes.map((scope) => scopeWord(visit, scope)).join(", ");
}

/** Renders the keys of the company, as a part of the page for developers. */
export async function keysPart(visit: Visit): Promise<Html> {
  const [keys, members] = await Promise.all([
    visit.listed("/v1/company/key/list", { limit: KEYS_SHOWN }),
    visit.call("/v1/company/member/list", { limit: MEMBERS_SHOWN }),
  ]);
  const now = nowMs();
  const names = new Map(
    members.data.map(({ id, name, phone }) => [id, name ?? (phone && visit.formats.phone(phone)) ?? "–"]),
  );
  const title = visit.t("Clés API", "API keys");
  return section(
    title,
    [
      keys.data.length === 0
        ? html`<p>${visit.t("Créez une clé par programme : si l’une est perdue, les autres continuent de fonctionner.", "Create one key per program: if one is lost, the others keep working.")}</p>`
        : table(
            title,
            [
              [visit.t("Nom", "Name"), ({ id, name }) => html`<a href="/developer/keys/${id}">${name}</a>`],
              [visit.t("Droits", "Permissions"), (key) => scopeWords(visit, key)],
              [
                visit.t("Expiration", "Expiration"),
                ({ expiresAt }) =>
                  expiresAt === null
                    ? visit.t("Aucune", "None")
                    : Date.parse(expiresAt) <= now
                      ? badge("wrong", visit.t("Expirée", "Expired"))
                      : visit.formats.moment(expiresAt),
              ],
              [
                visit.t("Adresses IP", "IP addresses"),
                ({ networks }) =>
                  networks.length === 0 ? visit.t("Toutes", "All") : networks.map(shortRange).join(", "),
              ],
              names.size > 1 && [visit.t("Membre", "Member"), ({ memberId }) => names.get(memberId) ?? "–"],
              [
                visit.t("Dernière utilisation", "Last used"),
                ({ lastUsedAt }) =>
                  lastUsedAt === null ? visit.t("Jamais", "Never") : visit.formats.ago(lastUsedAt, now),
              ],
            ],
            keys.data,
          ),
      pager(visit, keys, "/developer"),
      html`<p><small>${visit.t("Cette liste n’inclut pas la première clé de chaque membre.", "This list does not include each member’s first key.")} <a href="/developer/keys/first">${visit.t("Remplacer ma première clé", "Replace my first key")}</a></small></p>`,
    ],
    linkButton("/developer/keys/new", visit.t("Nouvelle clé", "New key"), "second", "add"),
  );
}

function shortRange(range: string): string {
  return range.replace(/\/(32|128)$/, (length) =>
    range.includes(":") === (length === "/128") ? "" : length,
  );
}

function fieldsPart(visit: Visit, key: Key | undefined): Html[] {
  const chosen = visit.has("name") ? visit.list("scopes") : key ? (key.scopes ?? [EVERYTHING]) : [];
  const value = (name: string, of = "") => visit.typed(name, of);
  const end = key?.expiresAt ? visit.formats.dateValue(key.expiresAt) : undefined;
  return [
    field(visit, "name", visit.t("Nom", "Name"), {
      hint: visit.t(
        "Le programme qui utilisera cette clé, par exemple « Caisse ».",
        "The program that will use this key, for example “Checkout”.",
      ),
      value: value("name", key?.name),
      attributes: html`maxlength="100"`,
    }),
    choices(visit, "scopes", visit.t("Droits", "Permissions"), {
      hint: visit.t(
        "Ne cochez que les droits dont le programme a besoin.",
        "Select only the permissions that the program needs.",
      ),
      chosen,
      isMany: true,
      isOptional: "silent",
      choices: [
        ...SCOPES.map((scope): Choice => [scope, scopeWord(visit, scope)]),
        [
          EVERYTHING,
          visit.t(
            "Tous les droits de son membre, y compris la gestion de l’entreprise",
            "All permissions of its member, including company management",
          ),
        ],
      ],
    }),
    field(visit, "expiresAt", visit.t("Dernier jour de validité", "Last valid day"), {
      hint: visit.t(
        "Si ce champ est vide, la clé reste valable jusqu’à sa révocation.",
        "If this is empty, the key is valid until you revoke it.",
      ),
      value: value("expiresAt", end),
      attributes: html`class="short"`,
      isOptional: true,
      type: "date",
    }),
    textArea(visit, "networks", visit.t("Adresses IP autorisées", "Allowed IP addresses"), {
      hint: visit.t(
        "L’adresse de votre serveur ou une plage comme 41.202.10.0/24, une par ligne. Si ce champ est vide, toutes les adresses sont autorisées.",
        "The address of your server or a range such as 41.202.10.0/24, one per line. If this is empty, all addresses are allowed.",
      ),
      value: value("networks", key?.networks.map(shortRange).join("\n")),
      isOptional: true,
      rows: 3,
    }),
  ];
}

function create(visit: Visit): View {
  return {
    title: visit.t("Nouvelle clé", "New key"),
    narrow: true,
    back: backOf(visit),
    body: form(visit, "/developer/keys/new", [
      ...fieldsPart(visit, undefined),
      button(visit.t("Créer la clé", "Create key")),
    ]),
  };
}

function endIn(visit: Visit): string | undefined {
  const day = visit.field("expiresAt");
  return day === "" ? undefined : visit.formats.instantOf(day, "23:59");
}

/** The choice for a key without limits. To tick nothing is no choice. */
const EVERYTHING = "everything";

/** The chosen scopes; null means everything. A problem if nothing is ticked, or everything together with something. */
function scopesIn(visit: Visit): Scope[] | null | Problem {
  const ticked = visit.list("scopes").filter((one) => one !== "");
  const isEverything = ticked.includes(EVERYTHING);
  if (ticked.length > 0 && (!isEverything || ticked.length === 1))
    return isEverything ? null : (ticked as Scope[]);
  const message = isEverything
    ? visit.t(
        "« Tous les droits » ne se combine pas avec d’autres droits : décochez-les.",
        "“All permissions” cannot be combined with other permissions: clear them.",
      )
    : visit.t("Cochez au moins un droit.", "Select at least one permission.");
  return new Problem(message, "scopes");
}

const networksIn = (visit: Visit) =>
  visit
    .field("networks")
    .split(/[\s,;]+/)
    .filter((one) => one !== "");

async function takeNew(visit: Visit): Promise<View | Redirect> {
  const [scopes, networks, expiresAt] = [scopesIn(visit), networksIn(visit), endIn(visit)];
  if (scopes instanceof Problem) return create(visit.with(scopes));
  const calling = visit.call("/v1/company/key/create", {
    name: visit.field("name"),
    ...(networks.length > 0 && { networks }),
    ...(scopes && { scopes }),
    ...(expiresAt !== undefined && { expiresAt }),
  });
  return visit.submit(calling, create, ({ data: { name, apiKey } }) =>
    secretView(visit, {
      title: visit.t(`Clé « ${name} » créée`, `Key “${name}” created`),
      label: visit.t("Clé API", "API key"),
      secret: apiKey,
      text: visit.t("Votre programme l’utilise comme apiKey.", "Your program uses it as its apiKey."),
      next: "/developer",
    }),
  );
}

const read = (visit: Visit) => visit.findIn("/v1/company/key/list");

async function edit(visit: Visit): Promise<View> {
  const key = await read(visit);
  return {
    title: key.name,
    narrow: true,
    back: backOf(visit),
    body: html`${form(visit, `/developer/keys/${key.id}`, [...fieldsPart(visit, key), button(visit.t("Enregistrer", "Save"))])}
${section(visit.t("Révocation", "Revocation"), [
  html`<p>${visit.t("Les programmes qui utilisent encore cette clé seront immédiatement refusés.", "Programs that still use this key are rejected immediately.")}</p>`,
  linkButton(`/developer/keys/${key.id}/revoke`, visit.t("Révoquer la clé", "Revoke key"), "danger"),
])}`,
  };
}

async function takeChange(visit: Visit): Promise<View | Redirect> {
  const { id } = visit;
  const [scopes, networks] = [scopesIn(visit), networksIn(visit)];
  if (scopes instanceof Problem) return edit(visit.with(scopes));
  const change: Body<"/v1/company/key/{id}/update"> = {
    id,
    name: visit.field("name"),
    scopes,
    expiresAt: endIn(visit) ?? "",
    networks: networks.length > 0 ? networks : null,
  };
  return visit.submit(visit.call("/v1/company/key/{id}/update", change), edit, "/developer");
}

async function confirmRevocation(visit: Visit): Promise<View> {
  const { id, name } = await read(visit);
  return confirmView(visit, {
    title: visit.t(`Révoquer la clé « ${name} » ?`, `Revoke key “${name}”?`),
    text: visit.t(
      "La clé cesse de fonctionner immédiatement, partout et définitivement. Vous pourrez en créer une autre.",
      "The key stops working immediately, everywhere and permanently. You can create another one.",
    ),
    yes: visit.t("Révoquer la clé", "Revoke key"),
    back: { href: `/developer/keys/${id}`, text: name },
  });
}

function confirmRenewal(visit: Visit): View {
  return confirmView(visit, {
    title: visit.t("Remplacer votre première clé ?", "Replace your first key?"),
    text: visit.t(
      "Vous recevrez une nouvelle clé. L’ancienne cesse de fonctionner immédiatement : les programmes qui l’utilisent seront refusés.",
      "You will get a new key. The old one stops working immediately: programs that use it are rejected.",
    ),
    yes: visit.t("Remplacer ma première clé", "Replace my first key"),
    back: backOf(visit),
  });
}

async function renewFirst(visit: Visit): Promise<View> {
  const made = await visit.attempt(visit.call("/v1/user/key/regenerate"));
  if (made instanceof Problem) return confirmRenewal(visit.with(made));
  return secretView(visit, {
    title: visit.t("Votre nouvelle clé", "Your new key"),
    label: visit.t("Clé API", "API key"),
    secret: made.data.apiKey,
    text: visit.t("Cette clé remplace votre première clé.", "This key replaces your first key."),
    next: "/developer",
  });
}
