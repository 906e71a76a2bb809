// The part of the reference on events: when they are sent, how a receiver recognises them, and what it answers.
import type { Settings } from "../kernel/limits.ts";
import { errorReasonOf } from "../operators/operators.ts";
import { type EventType, events, retrySchedule } from "../webhooks/webhooks.ts";
import { type Term, type TermOf, termOf } from "./glossary.ts";
import { type Schema, sampleOf } from "./operations.ts";

type Said = { fr: string; en: string };

/** One event: when it is sent, the schema of its body, and an example. */
export type Hook = Said & { type: EventType; id: string; body: Schema; data: Schema; example: object };

type DocumentedHeader = Said & { isOptional?: boolean };
type DocumentedAnswer = Said & { statuses: string[]; hasRetryAfter?: boolean };

export type Hooks = {
  events: Hook[];
  /** Headers of each request, by name. */
  headers: Record<string, DocumentedHeader>;
  /**
   * The meaning of the receiver's answer, by status as OpenAPI writes it. `default` is any other status, or no answer.
   */
  answers: DocumentedAnswer[];
  /** Further rules, one sentence each. */
  rules: Said[];
};

/** An example is of a campaign: only one-time passwords have a token. */
const NO_TOKEN = { token: undefined };

const failed = { status: "UNDELIVERED", error: "001" };

/** When each event is sent. An event without its two sentences does not compile. */
const told: Record<EventType, Said & { sample?: object }> = {
  "application.approved": {
    fr: "L’application est approuvée",
    en: "The application was approved",
  },
  "connection.paired": {
    fr: "Une personne a approuvé un jumelage ; le jeton de la connexion est joint. Après provision, qui répond le jeton, rien n’est annoncé",
    en: "A person approved a pairing; the connection’s token comes with it. After provision, which answers with the token, nothing is told",
    sample: { connectionToken: "ct_…" },
  },
  "connection.revoked": {
    fr: "L’entreprise a mis fin à une connexion ; son jeton ne vaut plus rien",
    en: "The company ended a connection; its token is worth nothing any more",
  },
  "campaign.completed": {
    fr: "Plus aucun message d’un envoi n’attend, et l’opérateur en a accepté ; des accusés peuvent encore venir",
    en: "No message of a send waits any more, and the operator took some; receipts may still come",
    sample: { total: 2, sent: 1, failed: 1 },
  },
  "campaign.failed": {
    fr: "L’opérateur n’a accepté aucun message d’un envoi ; les crédits sont rendus",
    en: "The operator took no message of a send; the credits are back",
    sample: { total: 1, sent: 0, failed: 1 },
  },
  "campaign.lost": {
    fr: "Une panne de la base a effacé une campagne acceptée ; elle n’est pas débitée, et une partie de ses SMS a pu partir",
    en: "An outage of the database has lost a campaign that had been accepted; it is not charged, and some of its SMS may have gone out",
    sample: { total: 2, acceptedAt: "2026-11-21T08:59:58.000Z" },
  },
  "message.delivered": {
    fr: "Un message est remis à son destinataire",
    en: "A message was delivered to its recipient",
    sample: NO_TOKEN,
  },
  "message.failed": {
    fr: "Un message n’est pas remis ; status et error disent pourquoi",
    en: "A message was not delivered; status and error say why",
    sample: {
      ...NO_TOKEN,
      ...failed,
      errorReason: errorReasonOf({ ...failed, isTaken: true }, "fr"),
    },
  },
  "message.received": {
    fr: "Une personne a écrit à un numéro de l’entreprise",
    en: "A person wrote to a number of the company",
    sample: { to: "98765", keyword: "INFO" },
  },
  "optout.created": {
    fr: "Un numéro s’est désinscrit, par un STOP ou par optout/create ; une répétition n’est pas annoncée",
    en: "A phone has opted out, by a STOP or by optout/create; a repeat is not told",
    sample: { source: "HANDSET" },
  },
  "credit.low": {
    fr: "Le solde est passé sous le seuil lowBalance que l’entreprise a choisi par company/update ; une fois, jusqu’à ce qu’il soit repassé au-dessus",
    en: "The balance fell below the lowBalance that the company chose by company/update; once, until it was above again",
    sample: { balance: 480, lowBalance: 500 },
  },
  "sender.accepted": { fr: "Un expéditeur est accepté", en: "A sender ID was accepted" },
  "sender.refused": {
    fr: "Un expéditeur est refusé ; reason dit pourquoi",
    en: "A sender ID was refused; reason says why",
    sample: { reason: "Le nom d’une banque" },
  },
  "webhook.test": {
    fr: "L’essai demandé par webhook/test",
    en: "The test that webhook/test asked for",
    sample: { message: "Ceci est un essai. / This is a test." },
  },
};

