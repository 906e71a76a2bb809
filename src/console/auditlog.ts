// The audit log of the company: who did what, and when, in sentences.
import { nowMs } from "../kernel/clock.ts";
import { type Html, html } from "../kernel/html.ts";
import type { Data } from "./ask.ts";
import { empty, pager, section, table } from "./parts.ts";
import type { Screens } from "./screens.ts";
import type { View, Visit } from "./visit.ts";

type Entry = Data<"/v1/company/audit/list">[number];
type Pair = readonly [fr: string, en: string];

export function addAuditLog(screens: Screens): void {
  screens.page("/settings/audit", log);
}

const ENTRIES_SHOWN = 20;
const MEMBERS_NAMED = 100;

/** What the members are called, by their ids. */
type Names = ReadonlyMap<string, string | null>;

async function log(visit: Visit): Promise<View> {
  const [entries, members] = await Promise.all([
    visit.ask("/v1/company/audit/list", { page: visit.page, limit: ENTRIES_SHOWN }),
    visit.ask("/v1/company/member/list", { limit: MEMBERS_NAMED }),
  ]);
  const names: Names = new Map(
    members.data.map(({ id, name, phone }) => [id, name ?? (phone && visit.formats.phone(phone))]),
  );
  const { formats } = visit;
  const now = nowMs();
  const title = visit.t("Journal", "Audit log");
  return {
    title,
    at: "settings",
    back: { href: "/settings", text: visit.t("Réglages", "Settings") },
    body: html`<p class="lead">${visit.t("Qui a changé quoi dans l’entreprise. Rien ne s’en efface.", "Who changed what in the company. Nothing is erased from it.")}</p>
${
  entries.data.length === 0
    ? empty(
        visit.t("Rien encore", "Nothing yet"),
        visit.t("Ce que vous changerez sera écrit ici.", "What you change will be written here."),
      )
    : section(title, [
        table(
          title,
          [
            {
              head: visit.t("Ce qui s’est passé", "What happened"),
              cell: (entry) => sentencePart(visit, entry, names),
            },
            { head: visit.t("Quand", "When"), cell: ({ at }) => formats.ago(at, now) },
            { head: visit.t("Depuis", "From"), cell: ({ actor }) => actor.address ?? "–" },
          ],
          entries.data,
        ),
        pager(visit, entries, "/settings/audit"),
      ])
}`,
  };
}

function sentencePart(visit: Visit, entry: Entry, names: Names): Html {
  const details = changesOf(visit, entry);
  return html`${actorWords(visit, entry, names)} ${visit.t(...(DEEDS[entry.action] ?? OTHER))}${
    details.length > 0 &&
    html`<details><summary>${visit.t("Le détail", "The details")}</summary><ul>${details.map((one) => html`<li><small class="code">${one}</small></li>`)}</ul></details>`
  }`;
}

function actorWords(visit: Visit, { actor }: Entry, names: Names): string {
  switch (actor.kind) {
    case "administrator":
      return visit.t("L’équipe d’Atumpan", "The team of Atumpan");
    case "reseller":
      return visit.t("Le serveur du revendeur", "The server of the reseller");
    case "application":
      return actor.name ?? visit.t("Une application", "An application");
    case "visitor":
      return visit.t("Un visiteur", "A visitor");
    case "user": {
      const name = actor.name ?? names.get(actor.id ?? "") ?? visit.t("Un membre", "A member");
      return actor.keyId === null ? name : visit.t(`${name}, par une clé,`, `${name}, by a key,`);
    }
  }
}

