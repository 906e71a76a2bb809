// The glossary of mobile operators and their settings; `docs/operators.md` says what each setting is for.
import type { Term } from "./glossary.ts";

export const operatorTerms: Record<string, Term> = {
  host: { fr: "Adresse du SMSC", en: "Address of the SMSC", sample: "smsc.example.com" },
  port: { fr: "Port du SMSC", en: "Port of the SMSC", sample: 2775 },
  tls: { fr: "SMPP sur TLS", en: "SMPP over TLS", sample: false },
  systemId: { fr: "Identifiant SMPP", en: "SMPP system_id", sample: "boutique" },
  password: { fr: "Mot de passe SMPP", en: "SMPP password", sample: "secret" },
  systemType: { fr: "system_type SMPP", en: "SMPP system_type", sample: "" },
  window: { fr: "Messages sans réponse au plus", en: "Messages without an answer, at most", sample: 64 },
  tps: {
    fr: "Messages par seconde au plus ; 0 : sans limite",
    en: "Messages per second, at most; 0: no limit",
    sample: 100,
  },
  prefixes: {
    fr: "Préfixes d’appel ; le plus long l’emporte",
    en: "Calling prefixes; the longest wins",
    sample: ["22507"],
  },
  priority: {
    fr: "Priorité entre opérateurs d’un même préfixe",
    en: "Priority among operators of a prefix",
    sample: 0,
  },
  enabled: { fr: "En service", en: "In service", sample: false },
  concatenation: { fr: "Comment les longs messages sont liés", en: "How long messages are joined" },
  messageIdForm: {
    fr: "Forme des identifiants dans les accusés ; `case` : la casse distingue",
    en: "Form of the ids in receipts; `case`: upper and lower case differ",
  },
  receiptTimeZone: {
    fr: "Fuseau des dates des accusés, comme Africa/Lagos ou +01:00 ; null : deviné",
    en: "Time zone of the dates in receipts, such as Africa/Lagos or +01:00; null: guessed",
    sample: "Africa/Abidjan",
  },
  overflowAfterS: {
    fr: "Secondes d’attente après lesquelles un message va à l’opérateur suivant ; null : jamais",
    en: "Seconds of waiting after which a message goes to the next operator; null: never",
    sample: 60,
  },
  plainReceipts: {
    fr: "Un texte d’accusé avec esm_class 0 est un accusé",
    en: "The text of a receipt with esm_class 0 is a receipt",
    sample: false,
  },
  operatorGroup: {
    fr: "Compte chez l’opérateur ; null : celui de l’hôte et du systemId",
    en: "Account at the operator; null: that of the host and the systemId",
    sample: "orange-ci",
  },
  binds: { fr: "Sessions avec l’opérateur", en: "Sessions with the operator", sample: 1 },
  bindType: {
    fr: "Sessions `transceiver`, ou paires `transmitter+receiver`",
    en: "Sessions of `transceiver`, or pairs `transmitter+receiver`",
  },
  bound: { fr: "Sessions liées en ce moment", en: "Sessions bound at the moment", sample: 1 },
  interfaceVersion: { fr: "Version de SMPP", en: "Version of SMPP" },
  addressRange: { fr: "address_range du bind", en: "address_range of the bind", sample: null },
  addressRangeTonNpi: {
    fr: "addr_ton et addr_npi du bind",
    en: "addr_ton and addr_npi of the bind",
    sample: { ton: 0, npi: 0 },
  },
  nameTonNpi: {
    fr: "TON et NPI d’un nom d’expéditeur",
    en: "TON and NPI of a sender’s name",
    sample: { ton: 5, npi: 0 },
  },
  shortCodeTonNpi: {
    fr: "TON et NPI d’un expéditeur de 1 à 8 chiffres",
    en: "TON and NPI of a sender of 1 to 8 digits",
    sample: { ton: 3, npi: 0 },
  },
  nationalTonNpi: {
    fr: "TON et NPI d’un expéditeur de 9 ou 10 chiffres, ou qui commence par 0",
    en: "TON and NPI of a sender of 9 or 10 digits, or that begins with 0",
    sample: { ton: 2, npi: 1 },
  },
  internationalTonNpi: {
    fr: "TON et NPI d’un expéditeur de 11 chiffres ou plus",
    en: "TON and NPI of a sender of 11 digits or more",
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
    fr: "Secondes pendant lesquelles l’opérateur essaie, au plus ; null : autant qu’il veut",
    en: "Seconds for which the operator tries, at most; null: as long as it likes",
    sample: null,
  },
  validityPeriodForm: { fr: "Forme de validity_period", en: "Form of validity_period" },
  registeredDelivery: {
    fr: "registered_delivery du dernier segment",
    en: "registered_delivery of the last segment",
    sample: 1,
  },
  userMessageReference: {
    fr: "Envoyer user_message_reference (0x0204)",
    en: "Whether user_message_reference (0x0204) is sent",
    sample: true,
  },
  alphabet: {
    fr: "Alphabet des textes qui tiennent en GSM-7",
    en: "Alphabet of texts that GSM-7 can carry",
  },
  dataCoding: {
    fr: "data_coding de cet alphabet ; par défaut 0, 3 pour latin-1, 1 pour ia5",
    en: "data_coding of that alphabet; by default 0, 3 for latin-1, 1 for ia5",
    sample: 0,
  },
  ucs2DataCoding: { fr: "data_coding de UCS-2", en: "data_coding of UCS-2", sample: 8 },
  udh16Alternative: {
    fr: "Forme des textes auxquels udh16 prendrait une partie de plus",
    en: "Form of texts for which udh16 would take a part more",
    sample: null,
  },
  enquireLinkS: {
    fr: "Secondes de silence avant enquire_link",
    en: "Seconds of silence before enquire_link",
    sample: 30,
  },
  submitTimeoutS: {
    fr: "Secondes pendant lesquelles une réponse est attendue",
    en: "Seconds for which an answer is awaited",
    sample: 10,
  },
  retryableCodes: {
    fr: "Codes d’erreur passagers chez cet opérateur",
    en: "Error codes that pass, with this operator",
    sample: ["0x00000400"],
  },
  permanentCodes: {
    fr: "Codes d’erreur définitifs chez cet opérateur ; l’emportent",
    en: "Error codes that are final, with this operator; they win",
    sample: ["ESME_RX_T_APPN"],
  },
  state: { fr: "État du lien", en: "State of the link" },
  able: { fr: "Prend des messages en ce moment", en: "Takes messages at the moment" },
  boundAt: { fr: "Lié depuis", en: "Bound since", sample: "2026-11-21T09:00:00.000Z" },
  rate: { fr: "Messages par seconde, maintenant", en: "Messages per second, now", sample: 0 },
};
