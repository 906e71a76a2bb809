// The queries of the registrations of sender names at operators.
import { columnsOf } from "../../platform/database/columns.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import type { ListedRegistration, Registration, RegistrationState } from "./registrationshapes.ts";

/** A registration by its key. */
export type RegistrationKey = { companyId: string; senderId: string; operatorId: string; country: string };

const COLUMNS = columnsOf(
  ["operatorId", "operatorName", "country", "state", "reference", "document", "expiresOn", "updatedAt"],
  { operatorName: "operators.name", expiresOn: "expires_on::text" },
  "registration",
);

/** Lists the registrations of a sender ($2) of a company ($1), of which it has $3 at most. */
export const listRegistrations = query<Registration>(
  "operators.listRegistrations",
  `SELECT ${COLUMNS} FROM sender_registrations registration JOIN operators ON operators.id = operator_id
   WHERE company_id = $1 AND sender_id = $2 AND NOT operators.deleted ORDER BY operator_id, country LIMIT $3`,
);

type ListedOf = { state: RegistrationState | null };

function listedBy(filter: "all" | "byState") {
  const where = filter === "all" ? "" : "registration.state = $state AND";
  return pagedQuery<ListedRegistration & Keyed, ListedOf>(
    `operators.listAllRegistrations.${filter}`,
    ["registration.sender_id", "registration.operator_id", "registration.country"],
    ({ seek, page, rowKey }) =>
      `SELECT ${COLUMNS}, registration.sender_id AS "senderId", senders.name AS "senderName",
              registration.company_id AS "companyId", companies.name AS "companyName", ${rowKey}
       FROM sender_registrations registration
       JOIN operators ON operators.id = registration.operator_id
       JOIN senders ON senders.company_id = registration.company_id AND senders.id = registration.sender_id
       JOIN companies ON companies.id = registration.company_id
       WHERE ${where} ${seek} ${page}`,
  );
}

/** One statement for all registrations and one for a state, so that each reads an index in order. */
export const listAllRegistrations = { all: listedBy("all"), byState: listedBy("byState") } as const;

export const countRegistrations = query<Counted, ListedOf>(
  "operators.countRegistrations",
  "SELECT count(*) FROM sender_registrations WHERE $state::text IS NULL OR state = $state",
);

/** Finds the name of an operator that is not deleted. */
export const findOperatorName = query<{ name: string }>(
  "operators.findOperatorName",
  "SELECT name FROM operators WHERE id = $1 AND NOT deleted",
);

/** Null keeps what is stored; an empty text clears it. */
export const upsertRegistration = query<
  never,
  RegistrationKey & {
    state: RegistrationState;
    reference: string | null;
    document: string | null;
    expiresOn: string | null;
  }
>(
  "operators.upsertRegistration",
  `INSERT INTO sender_registrations AS known (company_id, sender_id, operator_id, country, state, reference, document, expires_on)
   VALUES ($companyId, $senderId, $operatorId, $country, $state, coalesce($reference, ''), coalesce($document, ''),
           nullif($expiresOn::text, '')::date)
   ON CONFLICT (company_id, sender_id, operator_id, country) DO UPDATE
   SET state = excluded.state, reference = coalesce($reference, known.reference), document = coalesce($document, known.document),
       expires_on = CASE WHEN $expiresOn::text IS NULL THEN known.expires_on ELSE excluded.expires_on END, updated_at = now()`,
);

export const deleteRegistration = query<{ id: string }, RegistrationKey>(
  "operators.deleteRegistration",
  `DELETE FROM sender_registrations
   WHERE company_id = $companyId AND sender_id = $senderId AND operator_id = $operatorId AND country = $country
   RETURNING sender_id AS id`,
);

/** Marks up to $1 registrations whose last day is over as expired, and returns their senders. */
export const markExpired = query<{ senderId: string; companyId: string }>(
  "operators.markExpired",
  `UPDATE sender_registrations SET state = 'EXPIRED', updated_at = now()
   WHERE (company_id, sender_id, operator_id, country) IN (
     SELECT company_id, sender_id, operator_id, country FROM sender_registrations
     WHERE state = 'REGISTERED' AND expires_on < (now() AT TIME ZONE 'UTC')::date
     ORDER BY expires_on LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING sender_id AS "senderId", company_id AS "companyId"`,
);
