// The queries of phones and of the messages that they fetch.
import { query } from "../../platform/database/query.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";

/** The day of the daily cap. */
const TODAY = "(now() AT TIME ZONE 'UTC')::date";
const NOT_DELETED = "EXISTS (SELECT FROM operators WHERE id = operator_id AND NOT deleted)";

/** Opens a pairing for one phone; a paired phone loses its token, and takes no messages from then on. */
export const upsertPairing = query<
  { pairing_until: Date },
  { operatorId: string; digest: string; validForMs: number }
>(
  "operators.upsertPairing",
  `INSERT INTO phones AS phone (operator_id, pairing_digest, pairing_until)
   VALUES ($operatorId, $digest, now() + $validForMs::bigint * interval '1 millisecond')
   ON CONFLICT (operator_id) DO UPDATE
   SET pairing_digest = excluded.pairing_digest, pairing_until = excluded.pairing_until, token_digest = NULL,
       paired_at = NULL, name = NULL, seen_at = NULL, battery = NULL, charging = NULL, network = NULL
   RETURNING pairing_until`,
);

/** Finds the operator of an open pairing by the digest of its secret ($1). */
export const findPairing = query<{ name: string }>(
  "operators.findPairing",
  `SELECT operators.name FROM phones JOIN operators ON operators.id = operator_id
   WHERE pairing_digest = $1 AND pairing_until > now() AND NOT operators.deleted`,
);

/**
 * Ends the messages that the phone before has fetched, by the digest of an open pairing ($1): they may have been sent, and
 * the next phone gets none of them. No phone takes messages while a pairing is open, so the statement finds all of them.
 */
export const endTaken = query(
  "operators.endTaken",
  `UPDATE phone_messages SET expires_at = least(expires_at, now()), sealed_message = NULL
   WHERE state = 'taken'
     AND operator_id = (SELECT operator_id FROM phones WHERE pairing_digest = $1 AND pairing_until > now())`,
);

/** Pairs one phone. No row: the secret is unknown, was used, or is too old. */
export const usePairing = query<
  { operator_id: string },
  { digest: string; tokenDigest: string; name: string }
>(
  "operators.usePairing",
  `UPDATE phones SET pairing_digest = NULL, pairing_until = NULL, token_digest = $tokenDigest, paired_at = now(),
                     name = $name, seen_at = now()
   WHERE pairing_digest = $digest AND pairing_until > now() AND ${NOT_DELETED} RETURNING operator_id`,
);

/** Finds the phone that has a token, by its digest ($1), and records that it has called. */
export const seePhone = query<{ operator_id: string }>(
  "operators.seePhone",
  `UPDATE phones SET seen_at = now() WHERE token_digest = $1 AND ${NOT_DELETED} RETURNING operator_id`,
);

export type ListeningPhone = { token_digest: string; silent_ms: number | null; waiting_since: Date | null };

/**
 * The phones that still have one of these tokens ($1), how long ago each last called, and when the newest message was
 * handed over that none fetched.
 */
export const listListening = query<ListeningPhone>(
  "operators.listListening",
  `SELECT token_digest, (extract(epoch FROM now() - seen_at) * 1000)::float8 AS silent_ms,
          (SELECT max(handed_at) FROM phone_messages waiting
                         WHERE waiting.operator_id = phones.operator_id AND state = 'queued') AS waiting_since
   FROM phones WHERE token_digest = ANY($1::text[]) AND ${NOT_DELETED}`,
);

export const updateHealth = query<
  never,
  { operatorId: string; battery: number | null; charging: boolean | null; network: string | null }
>(
  "operators.updateHealth",
  `UPDATE phones SET battery = coalesce($battery, battery), charging = coalesce($charging, charging),
                     network = coalesce($network, network), seen_at = now()
   WHERE operator_id = $operatorId AND token_digest IS NOT NULL`,
);

