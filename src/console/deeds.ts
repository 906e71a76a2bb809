// What the entries of the audit logs say, of a company and of the whole service: "Awa Koné a accepté un expéditeur : BOUTIQUE".

import type { Noted } from "./details.ts";
import type { Visit } from "./visit.ts";

type Pair = readonly [fr: string, en: string];

type Known = Record<string, unknown>;

/** What was done, with the name of the thing where the entry has it, or else `name`. */
export function deedOf(visit: Visit, { action, before, after }: Noted, name?: string): string {
  const known: Known = { ...(before as Known | null), ...(after as Known | null) };
  if (action === "admin/credit/grant" && typeof known.credit === "number") {
    const words = [visit.t("crédit", "credit"), visit.t("crédits", "credits")] as const;
    const amount = visit.formats.count(known.credit, ...words);
    return visit.t(`a accordé ${amount}`, `granted ${amount}`);
  }
  const done = visit.t(...(DEEDS[action] ?? OTHER));
  const which = typeof known.name === "string" ? known.name : name;
  return which === undefined ? done : visit.t(`${done} : ${which}`, `${done}: ${which}`);
}

const OTHER: Pair = ["a changé quelque chose", "changed something"];

/** By action, as the interface names it. */
export const DEEDS: Readonly<Record<string, Pair>> = {
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
  "contact/delete-many": ["a supprimé les contacts d’un groupe", "deleted the contacts of a group"],
  "contact/delete": ["a supprimé des contacts", "deleted contacts"],
  "contact/field/delete": ["a supprimé un champ propre des contacts", "deleted an own field of contacts"],
  "contact/erase": ["a effacé une personne", "erased a person"],
  "contact/import/{id}/run": ["a importé un fichier de contacts", "imported a file of contacts"],
  "contact/import/{id}/undo": ["a annulé un import de contacts", "undid an import of contacts"],
  "contact/import/{id}/cancel": ["a arrêté un import de contacts", "stopped an import of contacts"],
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
  "campaign/{id}/toggle-enable": [
    "a suspendu ou repris une campagne récurrente",
    "paused or resumed a recurring campaign",
  ],
  "campaign/{id}/resume": ["a repris une campagne", "resumed a campaign"],
  "campaign/{id}/reschedule": ["a changé la date d’une campagne", "changed the date of a campaign"],
  "campaign/{id}/update": ["a modifié une campagne", "changed a campaign"],
  "campaign/{id}/approve": ["a approuvé une campagne", "approved a campaign"],
  "campaign/{id}/decline": ["a refusé une campagne", "declined a campaign"],
  "campaign/{id}/duplicate": ["a dupliqué une campagne", "duplicated a campaign"],
  "campaign/{id}/export": ["a exporté les messages d’une campagne", "exported the messages of a campaign"],
  "campaign/draft/save": ["a enregistré un brouillon", "saved a draft"],
  "campaign/draft/{id}/delete": ["a supprimé un brouillon", "deleted a draft"],
  "campaign/draft/{id}/submit": ["a soumis un brouillon pour envoi", "submitted a draft for sending"],
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
  "company/webhook/create": ["a créé un webhook", "made a webhook"],
  "company/webhook/{id}/update": ["a modifié un webhook", "changed a webhook"],
  "company/webhook/{id}/rotate-secret": [
    "a remplacé le secret d’un webhook",
    "replaced the secret of a webhook",
  ],
  "company/webhook/{id}/test": ["a essayé un webhook", "tried a webhook"],
  "company/webhook/{id}/{deliveryId}/replay": ["a renvoyé un événement", "sent an event again"],
  "company/webhook/{id}/delete": ["a supprimé un webhook", "deleted a webhook"],
  "third-party-app/claim": ["a lu les secrets d’une application", "read the secrets of an application"],
  "third-party-app/pairing/initiate": ["a demandé une liaison", "asked for a connection"],
  "third-party-app/pairing/status": ["a lu le jeton d’une liaison", "read the token of a connection"],
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
  "admin/credit/grant/{id}/confirm": ["a confirmé un crédit", "confirmed a grant of credits"],
  "admin/credit/grant/{id}/refuse": ["a refusé un crédit", "refused a grant of credits"],
  "admin/partner/enable": ["a fait de l’entreprise un revendeur", "made a reseller of the company"],
  "admin/partner/{id}/disable": ["a mis fin au rôle de revendeur", "ended the role of a reseller"],
  "admin/sender/create": ["a donné un expéditeur", "gave a sender"],
  "admin/sender/{id}/submit": ["a transmis un expéditeur aux opérateurs", "passed a sender to the operators"],
  "admin/sender/{id}/accept": ["a accepté un expéditeur", "accepted a sender"],
  "admin/sender/{id}/refuse": ["a refusé un expéditeur", "refused a sender"],
  "admin/campaign/{id}/cancel": ["a annulé une campagne", "cancelled a campaign"],
  "admin/campaign/{id}/release": ["a libéré une campagne retenue", "released a campaign that was held"],
  "admin/inbound/number/create": ["a fait un numéro de réception", "made a number that receives"],
  "admin/inbound/number/{id}/update": ["a changé un numéro de réception", "changed a number that receives"],
  "admin/inbound/number/{id}/delete": ["a supprimé un numéro de réception", "deleted a number that receives"],
  "admin/inbound/keyword/create": ["a donné un mot-clé", "gave a keyword"],
  "admin/inbound/keyword/{id}/delete": ["a retiré un mot-clé", "took a keyword away"],
  "admin/otp/allow": ["a levé le blocage des codes", "let codes go again"],
  "admin/third-party-app/{id}/approve": ["a approuvé une application", "approved an application"],
  "admin/third-party-app/{id}/reject": ["a refusé une application", "rejected an application"],
  "admin/third-party-app/{id}/deactivate": ["a désactivé une application", "deactivated an application"],
  "admin/third-party-app/{id}/reactivate": ["a réactivé une application", "reactivated an application"],
  "admin/session/confirm": ["s’est connecté à l’administration", "signed in to the administration"],
  "admin/session/enrol": ["a choisi son second facteur", "enrolled a second factor"],
  "admin/session/{id}/end": [
    "a mis fin à une session d’administrateur",
    "ended a session of an administrator",
  ],
  "admin/user/create": ["a créé un administrateur", "made an administrator"],
  "admin/user/{id}/update": ["a changé un administrateur", "changed an administrator"],
  "admin/user/{id}/disable": ["a désactivé un administrateur", "disabled an administrator"],
  "admin/user/{id}/enable": ["a réactivé un administrateur", "enabled an administrator"],
  "admin/user/{id}/second-factor/reset": [
    "a retiré le second facteur d’un administrateur",
    "reset the second factor of an administrator",
  ],
  "admin/key/create": ["a créé une clé de machine", "made a machine key"],
  "admin/key/{id}/revoke": ["a révoqué une clé de machine", "revoked a machine key"],
  "admin/operator/create": ["a ajouté un opérateur", "added an operator"],
  "admin/operator/{id}/update": ["a changé un opérateur", "changed an operator"],
  "admin/operator/{id}/delete": ["a retiré un opérateur", "deleted an operator"],
  "admin/operator/{id}/hold": ["a retenu un opérateur", "held an operator"],
  "admin/operator/{id}/resume": ["a laissé repartir un opérateur", "let an operator send again"],
  "admin/operator/{id}/move": [
    "a déplacé une liaison d’un opérateur",
    "moved a bind of an operator to another process",
  ],
  "admin/operator/{id}/test": ["a essayé un opérateur", "tested an operator"],
  "admin/recovery/resume": [
    "a repris l’envoi après une reprise de la base",
    "resumed sending after a recovery of the database",
  ],
  "admin/recovery/unknown": [
    "a abandonné ce qui attendait avant une reprise de la base",
    "gave up what had waited before a recovery of the database",
  ],
  "admin/ported/import": ["a importé des numéros portés", "imported ported numbers"],
  "admin/ported/clear": ["a oublié tous les numéros portés", "forgot all ported numbers"],
  "admin/simulator/inbox": ["a lu les téléphones simulés", "read the simulated handsets"],
  "admin/simulator/reply": ["a répondu depuis un téléphone simulé", "answered from a simulated handset"],
  "admin/offer/create": ["a mis une recharge en vente", "put a top-up on sale"],
  "admin/offer/{id}/archive": ["a archivé une recharge", "archived a top-up"],
  "admin/person/erase": ["a demandé d’effacer une personne", "asked to erase a person"],
};
