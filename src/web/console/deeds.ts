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
    return visit.t(`a attribué ${amount}`, `granted ${amount}`);
  }
  const done = visit.t(...(DEEDS[action] ?? OTHER));
  const which = typeof known.name === "string" ? known.name : name;
  return which === undefined ? done : visit.t(`${done} : ${which}`, `${done}: ${which}`);
}

const OTHER: Pair = ["a fait une modification", "made a change"];

/** By action, as the interface names it. */
export const DEEDS: Readonly<Record<string, Pair>> = {
  "session/confirm": ["s’est connecté", "signed in"],
  "signup/confirm": ["a créé l’entreprise", "created the company"],
  "session/{id}/end": ["a fermé une session", "ended a session"],
  "user/key/regenerate": ["a remplacé sa clé API", "replaced their API key"],
  "company/key/create": ["a créé une clé API", "created an API key"],
  "company/key/{id}/update": ["a modifié une clé API", "updated an API key"],
  "company/key/{id}/revoke": ["a révoqué une clé API", "revoked an API key"],
  "company/member/create": ["a ajouté un membre", "added a member"],
  "company/member/{id}/update": ["a modifié un membre", "updated a member"],
  "company/member/{id}/remove": ["a retiré un membre", "removed a member"],
  "company/approval/update": ["a modifié la règle d’approbation", "updated the approval rule"],
  "company/update": ["a modifié les réglages de l’entreprise", "updated the company settings"],
  "company/export": ["a demandé un export des données", "requested a data export"],
  "company/close": ["a fermé l’entreprise", "closed the company"],
  "company/reopen": ["a rouvert l’entreprise", "reopened the company"],
  "contact/create": ["a ajouté des contacts", "added contacts"],
  "contact/{id}/update": ["a modifié un contact", "updated a contact"],
  "contact/delete-many": ["a supprimé les contacts d’un groupe", "deleted the contacts of a group"],
  "contact/delete": ["a supprimé des contacts", "deleted contacts"],
  "contact/field/delete": [
    "a supprimé un champ personnalisé des contacts",
    "deleted a custom field of contacts",
  ],
  "contact/erase": ["a effacé les données d’une personne", "erased a person’s data"],
  "contact/import/{id}/run": ["a importé un fichier de contacts", "imported a contact file"],
  "contact/import/{id}/undo": ["a annulé un import de contacts", "undid a contact import"],
  "contact/import/{id}/cancel": ["a arrêté un import de contacts", "stopped a contact import"],
  "group/create": ["a créé un groupe", "created a group"],
  "group/{id}/update": ["a modifié un groupe", "updated a group"],
  "group/{id}/delete": ["a supprimé un groupe", "deleted a group"],
  "group/{id}/contacts/add": ["a ajouté des contacts à un groupe", "added contacts to a group"],
  "group/{id}/contacts/remove": ["a retiré des contacts d’un groupe", "removed contacts from a group"],
  "sender/create": ["a demandé un expéditeur", "requested a sender"],
  "optout/create": ["a ajouté des désinscriptions", "added opt-outs"],
  "optout/delete": ["a réinscrit des numéros", "opted numbers in again"],
  "campaign/create": ["a envoyé ou programmé une campagne", "sent or scheduled a campaign"],
  "campaign/{id}/cancel": ["a annulé une campagne", "canceled a campaign"],
  "campaign/{id}/toggle-enable": [
    "a suspendu ou repris une campagne récurrente",
    "paused or resumed a recurring campaign",
  ],
  "campaign/{id}/resume": ["a repris une campagne", "resumed a campaign"],
  "campaign/{id}/reschedule": ["a reprogrammé une campagne", "rescheduled a campaign"],
  "campaign/{id}/update": ["a modifié une campagne", "updated a campaign"],
  "campaign/{id}/approve": ["a approuvé une campagne", "approved a campaign"],
  "campaign/{id}/decline": ["a refusé une campagne", "declined a campaign"],
  "campaign/{id}/duplicate": ["a dupliqué une campagne", "duplicated a campaign"],
  "campaign/{id}/export": ["a exporté les messages d’une campagne", "exported the messages of a campaign"],
  "campaign/draft/save": ["a enregistré un brouillon", "saved a draft"],
  "campaign/draft/{id}/delete": ["a supprimé un brouillon", "deleted a draft"],
  "campaign/draft/{id}/submit": ["a soumis un brouillon pour envoi", "submitted a draft for sending"],
  "campaign/template/create": ["a créé un modèle", "created a template"],
  "campaign/template/{id}/update": ["a modifié un modèle", "updated a template"],
  "campaign/template/{id}/delete": ["a supprimé un modèle", "deleted a template"],
  "topup/begin": ["a démarré une recharge", "started a top-up"],
  "partner/app/server-key": [
    "a remplacé la clé de serveur du revendeur",
    "replaced the reseller’s server key",
  ],
  "partner/customer/create": ["a ajouté un client", "added a customer"],
  "partner/grant-credit": ["a vendu des crédits à un client", "sold credits to a customer"],
  "partner/app/offers/create": ["a mis une offre en vente", "put an offer on sale"],
  "partner/app/offers/{id}/archive": ["a archivé une offre", "archived an offer"],
  "partner/offer/purchase": ["a créé un achat pour un client", "created a purchase for a customer"],
  "third-party-app/submit": ["a soumis une application", "submitted an application"],
  "third-party-app/my/list": ["a consulté les secrets des applications", "viewed the application secrets"],
  "third-party-app/my/{appId}/regenerate-secret": [
    "a remplacé le secret d’une application",
    "replaced an application’s secret",
  ],
  "third-party-app/my/{appId}/webhook/update": ["a modifié l’URL des webhooks", "updated the webhook URL"],
  "third-party-app/my/{appId}/webhook/rotate-secret": [
    "a remplacé le secret des webhooks",
    "replaced the webhook secret",
  ],
  "third-party-app/my/{appId}/webhook/test": ["a envoyé un webhook de test", "sent a test webhook"],
  "third-party-app/my/{appId}/webhook/{deliveryId}/replay": ["a renvoyé un webhook", "resent a webhook"],
  "company/webhook/create": ["a créé un webhook", "created a webhook"],
  "company/webhook/{id}/update": ["a modifié un webhook", "updated a webhook"],
  "company/webhook/{id}/rotate-secret": ["a remplacé le secret d’un webhook", "replaced a webhook’s secret"],
  "company/webhook/{id}/test": ["a testé un webhook", "tested a webhook"],
  "company/webhook/{id}/{deliveryId}/replay": ["a renvoyé un événement", "resent an event"],
  "company/webhook/{id}/delete": ["a supprimé un webhook", "deleted a webhook"],
  "third-party-app/claim": ["a lu les secrets d’une application", "read an application’s secrets"],
  "third-party-app/pairing/initiate": ["a demandé une connexion", "requested a connection"],
  "third-party-app/pairing/status": ["a lu le jeton d’une connexion", "read a connection’s token"],
  "third-party-app/provision": ["a connecté un compte", "connected an account"],
  "third-party-app/pairing/confirm": ["a approuvé une connexion", "approved a connection"],
  "third-party-app/pairing/deny": ["a refusé une connexion", "denied a connection"],
  "pair/answer": ["a répondu à une demande de connexion", "answered a connection request"],
  "third-party-app/connection/{id}/revoke": ["a révoqué une connexion", "revoked a connection"],
  "third-party-app/connection/{id}/sender": ["a modifié une connexion", "updated a connection"],
  "admin/company/create": ["a créé l’entreprise", "created the company"],
  "admin/company/{id}/update": ["a modifié l’entreprise", "updated the company"],
  "admin/company/{id}/suspend": ["a suspendu l’entreprise", "suspended the company"],
  "admin/company/{id}/resume": ["a levé la suspension de l’entreprise", "lifted the company’s suspension"],
  "admin/company/{id}/key/reset": ["a remplacé la clé du propriétaire", "replaced the owner’s key"],
  "admin/credit/grant": ["a attribué ou corrigé des crédits", "granted or corrected credits"],
  "admin/credit/grant/{id}/confirm": ["a confirmé une attribution de crédits", "confirmed a credit grant"],
  "admin/credit/grant/{id}/refuse": ["a refusé une attribution de crédits", "refused a credit grant"],
  "admin/partner/enable": ["a activé l’entreprise comme revendeur", "made the company a reseller"],
  "admin/partner/{id}/disable": [
    "a retiré à l’entreprise le rôle de revendeur",
    "removed the company’s reseller role",
  ],
  "admin/sender/create": ["a attribué un expéditeur", "assigned a sender"],
  "admin/sender/{id}/submit": [
    "a transmis un expéditeur aux opérateurs",
    "submitted a sender to the operators",
  ],
  "admin/sender/{id}/accept": ["a accepté un expéditeur", "accepted a sender"],
  "admin/sender/{id}/refuse": ["a refusé un expéditeur", "refused a sender"],
  "admin/campaign/{id}/cancel": ["a annulé une campagne", "canceled a campaign"],
  "admin/campaign/{id}/release": [
    "a libéré une campagne retenue pour examen",
    "released a campaign held for review",
  ],
  "admin/inbound/number/create": ["a créé un numéro de réception", "created a receiving number"],
  "admin/inbound/number/{id}/update": ["a modifié un numéro de réception", "updated a receiving number"],
  "admin/inbound/number/{id}/delete": ["a supprimé un numéro de réception", "deleted a receiving number"],
  "admin/inbound/keyword/create": ["a attribué un mot-clé", "assigned a keyword"],
  "admin/inbound/keyword/{id}/delete": ["a retiré un mot-clé", "removed a keyword"],
  "admin/otp/allow": ["a levé le blocage des codes", "unblocked one-time passwords"],
  "admin/third-party-app/{id}/approve": ["a approuvé une application", "approved an application"],
  "admin/third-party-app/{id}/reject": ["a refusé une application", "rejected an application"],
  "admin/third-party-app/{id}/deactivate": ["a désactivé une application", "deactivated an application"],
  "admin/third-party-app/{id}/reactivate": ["a réactivé une application", "reactivated an application"],
  "admin/session/confirm": ["s’est connecté à l’administration", "signed in to the administration"],
  "admin/session/enrol": ["a configuré son second facteur", "set up their second factor"],
  "admin/session/{id}/end": ["a fermé une session d’administrateur", "ended an administrator session"],
  "admin/user/create": ["a créé un administrateur", "created an administrator"],
  "admin/user/{id}/update": ["a modifié un administrateur", "updated an administrator"],
  "admin/user/{id}/disable": ["a désactivé un administrateur", "disabled an administrator"],
  "admin/user/{id}/enable": ["a réactivé un administrateur", "enabled an administrator"],
  "admin/user/{id}/second-factor/reset": [
    "a réinitialisé le second facteur d’un administrateur",
    "reset an administrator’s second factor",
  ],
  "admin/key/create": ["a créé une clé de machine", "created a machine key"],
  "admin/key/{id}/revoke": ["a révoqué une clé de machine", "revoked a machine key"],
  "admin/operator/create": ["a ajouté un opérateur", "added an operator"],
  "admin/operator/{id}/update": ["a modifié un opérateur", "updated an operator"],
  "admin/operator/{id}/delete": ["a supprimé un opérateur", "deleted an operator"],
  "admin/operator/{id}/hold": ["a suspendu l’envoi vers un opérateur", "paused sending to an operator"],
  "admin/operator/{id}/resume": ["a repris l’envoi vers un opérateur", "resumed sending to an operator"],
  "admin/operator/{id}/move": [
    "a déplacé une liaison d’opérateur vers un autre processus",
    "moved an operator bind to another process",
  ],
  "admin/operator/{id}/test": ["a testé un opérateur", "tested an operator"],
  "admin/recovery/resume": [
    "a repris l’envoi après une panne de la base de données",
    "resumed sending after a database failure",
  ],
  "admin/recovery/unknown": [
    "a abandonné les envois en attente avant une panne de la base de données",
    "abandoned the sends that were pending before a database failure",
  ],
  "admin/ported/import": ["a importé des numéros portés", "imported ported numbers"],
  "admin/ported/clear": ["a supprimé tous les numéros portés", "deleted all ported numbers"],
  "admin/simulator/inbox": [
    "a lu les messages des téléphones simulés",
    "read the messages of the simulated handsets",
  ],
  "admin/simulator/reply": ["a répondu depuis un téléphone simulé", "replied from a simulated handset"],
  "admin/offer/create": ["a mis une offre de recharge en vente", "put a top-up offer on sale"],
  "admin/offer/{id}/archive": ["a archivé une offre de recharge", "archived a top-up offer"],
  "admin/person/erase": ["a demandé l’effacement d’une personne", "requested the erasure of a person"],
};
