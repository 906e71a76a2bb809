// The queries of moves: which processes could have a bind, and which one is to have it.
import { query } from "../../platform/database.ts";

/** The binds of an operator that is in service which processes own now. */
export const listOwned = query<{ number: number; node: string }>(
  "operators.listOwned",
  `SELECT number, operator_binds.node FROM operator_binds JOIN operators ON operators.id = operator_id
   WHERE operator_id = $1 AND enabled AND NOT deleted AND owned_until > now() ORDER BY number`,
);

/** A process that could have a bind. `isAlive`: it gave a sign of life within the last 10 s. `binds`: how many it has. */
export type Candidate = { node: string; isAlive: boolean; isGateway: boolean; binds: number };

const CANDIDATES = `SELECT node, seen_at > now() - interval '10 seconds' AS "isAlive", 'gateway' = ANY(roles) AS "isGateway",
          (SELECT count(*) FROM operator_binds WHERE operator_binds.node = nodes.node AND owned_until > now()) AS binds
   FROM nodes`;

export const findCandidate = query<Candidate>("operators.findCandidate", `${CANDIDATES} WHERE node = $1`);

/** Processes are tens at most, and those that have gone are forgotten after an hour. */
export const listCandidates = query<Candidate>(
  "operators.listCandidates",
  `${CANDIDATES} ORDER BY node LIMIT 1000`,
);

/** From now on, for $4 seconds, a process ($3) is to have a bind. No row: it is gone. */
export const markMoved = query<{ moved_until: Date }>(
  "operators.markMoved",
  `UPDATE operator_binds SET moved_to = $3, moved_until = now() + $4::int * interval '1 second'
   WHERE operator_id = $1 AND number = $2 RETURNING moved_until`,
);
