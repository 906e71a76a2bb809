// The queries of signing up. The table has one row for each code of a day, which is limited: counts read all rows.
import { query } from "../../platform/database/query.ts";

/** Locks sign-ups until the commit, so that limits are counted one after another. */
export const lockSignUps = query(
  "sessions.lockSignUps",
  "SELECT FROM pg_advisory_xact_lock(hashtextextended('sign-ups', 0))",
);

/** Counts of a day: all, of the phone $1, the network $2 and the country $3; sign-ups begun and companies created. */
export type SignUpCounts = {
  begun: number;
  begunOfPhone: number;
  begunOfNetwork: number;
  begunOfCountry: number;
  made: number;
  madeOfPhone: number;
  madeOfNetwork: number;
};

export const countSignUps = query<SignUpCounts>(
  "sessions.countSignUps",
  `SELECT count(*) AS begun, count(*) FILTER (WHERE phone = $1) AS "begunOfPhone",
          count(*) FILTER (WHERE network = $2) AS "begunOfNetwork",
          count(*) FILTER (WHERE foreign_code = $3) AS "begunOfCountry", count(made_at) AS made,
          count(made_at) FILTER (WHERE phone = $1) AS "madeOfPhone", count(made_at) FILTER (WHERE network = $2) AS "madeOfNetwork"
   FROM sign_ups WHERE created_at > now() - interval '24 hours'`,
);

export type SignUp = {
  id: string;
  phone: string;
  network: string | null;
  companyName: string;
  personName: string;
  language: "fr" | "en";
};

export const insertSignUp = query<never, SignUp & { foreignCode: string | null }>(
  "sessions.insertSignUp",
  `INSERT INTO sign_ups (id, phone, network, foreign_code, company_name, person_name, language)
   VALUES ($id, $phone, $network, $foreignCode, $companyName, $personName, $language)`,
);

export const markSent = query("sessions.markSent", "UPDATE sign_ups SET token_digest = $2 WHERE id = $1");

/** Returns a sign-up that began less than $2 milliseconds ago. */
export const findSignUp = query<SignUp>(
  "sessions.findSignUp",
  `SELECT id, phone, network, company_name AS "companyName", person_name AS "personName", language
   FROM sign_ups WHERE token_digest = $1 AND made_at IS NULL AND created_at > now() - $2::bigint * interval '1 millisecond'`,
);

/** Uses up a sign-up, so that it creates one company; clears the names in it. */
export const markMade = query<{ id: string }>(
  "sessions.markMade",
  `UPDATE sign_ups SET made_at = now(), company_name = '', person_name = '' WHERE id = $1 AND made_at IS NULL RETURNING id`,
);

/** Deletes sign-ups that no limit counts any longer. */
export const deleteOldSignUps = query(
  "sessions.deleteOldSignUps",
  "DELETE FROM sign_ups WHERE created_at < now() - interval '24 hours'",
);
