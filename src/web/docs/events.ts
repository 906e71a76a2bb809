// The part of the reference on events: when they are sent, how a receiver verifies them, and what it answers.
import { errorReasonOf } from "../../delivery/operators/failures.ts";
import { type EventType, eventBodyOf, events } from "../../events/webhooks/events.ts";
import { retrySchedule } from "../../events/webhooks/retry.ts";
import type { Settings } from "../../platform/limits/limits.ts";
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
  /** The meaning of the receiver's response, by status as in OpenAPI. `default` is any other status, or no response. */
  answers: DocumentedAnswer[];
  /** Further rules, one sentence each. */
  rules: Said[];
};

/** Examples are about a campaign: only one-time passwords have a token. */
const NO_TOKEN = { token: undefined };

const failed = { status: "UNDELIVERED", error: "001" };

/** When each event is sent. An event without its two sentences does not compile. */
const told: Record<EventType, Said & { sample?: object }> = {
  "application.approved": {
    fr: "L’application a été approuvée",
    en: "The application was approved",
  },
  "connection.paired": {
    fr: "Une personne a approuvé un jumelage. Le jeton de la connexion est joint. provision, dont la réponse contient le jeton, n’envoie pas cet événement",
    en: "A person approved a pairing. The connection token is included. provision, whose response contains the token, does not send this event",
    sample: { connectionToken: "ct_…" },
  },
  "connection.revoked": {
    fr: "L’entreprise a révoqué une connexion. Son jeton ne fonctionne plus",
    en: "The company revoked a connection. Its token no longer works",
  },
  "campaign.completed": {
    fr: "Un envoi n’a plus de message en attente et l’opérateur en a accepté au moins un. Des accusés de réception peuvent encore arriver",
    en: "A send has no queued messages left, and the operator accepted at least one. Delivery receipts may still arrive",
    sample: { total: 2, sent: 1, failed: 1 },
  },
  "campaign.failed": {
    fr: "L’opérateur n’a accepté aucun message d’un envoi. Les crédits sont remboursés",
    en: "The operator accepted no message of a send. The credits are refunded",
    sample: { total: 1, sent: 0, failed: 1 },
  },
  "campaign.lost": {
    fr: "Une campagne acceptée a été perdue lors d’une panne de la base de données. Elle n’est pas débitée, et une partie de ses SMS a pu partir",
    en: "An accepted campaign was lost in a database failure. It is not charged, and some of its SMS may have been sent",
    sample: { total: 2, acceptedAt: "2026-11-21T08:59:58.000Z" },
  },
  "message.delivered": {
    fr: "Un message a été remis à son destinataire",
    en: "A message was delivered to its recipient",
    sample: NO_TOKEN,
  },
  "message.failed": {
    fr: "Un message n’a pas été remis. status et error donnent la raison",
    en: "A message was not delivered. status and error give the reason",
    sample: {
      ...NO_TOKEN,
      ...failed,
      errorReason: errorReasonOf({ ...failed, isTaken: true }, "fr"),
    },
  },
  "message.received": {
    fr: "Une personne a envoyé un message à un numéro de l’entreprise",
    en: "A person sent a message to a number of the company",
    sample: { to: "98765", keyword: "INFO" },
  },
  "optout.created": {
    fr: "Un numéro a été désinscrit, par un STOP ou par optout/create. Une répétition n’envoie pas d’événement",
    en: "A number was opted out, by a STOP or by optout/create. A repeat sends no event",
    sample: { source: "HANDSET" },
  },
  "credit.low": {
    fr: "Le solde est passé sous le seuil lowBalance, choisi par l’entreprise dans company/update. L’événement est envoyé une fois, jusqu’à ce que le solde repasse au-dessus",
    en: "The balance fell below the lowBalance threshold, set by the company in company/update. The event is sent once, until the balance is above it again",
    sample: { balance: 480, lowBalance: 500 },
  },
  "sender.accepted": { fr: "Un expéditeur a été accepté", en: "A sender was accepted" },
  "sender.refused": {
    fr: "Un expéditeur a été refusé. reason donne la raison",
    en: "A sender was refused. reason gives the reason",
    sample: { reason: "Le nom d’une banque" },
  },
  "webhook.test": {
    fr: "Événement de test demandé par webhook/test",
    en: "Test event requested by webhook/test",
    sample: { message: "Ceci est un essai. / This is a test." },
  },
};

/** Returns the part on events, with this service's time limits. */
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
  const body = eventBodyOf(type) as Schema;
  const example = sampleOf(body) as { data: object };
  return {
    fr,
    en,
    type,
    id: `event-${type.replace(".", "-")}`,
    body,
    data: events[type] as Schema,
    example: { ...example, data: { ...example.data, ...sample } },
  };
}

