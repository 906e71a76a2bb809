// The section of the reference on the paths of third-party applications, in reading order, and the meaning of their members.
import type { Term } from "./glossary.ts";
import type { Section } from "./sections.ts";

const submission = { name: "Boutique", slug: "boutique", description: "Vend des pagnes en ligne" };
const external = { externalAccountId: "client-42" };
const OWN = ["app-not-found", "app-not-active"] as const;
const HOOK = [...OWN, "not-found", "conflict"] as const;
const PAIRING = ["pairing-code-invalid"] as const;
const CONNECTED = ["app-not-active", "connection-revoked"] as const;
const ONCE = ["idempotency-key-reused", "idempotency-in-progress"] as const;
const SENDER = ["sender-not-found", "sender-not-accepted"] as const;

export const apps: Section = {
  fr: "Applications tierces",
  en: "Third-party applications",
  entries: {
    "/v1/third-party-app/submit": {
      fr: "Soumet une application à l’examen",
      example: submission,
      refusals: ["app-slug-taken", "conflict"],
    },
    "/v1/third-party-app/public-submit": {
      fr: "Soumet une application sans compte ; son propriétaire apprend la suite par SMS et par courriel",
      example: {
        name: "Marché",
        slug: "marche",
        ownerEmail: "awa@example.com",
        ownerPhone: "+225 07 00 00 55 55",
      },
      refusals: ["app-slug-taken", "invalid-phone-number"],
    },
    "/v1/admin/third-party-app/list": {
      fr: "Liste les applications de tous",
    },
    "/v1/admin/third-party-app/{id}": {
      fr: "Lit une application de n’importe qui, et la marque à laquelle elle ressemble",
      refusals: ["app-not-found"],
    },
    "/v1/admin/third-party-app/{id}/approve": {
      fr: "Approuve une application : elle reçoit ses secrets, son propriétaire est prévenu",
      refusals: ["app-not-found", "app-slug-taken", "conflict"],
    },
    "/v1/admin/third-party-app/{id}/reject": {
      fr: "Refuse une application ; son propriétaire apprend pourquoi",
      example: { rejectionReason: "Le nom est celui d’une banque." },
      refusals: ["app-not-found", "conflict"],
    },
    "/v1/third-party-app/claim": {
      fr: "Montre une seule fois les secrets d’une application approuvée à son propriétaire sans compte",
      refusals: ["not-found"],
    },
    "/v1/third-party-app/my/list": {
      fr: "Liste toutes les applications de l’entreprise, ou une page si elle est demandée, avec les secrets de celles qui sont actives",
    },
    "/v1/third-party-app/my/{appId}/regenerate-secret": {
      fr: "Donne à une application un nouveau secret ; l’ancien meurt aussitôt",
      refusals: [...OWN],
    },
    "/v1/third-party-app/provision": {
      fr: "Connecte un compte externe avec les identifiants du compte qui paie ; répété, rend le même jeton",
      example: {
        ...external,
        target: "company",
        companyApiKey: "<apiKey>",
        companyId: "<companyId>",
        defaultSenderId: "<senderId>",
      },
      refusals: ["app-not-active", "customer-not-found", "connection-conflict", "conflict", ...SENDER],
    },
    "/v1/third-party-app/pairing/initiate": {
      fr: "Commence un jumelage : un code qu’une personne approuve ; les trois champs sont aussi hors de data",
      example: { externalAccountId: "client-43" },
      refusals: ["app-not-active"],
    },
    "/v1/third-party-app/pairing/details": {
      fr: "Qui demande le jumelage, et les expéditeurs au choix",
      example: { pairingCode: "<pairingCode>" },
      refusals: [...PAIRING],
    },
    "/v1/third-party-app/pairing/confirm": {
      fr: "Approuve un jumelage ; sans expéditeur, le seul accepté est attribué",
      example: { pairingCode: "<pairingCode>" },
      refusals: [...PAIRING, "connection-conflict", "conflict", ...SENDER],
    },
    "/v1/third-party-app/pairing/deny": {
      fr: "Refuse un jumelage",
      example: { pairingCode: "<pairingCode>" },
      refusals: [...PAIRING],
    },
    "/v1/third-party-app/pairing/status": {
      fr: "Ce qu’est devenu un jumelage ; approuvé, le jeton de la connexion",
      example: { externalAccountId: "client-43" },
      refusals: ["not-found", "app-not-active", "connection-revoked"],
    },
    "/v1/third-party-app/sms/send": {
      fr: "Envoie un texte au nom du compte connecté ; la réponse vient avant la remise",
      spends: true,
      example: { message: "Votre commande est prête.", contacts: [{ phone: "+2250102030405", name: "Awa" }] },
      refusals: [
        ...CONNECTED,
        "sender-not-assigned",
        "insufficient-credits",
        "no-recipient",
        "too-many-contacts",
        "message-too-long",
        ...ONCE,
      ],
    },
    "/v1/third-party-app/balance": {
      fr: "Les crédits du compte que la connexion débite",
      refusals: [...CONNECTED],
    },
    "/v1/third-party-app/connection/list": {
      fr: "Liste les applications qui peuvent envoyer pour l’entreprise et ses clients",
    },
    "/v1/third-party-app/connection/{id}/sender": {
      fr: "Choisit l’expéditeur d’une connexion, et borne ce qu’elle peut dépenser par jour",
      example: { dailyCreditCap: 1000 },
      refusals: ["not-found", "connection-revoked", ...SENDER],
    },
    "/v1/third-party-app/connection/{id}/revoke": {
      fr: "Met fin à une connexion : son jeton s’arrête aussitôt",
      refusals: ["not-found"],
    },
    "/v1/third-party-app/my/{appId}/webhook/update": {
      fr: "Donne une adresse aux webhooks d’une application ; désactivés, ils reprennent",
      example: { webhookUrl: "<webhookUrl>" },
      refusals: [...OWN],
    },
    "/v1/third-party-app/my/{appId}/webhook/rotate-secret": {
      fr: "Donne un nouveau secret aux webhooks ; l’ancien signe encore 24 heures à côté",
      refusals: [...OWN, "not-found"],
    },
    "/v1/third-party-app/my/{appId}/webhook/deliveries": {
      fr: "Liste les envois des webhooks, le plus récent d’abord",
      refusals: ["app-not-found"],
    },
    "/v1/third-party-app/my/{appId}/webhook/test": {
      fr: "Envoie un événement d’essai aux webhooks",
      refusals: [...HOOK],
    },
    "/v1/third-party-app/my/{appId}/webhook/{deliveryId}": {
      fr: "Lit un envoi : ce qui est posté, le nombre d’essais et la dernière réponse",
      refusals: ["app-not-found", "not-found"],
    },
    "/v1/third-party-app/my/{appId}/webhook/{deliveryId}/replay": {
      fr: "Renvoie un envoi sous le même identifiant",
      refusals: [...HOOK],
    },
    "/v1/admin/third-party-app/{id}/deactivate": {
      fr: "Désactive une application : elle et ses connexions s’arrêtent aussitôt",
      refusals: ["app-not-found", "conflict"],
    },
    "/v1/admin/third-party-app/{id}/reactivate": {
      fr: "Réactive une application, avec les mêmes secrets",
      refusals: ["app-not-found", "conflict"],
    },
  },
};

