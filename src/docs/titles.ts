// Titles: what each operation does, in few words, for lists. Most are made of its sentence.
import type { Sentence } from "../kernel/refusals.ts";

/** Operations whose sentence says what they answer, or too much for a list. */
const own: Readonly<Record<string, Sentence>> = {
  "/v1/campaign/create": { fr: "Créer une campagne", en: "Create a campaign" },
  "/v1/campaign/list": { fr: "Lister les campagnes", en: "List campaigns" },
  "/v1/campaign/{id}/duplicate": { fr: "Copier une campagne en brouillon", en: "Copy a campaign to a draft" },
  "/v1/campaign/{id}/statistics": {
    fr: "Lire les statistiques d’une campagne",
    en: "Read the statistics of a campaign",
  },
  "/v1/campaign/approval/list": { fr: "Lister les campagnes à approuver", en: "List campaigns to approve" },
  "/v1/campaign/{id}/approve": { fr: "Approuver une campagne", en: "Approve a campaign" },
  "/v1/campaign/{id}/decline": { fr: "Refuser une campagne", en: "Decline a campaign" },
  "/v1/campaign/{id}/reschedule": { fr: "Changer l’heure d’une campagne", en: "Reschedule a campaign" },
  "/v1/campaign/{id}/update": { fr: "Modifier une campagne", en: "Change a campaign" },
  "/v1/transaction/stats": { fr: "Lire les crédits jour par jour", en: "Read the credits by day" },
  "/v1/campaign/draft/save": { fr: "Enregistrer un brouillon", en: "Save a draft" },
  "/v1/campaign/draft/list": { fr: "Lister les brouillons", en: "List drafts" },
  "/v1/campaign/draft/{id}": { fr: "Lire un brouillon", en: "Read a draft" },
  "/v1/campaign/draft/{id}/delete": { fr: "Supprimer un brouillon", en: "Delete a draft" },
  "/v1/campaign/draft/{id}/submit": { fr: "Soumettre un brouillon", en: "Submit a draft" },
  "/v1/campaign/template/create": { fr: "Créer un modèle de texte", en: "Create a template" },
  "/v1/campaign/template/list": { fr: "Lister les modèles de textes", en: "List templates" },
  "/v1/campaign/template/{id}/update": { fr: "Modifier un modèle de texte", en: "Change a template" },
  "/v1/campaign/template/{id}/delete": { fr: "Supprimer un modèle de texte", en: "Delete a template" },
  "/v1/statistics/days": { fr: "Compter les messages par jour", en: "Count messages by day" },
  "/v1/admin/recovery/read": { fr: "Lire si l’envoi est suspendu", en: "Read whether sending is held" },
  "/v1/admin/recovery/forgotten/list": {
    fr: "Lister ce que la base a oublié",
    en: "List what the database has forgotten",
  },
  "/v1/campaign/forgotten/list": { fr: "Lister les campagnes perdues", en: "List lost campaigns" },
  "/v1/admin/recovery/unknown": {
    fr: "Ne rien renvoyer de ce qui attendait",
    en: "Send nothing again of what waited",
  },
  "/v1/message/list": { fr: "Chercher des messages", en: "Find messages" },
  "/v1/message/{id}": { fr: "Suivre un message", en: "Follow a message" },
  "/v1/admin/message/list": {
    fr: "Chercher des messages de toutes les entreprises",
    en: "Find messages of all companies",
  },
  "/v1/admin/statistics/days": {
    fr: "Compter les messages de tous, par jour",
    en: "Count everybody’s messages by day",
  },
  "/v1/contact/delete-many": {
    fr: "Supprimer les contacts d’un groupe",
    en: "Delete the contacts of a group",
  },
  "/v1/contact/delete-many/{id}": { fr: "Suivre une suppression", en: "Follow a deletion" },
  "/v1/contact/import/begin": { fr: "Commencer un import", en: "Begin an import" },
  "/v1/contact/import/{id}/part": { fr: "Envoyer une partie du fichier", en: "Upload a part of the file" },
  "/v1/contact/import/list": { fr: "Lister les imports", en: "List imports" },
  "/v1/contact/import/{id}": { fr: "Suivre un import", en: "Follow an import" },
  "/v1/contact/import/{id}/charset": { fr: "Choisir l’encodage du fichier", en: "Choose the encoding" },
  "/v1/contact/import/{id}/undo": { fr: "Annuler un import", en: "Undo an import" },
  "/v1/contact/import/{id}/rejected/list": { fr: "Lister les lignes refusées", en: "List the rejected rows" },
  "/v1/group/{id}": { fr: "Lire un groupe", en: "Read a group" },
  "/v1/credit/balance": { fr: "Lire le solde", en: "Read the balance" },
  "/v1/user/credit": { fr: "Lire le solde (autre adresse)", en: "Read the balance (other address)" },
  "/v1/credit/statement": { fr: "Lire le relevé de crédits", en: "Read the statement of credits" },
  "/v1/company/update": { fr: "Modifier l’entreprise", en: "Change the company" },
  "/v1/company/request/list": {
    fr: "Lister les requêtes de l’entreprise",
    en: "List the company’s requests",
  },
  "/v1/user/key/regenerate": { fr: "Renouveler sa clé", en: "Renew one’s key" },
  "/v1/signup/begin": { fr: "Commencer une inscription", en: "Begin a sign-up" },
  "/v1/signup/confirm": { fr: "Confirmer une inscription", en: "Confirm a sign-up" },
  "/v1/session/begin": { fr: "Demander un code de connexion", en: "Ask for a sign-in code" },
  "/v1/session/confirm": { fr: "Se connecter par le code", en: "Sign in by the code" },
  "/v1/session/read": { fr: "Lire qui est connecté", en: "Read who is signed in" },
  "/v1/session/list": { fr: "Lister ses sessions", en: "List one’s sessions" },
  "/v1/company/approval/update": {
    fr: "Régler l’accord d’une deuxième personne",
    en: "Set the approval of a second person",
  },
  "/v1/company/key/update": { fr: "Limiter une clé", en: "Limit a key" },
  "/v1/company/key/{id}/update": { fr: "Limiter une clé", en: "Limit a key" },
  "/v1/admin/session/begin": { fr: "Demander un code de connexion", en: "Ask for a sign-in code" },
  "/v1/admin/session/confirm": { fr: "Se connecter", en: "Sign in" },
  "/v1/admin/session/enrol": { fr: "Adopter un second facteur", en: "Enrol a second factor" },
  "/v1/admin/session/read": { fr: "Lire qui administre", en: "Read who administers" },
  "/v1/admin/user/{id}/second-factor/reset": {
    fr: "Retirer un second facteur",
    en: "Take a second factor away",
  },
  "/v1/admin/campaign/{id}/cancel": {
    fr: "Annuler la campagne d’une entreprise",
    en: "Cancel a company’s campaign",
  },
  "/v1/admin/credit/grant/list": { fr: "Lister les crédits en attente", en: "List grants that wait" },
  "/v1/admin/credit/grant/{id}/confirm": { fr: "Confirmer un crédit", en: "Confirm a grant" },
  "/v1/admin/credit/grant/{id}/refuse": { fr: "Refuser un crédit", en: "Refuse a grant" },
  "/v1/admin/campaign/held/list": {
    fr: "Lister les campagnes retenues",
    en: "List the campaigns that are held",
  },
  "/v1/admin/campaign/held/{id}": { fr: "Lire une campagne retenue", en: "Read a campaign that is held" },
  "/v1/admin/campaign/{id}/release": {
    fr: "Laisser partir une campagne retenue",
    en: "Release a campaign that is held",
  },
  "/v1/admin/company/{id}/key/reset": {
    fr: "Remplacer la clé d’un propriétaire",
    en: "Replace an owner’s key",
  },
  "/v1/company/audit/list": { fr: "Lire le journal de l’entreprise", en: "Read the company’s log" },
  "/v1/admin/audit/list": { fr: "Lire le journal d’audit", en: "Read the audit log" },
  "/v1/admin/offer/create": { fr: "Mettre une offre en vente", en: "Put an offer on sale" },
  "/v1/topup/offer/list": { fr: "Lister les offres du service", en: "List the service’s offers" },
  "/v1/topup/begin": { fr: "Commencer une recharge", en: "Begin a top-up" },
  "/v1/topup/{id}": { fr: "Lire une recharge", en: "Read a top-up" },
  "/v1/topup/{id}/checkout": { fr: "Rouvrir la page de paiement", en: "Open the payment page again" },
  "/v1/topup/{id}/receipt": { fr: "Lire le reçu d’une recharge", en: "Read the receipt of a top-up" },
  "/v1/partner/app/server-key": { fr: "Renouveler la clé de serveur", en: "Renew the server key" },
  "/v1/partner/grant-credit": { fr: "Donner des crédits à un client", en: "Grant credits to a customer" },
  "/v1/partner/customer/{id}/statement": {
    fr: "Lire le relevé d’un client",
    en: "Read a customer’s statement",
  },
  "/v1/partner/customer/{id}/campaigns": {
    fr: "Lister les envois pour un client",
    en: "List the sends for a customer",
  },
  "/v1/partner/offer/purchase": { fr: "Acheter une offre pour un client", en: "Buy an offer for a customer" },
  "/v1/payment/webhook/{provider}": {
    fr: "Recevoir un paiement (prestataires)",
    en: "Receive a payment (providers)",
  },
  "/v1/third-party-app/public-submit": {
    fr: "Soumettre une application sans compte",
    en: "Submit an application without an account",
  },
  "/v1/third-party-app/claim": { fr: "Retirer les secrets, une fois", en: "Fetch the secrets, once" },
  "/v1/third-party-app/my/list": { fr: "Lister ses applications", en: "List one’s applications" },
  "/v1/third-party-app/my/{appId}/regenerate-secret": { fr: "Renouveler le secret", en: "Renew the secret" },
  "/v1/third-party-app/provision": {
    fr: "Connecter un compte par ses clés",
    en: "Connect an account by its keys",
  },
  "/v1/third-party-app/pairing/initiate": { fr: "Commencer un jumelage", en: "Begin a pairing" },
  "/v1/third-party-app/pairing/details": { fr: "Lire une demande de jumelage", en: "Read a request to pair" },
  "/v1/third-party-app/pairing/status": { fr: "Suivre un jumelage", en: "Follow a pairing" },
  "/v1/third-party-app/sms/send": {
    fr: "Envoyer pour un compte connecté",
    en: "Send for a connected account",
  },
  "/v1/third-party-app/balance": { fr: "Lire le solde de la connexion", en: "Read the connection’s balance" },
  "/v1/third-party-app/connection/list": { fr: "Lister les connexions", en: "List connections" },
  "/v1/third-party-app/connection/{id}/sender": { fr: "Régler une connexion", en: "Set a connection" },
  "/v1/third-party-app/my/{appId}/webhook/update": {
    fr: "Régler l’adresse des webhooks",
    en: "Set the address of the webhooks",
  },
  "/v1/third-party-app/my/{appId}/webhook/rotate-secret": {
    fr: "Changer le secret des webhooks",
    en: "Rotate the webhooks’ secret",
  },
  "/v1/third-party-app/my/{appId}/webhook/{deliveryId}": {
    fr: "Lire un envoi de webhook",
    en: "Read a delivery",
  },
  "/v1/third-party-app/my/{appId}/webhook/{deliveryId}/replay": {
    fr: "Renvoyer un webhook",
    en: "Replay a delivery",
  },
  "/v1/contact/erase": { fr: "Effacer une personne", en: "Erase a person" },
  "/v1/contact/erase/{id}": { fr: "Suivre un effacement", en: "Follow an erasure" },
  "/v1/admin/person/erase": {
    fr: "Effacer une personne de tous les comptes",
    en: "Erase a person from all accounts",
  },
  "/v1/admin/person/erase/{id}": { fr: "Suivre un effacement", en: "Follow an erasure" },
  "/v1/company/export": { fr: "Commencer une archive", en: "Begin an archive" },
  "/v1/company/export/{id}": { fr: "Suivre une archive", en: "Follow an archive" },
  "/v1/campaign/{id}/export": { fr: "Exporter les messages en CSV", en: "Export the messages as CSV" },
  "/v1/campaign/export/{exportId}": { fr: "Suivre un export", en: "Follow an export" },
  "/v1/optout/delete": { fr: "Réinscrire un numéro", en: "End an opt-out" },
  "/v1/campaign/{id}/toggle-enable": {
    fr: "Suspendre ou reprendre une campagne récurrente",
    en: "Pause or resume a recurring campaign",
  },
  "/v1/campaign/{id}/resume": { fr: "Reprendre une campagne récurrente", en: "Resume a recurring campaign" },
  "/v1/company/usage": { fr: "Lire ce que les quotas laissent", en: "Read what the quotas leave" },
  "/v1/admin/otp/guard": {
    fr: "Lire ce que la garde des codes a vu",
    en: "Read what the guard of codes saw",
  },
  "/v1/admin/operator/create": { fr: "Ajouter un opérateur mobile", en: "Add a mobile operator" },
  "/v1/admin/operator/list": { fr: "Lister les opérateurs mobiles", en: "List mobile operators" },
  "/v1/admin/operator/{id}": { fr: "Lire un opérateur mobile", en: "Read a mobile operator" },
  "/v1/admin/operator/{id}/test/{testId}": {
    fr: "Suivre un essai d’un opérateur",
    en: "Follow a test of an operator",
  },
  "/v1/admin/key/list": { fr: "Lister les clés des machines", en: "List the keys of machines" },
  "/v1/admin/simulator/inbox": { fr: "Lire les téléphones simulés", en: "Read the simulated handsets" },
  "/v1/admin/simulator/reply": {
    fr: "Répondre comme un téléphone simulé",
    en: "Reply as a simulated handset",
  },
};

