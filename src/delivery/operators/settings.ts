// The settings in which mobile operators differ: allowed values, defaults, and how they are stored.
import { type Static, type TProperties, type TSchema, Type } from "typebox";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { isRange } from "../../platform/http/networks.ts";
import { orNull } from "../../platform/http/responseschemas.ts";
import { emptiable, patterned } from "../../platform/http/schemas.ts";
import { CountryCode, requireCountry } from "../../protocol/sms/countrycodes.ts";
import { errorCodeOf } from "./codes.ts";
import { ANY_SENDER, SENDER_POLICIES } from "./senderrules.ts";

const ASCII = { fr: "doit être en ASCII imprimable", en: "must be printable ASCII" };

/** A C-octet string of SMPP 3.4, section 3.1, of printable ASCII; `octets` without the NUL at its end. */
export function cString(octets: number, more: Parameters<typeof patterned>[2] = {}) {
  return patterned("^[ -~]*$", ASCII, { minLength: 0, ...more, maxLength: octets });
}

const MONTH_S = 30 * 24 * 60 * 60;
const CODES_AT_MOST = 100;
const ADDRESSES_AT_MOST = 50;
/** More parts than any text has. */
const PARTS_AT_MOST = 30;
export const BINDS_AT_MOST = 32;

/** SMPP 3.4, sections 5.2.5 and 5.2.6. */
const TonNpi = Type.Object({
  ton: member(Type.Integer({ minimum: 0, maximum: 6 }), {
    fr: "Type de numéro",
    en: "Type of number",
    sample: 1,
  }),
  npi: member(Type.Integer({ minimum: 0, maximum: 18 }), {
    fr: "Plan de numérotation",
    en: "Numbering plan",
    sample: 1,
  }),
});
export type TonNpi = Static<typeof TonNpi>;

const Octet = Type.Integer({ minimum: 0, maximum: 255 });

const CODE = {
  fr: "doit être un code comme ESME_RSUBMITFAIL ou 0x00000400, tel qu’il apparaît dans l’erreur d’un message",
  en: "must be a code such as ESME_RSUBMITFAIL or 0x00000400, as shown in the error of a message",
};
const PHONE_NUMBER = {
  fr: "doit être un numéro de 8 à 15 chiffres, avec l’indicatif du pays",
  en: "must be a number of 8 to 15 digits, with the country code",
};

const RANGES = {
  fr: "doit contenir des adresses IP ou des plages comme 203.0.113.0/24",
  en: "must contain IP addresses or ranges such as 203.0.113.0/24",
};

const Codes = Type.Array(patterned("^(ESME_[A-Z_]{1,30}|0x[0-9A-Fa-f]{1,8})$", CODE), {
  maxItems: CODES_AT_MOST,
});

/** The settings of a phone. */
const phoneSettings = {
  secondsPerMessage: member(Type.Integer({ minimum: 1, maximum: 3_600 }), {
    fr: "Pour un téléphone : durée minimale entre deux SMS, en secondes (10 par défaut)",
    en: "For a phone: minimum time between two SMS, in seconds (default 10)",
    sample: null,
  }),
  dailyCap: member(Type.Integer({ minimum: 1, maximum: 10_000 }), {
    fr: "Pour un téléphone : nombre de SMS par jour (UTC) après lequel il ne prend plus de message (100 par défaut)",
    en: "For a phone: number of SMS in a day (UTC) after which it takes no messages (default 100)",
    sample: null,
  }),
  simNumber: member(Type.Integer({ minimum: 1, maximum: 3 }), {
    fr: "Pour un téléphone : carte SIM qui envoie, ou null pour celle que l’application choisit",
    en: "For a phone: SIM card that sends, or null for the one that the app chooses",
    sample: null,
  }),
  phoneNumber: member(patterned("^[1-9][0-9]{7,14}$", PHONE_NUMBER), {
    fr: "Pour un téléphone : numéro de sa carte SIM, auquel les réponses arrivent si l’application ne l’indique pas",
    en: "For a phone: number of its SIM card, to which replies arrive if the app does not say so",
    sample: null,
  }),
};

