// Translates refusals of the API: a sentence for people in place of the code.

import type { Rule } from "../../../platform/http/fielderrors.ts";
import { BODY, type Code, type Language } from "../../../platform/http/refusals.ts";
import type { FieldMessage, Refused } from "../apiclient.ts";
import type { Formats } from "./formats.ts";
import { withRoleWords } from "./roles.ts";

/** The part of a visit that a sentence needs. */
export type Speaking = {
  readonly language: Language;
  readonly formats: Pick<Formats, "number">;
  t<Text>(fr: Text, en: Text): Text;
};

/** One error in a form. */
export type FormError = {
  sentence: string;
  field?: string | undefined;
  /** `above`: the summary names the field, since it is away from it. `everywhere`: the sentence needs the name. */
  naming?: "above" | "everywhere" | undefined;
};

/** The problem with a form: a sentence, its field, and the errors of other fields. */
export class Problem {
  readonly sentence: string;
  readonly field: string | undefined;
  /** The code, if the API refused. */
  readonly code: Code | undefined;
  readonly errors: readonly [FormError, ...FormError[]];
  /** The labels of its fields. A field registers its label when it is rendered, so that the summary can name it. */
  readonly #labels = new Map<string, string>();

  constructor(
    sentence: string,
    field?: string,
    {
      naming,
      others = [],
      code,
    }: { naming?: FormError["naming"]; others?: readonly FormError[]; code?: Code } = {},
  ) {
    this.sentence = sentence;
    this.field = field;
    this.code = code;
    this.errors = [{ sentence, field, naming }, ...others];
  }

  /** Whether this field has an error. */
  isAt(name: string): boolean {
    return this.errors.some(({ field }) => field === name);
  }

  /** Returns the sentence to show beside a field, and registers the field's label. */
  beside(visit: Speaking, name: string, label: string): string | undefined {
    const error = this.errors.find(({ field }) => field === name);
    if (!error) return undefined;
    this.#labels.set(name, label);
    return error.naming === "everywhere" ? named(visit, label, error.sentence) : error.sentence;
  }

  /** Returns the sentences of the summary; call it after the fields are rendered. */
  summary(visit: Speaking): { sentence: string; field: string | undefined }[] {
    return this.errors.map(({ sentence, field, naming }) => {
      const label = field === undefined ? undefined : this.#labels.get(field);
      return { field, sentence: naming && label !== undefined ? named(visit, label, sentence) : sentence };
    });
  }
}

function named(visit: Speaking, label: string, sentence: string): string {
  const said = /^\p{Lu}\p{Ll}/u.test(sentence)
    ? sentence.slice(0, 1).toLowerCase() + sentence.slice(1)
    : sentence;
  return visit.t(`« ${label} » : ${said}`, `“${label}”: ${said}`);
}

type Pair = readonly [fr: string, en: string];

const NO_PHONE: Pair = [
  "Ce numéro de téléphone n’est pas valable. Par exemple 07 07 00 00 01, ou avec + et l’indicatif du pays.",
  "This phone number is not valid. For example 07 07 00 00 01, or with + and the country code.",
];

