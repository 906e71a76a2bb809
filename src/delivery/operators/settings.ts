// The settings in which mobile operators differ: allowed values, defaults, and how they are stored.
import { type Static, type TProperties, type TSchema, Type } from "typebox";
import { refuseField } from "../../platform/http/refusals.ts";
import { emptiable, orNull, patterned } from "../../platform/http/schemas.ts";
import { hasNumberingPlan } from "../../protocol/sms/sources.ts";
import { errorCodeOf } from "./codes.ts";

const ASCII = { fr: "doit être en ASCII imprimable", en: "must be printable ASCII" };

/** A C-octet string of SMPP 3.4, section 3.1, of printable ASCII; `octets` without the NUL at its end. */
export function cString(octets: number, more: Parameters<typeof patterned>[2] = {}) {
  return patterned("^[ -~]*$", ASCII, { minLength: 0, ...more, maxLength: octets });
}

const MONTH_S = 30 * 24 * 60 * 60;
const CODES_AT_MOST = 100;
/** More parts than any text has. */
const PARTS_AT_MOST = 30;
export const BINDS_AT_MOST = 32;

/** SMPP 3.4, sections 5.2.5 and 5.2.6. */
const TonNpi = Type.Object({
  ton: Type.Integer({ minimum: 0, maximum: 6 }),
  npi: Type.Integer({ minimum: 0, maximum: 18 }),
});
export type TonNpi = Static<typeof TonNpi>;

const Octet = Type.Integer({ minimum: 0, maximum: 255 });

const CODE = {
  fr: "doit être un code comme ESME_RSUBMITFAIL ou 0x00000400, tel qu’il apparaît dans l’erreur d’un message",
  en: "must be a code such as ESME_RSUBMITFAIL or 0x00000400, as shown in the error of a message",
};
const COUNTRY = {
  fr: "doit être un code de pays en deux lettres majuscules, comme CI",
  en: "must be a country code of two capital letters, such as CI",
};

const Codes = Type.Array(patterned("^(ESME_[A-Z_]{1,30}|0x[0-9A-Fa-f]{1,8})$", CODE), {
  maxItems: CODES_AT_MOST,
});

/** Each setting in a request. `docs/operators.md` explains them. */
const settings = {
  binds: Type.Integer({ minimum: 1, maximum: BINDS_AT_MOST }),
  bindType: Type.Enum(["transceiver", "transmitter+receiver"]),
  interfaceVersion: Type.Enum(["3.3", "3.4", "5.0"]),
  addressRange: cString(40),
  addressRangeTonNpi: TonNpi,
  nameTonNpi: TonNpi,
  shortCodeTonNpi: TonNpi,
  nationalTonNpi: TonNpi,
  internationalTonNpi: TonNpi,
  destinationTonNpi: TonNpi,
  serviceType: cString(5),
  validityPeriod: Type.Integer({ minimum: 60, maximum: MONTH_S }),
  validityPeriodForm: Type.Enum(["relative", "absolute", "none"]),
  registeredDelivery: Type.Integer({ minimum: 0, maximum: 31 }),
  partReceipts: Type.Integer({ minimum: 1, maximum: PARTS_AT_MOST }),
  userMessageReference: Type.Boolean(),
  alphabet: Type.Enum(["gsm-7", "latin-1", "ia5"]),
  dataCoding: Octet,
  ucs2DataCoding: Octet,
  udh16Alternative: Type.Enum(["udh8", "sar"]),
  country: patterned("^[A-Z]{2}$", COUNTRY),
  repeatWindowS: Type.Integer({ minimum: 0, maximum: 600 }),
  enquireLinkS: Type.Integer({ minimum: 1, maximum: 600 }),
  submitTimeoutS: Type.Integer({ minimum: 1, maximum: 120 }),
  retryableCodes: Codes,
  permanentCodes: Codes,
};

/** The settings in responses. Null: none. */
export const settingsShown = {
  ...settings,
  addressRange: orNull(settings.addressRange),
  serviceType: orNull(settings.serviceType),
  validityPeriod: orNull(settings.validityPeriod),
  udh16Alternative: orNull(settings.udh16Alternative),
  country: orNull(settings.country),
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
  repeatWindowS: 10,
  enquireLinkS: 30,
  submitTimeoutS: 10,
  retryableCodes: [],
  permanentCodes: [],
};
/** SMPP 3.4, section 5.2.19. */
const DATA_CODING = { "gsm-7": 0, ia5: 1, "latin-1": 3 } as const;

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
  if (input.country && !hasNumberingPlan(input.country)) refuseField("country", COUNTRY);
  return chosen;
}

/** Other members of the object are ignored. */
function isTonNpi(given: unknown): given is TonNpi {
  return typeof given === "object" && given !== null && "ton" in given;
}