/** Each setting in a request. `docs/operators.md` explains them. */
const settings = {
  binds: member(Type.Integer({ minimum: 1, maximum: BINDS_AT_MOST }), {
    fr: "Sessions avec l’opérateur",
    en: "Sessions with the operator",
    sample: 1,
  }),
  bindType: member(Type.Enum(["transceiver", "transmitter+receiver"]), {
    fr: "Type de session : `transceiver`, ou paires `transmitter+receiver`",
    en: "Session type: `transceiver`, or pairs `transmitter+receiver`",
  }),
  interfaceVersion: member(Type.Enum(["3.3", "3.4", "5.0"]), { fr: "Version de SMPP", en: "SMPP version" }),
  addressRange: member(cString(40), {
    fr: "address_range du bind",
    en: "address_range of the bind",
    sample: null,
  }),
  addressRangeTonNpi: member(TonNpi, {
    fr: "addr_ton et addr_npi du bind",
    en: "addr_ton and addr_npi of the bind",
  }),
  nameTonNpi: member(TonNpi, { fr: "TON et NPI d’un nom d’expéditeur", en: "TON and NPI of a sender name" }),
  shortCodeTonNpi: member(TonNpi, {
    fr: "TON et NPI d’un expéditeur de 1 à 8 chiffres",
    en: "TON and NPI of a sender of 1 to 8 digits",
  }),
  nationalTonNpi: member(TonNpi, {
    fr: "TON et NPI d’un expéditeur de 9 ou 10 chiffres, ou qui commence par 0",
    en: "TON and NPI of a sender of 9 or 10 digits, or that starts with 0",
  }),
  internationalTonNpi: member(TonNpi, {
    fr: "TON et NPI d’un expéditeur de 11 chiffres ou plus",
    en: "TON and NPI of a sender of 11 or more digits",
  }),
  destinationTonNpi: member(TonNpi, { fr: "TON et NPI du destinataire", en: "TON and NPI of the recipient" }),
  serviceType: member(cString(5), { fr: "service_type SMPP", en: "SMPP service_type", sample: null }),
  validityPeriod: member(Type.Integer({ minimum: 60, maximum: MONTH_S }), {
    fr: "Durée maximale des tentatives de l’opérateur, en secondes, ou null pour lui laisser le choix",
    en: "Maximum time for which the operator tries to deliver, in seconds, or null to let it choose",
    sample: null,
  }),
  validityPeriodForm: member(Type.Enum(["relative", "absolute", "none"]), {
    fr: "Forme de validity_period",
    en: "Form of validity_period",
  }),
  registeredDelivery: member(Type.Integer({ minimum: 0, maximum: 31 }), {
    fr: "registered_delivery des segments qui demandent un accusé de réception",
    en: "registered_delivery of the segments that request a delivery receipt",
    sample: 1,
  }),
  partReceipts: member(Type.Integer({ minimum: 1, maximum: PARTS_AT_MOST }), {
    fr: "Nombre de segments jusqu’auquel chaque segment demande un accusé de réception. Au-delà, seul le dernier en demande un",
    en: "Number of segments up to which each segment requests a delivery receipt. In longer texts, only the last one does",
    sample: 3,
  }),
  userMessageReference: member(Type.Boolean(), {
    fr: "Indique si user_message_reference (0x0204) est envoyé",
    en: "Whether user_message_reference (0x0204) is sent",
    sample: true,
  }),
  alphabet: member(Type.Enum(["gsm-7", "latin-1", "ia5"]), {
    fr: "Alphabet des textes qui tiennent en GSM-7",
    en: "Alphabet of the texts that fit GSM-7",
  }),
  dataCoding: member(Octet, {
    fr: "data_coding de cet alphabet. Par défaut : 0, 3 pour latin-1, 1 pour ia5",
    en: "data_coding of that alphabet. Default: 0, 3 for latin-1, 1 for ia5",
    sample: 0,
  }),
  ucs2DataCoding: member(Octet, { fr: "data_coding de UCS-2", en: "data_coding of UCS-2", sample: 8 }),
  udh16Alternative: member(Type.Enum(["udh8", "sar"]), {
    fr: "Forme des textes pour lesquels udh16 demanderait une partie de plus",
    en: "Form of the texts for which udh16 would need one more part",
    sample: null,
  }),
  country: CountryCode,
  senderPolicy: member(Type.Enum([...SENDER_POLICIES]), {
    fr: "Règle pour les expéditeurs non enregistrés chez cet opérateur : `any` les envoie tels quels, `next` passe à l’opérateur suivant, `default` envoie sous defaultSender, `refuse` bloque le destinataire",
    en: "Policy for senders that are not registered at this operator: `any` sends them as they are, `next` goes to the next operator, `default` sends under defaultSender, `refuse` blocks the recipient",
    sample: "any",
  }),
  defaultSender: member(Type.String({ minLength: 1, maxLength: 15 }), {
    fr: "Nom d’expéditeur propre à cet opérateur, requis par `default`. Il y est toujours considéré comme enregistré",
    en: "This operator’s own sender name, required by `default`. It always counts as registered there",
    sample: null,
  }),
  repeatWindowS: member(Type.Integer({ minimum: 0, maximum: 600 }), {
    fr: "Durée, en secondes, pendant laquelle le même message reçu de nouveau est une répétition",
    en: "Time, in seconds, during which the same message received again is a repeat",
    sample: 10,
  }),
  enquireLinkS: member(Type.Integer({ minimum: 1, maximum: 600 }), {
    fr: "Durée de silence avant enquire_link, en secondes",
    en: "Time of silence before enquire_link, in seconds",
    sample: 30,
  }),
  submitTimeoutS: member(Type.Integer({ minimum: 1, maximum: 120 }), {
    fr: "Délai d’attente d’une réponse, en secondes",
    en: "Time to wait for a response, in seconds",
    sample: 10,
  }),
  ...phoneSettings,
  callbackAddresses: member(
    Type.Array(Type.String({ minLength: 2, maxLength: 49 }), { maxItems: ADDRESSES_AT_MOST }),
    {
      fr: "Adresses et plages (CIDR) depuis lesquelles un fournisseur HTTP envoie ses accusés de réception ; vide : toutes",
      en: "Addresses and ranges (CIDR) from which a carrier over HTTP sends its receipts; empty: any",
      sample: ["203.0.113.0/24"],
    },
  ),
  statusQueriesPerS: member(Type.Integer({ minimum: 0, maximum: 50 }), {
    fr: "Requêtes par seconde, au plus, par lesquelles un fournisseur HTTP est interrogé sur des messages sans réponse ou sans accusé ; 0 : aucune",
    en: "Maximum number of queries a second about messages without an answer or a receipt, to a carrier over HTTP; 0: none",
    sample: 2,
  }),
  retryableCodes: member(Codes, {
    fr: "Codes d’erreur temporaires chez cet opérateur",
    en: "Error codes that are temporary at this operator",
    sample: ["0x00000400"],
  }),
  permanentCodes: member(Codes, {
    fr: "Codes d’erreur définitifs chez cet opérateur. Prioritaires sur retryableCodes",
    en: "Error codes that are permanent at this operator. Take precedence over retryableCodes",
    sample: ["ESME_RX_T_APPN"],
  }),
};