/** How a phone is: `silent_ms` is the time since it last called, null if it has not called since it was last missed. */
export const findPhoneState = query<{ paired: boolean; silent_ms: number | null; sent_today: number }>(
  "operators.findPhoneState",
  `SELECT token_digest IS NOT NULL AS paired, CASE WHEN missed_at IS NULL OR missed_at < seen_at THEN (extract(epoch FROM now() - seen_at) * 1000)::float8 END AS silent_ms,
          CASE WHEN day = ${TODAY} THEN sent_on_day ELSE 0 END AS sent_today
   FROM phones WHERE operator_id = $1`,
);

/** The state of a message for a phone. */
export type PhoneMessageState = "queued" | "withdrawn" | "taken" | "sent" | "failed";

type Handed = {
  id: string;
  operatorId: string;
  deviceId: string;
  sealedMessage: string;
  parts: number;
  dailyCap: number;
  validForMs: number;
};

/**
 * Hands a message to a phone and counts its parts. One that the phone has or sent stays as it is; one that it could not
 * send gets another id. `state` null: the day's cap is reached, or no phone is paired.
 */
export const handMessage = query<{ state: PhoneMessageState | null }, Handed>(
  "operators.handMessage",
  `WITH known AS (
     SELECT state FROM phone_messages WHERE id = $id AND state IN ('queued', 'taken', 'sent') FOR UPDATE
   ), counted AS (
     UPDATE phones SET day = ${TODAY}, sent_on_day = CASE WHEN day = ${TODAY} THEN sent_on_day ELSE 0 END + $parts
     WHERE operator_id = $operatorId AND token_digest IS NOT NULL AND NOT EXISTS (SELECT FROM known)
       AND (day IS DISTINCT FROM ${TODAY} OR sent_on_day < $dailyCap)
     RETURNING operator_id
   ), handed AS (
     INSERT INTO phone_messages AS message (id, operator_id, device_id, sealed_message, parts, state, day, expires_at)
     SELECT $id, operator_id, $deviceId, $sealedMessage, $parts, 'queued', ${TODAY},
            now() + $validForMs::bigint * interval '1 millisecond'
     FROM counted
     ON CONFLICT (id) DO UPDATE
     SET attempt = message.attempt + (message.state = 'failed')::int,
         device_id = CASE WHEN message.state = 'failed' THEN $deviceId || '.' || message.attempt + 1
                          ELSE message.device_id END,
         sealed_message = excluded.sealed_message, state = 'queued', error = NULL, day = excluded.day,
         parts = excluded.parts, handed_at = now(), expires_at = excluded.expires_at
     RETURNING state
   )
   SELECT coalesce((SELECT state FROM handed), (SELECT state FROM known)) AS state`,
);

/** What became of messages ($1) that were handed over. */
export const listHanded = query<{ id: string; state: PhoneMessageState; error: string | null }>(
  "operators.listHanded",
  "SELECT id, state, error FROM phone_messages WHERE id = ANY($1::text[])",
);

/** Takes messages that were not sent from the day's count, and sets these columns of their phones. */
const uncounted = (unsent: string, columns = "") => `
  UPDATE phones SET ${columns}
                    sent_on_day = greatest(0, sent_on_day - CASE WHEN day = given.last THEN given.parts ELSE 0 END)
  FROM (SELECT operator_id, max(day) AS last, sum(parts)::int AS parts FROM ${unsent} GROUP BY 1) given
  WHERE phones.operator_id = given.operator_id`;

/**
 * Withdraws messages that the phone has not fetched. `isMissed`: it had its time for that, so it counts as silent until it
 * calls. Returns their ids.
 */
export const withdrawMessages = query<{ id: string }, { ids: readonly string[]; isMissed: boolean }>(
  "operators.withdrawMessages",
  `WITH withdrawn AS (
     UPDATE phone_messages SET state = 'withdrawn', sealed_message = NULL
     WHERE id = ANY($ids::text[]) AND state = 'queued' RETURNING id, operator_id, parts, day
   ), counted AS (${uncounted("withdrawn", "missed_at = CASE WHEN $isMissed THEN now() ELSE missed_at END,")})
   SELECT id FROM withdrawn`,
);