/** The members that were changed: before and after, as the interface names them. */
function changesOf(visit: Visit, { before, after }: Entry): string[] {
  const [was, is] = [(before ?? {}) as Record<string, unknown>, (after ?? {}) as Record<string, unknown>];
  const words = (value: unknown) => {
    if (typeof value !== "string") return JSON.stringify(value);
    return INSTANT.test(value) ? visit.formats.moment(value) : value;
  };
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((name) => !HIDDEN.test(name) && (was[name] ?? is[name] ?? null) !== null)
    .map((name) => {
      if (name in was && name in is) return `${name}: ${words(was[name])} → ${words(is[name])}`;
      return `${name}: ${words(name in is ? is[name] : was[name])}`;
    });
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** What says nothing to people: ids, and when it was made. */
const HIDDEN = /^(id|.*Ids?|createdAt|shown)$/;

const OTHER: Pair = ["a changé quelque chose", "changed something"];

/** By action, as the interface names it: what somebody did. */
const DEEDS: Readonly<Record<string, Pair>> = {
  "session/confirm": ["s’est connecté", "signed in"],
  "signup/confirm": ["a créé l’entreprise", "made the company"],
  "session/{id}/end": ["a mis fin à une session", "ended a session"],
  "user/key/regenerate": ["a remplacé sa clé", "replaced their key"],
  "company/key/create": ["a créé une clé", "made a key"],
  "company/key/{id}/update": ["a changé une clé", "changed a key"],
  "company/key/{id}/revoke": ["a retiré une clé", "revoked a key"],
  "company/member/create": ["a ajouté un membre", "added a member"],
  "company/member/{id}/update": ["a changé un membre", "changed a member"],
  "company/member/{id}/remove": ["a retiré un membre", "removed a member"],
  "company/approval/update": ["a changé la règle d’approbation", "changed the rule of approval"],
  "company/update": ["a changé les réglages de l’entreprise", "changed the settings of the company"],
  "company/export": ["a demandé une archive de tout", "asked for an archive of everything"],
  "company/close": ["a fermé l’entreprise", "closed the company"],
  "company/reopen": ["a rouvert l’entreprise", "opened the company again"],
  "contact/create": ["a ajouté des contacts", "added contacts"],
  "contact/{id}/update": ["a changé un contact", "changed a contact"],
  "contact/delete": ["a supprimé des contacts", "deleted contacts"],
  "contact/erase": ["a effacé une personne", "erased a person"],
  "group/create": ["a créé un groupe", "made a group"],
  "group/{id}/update": ["a changé un groupe", "changed a group"],
  "group/{id}/delete": ["a supprimé un groupe", "deleted a group"],
  "group/{id}/contacts/add": ["a mis des contacts dans un groupe", "put contacts into a group"],
  "group/{id}/contacts/remove": ["a ôté des contacts d’un groupe", "took contacts out of a group"],
  "sender/create": ["a demandé un expéditeur", "asked for a sender"],
  "optout/create": ["a noté des désinscriptions", "entered opt-outs"],
  "optout/delete": ["a levé des désinscriptions", "lifted opt-outs"],
  "campaign/create": ["a envoyé ou programmé une campagne", "sent or scheduled a campaign"],
  "campaign/{id}/cancel": ["a annulé une campagne", "cancelled a campaign"],
  "campaign/{id}/resume": ["a repris une campagne", "resumed a campaign"],
  "campaign/{id}/reschedule": ["a changé la date d’une campagne", "changed the date of a campaign"],
  "campaign/{id}/approve": ["a approuvé une campagne", "approved a campaign"],
  "campaign/{id}/decline": ["a refusé une campagne", "declined a campaign"],
  "campaign/{id}/duplicate": ["a dupliqué une campagne", "duplicated a campaign"],
  "campaign/{id}/export": ["a exporté les messages d’une campagne", "exported the messages of a campaign"],
  "campaign/draft/save": ["a enregistré un brouillon", "saved a draft"],
  "campaign/draft/{id}/delete": ["a supprimé un brouillon", "deleted a draft"],
  "campaign/template/create": ["a créé un modèle", "made a template"],
  "campaign/template/{id}/update": ["a changé un modèle", "changed a template"],
  "campaign/template/{id}/delete": ["a supprimé un modèle", "deleted a template"],
  "topup/begin": ["a commencé une recharge", "began a top-up"],
  "partner/app/server-key": [
    "a remplacé la clé du serveur de revendeur",
    "replaced the reseller’s server key",
  ],
  "partner/customer/create": ["a ajouté un client", "added a customer"],
  "partner/grant-credit": ["a vendu des crédits à un client", "sold credits to a customer"],
  "partner/app/offers/create": ["a mis une offre en vente", "put an offer on sale"],
  "partner/app/offers/{id}/archive": ["a archivé une offre", "archived an offer"],
  "partner/offer/purchase": ["a créé l’achat d’un client", "made the purchase of a customer"],
  "third-party-app/submit": ["a proposé une application", "submitted an application"],
  "third-party-app/my/list": ["a vu les secrets des applications", "saw the secrets of the applications"],
  "third-party-app/my/{appId}/regenerate-secret": [
    "a remplacé le secret d’une application",
    "replaced the secret of an application",
  ],
  "third-party-app/my/{appId}/webhook/update": [
    "a changé l’adresse de webhooks",
    "changed the address for webhooks",
  ],
  "third-party-app/my/{appId}/webhook/rotate-secret": [
    "a remplacé le secret de webhooks",
    "replaced the secret of webhooks",
  ],
  "third-party-app/my/{appId}/webhook/test": ["a envoyé un webhook d’essai", "sent a test webhook"],
  "third-party-app/my/{appId}/webhook/{deliveryId}/replay": ["a renvoyé un webhook", "sent a webhook again"],
  "third-party-app/provision": ["a relié un compte", "connected an account"],
  "third-party-app/pairing/confirm": ["a approuvé une liaison", "approved a connection"],
  "third-party-app/pairing/deny": ["a refusé une liaison", "refused a connection"],
  "pair/answer": ["a répondu à une demande de liaison", "answered a request to connect"],
  "third-party-app/connection/{id}/revoke": ["a retiré une liaison", "revoked a connection"],
  "third-party-app/connection/{id}/sender": ["a changé une liaison", "changed a connection"],
  "admin/company/create": ["a créé l’entreprise", "made the company"],
  "admin/company/{id}/update": ["a changé l’entreprise", "changed the company"],
  "admin/company/{id}/suspend": ["a suspendu l’entreprise", "suspended the company"],
  "admin/company/{id}/resume": ["a levé la suspension", "lifted the suspension"],
  "admin/company/{id}/key/reset": ["a remplacé la clé du propriétaire", "replaced the owner’s key"],
  "admin/credit/grant": ["a ajouté ou corrigé des crédits", "added or corrected credits"],
  "admin/partner/enable": ["a fait de vous un revendeur", "made you a reseller"],
  "admin/partner/{id}/disable": ["a mis fin à la revente", "ended the reselling"],
  "admin/sender/create": ["a donné un expéditeur", "gave a sender"],
  "admin/sender/{id}/submit": ["a transmis un expéditeur aux opérateurs", "passed a sender to the operators"],
  "admin/sender/{id}/accept": ["a accepté un expéditeur", "accepted a sender"],
  "admin/sender/{id}/refuse": ["a refusé un expéditeur", "refused a sender"],
  "admin/campaign/{id}/cancel": ["a annulé une campagne", "cancelled a campaign"],
  "admin/campaign/{id}/release": ["a libéré une campagne retenue", "released a campaign that was held"],
  "admin/otp/allow": ["a levé le blocage des codes", "let codes go again"],
  "admin/third-party-app/{id}/approve": ["a approuvé une application", "approved an application"],
  "admin/third-party-app/{id}/reject": ["a refusé une application", "rejected an application"],
  "admin/third-party-app/{id}/deactivate": ["a désactivé une application", "deactivated an application"],
  "admin/third-party-app/{id}/reactivate": ["a réactivé une application", "reactivated an application"],
};