/** The settings in responses. Null: none. */
export const settingsShown = {
  ...settings,
  addressRange: orNull(settings.addressRange),
  serviceType: orNull(settings.serviceType),
  validityPeriod: orNull(settings.validityPeriod),
  udh16Alternative: orNull(settings.udh16Alternative),
  country: orNull(settings.country),
  defaultSender: orNull(settings.defaultSender),
  secondsPerMessage: orNull(settings.secondsPerMessage),
  dailyCap: orNull(settings.dailyCap),
  simNumber: orNull(settings.simNumber),
  phoneNumber: orNull(settings.phoneNumber),
};
const Shown = Type.Object(settingsShown);
export type OperatorSettings = Static<typeof Shown>;

/** The settings of a new operator. */
export const settingsGiven = Type.Partial(Type.Object(settings)).properties;

function allEmptiable<Members extends TProperties>(members: Members) {
  const changes = Object.entries(members).map(([name, schema]: [string, TSchema]) => [
    name,
    emptiable(schema),
  ]);
  return Object.fromEntries(changes) as {
    [Name in keyof Members]: ReturnType<typeof emptiable<Members[Name]>>;
  };
}

/** The settings in a change. Null, which an empty text becomes, restores the default. */
export const settingsChanged = allEmptiable(settings);
const Changed = Type.Object(settingsChanged);