const INFINITIVES: Readonly<Record<string, string>> = {
  Lit: "Lire",
  Dit: "Dire",
  Met: "Mettre",
  Fait: "Faire",
  Reçoit: "Recevoir",
  Reprend: "Reprendre",
  Suspend: "Suspendre",
  Désinscrit: "Désinscrire",
  Réinscrit: "Réinscrire",
  Rétablit: "Rétablir",
  Retient: "Retenir",
  Choisit: "Choisir",
  Soumet: "Soumettre",
  Envoie: "Envoyer",
  Renvoie: "Renvoyer",
  Essaie: "Essayer",
  Rouvre: "Rouvrir",
  Ouvre: "Ouvrir",
};

/** The title of an operation: its own, or its sentence up to the first pause with the verb as a dictionary has it. */
export function titleOf(path: string, { fr, en }: Sentence): Sentence {
  return own[path] ?? { fr: frenchOf(shortOf(fr)), en: englishOf(shortOf(en)) };
}

function shortOf(sentence: string): string {
  return sentence.split(/ ?[;:,(]/, 1)[0]!.trim();
}

function frenchOf(sentence: string): string {
  return sentence.replace(/^\p{L}{4,}|^Lit|^Dit|^Met/u, (verb) => {
    return INFINITIVES[verb] ?? (verb.endsWith("e") ? `${verb}r` : verb);
  });
}

function englishOf(sentence: string): string {
  return sentence.replace(/^[A-Z][a-z]+s(?= )/, (verb) => {
    if (verb.endsWith("ies")) return `${verb.slice(0, -3)}y`;
    return verb.replace(/(ch|sh|ss|x)es$|s$/, "$1");
  });
}