/** The members that mean something else in events than elsewhere. */
const terms: Record<string, Term> = {
  id: {
    fr: "Identifiant de l’événement : celui de webhook-id",
    en: "Id of the event: that of webhook-id",
    sample: "66f0c0ffee00000000000003",
  },
  type: { fr: "Ce qui s’est produit", en: "What happened" },
  timestamp: {
    fr: "Quand cela s’est produit (UTC)",
    en: "When it happened (UTC)",
    sample: "2026-11-21T09:00:02.000Z",
  },
  data: { fr: "Ce qu’il faut en savoir", en: "What there is to know of it" },
  appId: {
    fr: "Identifiant de l’application",
    en: "Id of the application",
    sample: "66f0c0ffee00000000000001",
  },
  sent: { fr: "Acceptés par l’opérateur", en: "Taken by the operator" },
  failed: { fr: "Non acceptés", en: "Not taken" },
  error: {
    fr: "Pourquoi : le code de l’opérateur, s’il en a donné un",
    en: "Why: the operator’s code, where it gave one",
    sample: null,
  },
  message: { fr: "Un texte pour vous", en: "A text for you" },
  campaignId: {
    fr: "L’envoi ; absent d’un mot de passe à usage unique",
    en: "The send; absent of a one-time password",
    sample: "66f0c0ffee00000000000001",
  },
  connectionId: {
    fr: "La connexion de l’application qui a envoyé ; absent d’un envoi de l’entreprise elle-même",
    en: "The connection of the application that sent; absent of a send of the company itself",
    sample: "66f0c0ffee00000000000001",
  },
  externalAccountId: {
    fr: "Compte dans l’application qui a envoyé ; absent d’un envoi de l’entreprise elle-même",
    en: "Account in the application that sent; absent of a send of the company itself",
    sample: "client-42",
  },
  token: {
    fr: "Le jeton du mot de passe à usage unique dont c’est le message ; jamais le code",
    en: "The token of the one-time password whose message it is; never the code",
    sample: "<token>",
  },
  callbackData: {
    fr: "Ce que l’envoi a donné ; absent s’il n’a rien donné",
    en: "What the send gave; absent if it gave nothing",
    sample: "commande-42",
  },
  messageId: {
    fr: "Identifiant du message",
    en: "Id of the message",
    sample: "66f0c0ffee00000000000001-1",
  },
  from: { fr: "Qui a écrit", en: "Who wrote", sample: "2250102030405" },
  to: { fr: "Le numéro auquel on a écrit", en: "The number that was written to", sample: "98765" },
  text: { fr: "Ce qui est écrit", en: "What was written", sample: "INFO horaires" },
  keyword: {
    fr: "Le mot de l’entreprise par lequel le message commence ; null : aucun",
    en: "The company’s word with which the message begins; null: none",
    sample: "INFO",
  },
  receivedAt: { fr: "Quand il est arrivé", en: "When it arrived", sample: "2026-11-21T09:00:02.000Z" },
  balance: { fr: "Les crédits qui restent", en: "The credits that are left", sample: 480 },
  reason: { fr: "Pourquoi il est refusé", en: "Why it was refused", sample: "Le nom d’une banque" },
};

/** The meaning of a member of an event. */
export const eventTermOf: TermOf = (name) => terms[name] ?? termOf(name);

/** The whole part on events, with the times of this service. */
export function hooksOf(settings: Settings): Hooks {
  return {
    events: (Object.keys(told) as EventType[]).map(hookOf),
    headers,
    answers: answersOf(settings),
    rules: rulesOf(settings),
  };
}

function hookOf(type: EventType): Hook {
  const { fr, en, sample } = told[type];
  const data = events[type] as Schema;
  const body: Schema = {
    type: "object",
    required: ["id", "type", "timestamp", "data"],
    properties: {
      id: { type: "string" },
      type: { enum: [type] },
      timestamp: { type: "string", format: "date-time" },
      data,
    },
  };
  const example = sampleOf(body, "", eventTermOf) as { data: object };
  return {
    fr,
    en,
    type,
    id: `event-${type.replace(".", "-")}`,
    body,
    data,
    example: { ...example, data: { ...example.data, ...sample } },
  };
}

const headers: Record<string, DocumentedHeader> = {
  "webhook-id": {
    fr: "Identifiant de l’événement, le même à chaque essai",
    en: "Id of the event, the same at each try",
  },
  "atumpan-request-id": {
    fr: "Identifiant de la requête qui a envoyé le message ou la campagne ; celui de la campagne, si elle est partie plus tard ; absent des autres événements",
    en: "Id of the request that sent the message or the campaign; the campaign’s own, where it went out later; absent from other events",
    isOptional: true,
  },
  "webhook-timestamp": {
    fr: "Heure de cet essai, en secondes Unix ; refusez un écart de plus de 5 minutes",
    en: "Time of this try in Unix seconds; refuse one that is more than 5 minutes off",
  },
  "webhook-signature": {
    fr: "v1, et le HMAC-SHA256 en base64 de id.timestamp.corps, par le secret sans whsec_, décodé de base64 ; deux signatures, séparées par une espace, quand le secret vient de changer",
    en: "v1, and the HMAC-SHA256 in base64 of id.timestamp.body, by the secret without whsec_, decoded from base64; two signatures, a space between them, when the secret has just changed",
  },
};

