// The doctor's queries.
import { query } from "../../platform/database/query.ts";

/** The limits on connections: of the server, without reserved ones, of the database and of the login; null: none. */
export type Limits = {
  ofServer: number;
  reserved: number;
  ofDatabase: number | null;
  ofLogin: number | null;
};

export const findLimits = query<Limits>(
  "doctor.findLimits",
  `SELECT current_setting('max_connections')::int AS "ofServer",
          current_setting('superuser_reserved_connections')::int
            + coalesce(current_setting('reserved_connections', true)::int, 0) AS reserved,
          (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()) AS "ofDatabase",
          (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = session_user) AS "ofLogin"`,
);

/** Open connections: of the service and this doctor with this login, and of everybody. */
export type Connections = { ofService: number; ofServer: number };

export const countConnections = query<Connections>(
  "doctor.countConnections",
  `SELECT count(*)::int AS "ofServer",
          (count(*) FILTER (WHERE datname = current_database() AND usename = session_user
                              AND application_name LIKE 'atumpan%'))::int AS "ofService"
   FROM pg_stat_activity WHERE datname IS NOT NULL`,
);

/** A process with a heartbeat within the last hour; `isAlive`: within 10 s. */
export type NodeRow = {
  node: string;
  host: string;
  pid: number;
  version: string;
  roles: string[];
  isAlive: boolean;
  aheadMs: number | null;
};

export const listNodes = query<NodeRow>(
  "doctor.listNodes",
  `SELECT node, host, pid, version, roles, seen_at > now() - interval '10 seconds' AS "isAlive", ahead_ms AS "aheadMs"
   FROM nodes ORDER BY host, pid LIMIT 1000`,
);

/** An operator in service. `isHeld`: sending over it is paused. `error`: its last error for a bind that is not open. */
export type InService = { name: string; isHeld: boolean; isBound: boolean; error: string | null };

export const listInService = query<InService>(
  "doctor.listInService",
  `SELECT name, held_at IS NOT NULL AS "isHeld",
          EXISTS (SELECT FROM operator_binds bind
                  WHERE bind.operator_id = operators.id AND state = 'BOUND' AND owned_until > now()) AS "isBound",
          (SELECT error FROM operator_binds bind WHERE bind.operator_id = operators.id AND error IS NOT NULL
           ORDER BY number LIMIT 1) AS error
   FROM operators WHERE enabled AND NOT deleted ORDER BY name LIMIT 1000`,
);

/** Returns whether sending is held, and why; no row if no process has ever worked with this database. */
export const findIncarnation = query<{
  state: string;
  reason: string | null;
  made_at: Date;
  decision: string | null;
}>(
  "doctor.findIncarnation",
  "SELECT state, reason, made_at, decision FROM incarnations ORDER BY number DESC LIMIT 1",
);

/** Returns the current database settings that make confirmed transactions durable. */
export const findDurability = query<{ name: string; value: string }>(
  "doctor.findDurability",
  `SELECT name, current_setting(name) AS value FROM unnest(ARRAY['fsync', 'full_page_writes', 'synchronous_commit']) AS name`,
);

/** Counts the messages that operators accepted within the last 30 days. */
export const countMonth = query<{ count: number }>(
  "doctor.countMonth",
  "SELECT coalesce(sum(sent), 0)::bigint AS count FROM message_days WHERE day > current_date - 30",
);