const SENTENCES: Partial<Record<Code, Pair>> = {
  "invalid-request": ["Une valeur est incorrecte.", "A value is incorrect."],
  "request-too-large": ["La requête est trop volumineuse.", "The request is too large."],
  "invalid-phone-number": NO_PHONE,
  "invalid-schedule": [
    "Date impossible : choisissez un quart d’heure à venir.",
    "Invalid date: choose a future time on the quarter hour.",
  ],
  "message-too-long": [
    "Le message est trop long : 10 SMS au maximum.",
    "The message is too long: 10 SMS at most.",
  ],
  "too-many-contacts": ["Trop de contacts en une seule fois.", "Too many contacts at once."],
  "no-recipient": ["Aucun destinataire ne recevrait ce message.", "No recipient would receive this message."],
  "insufficient-credits": ["Votre solde est insuffisant.", "Your balance is too low."],
  "sender-limit-reached": [
    "Le nombre maximal d’expéditeurs est atteint.",
    "You have reached the maximum number of senders.",
  ],
  "sender-name-taken": ["Ce nom d’expéditeur est déjà pris.", "This sender name is already taken."],
  "sender-not-accepted": ["Cet expéditeur n’est pas accepté.", "This sender has not been accepted."],
  "sender-not-assigned": ["Aucun expéditeur n’est attribué.", "No sender is assigned."],
  "contact-phone-taken": ["Un contact a déjà ce numéro.", "A contact already has this number."],
  "campaign-not-cancelable": [
    "Cette campagne ne peut plus être annulée.",
    "This campaign can no longer be canceled.",
  ],
  "wrong-otp": [
    "Code incorrect. Vérifiez le dernier SMS reçu ou demandez un autre code.",
    "Incorrect code. Check the last SMS you received or request another code.",
  ],
  "otp-expired": ["Ce code a expiré : demandez-en un autre.", "This code has expired: request another one."],
  "otp-already-used": ["Ce code a déjà servi.", "This code has already been used."],
  "otp-max-attempts": [
    "Trop de tentatives : demandez un nouveau code.",
    "Too many attempts: request a new code.",
  ],
  "destination-blocked": [
    "Ce numéro ne peut pas recevoir de code pour le moment.",
    "This number cannot receive a code right now.",
  ],
  "app-slug-taken": ["Ce nom technique est déjà pris.", "This technical name is already taken."],
  "pairing-code-invalid": ["Ce code de jumelage n’est pas valable.", "This pairing code is not valid."],
  "connection-conflict": [
    "Ce compte a déjà une autre connexion.",
    "This account already has another connection.",
  ],
  "idempotency-in-progress": [
    "La même requête est déjà en cours.",
    "The same request is already in progress.",
  ],
  conflict: [
    "Quelqu’un d’autre vient de modifier ces données. Relisez, puis recommencez.",
    "Someone else has just changed this. Check it, then try again.",
  ],
  "not-authorized": ["Vous n’avez pas l’autorisation nécessaire.", "You do not have permission to do this."],
  "sign-in-required": ["Reconnectez-vous d’abord.", "Sign in again first."],
  "app-not-active": ["Cette application n’est pas active.", "This application is not active."],
  "connection-revoked": ["Cette connexion a été révoquée.", "This connection has been revoked."],
  "not-found": ["Élément introuvable.", "Not found."],
  "contact-not-found": [
    "Ce contact n’existe pas ou a été supprimé.",
    "This contact does not exist or was deleted.",
  ],
  "group-not-found": [
    "Ce groupe n’existe pas ou a été supprimé.",
    "This group does not exist or was deleted.",
  ],
  "sender-not-found": ["Cet expéditeur n’existe pas.", "This sender does not exist."],
  "campaign-not-found": ["Cette campagne n’existe pas.", "This campaign does not exist."],
  "app-not-found": ["Cette application n’existe pas.", "This application does not exist."],
  "customer-not-found": ["Ce client n’existe pas.", "This customer does not exist."],
  "offer-not-found": ["Cette offre n’existe pas.", "This offer does not exist."],
  "purchase-not-found": ["Cet achat n’existe pas.", "This purchase does not exist."],
  "service-unavailable": [
    "Le service ne répond pas pour le moment. Rien n’est perdu : réessayez.",
    "The service is not responding right now. Nothing is lost: try again.",
  ],
};

/** Returns a sentence for a refusal, from the API's details if there are any, otherwise from its code. */
export function sentenceOf(visit: Speaking, refused: Refused): string {
  return formErrorOf(visit, refused, refused.details[0]).sentence;
}

/** The error in a detail of a refusal, or, without a detail, the meaning of its code. */
function formErrorOf(
  visit: Speaking,
  { code, retryAfterSeconds }: Refused,
  detail: FieldMessage | undefined,
): FormError {
  if (retryAfterSeconds !== undefined) return { sentence: waitSentence(visit, retryAfterSeconds) };
  const sentence = visit.t(
    ...(SENTENCES[code] ?? ["Cette action est impossible.", "This action is not possible."]),
  );
  if (!detail || code === "not-authenticated") return { sentence };
  // For a number, our own sentence has an example.
  if (detail.rule === "phone") return { sentence: visit.t(...NO_PHONE) };
  if (detail.rule)
    return { sentence: visit.t(...wordsOf(visit, detail.rule, detail.limit)), naming: "above" };
  const said = capital(visit.t(withRoleWords(detail.message), detail.message)).replace(/\.?$/, ".");
  // These codes add nothing to the detail: a conflict with a detail is no race.
  if (!SAID_BY_DETAIL.has(code)) return { sentence: `${sentence} ${said}` };
  return { sentence: said, naming: isFragment(detail.message) ? "everywhere" : "above" };
}