const headers: Record<string, DocumentedHeader> = {
  "webhook-id": {
    fr: "Identifiant de l’événement, identique à chaque tentative",
    en: "Event ID, the same for each attempt",
  },
  "atumpan-request-id": {
    fr: "Identifiant de la requête qui a envoyé le message ou la campagne, ou celui de la campagne si elle est partie plus tard. Absent des autres événements",
    en: "ID of the request that sent the message or campaign, or the campaign’s own if it was sent later. Absent from other events",
    isOptional: true,
  },
  "webhook-timestamp": {
    fr: "Heure de cette tentative, en secondes Unix. Refusez un écart de plus de 5 minutes",
    en: "Time of this attempt, in Unix seconds. Reject a difference of more than 5 minutes",
  },
  "webhook-signature": {
    fr: "v1, puis le HMAC-SHA256 en base64 de id.timestamp.corps. La clé est le secret sans whsec_, décodé de base64. Juste après un changement de secret, il y a deux signatures séparées par une espace",
    en: "v1, then the HMAC-SHA256 in base64 of id.timestamp.body. The key is the secret without whsec_, decoded from base64. Just after a change of secret, there are two signatures separated by a space",
  },
};

function answersOf({ webhookTimeoutMs }: Settings): DocumentedAnswer[] {
  const [timeout, wait] = [spell(webhookTimeoutMs), spell(retrySchedule.retryAfterAtMostMs)];
  return [
    {
      statuses: ["2XX"],
      fr: "Réception confirmée. Le corps de la réponse n’est pas lu",
      en: "Receipt confirmed. The response body is not read",
    },
    {
      statuses: ["3XX"],
      fr: "Échec : les redirections ne sont pas suivies",
      en: "Failure: redirects are not followed",
    },
    {
      statuses: ["410"],
      fr: "L’adresse n’existe plus. Les webhooks sont désactivés et le propriétaire est averti",
      en: "The endpoint no longer exists. The webhooks are disabled and the owner is notified",
    },
    {
      statuses: ["429", "503"],
      hasRetryAfter: true,
      fr: `Échec. Rien n’est envoyé à cette adresse avant Retry-After (secondes ou date), ${wait.fr} au plus`,
      en: `Failure. Nothing is sent to this endpoint before Retry-After (seconds or date), at most ${wait.en}`,
    },
    {
      statuses: ["default"],
      fr: `Échec, comme l’absence de réponse en ${timeout.fr}`,
      en: `Failure, as is no response within ${timeout.en}`,
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
      fr: `Une livraison en échec est réessayée après ${listed("fr")} (± ${spread} %) : ${tries} tentatives en tout. webhook/{deliveryId}/replay renvoie un événement pendant ${kept.fr}.`,
      en: `A failed delivery is retried after ${listed("en")} (±${spread}%): ${tries} attempts in all. webhook/{deliveryId}/replay can send an event again for ${kept.en}.`,
    },
    {
      fr: `Après ${failing.fr} sans aucun succès, les webhooks sont désactivés et le propriétaire est averti. Les événements suivants ne sont pas conservés. webhook/update remet les webhooks en service.`,
      en: `After ${failing.en} without any success, the webhooks are disabled and the owner is notified. Later events are not stored. webhook/update enables the webhooks again.`,
    },
    {
      fr: "Un événement peut arriver deux fois, ou après un événement plus récent. id permet de reconnaître un doublon, et timestamp donne la date de l’événement.",
      en: "An event may arrive twice, or after a later one. id identifies a duplicate, and timestamp gives the time of the event.",
    },
    {
      fr: `Après webhook/rotate-secret, l’ancien et le nouveau secret signent tous deux pendant ${overlap.fr}.`,
      en: `After webhook/rotate-secret, the old and the new secret both sign for ${overlap.en}.`,
    },
  ];
}

const UNITS = [
  { ms: 24 * 3_600_000, fr: "jours", en: "days" },
  { ms: 3_600_000, fr: "h", en: "h" },
  { ms: 60_000, fr: "min", en: "min" },
  { ms: 1_000, fr: "s", en: "s" },
] as const;

/** Formats a duration in the largest unit that divides it, without a line break: `5 jours`, but `24 h`. */
function spell(ms: number): Said {
  const unit = UNITS.find((unit, i) => ms % unit.ms === 0 && (i > 0 || ms > unit.ms)) ?? UNITS[3];
  const count = Math.ceil(ms / unit.ms);
  return { fr: `${count}\u00a0${unit.fr}`, en: `${count}\u00a0${unit.en}` };
}

/** Node code that receives an event and verifies its signature. A test runs it as shown. */
export const receiver = `import { Webhook } from "standardwebhooks";

const webhook = new Webhook("whsec_…"); // webhookSecret

// createServer(receive(handle)) de / from node:http
export const receive = (handle) => async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  // Le corps brut de la requête. / The raw request body.
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