/** The content of the column `settings`: only chosen values. */
export type StoredSettings = Partial<OperatorSettings>;

const ISDN = 1;
/** All but `dataCoding`, which follows from the alphabet. */
const DEFAULTS: Omit<OperatorSettings, "dataCoding"> = {
  binds: 1,
  bindType: "transceiver",
  interfaceVersion: "3.4",
  addressRange: null,
  addressRangeTonNpi: { ton: 0, npi: 0 },
  nameTonNpi: { ton: 5, npi: 0 },
  shortCodeTonNpi: { ton: 3, npi: 0 },
  nationalTonNpi: { ton: 2, npi: ISDN },
  internationalTonNpi: { ton: 1, npi: ISDN },
  destinationTonNpi: { ton: 1, npi: ISDN },
  serviceType: null,
  validityPeriod: null,
  validityPeriodForm: "relative",
  registeredDelivery: 1,
  partReceipts: 3,
  userMessageReference: true,
  alphabet: "gsm-7",
  ucs2DataCoding: 8,
  udh16Alternative: null,
  country: null,
  ...ANY_SENDER,
  repeatWindowS: 10,
  enquireLinkS: 30,
  submitTimeoutS: 10,
  secondsPerMessage: null,
  dailyCap: null,
  simNumber: null,
  phoneNumber: null,
  callbackAddresses: [],
  statusQueriesPerS: 2,
  retryableCodes: [],
  permanentCodes: [],
};
/** SMPP 3.4, section 5.2.19. */
const DATA_CODING = { "gsm-7": 0, ia5: 1, "latin-1": 3 } as const;

/** What a new phone begins with. */
export const PHONE_DEFAULTS = { secondsPerMessage: 10, dailyCap: 100, submitTimeoutS: 60 };

/** Returns how much a phone may send. */
export function phoneTermsOf({ secondsPerMessage, dailyCap }: StoredSettings): {
  secondsPerMessage: number;
  dailyCap: number;
} {
  return {
    secondsPerMessage: secondsPerMessage ?? PHONE_DEFAULTS.secondsPerMessage,
    dailyCap: dailyCap ?? PHONE_DEFAULTS.dailyCap,
  };
}

/** Returns the effective settings: the chosen values, and the defaults of the rest. */
export function settingsOf(stored: StoredSettings): OperatorSettings {
  const dataCoding = DATA_CODING[stored.alphabet ?? DEFAULTS.alphabet];
  return { ...DEFAULTS, dataCoding, ...stored };
}

/**
 * Returns the settings among the members of an input, as the column stores them; those that are null return to their
 * defaults. Refuses `invalid-request` for an unknown error code, for that of success, and for an unknown country.
 */
export function chosenSettings(input: Partial<Static<typeof Changed>>): Record<string, unknown> {
  const chosen: Record<string, unknown> = {};
  for (const name of Object.keys(settings) as (keyof typeof settings)[]) {
    const given = input[name];
    if (given !== undefined) chosen[name] = isTonNpi(given) ? { ton: given.ton, npi: given.npi } : given;
  }
  for (const name of ["retryableCodes", "permanentCodes"] as const)
    if (input[name]) chosen[name] = input[name].map((code) => errorCodeOf(code) ?? refuseField(name, CODE));
  if (input.callbackAddresses?.some((range) => !isRange(range))) refuseField("callbackAddresses", RANGES);
  if (input.country) requireCountry(input.country);
  return chosen;
}

/** Other members of the object are ignored. */
function isTonNpi(given: unknown): given is TonNpi {
  return typeof given === "object" && given !== null && "ton" in given;
}
