// The queries of operators and of who holds their binds.
import { query } from "../kernel/database.ts";

export type OperatorRow = {
  id: string;
  name: string;
  host: string;
  port: number;
  tls: boolean;
  system_id: string;
  sealed_password: string;
  system_type: string;
  send_window: number;
  tps: number | null;
  prefixes: string[];
  priority: number;
  enabled: boolean;
  concatenation: "udh8" | "udh16" | "sar" | "payload";
  message_id_form: "as-is" | "hex-to-decimal" | "decimal-to-hex";
};

const COLUMNS = `id, name, host, port, tls, system_id, sealed_password, system_type, send_window, tps, prefixes, priority, enabled,
   concatenation, message_id_form`;

export const insertOperator = query(
  "operators.insertOperator",
  `INSERT INTO operators (id, name, host, port, tls, system_id, sealed_password, system_type, send_window, tps, prefixes, priority, enabled)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);

export const updateOperatorAddress = query(
  "operators.updateOperatorAddress",
  `UPDATE operators SET host = $2, port = $3, sealed_password = $4, enabled = true WHERE id = $1`,
);

export const disableOperator = query(
  "operators.disableOperator",
  "UPDATE operators SET enabled = false WHERE name = $1 AND enabled",
);

export const findOperatorByName = query<OperatorRow>(
  "operators.findOperatorByName",
  `SELECT ${COLUMNS} FROM operators WHERE name = $1 LIMIT 1`,
);

/** All that should be bound. There are tens of them, not thousands. */
export const listEnabledOperators = query<OperatorRow>(
  "operators.listEnabledOperators",
  `SELECT ${COLUMNS} FROM operators WHERE enabled ORDER BY id LIMIT 1000`,
);

export const listPrefixes = query<{ prefix: string }>(
  "operators.listPrefixes",
  `SELECT DISTINCT unnest(prefixes) AS prefix FROM operators WHERE enabled`,
);

/**
 * Takes the bind of an operator for a new session: ours already, or its owner's time is up, or none of its owner's
 * connections to this database is alive (a killed process: no need to wait).
 */
export const claimBind = query<{ claimed: boolean }>(
  "operators.claimBind",
  `INSERT INTO operator_binds (operator_id, session_id, node, owned_until)
   VALUES ($1, $2, $3, now() + $4::bigint * interval '1 millisecond')
   ON CONFLICT (operator_id) DO UPDATE
   SET session_id = excluded.session_id, node = excluded.node, owned_until = excluded.owned_until, state = 'CONNECTING',
       in_flight = 0, rate = 0, error = NULL, bound_at = NULL
   WHERE operator_binds.node = excluded.node OR operator_binds.owned_until < now()
      OR NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = operator_binds.node)
   RETURNING true AS claimed`,
);

/** Goes on owning the bind, and tells how it is; no row: another process owns it now. */
export const updateBind = query<{ owned: boolean }>(
  "operators.updateBind",
  `UPDATE operator_binds
   SET owned_until = now() + $3::bigint * interval '1 millisecond', state = $4, in_flight = $5, rate = $6, error = $7,
       bound_at = CASE WHEN $4 <> 'BOUND' THEN NULL ELSE coalesce(bound_at, now()) END
   WHERE operator_id = $1 AND session_id = $2
   RETURNING true AS owned`,
);

export const releaseBind = query(
  "operators.releaseBind",
  `UPDATE operator_binds SET owned_until = now(), state = 'DISCONNECTED', in_flight = 0, rate = 0 WHERE operator_id = $1 AND session_id = $2`,
);
