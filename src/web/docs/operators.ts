// The glossary of mobile operators and their settings; `docs/operators.md` explains each setting.
import type { Term } from "./glossary.ts";

export const operatorTerms: Record<string, Term> = {
  host: { fr: "Adresse du SMSC", en: "SMSC address", sample: "smsc.example.com" },
  port: { fr: "Port du SMSC", en: "SMSC port", sample: 2775 },
  tls: { fr: "SMPP sur TLS", en: "SMPP over TLS", sample: false },
  tlsCa: {
    fr: "Autorités de certification de l’opérateur (PEM), ou null pour les autorités publiques",
    en: "Certificate authorities of the operator (PEM), or null for the public ones",
    sample: null,
  },
  tlsServerName: {
    fr: "Nom dans le certificat de l’opérateur, ou null pour `host`",
    en: "Name in the operator’s certificate, or null for `host`",
    sample: null,
  },
  tlsCert: {
    fr: "Certificat présenté à l’opérateur (PEM), suivi de sa chaîne, ou null",
    en: "Certificate presented to the operator (PEM), followed by its chain, or null",
    sample: null,
  },
  tlsKey: {
    fr: "Clé privée de `tlsCert` (PEM). Elle est chiffrée et jamais affichée",
    en: "Private key of `tlsCert` (PEM). It is encrypted and never shown",
    sample: null,
  },
  systemId: { fr: "Identifiant SMPP", en: "SMPP system_id", sample: "boutique" },
  password: { fr: "Mot de passe SMPP", en: "SMPP password", sample: "secret" },
  systemType: { fr: "system_type SMPP", en: "SMPP system_type", sample: "" },
  window: {
    fr: "Nombre maximal de messages en attente d’une réponse",
    en: "Maximum number of messages waiting for a response",
    sample: 64,
  },
  tps: {
    fr: "Nombre maximal de messages par seconde, 0 sans limite",
    en: "Maximum number of messages per second, 0 for no limit",
    sample: 100,
  },
  prefixes: {
    fr: "Préfixes des numéros desservis par l’opérateur, au format international : 1 à 15 chiffres, sans + ni 00 (225, 22507). Le plus long l’emporte",
    en: "Prefixes of the numbers that the operator serves, in international format: 1 to 15 digits, without + or 00 (225, 22507). The longest one wins",
    sample: ["22507"],
  },
  priority: {
    fr: "Priorité entre opérateurs d’un même préfixe",
    en: "Priority among operators with the same prefix",
    sample: 0,
  },
  enabled: { fr: "Indique s’il est en service", en: "Whether it is in service", sample: false },
  concatenation: {
    fr: "Mode de concaténation des longs messages",
    en: "Concatenation method for long messages",
  },
  messageIdForm: {
    fr: "Forme des identifiants dans les accusés de réception. `case` : les majuscules et minuscules comptent",
    en: "Form of the IDs in delivery receipts. `case`: IDs are case-sensitive",
  },
  receiptTimeZone: {
    fr: "Fuseau horaire des dates des accusés de réception, comme Africa/Lagos ou +01:00, ou null pour le deviner",
    en: "Time zone of the dates in delivery receipts, such as Africa/Lagos or +01:00, or null to guess it",
    sample: "Africa/Abidjan",
  },
  overflowAfterS: {
    fr: "Temps d’attente, en secondes, après lequel un message passe à l’opérateur suivant, ou null pour jamais",
    en: "Waiting time, in seconds, after which a message goes to the next operator, or null for never",
    sample: 60,
  },
  plainReceipts: {
    fr: "Indique si un message avec esm_class 0 et un texte d’accusé de réception est un accusé de réception",
    en: "Whether a message with esm_class 0 and the text of a delivery receipt is a delivery receipt",
    sample: false,
  },
  operatorGroup: {
    fr: "Compte chez l’opérateur, ou null pour celui de host et systemId",
    en: "Account at the operator, or null for that of host and systemId",
    sample: "orange-ci",
  },
  numbers: {
    fr: "Lignes `numéro,opérateur`. Sans opérateur, le numéro n’est plus porté",
    en: "Lines `number,operator`. Without an operator, the number is no longer ported",
    sample: "2250501020304,Opérateur 07\n",
  },
  imported: { fr: "Nombre de lignes avec un opérateur", en: "Number of lines with an operator", sample: 1 },
  removed: { fr: "Nombre de lignes sans opérateur", en: "Number of lines without an operator", sample: 1 },
  refused: { fr: "Nombre de lignes refusées", en: "Number of rejected lines", sample: 0 },
  refusedLines: {
    fr: "Cent premières lignes refusées, avec la raison",
    en: "First hundred rejected lines, with the reason",
    sample: [],
  },
  line: { fr: "Numéro de la ligne, à partir de 1", en: "Line number, starting at 1", sample: 1 },
  operatorId: { fr: "Identifiant de l’opérateur", en: "Operator ID", sample: "<operatorId>" },
  operator: {
    fr: "Nom de l’opérateur. null s’il n’existe plus ou, dans les statistiques, si aucun opérateur n’a traité ces messages",
    en: "Operator name. null if it no longer exists or, in statistics, if no operator handled these messages",
    sample: "Opérateur 07",
  },
  bind: { fr: "Numéro de la liaison, à partir de 0", en: "Bind number, starting at 0", sample: 0 },
  movedUntil: {
    fr: "Date jusqu’à laquelle la liaison y reste, tant que ce processus fonctionne. Ensuite, les processus se partagent de nouveau les liaisons",
    en: "Time until which the bind stays there, as long as that process is alive. After that, the processes share the binds again",
    sample: "2026-11-25T10:00:00.000Z",
  },
  cleared: {
    fr: "Indique que tous les numéros portés sont supprimés",
    en: "Whether all ported numbers were deleted",
    sample: true,
  },
  binds: { fr: "Sessions avec l’opérateur", en: "Sessions with the operator", sample: 1 },
  bindType: {
    fr: "Type de session : `transceiver`, ou paires `transmitter+receiver`",
    en: "Session type: `transceiver`, or pairs `transmitter+receiver`",
  },
  bound: { fr: "Sessions actuellement établies", en: "Sessions currently bound", sample: 1 },
  interfaceVersion: { fr: "Version de SMPP", en: "SMPP version" },
  addressRange: { fr: "address_range du bind", en: "address_range of the bind", sample: null },
  addressRangeTonNpi: {
    fr: "addr_ton et addr_npi du bind",
    en: "addr_ton and addr_npi of the bind",
    sample: { ton: 0, npi: 0 },
  },
  nameTonNpi: {
    fr: "TON et NPI d’un nom d’expéditeur",
    en: "TON and NPI of a sender name",
    sample: { ton: 5, npi: 0 },
  },
  shortCodeTonNpi: {
    fr: "TON et NPI d’un expéditeur de 1 à 8 chiffres",
    en: "TON and NPI of a sender of 1 to 8 digits",
    sample: { ton: 3, npi: 0 },
  },
  nationalTonNpi: {
    fr: "TON et NPI d’un expéditeur de 9 ou 10 chiffres, ou qui commence par 0",
    en: "TON and NPI of a sender of 9 or 10 digits, or that starts with 0",
    sample: { ton: 2, npi: 1 },
  },
  internationalTonNpi: {
    fr: "TON et NPI d’un expéditeur de 11 chiffres ou plus",
    en: "TON and NPI of a sender of 11 or more digits",
    sample: { ton: 1, npi: 1 },
  },
  destinationTonNpi: {
    fr: "TON et NPI du destinataire",
    en: "TON and NPI of the recipient",
    sample: { ton: 1, npi: 1 },
  },
  ton: { fr: "Type de numéro", en: "Type of number", sample: 1 },
  npi: { fr: "Plan de numérotation", en: "Numbering plan", sample: 1 },
  serviceType: { fr: "service_type SMPP", en: "SMPP service_type", sample: null },
  validityPeriod: {
    fr: "Durée maximale des tentatives de l’opérateur, en secondes, ou null pour lui laisser le choix",
    en: "Maximum time for which the operator tries to deliver, in seconds, or null to let it choose",
    sample: null,
  },
  validityPeriodForm: { fr: "Forme de validity_period", en: "Form of validity_period" },
  registeredDelivery: {
    fr: "registered_delivery des segments qui demandent un accusé de réception",
    en: "registered_delivery of the segments that request a delivery receipt",
    sample: 1,
  },
  partReceipts: {
    fr: "Nombre de segments jusqu’auquel chaque segment demande un accusé de réception. Au-delà, seul le dernier en demande un",
    en: "Number of segments up to which each segment requests a delivery receipt. In longer texts, only the last one does",
    sample: 3,
  },
  userMessageReference: {
    fr: "Indique si user_message_reference (0x0204) est envoyé",
    en: "Whether user_message_reference (0x0204) is sent",
    sample: true,
  },
  alphabet: {
    fr: "Alphabet des textes qui tiennent en GSM-7",
    en: "Alphabet of the texts that fit GSM-7",
  },
  dataCoding: {
    fr: "data_coding de cet alphabet. Par défaut : 0, 3 pour latin-1, 1 pour ia5",
    en: "data_coding of that alphabet. Default: 0, 3 for latin-1, 1 for ia5",
    sample: 0,
  },
  ucs2DataCoding: { fr: "data_coding de UCS-2", en: "data_coding of UCS-2", sample: 8 },
  udh16Alternative: {
    fr: "Forme des textes pour lesquels udh16 demanderait une partie de plus",
    en: "Form of the texts for which udh16 would need one more part",
    sample: null,
  },
  repeatWindowS: {
    fr: "Durée, en secondes, pendant laquelle le même message reçu de nouveau est une répétition",
    en: "Time, in seconds, during which the same message received again is a repeat",
    sample: 10,
  },
  enquireLinkS: {
    fr: "Durée de silence avant enquire_link, en secondes",
    en: "Time of silence before enquire_link, in seconds",
    sample: 30,
  },
  submitTimeoutS: {
    fr: "Délai d’attente d’une réponse, en secondes",
    en: "Time to wait for a response, in seconds",
    sample: 10,
  },
  retryableCodes: {
    fr: "Codes d’erreur temporaires chez cet opérateur",
    en: "Error codes that are temporary at this operator",
    sample: ["0x00000400"],
  },
  permanentCodes: {
    fr: "Codes d’erreur définitifs chez cet opérateur. Prioritaires sur retryableCodes",
    en: "Error codes that are permanent at this operator. Take precedence over retryableCodes",
    sample: ["ESME_RX_T_APPN"],
  },
  state: { fr: "État de la liaison", en: "State of the session" },
  able: {
    fr: "Indique si l’opérateur accepte des messages en ce moment",
    en: "Whether the operator is currently accepting messages",
  },
  boundAt: {
    fr: "Date d’établissement de la liaison",
    en: "Time when the session was bound",
    sample: "2026-11-21T09:00:00.000Z",
  },
  rate: {
    fr: "Débit actuel, en messages par seconde",
    en: "Current rate, in messages per second",
    sample: 0,
  },
};