function answersOf({ webhookTimeoutMs }: Settings): DocumentedAnswer[] {
  const [timeout, wait] = [spell(webhookTimeoutMs), spell(retrySchedule.retryAfterAtMostMs)];
  return [
    {
      statuses: ["2XX"],
      fr: "Reçu ; le corps de la réponse n’est pas lu",
      en: "Taken; the body of the answer is not read",
    },
    {
      statuses: ["3XX"],
      fr: "Un échec : les redirections ne sont pas suivies",
      en: "A failure: redirects are not followed",
    },
    {
      statuses: ["410"],
      fr: "L’adresse n’est plus : les webhooks sont désactivés, le propriétaire prévenu",
      en: "The address is gone: the webhooks are disabled, the owner is told",
    },
    {
      statuses: ["429", "503"],
      hasRetryAfter: true,
      fr: `Un échec ; rien ne part vers cette adresse avant Retry-After, en secondes ou date, ${wait.fr} au plus`,
      en: `A failure; nothing goes to this address before Retry-After, in seconds or a date, ${wait.en} at most`,
    },
    {
      statuses: ["default"],
      fr: `Un échec, comme l’absence de réponse en ${timeout.fr}`,
      en: `A failure, as is no answer within ${timeout.en}`,
    },
  ];
}

function rulesOf(settings: Settings): Said[] {
  const { delaysMs, jitter } = retrySchedule;
  const listed = (language: keyof Said) => delaysMs.map((ms) => spell(ms)[language]).join(", ");
  const [tries, spread] = [delaysMs.length + 1, jitter * 100];
  const kept = spell(settings.webhookLifetimeMs);
  const failing = spell(settings.webhookFailingLifetimeMs);
  const overlap = spell(settings.webhookSecretOverlapMs);
  return [
    {
      fr: `Un échec est essayé de nouveau après ${listed("fr")} (± ${spread} %) : ${tries} essais en tout. Un événement se renvoie pendant ${kept.fr} par webhook/{deliveryId}/replay.`,
      en: `A failure is tried again after ${listed("en")} (±${spread}%): ${tries} tries in all. An event can be sent again for ${kept.en} by webhook/{deliveryId}/replay.`,
    },
    {
      fr: `Sans aucun succès pendant ${failing.fr}, les webhooks sont désactivés et le propriétaire prévenu ; ce qui se produit ensuite n’est pas gardé. webhook/update les remet en service.`,
      en: `Without any success for ${failing.en} the webhooks are disabled and the owner is told; what happens then is not kept. webhook/update enables them again.`,
    },
    {
      fr: "Un événement peut venir deux fois, et après un plus récent : id dit si vous l’avez déjà, timestamp quand il s’est produit.",
      en: "An event may come twice, and after a later one: id says whether you have it already, timestamp when it happened.",
    },
    {
      fr: `Après webhook/rotate-secret, l’ancien secret et le nouveau signent tous deux pendant ${overlap.fr}.`,
      en: `After webhook/rotate-secret the old secret and the new one both sign for ${overlap.en}.`,
    },
  ];
}

const UNITS = [
  { ms: 24 * 3_600_000, fr: "jours", en: "days" },
  { ms: 3_600_000, fr: "h", en: "h" },
  { ms: 60_000, fr: "min", en: "min" },
  { ms: 1_000, fr: "s", en: "s" },
];

/** Writes a time in the largest unit of which it is a whole number, without a line break: `5 jours`, but `24 h`. */
function spell(ms: number): Said {
  const unit = UNITS.find((unit, i) => ms % unit.ms === 0 && (i > 0 || ms > unit.ms)) ?? UNITS.at(-1)!;
  const count = Math.ceil(ms / unit.ms);
  return { fr: `${count}\u00a0${unit.fr}`, en: `${count}\u00a0${unit.en}` };
}

/** Node code that receives an event and checks our signature. A test runs it as it is shown. */
export const receiver = `import { Webhook } from "standardwebhooks";

const webhook = new Webhook("whsec_…"); // webhookSecret

// createServer(receive(handle)) de / from node:http
export const receive = (handle) => async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  // Le corps tel qu’il est venu. / The body as it came.
  const body = Buffer.concat(chunks).toString();
  let event;
  try {
    event = webhook.verify(body, req.headers);
  } catch {
    res.writeHead(400).end();
    return;
  }
  // Une fois par event.id. / Once per event.id.
  await handle(event);
  res.writeHead(204).end();
};`;