/** What a person can do about a value that breaks this rule. */
function wordsOf({ formats }: Speaking, rule: Rule, limit = 0): Pair {
  const number = formats.number(limit);
  switch (rule) {
    case "required":
    case "not-empty":
      return ["Remplissez ce champ.", "Fill in this field."];
    case "minimum":
      return [`La valeur minimale est ${number}.`, `The minimum value is ${number}.`];
    case "maximum":
      return [`La valeur maximale est ${number}.`, `The maximum value is ${number}.`];
    case "min-length":
      return [`Saisissez au moins ${number} caractères.`, `Enter at least ${number} characters.`];
    case "max-length":
      return [`Saisissez au plus ${number} caractères.`, `Enter at most ${number} characters.`];
    case "number":
      return ["Saisissez un nombre.", "Enter a number."];
    case "choice":
      return ["Choisissez l’une des options.", "Choose one of the options."];
    case "email":
      return [
        "Saisissez une adresse e-mail, par exemple nom@exemple.com.",
        "Enter an email address, such as name@example.com.",
      ];
    case "phone":
      return NO_PHONE;
    case "https":
      return [
        "Saisissez une adresse qui commence par https://.",
        "Enter an address that begins with https://.",
      ];
    case "future":
      return ["Choisissez une date à venir.", "Choose a future date."];
    case "days-ahead":
      return [
        `Choisissez une date dans les ${limit} jours à venir.`,
        `Choose a date within the next ${limit} days.`,
      ];
  }
}

/** Whether a text lacks its subject: "doit tenir sur une ligne" means nothing without the name of a field before it. */
function isFragment(text: string): boolean {
  return /^(?:n’|(?:est|doit|ne|a|contient|diffère|appartient|is|has|must|cannot|does|differs|contains|belongs) )/.test(
    text,
  );
}

const SAID_BY_DETAIL: ReadonlySet<Code> = new Set(["conflict", "invalid-request", "service-unavailable"]);

function waitSentence(visit: Speaking, seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return seconds < 90
    ? visit.t(
        `Trop de requêtes : réessayez dans ${seconds} secondes.`,
        `Too many requests: try again in ${seconds} seconds.`,
      )
    : visit.t(
        `Trop de requêtes : réessayez dans ${minutes} minutes.`,
        `Too many requests: try again in ${minutes} minutes.`,
      );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Refusals with a page of their own. A form shows all others above its fields. */
const NOT_MENDABLE: ReadonlySet<Code> = new Set(["not-authenticated", "sign-in-required", "server-error"]);

/** The caller, and the body as a whole: no form has a field for them. */
const OF_NO_FIELD: ReadonlySet<string> = new Set(["apiKey", "adminKey", BODY]);

/**
 * Returns the problem of a form; undefined if no change of the form fixes it. `fields` maps fields of the body, such as
 * `quotas` or `quotas.contacts`, to fields of the form with other names. It contains all details about submitted fields, in their order.
 */
export function problemOf(
  visit: Speaking & { readonly fields: Readonly<Record<string, unknown>> },
  refused: Refused,
  fields: Readonly<Record<string, string>>,
): Problem | undefined {
  if (NOT_MENDABLE.has(refused.code)) return undefined;
  const all = refused.details.map((detail) => {
    const member = detail.field.replace(/[.[].*$/, "");
    const field = OF_NO_FIELD.has(member) ? undefined : (fields[detail.field] ?? fields[member] ?? member);
    return { ...formErrorOf(visit, refused, detail), field };
  });
  const places = Object.keys(visit.fields);
  const placeOf = ({ field = "" }: FormError) => places.indexOf(field);
  const shown = all.filter((error, at) => placeOf(error) >= 0 && isFirstOf(all, error, at));
  const [first, ...others] = shown.sort((one, other) => placeOf(one) - placeOf(other));
  const { sentence, field, naming } = first ?? all[0] ?? formErrorOf(visit, refused, undefined);
  return new Problem(sentence, field, { naming, others, code: refused.code });
}

/** A field has room for one sentence. */
function isFirstOf(all: readonly FormError[], { field }: FormError, at: number): boolean {
  return all.findIndex((one) => one.field === field) === at;
}
