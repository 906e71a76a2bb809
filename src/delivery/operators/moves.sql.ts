// The queries of moves: the processes that could have a bind, and the one to which it is moved.
import { query } from "../../platform/database/query.ts";

/** Lists the binds of an enabled operator that processes own now. */
export const listOwned = query<{ number: number; node: string }>(
  "operators.listOwned",
  `SELECT number, operator_binds.node FROM operator_binds JOIN operators ON operators.id = operator_id
   WHERE operator_id = $1 AND enabled AND NOT deleted AND owned_until > now() ORDER BY number`,
);

/** A process that could have a bind. `isAlive`: its last heartbeat is at most 10 s old. `binds`: how many it has. */
export type Candidate = { node: string; isAlive: boolean; isGateway: boolean; binds: number };

const CANDIDATES = `SELECT node, seen_at > now() - interval '10 seconds' AS "isAlive", 'gateway' = ANY(roles) AS "isGateway",
          (SELECT count(*) FROM operator_binds WHERE operator_binds.node = nodes.node AND owned_until > now()) AS binds
   FROM nodes`;

export const findCandidate = query<Candidate>("operators.findCandidate", `${CANDIDATES} WHERE node = $1`);

/** Processes are tens at most, and those that have ended are deleted after an hour. */
export const listCandidates = query<Candidate>(
  "operators.listCandidates",
  `${CANDIDATES} ORDER BY node LIMIT 1000`,
);

type Move = { operatorId: string; number: number; node: string; movedForS: number };

/** Moves a bind to a process for some time from now on. No row: the bind is gone. */
export const markMoved = query<{ moved_until: Date }, Move>(
  "operators.markMoved",
  `UPDATE operator_binds SET moved_to = $node, moved_until = now() + $movedForS::int * interval '1 second'
   WHERE operator_id = $operatorId AND number = $number RETURNING moved_until`,
);
