// What the console says of a refusal: a sentence for people in place of the code of the interface.
import type { Code } from "../kernel/refusals.ts";
import { NO_PHONE } from "../sms/sms.ts";
import type { Refused } from "./ask.ts";
import { withRoleWords } from "./roles.ts";

/** What went wrong with a form: a sentence, the field that it concerns, and the code where the interface refused. */
export class Problem {
  readonly sentence: string;
  readonly field: string | undefined;
  readonly code: Code | undefined;
  constructor(sentence: string, field?: string, code?: Code) {
    this.sentence = sentence;
    this.field = field;
    this.code = code;
  }
}

type Pair = readonly [fr: string, en: string];

const SENTENCES: Partial<Record<Code, Pair>> = {
  "invalid-request": ["Une valeur ne convient pas.", "A value is not right."],
  "request-too-large": ["L’envoi est trop gros pour une seule fois.", "This is too large for one request."],
  "invalid-phone-number": ["Ce numéro de téléphone n’est pas valable.", "This phone number is not valid."],
  "invalid-schedule": [
    "Cette date ne convient pas : choisissez un quart d’heure à venir.",
    "This date is not possible: choose a quarter of an hour in the future.",
  ],
  "message-too-long": [
    "Le message est trop long : 10 SMS au plus.",
    "The message is too long: 10 SMS at most.",
  ],
  "too-many-contacts": [
    "Il y a trop de contacts pour une seule fois.",
    "There are too many contacts at once.",
  ],
  "no-recipient": ["Personne ne recevrait ce message.", "Nobody would get this message."],
  "insufficient-credits": ["Le solde ne suffit pas.", "The balance is too low."],
  "sender-limit-reached": [
    "Le nombre d’expéditeurs permis est atteint.",
    "The number of senders that you may have is reached.",
  ],
  "sender-name-taken": ["Ce nom d’expéditeur est déjà pris.", "This sender name is taken."],
  "sender-not-accepted": ["Cet expéditeur n’est pas accepté.", "This sender is not accepted."],
  "sender-not-assigned": ["Aucun expéditeur n’est choisi.", "No sender is chosen."],
  "contact-phone-taken": ["Un contact a déjà ce numéro.", "A contact has this number already."],
  "campaign-not-cancelable": [
    "Cette campagne ne peut plus être annulée.",
    "This campaign cannot be cancelled any more.",
  ],
  "wrong-otp": ["Ce code n’est pas le bon.", "This code is not right."],
  "otp-expired": ["Ce code n’est plus valable.", "This code has expired."],
  "otp-already-used": ["Ce code a déjà servi.", "This code was used already."],
  "otp-max-attempts": ["Trop d’essais : demandez un nouveau code.", "Too many tries: ask for a new code."],
  "destination-blocked": [
    "Ce numéro ne peut pas recevoir de code pour le moment.",
    "This number can get no code for now.",
  ],
  "app-slug-taken": ["Ce nom technique est déjà pris.", "This technical name is taken."],
  "pairing-code-invalid": ["Ce code d’appairage n’est pas valable.", "This pairing code is not valid."],
  "connection-conflict": [
    "Cette liaison existe déjà autrement.",
    "This connection exists otherwise already.",
  ],
  "idempotency-in-progress": ["Le même envoi est en cours.", "The same request is under way."],
  conflict: [
    "Quelqu’un d’autre vient de changer cela : relisez, puis recommencez.",
    "Somebody else has just changed this: look again, then retry.",
  ],
  "not-authorized": ["Vous n’en avez pas le droit.", "You are not allowed to do this."],
  "sign-in-required": ["Reconnectez-vous d’abord.", "Sign in again first."],
  "app-not-active": ["Cette application n’est pas active.", "This application is not active."],
  "connection-revoked": ["Cette liaison est retirée.", "This connection was revoked."],
  "not-found": ["Ceci n’existe pas, ou plus.", "This does not exist, or not any more."],
  "contact-not-found": ["Ce contact n’existe pas, ou plus.", "This contact does not exist any more."],
  "group-not-found": ["Ce groupe n’existe pas, ou plus.", "This group does not exist any more."],
  "sender-not-found": ["Cet expéditeur n’existe pas.", "This sender does not exist."],
  "campaign-not-found": ["Cette campagne n’existe pas.", "This campaign does not exist."],
  "app-not-found": ["Cette application n’existe pas.", "This application does not exist."],
  "customer-not-found": ["Ce client n’existe pas.", "This customer does not exist."],
  "offer-not-found": ["Cette offre n’existe pas.", "This offer does not exist."],
  "purchase-not-found": ["Cet achat n’existe pas.", "This purchase does not exist."],
  "service-unavailable": [
    "Le service ne répond pas pour l’instant. Rien n’est perdu : réessayez.",
    "The service does not answer for now. Nothing is lost: try again.",
  ],
};

type Speaking = { t<Text>(fr: Text, en: Text): Text };

/** A sentence for a refusal; the details of the interface say more than its code where there are any. */
export function sentenceOf(visit: Speaking, { code, details, retryAfterSeconds }: Refused): string {
  if (retryAfterSeconds !== undefined) return waitSentence(visit, retryAfterSeconds);
  const pair = SENTENCES[code] ?? ["Ce n’est pas possible.", "This is not possible."];
  const [detail] = details;
  // What a number is not, the sentence of the code says already.
  const saysMore = detail && detail.message !== visit.t(NO_PHONE.fr, NO_PHONE.en);
  if (!saysMore || code === "not-authenticated") return visit.t(...pair);
  const message = visit.t(withRoleWords(detail.message), detail.message);
  // A conflict with a detail is no race: the detail alone says what stands against it.
  if (code === "conflict") return `${capital(message)}.`;
  return `${visit.t(...pair)} ${capital(message)}.`.replace(/\.\.$/, ".");
}

function waitSentence(visit: Speaking, seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return seconds < 90
    ? visit.t(
        `Trop de demandes : réessayez dans ${seconds} secondes.`,
        `Too many requests: try again in ${seconds} seconds.`,
      )
    : visit.t(
        `Trop de demandes : réessayez dans ${minutes} minutes.`,
        `Too many requests: try again in ${minutes} minutes.`,
      );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Refusals that have a page of their own. A form shows all others above its fields. */
const NOT_MENDABLE: ReadonlySet<Code> = new Set(["not-authenticated", "sign-in-required", "server-error"]);

/** Members that name who asks: no form has a field for them. */
const CREDENTIALS: ReadonlySet<string> = new Set(["apiKey", "adminKey"]);

/** The problem of a form; undefined where no change of the form mends it. */
export function problemOf(
  visit: Speaking,
  refused: Refused,
  fields: Readonly<Record<string, string>>,
): Problem | undefined {
  if (NOT_MENDABLE.has(refused.code)) return undefined;
  const member = refused.details[0]?.field.replace(/[.[].*$/, "");
  const isOfNoField = member === undefined || CREDENTIALS.has(member);
  const field = isOfNoField ? undefined : (fields[member] ?? member);
  return new Problem(sentenceOf(visit, refused), field, refused.code);
}
