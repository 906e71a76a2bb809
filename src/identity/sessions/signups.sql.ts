// The queries of signing up. There are as many rows as codes of a day, whose number is limited: counts read them all.
import { query } from "../../platform/database.ts";

/** Locks signing up until the commit, so that limits are counted one after another. */
export const lockSignUps = query(
  "sessions.lockSignUps",
  "SELECT FROM pg_advisory_xact_lock(hashtextextended('sign-ups', 0))",
);

/** Counts of a day: all, of the phone $1, of the network $2 and of the country $3; each as begun and as made. */
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

export const insertSignUp = query(
  "sessions.insertSignUp",
  `INSERT INTO sign_ups (id, phone, network, foreign_code, company_name, person_name, language)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

export const markSent = query("sessions.markSent", "UPDATE sign_ups SET token_digest = $2 WHERE id = $1");

export type SignUp = {
  id: string;
  phone: string;
  network: string | null;
  companyName: string;
  personName: string;
  language: "fr" | "en";
};

/** A sign-up that began less than $2 milliseconds ago. */
export const findSignUp = query<SignUp>(
  "sessions.findSignUp",
  `SELECT id, phone, network, company_name AS "companyName", person_name AS "personName", language
   FROM sign_ups WHERE token_digest = $1 AND made_at IS NULL AND created_at > now() - $2::bigint * interval '1 millisecond'`,
);

/** Takes a sign-up, so that it makes one company; what it was to be called is forgotten. */
export const markMade = query<{ id: string }>(
  "sessions.markMade",
  `UPDATE sign_ups SET made_at = now(), company_name = '', person_name = '' WHERE id = $1 AND made_at IS NULL RETURNING id`,
);

/** Those that no limit counts any more. */
export const deleteOldSignUps = query(
  "sessions.deleteOldSignUps",
  "DELETE FROM sign_ups WHERE created_at < now() - interval '24 hours'",
);