/** What the members of applications mean, for the glossary. */
export const applicationTerms: Record<string, Term> = {
  appId: { fr: "Identifiant de l’application", en: "Application ID", sample: "<appId>" },
  app: { fr: "Application", en: "Application" },
  slug: { fr: "Nom court et unique", en: "Short, unique name", sample: "boutique" },
  logoUrl: {
    fr: "Adresse https du logo",
    en: "https URL of the logo",
    sample: "<logoUrl>",
  },
  webhookUrl: {
    fr: "Adresse https qui reçoit les événements. Les valeurs de ses paramètres sont affichées masquées (?token=••••)",
    en: "https URL that receives the events. The values of its query parameters are shown masked (?token=••••)",
    sample: "<webhookUrl>",
  },
  webhookSecret: {
    fr: "Secret de signature des webhooks",
    en: "Secret that signs the webhooks",
    sample: "whsec_…",
  },
  webhookEnabled: {
    fr: "Indique si les webhooks sont en service",
    en: "Whether the webhooks are in service",
    sample: true,
  },
  rejectionReason: { fr: "Raison du refus", en: "Reason for the rejection", sample: "Nom déjà connu" },
  forgottenAt: {
    fr: "Date de suppression de la demande si personne ne décide avant",
    en: "Time when the submission is deleted if nobody decides before",
    sample: "2026-11-24T09:00:00.000Z",
  },
  resembles: {
    fr: "Marque à laquelle le nom ressemble. Absent s’il n’y en a pas",
    en: "Brand that the name resembles. Absent if there is none",
    sample: "Orange Money",
  },
  alike: {
    fr: "Expéditeurs acceptés d’autres entreprises dont le nom peut être confondu avec celui-ci, 5 au plus. Absent s’il n’y en a pas",
    en: "Accepted senders of other companies whose names can be confused with this one, at most 5. Absent if there are none",
  },
  acceptedAt: {
    fr: "Date d’acceptation, ou null si elle est inconnue",
    en: "Time of acceptance, or null if unknown",
    sample: "2026-11-24T09:00:00.000Z",
  },
  senderName: { fr: "Nom d’expéditeur affiché", en: "Sender name shown", sample: "BOUTIQUE" },
  claimToken: {
    fr: "Jeton du lien à usage unique",
    en: "Token of the one-time link",
    sample: "<claimToken>",
  },
  externalAccountId: {
    fr: "Compte dans l’application, comparé à l’octet près",
    en: "Account in the application, compared byte for byte",
    sample: "client-42",
  },
  target: {
    fr: "Compte débité : l’entreprise ou le client d’un revendeur",
    en: "Account that is charged: the company or a reseller’s customer",
  },
  partnerServerKey: {
    fr: "Clé de serveur du revendeur",
    en: "Server key of the reseller",
    sample: "<serverApiKey>",
  },
  partnerCustomerId: {
    fr: "Identifiant du client du revendeur",
    en: "ID of the reseller’s customer",
    sample: "<customerId>",
  },
  companyApiKey: {
    fr: "Clé API d’un membre de l’entreprise",
    en: "API key of a member of the company",
    sample: "<apiKey>",
  },
  defaultSenderId: {
    fr: "Nom ou identifiant d’un expéditeur accepté",
    en: "Name or ID of an accepted sender",
    sample: "BOUTIQUE",
  },
  connectionId: {
    fr: "Identifiant de la connexion",
    en: "Connection ID",
    sample: "66f0c0ffee00000000000001",
  },
  senderAssigned: {
    fr: "Indique si un expéditeur est attribué",
    en: "Whether a sender is assigned",
    sample: true,
  },
  sender: {
    fr: "Expéditeur du message, ou expéditeur attribué",
    en: "Sender of the message, or assigned sender",
  },
  senders: { fr: "Expéditeurs acceptés", en: "Accepted senders" },
  pairingCode: { fr: "Code de jumelage", en: "Pairing code", sample: "<pairingCode>" },
  expiresAt: { fr: "Date d’expiration", en: "Expiration time", sample: "2026-11-21T09:10:00.000Z" },
  qrContent: { fr: "Contenu du QR code", en: "Content of the QR code", sample: "ATUMPAN_K7M3XQ2PWD" },
  link: {
    fr: "Lien vers l’application mobile",
    en: "Link to the mobile application",
    sample: "atumpan://pair?code=K7M3XQ2PWD&app=boutique",
  },
  universalLink: {
    fr: "Lien web vers la page d’approbation",
    en: "Web link to the approval page",
    sample: "https://…/pair?code=K7M3XQ2PWD&app=boutique",
  },
  dailyCreditCap: {
    fr: "Nombre maximal de crédits par jour (UTC)",
    en: "Maximum number of credits per day (UTC)",
    sample: 1000,
  },
  uncapped: { fr: "Supprime la limite quotidienne", en: "Removes the daily limit", sample: false },
  deliveryId: { fr: "Identifiant de la livraison", en: "Delivery ID", sample: "<deliveryId>" },
  attempts: { fr: "Nombre de tentatives", en: "Number of attempts", sample: 1 },
  lastStatusCode: { fr: "Dernier code HTTP reçu", en: "Last HTTP status received", sample: 200 },
  lastError: { fr: "Dernière erreur", en: "Last error", sample: null },
  nextAttemptAt: { fr: "Date de la prochaine tentative", en: "Time of the next attempt", sample: null },
  revokedAt: { fr: "Date de révocation", en: "Time of revocation", sample: null },
};