/** Withdraws all messages of an operator ($1) that its phone has not fetched: they are those of a session that is over. */
export const withdrawLeft = query(
  "operators.withdrawLeft",
  `WITH withdrawn AS (
     UPDATE phone_messages SET state = 'withdrawn', sealed_message = NULL
     WHERE operator_id = $1 AND state = 'queued' RETURNING id, operator_id, parts, day
   )${uncounted("withdrawn")}`,
);

type TakenMessage = {
  id: string;
  device_id: string;
  sealed_message: string;
  handed_at: Date;
  expires_at: Date;
};

/**
 * The messages that the app fetches and has not reported on, the oldest first; it recognizes those that it has. Only the
 * phone that has the token now takes them: its row is locked, so that a new pairing comes before or after. Messages that
 * are being withdrawn or reported are passed over, because their statements lock them before the phone.
 */
export const takeMessages = query<TakenMessage, { operatorId: string; tokenDigest: string; limit: number }>(
  "operators.takeMessages",
  `WITH phone AS MATERIALIZED (
     SELECT operator_id FROM phones WHERE operator_id = $operatorId AND token_digest = $tokenDigest FOR SHARE
   ), open AS MATERIALIZED (
     SELECT message.id FROM phone JOIN phone_messages message ON message.operator_id = phone.operator_id
     WHERE state IN ('queued', 'taken') AND expires_at > now()
     ORDER BY handed_at LIMIT $limit FOR UPDATE OF message SKIP LOCKED
   )
   UPDATE phone_messages SET state = 'taken' FROM open WHERE phone_messages.id = open.id
   RETURNING phone_messages.id, device_id, sealed_message, handed_at, expires_at`,
);

type Report = { operatorId: string; deviceId: string; state: "sent" | "failed"; error: string | null };

/**
 * Stores what the app reports of a message that it has fetched; its first result stays. One that it could not send leaves
 * the day's count. Returns the state before. No row: the phone has no such message.
 */
export const reportMessage = query<{ id: string; state: PhoneMessageState }, Report>(
  "operators.reportMessage",
  `WITH known AS (
     SELECT id, state FROM phone_messages WHERE operator_id = $operatorId AND device_id = $deviceId FOR UPDATE
   ), changed AS (
     UPDATE phone_messages SET state = $state, error = $error, sealed_message = NULL
     FROM known WHERE phone_messages.id = known.id AND known.state = 'taken'
     RETURNING phone_messages.operator_id, phone_messages.parts, phone_messages.day, phone_messages.state
   ), unsent AS (
     SELECT * FROM changed WHERE state = 'failed'
   ), counted AS (${uncounted("unsent")})
   SELECT id, state FROM known`,
);

/** Forgets the content of up to $1 messages whose time is over: nothing is fetched any more. */
export const forgetContents = query<{ id: string }>(
  "operators.forgetContents",
  `UPDATE phone_messages SET sealed_message = NULL WHERE id IN (
     SELECT id FROM phone_messages WHERE state IN ('queued', 'taken') AND expires_at < now() AND sealed_message IS NOT NULL
     ORDER BY operator_id, handed_at LIMIT $1
   ) RETURNING id`,
);

/** Deletes up to $1 messages whose queue ended a day ago at the latest. */
export const deleteOldHanded = query<{ id: string }>(
  "operators.deleteOldHanded",
  `DELETE FROM phone_messages WHERE id IN (
     SELECT id FROM phone_messages WHERE handed_at < now() - interval '4 days' ORDER BY handed_at LIMIT $1
   ) RETURNING id`,
);

export const sealedPhoneMessages = sealedColumn("operators", "phone_messages", "sealed_message");
