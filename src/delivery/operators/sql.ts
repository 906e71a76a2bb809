// The queries of operators and of the owners of their binds.

import { isLiving } from "../../platform/database/liveness.ts";
import { type Keyed, pagedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";
import type { OperatorSettings, StoredSettings } from "./settings.ts";
import type { Operator } from "./shapes.ts";

export type OperatorRow = {
  id: string;
  name: string;
  host: string;
  port: number;
  tls: boolean;
  tls_ca: string | null;
  tls_server_name: string | null;
  tls_cert: string | null;
  sealed_tls_key: string | null;
  system_id: string;
  sealed_password: string;
  system_type: string;
  send_window: number;
  tps: number | null;
  prefixes: string[];
  priority: number;
  enabled: boolean;
  concatenation: Operator["concatenation"];
  message_id_form: Operator["messageIdForm"];
  receipt_time_zone: string | null;
  plain_receipts: boolean;
  settings: StoredSettings;
  operator_group: string | null;
  /** How long messages wait for it before the next operator may take them, in seconds; null: forever. */
  overflow_after_s: number | null;
  /** At least one of its binds is bound, and the operator reads and answers. */
  able: boolean;
  /** How many of its binds are bound. */
  bound: number;
  /** The numbers of its binds that have or had sessions, which may have left messages that are not recovered yet. */
  bind_numbers: number[];
  /** Since when an administrator holds it; null: it is not held. */
  held_at: Date | null;
  /** The numbers of its binds that were moved, and at the same index the live process that is to have it. */
  moved_numbers: number[];
  moved_to: string[];
};

/**
 * `$1` is the id; null takes the default, 0 messages a second mean no limit, and an overflow after -1 s means never.
 * `$18` are the chosen settings.
 */
export const insertOperator = query(
  "operators.insertOperator",
  `INSERT INTO operators (id, name, host, port, tls, system_id, sealed_password, system_type, send_window, tps, prefixes,
                          priority, enabled, concatenation, message_id_form, receipt_time_zone, plain_receipts,
                          settings, overflow_after_s, operator_group, tls_ca, tls_server_name, tls_cert,
                          sealed_tls_key)
   VALUES ($1, $2, $3, $4, coalesce($5, false), $6, $7, coalesce($8, ''), coalesce($9, 100), nullif($10::int, 0), $11,
           coalesce($12, 0), coalesce($13, true), coalesce($14, 'udh8'), coalesce($15, 'as-is'), nullif($16, ''),
           coalesce($17, false), jsonb_strip_nulls($18::jsonb), nullif(coalesce($19::int, 60), -1), nullif($20, ''),
           nullif($21, ''), nullif($22, ''), nullif($23, ''), nullif($24, ''))`,
);

/**
 * Changes the values that are not null, in the order of `insertOperator`; a setting that is null returns to its
 * default. No row: there is no such operator.
 */
export const updateOperator = query<{ id: string }>(
  "operators.updateOperator",
  `UPDATE operators
   SET name = coalesce($2, name), host = coalesce($3, host), port = coalesce($4, port), tls = coalesce($5, tls),
       system_id = coalesce($6, system_id), sealed_password = coalesce($7, sealed_password),
       system_type = coalesce($8, system_type), send_window = coalesce($9, send_window),
       tps = nullif(coalesce($10, tps), 0), prefixes = coalesce($11, prefixes), priority = coalesce($12, priority),
       enabled = coalesce($13, enabled), concatenation = coalesce($14, concatenation),
       message_id_form = coalesce($15, message_id_form),
       receipt_time_zone = nullif(coalesce($16, receipt_time_zone), ''),
       plain_receipts = coalesce($17, plain_receipts),
       settings = jsonb_strip_nulls(settings || $18::jsonb),
       overflow_after_s = nullif(coalesce($19, overflow_after_s), -1),
       operator_group = nullif(coalesce($20, operator_group), ''),
       tls_ca = nullif(coalesce($21, tls_ca), ''), tls_server_name = nullif(coalesce($22, tls_server_name), ''),
       tls_cert = nullif(coalesce($23, tls_cert), ''), sealed_tls_key = nullif(coalesce($24, sealed_tls_key), '')
   WHERE id = $1 AND NOT deleted RETURNING id`,
);

/** Holds an operator; one that is already held keeps its time. No row: there is no such operator. */
export const markHeld = query<{ id: string }>(
  "operators.markHeld",
  "UPDATE operators SET held_at = coalesce(held_at, now()) WHERE id = $1 AND NOT deleted RETURNING id",
);

export const markResumed = query<{ id: string }>(
  "operators.markResumed",
  "UPDATE operators SET held_at = NULL WHERE id = $1 AND NOT deleted RETURNING id",
);

export const markDeleted = query(
  "operators.markDeleted",
  "UPDATE operators SET deleted = true, deleted_at = now(), enabled = false WHERE id = $1",
);

export const disableOperator = query(
  "operators.disableOperator",
  "UPDATE operators SET enabled = false WHERE name = $1 AND enabled",
);

/**
 * Deletes operators permanently that were deleted 7 days ago and whose sessions have left nothing. Receipts arrive
 * within days, and until then another operator of the account may deliver one for their messages.
 */
export const deleteRetired = query(
  "operators.deleteRetired",
  `DELETE FROM operators WHERE deleted AND deleted_at < now() - interval '7 days'
     AND NOT EXISTS (SELECT FROM operator_binds WHERE operator_id = operators.id)`,
);

export const findOperatorByName = query<{ id: string }>(
  "operators.findOperatorByName",
  "SELECT id FROM operators WHERE name = $1 AND NOT deleted",
);

/** A bind is owned for 15 s, renewed every 3 s: a stopped process loses its binds within 15 s, a killed one at once. */
export const OWNERSHIP_MS = 15_000;
/** How long the reported state of a bind counts without a renewal: two renewals and a little. */
export const BELIEVED_MS = 7_000;
/** The state that a killed or hanging process reported counts no longer than that. */
const BELIEVED = `owned_until > now() + interval '${OWNERSHIP_MS - BELIEVED_MS} milliseconds'`;

/** A process without a heartbeat for 10 s no longer counts as a gateway. */
const BINDS_NOW = "seen_at > now() - interval '10 seconds'";

/** Lists all operators, disabled and deleted ones too. There are tens of them. */
export const listOperators = query<OperatorRow>(
  "operators.listOperators",
  `SELECT id, name, host, port, tls, tls_ca, tls_server_name, tls_cert, sealed_tls_key, system_id, sealed_password, system_type, send_window, tps, prefixes, priority, enabled,
          concatenation, message_id_form, receipt_time_zone, plain_receipts, settings, overflow_after_s,
          operator_group, held_at,
          coalesce(bind.able, false) AND held_at IS NULL AS able, coalesce(bind.bound, 0) AS bound,
          coalesce(bind.numbers, '{}') AS bind_numbers, coalesce(bind.moved_numbers, '{}') AS moved_numbers,
          coalesce(bind.moved_to, '{}') AS moved_to
   FROM operators LEFT JOIN (
     SELECT operator_id, bool_or(state = 'BOUND' AND able_until > now()) AS able, array_agg(number ORDER BY number) AS numbers,
            count(*) FILTER (WHERE state = 'BOUND' AND ${BELIEVED}) AS bound,
            array_agg(number ORDER BY number) FILTER (WHERE living.node IS NOT NULL) AS moved_numbers,
            array_agg(moved_to ORDER BY number) FILTER (WHERE living.node IS NOT NULL) AS moved_to
     FROM operator_binds LEFT JOIN gateways living ON living.node = moved_to AND moved_until > now() AND living.${BINDS_NOW}
     GROUP BY operator_id
   ) bind ON bind.operator_id = operators.id
   ORDER BY id LIMIT 1000`,
);

const SHOWN = `SELECT id, name, host, port, tls, tls_ca AS "tlsCa", tls_server_name AS "tlsServerName", tls_cert AS "tlsCert", system_id AS "systemId", nullif(system_type, '') AS "systemType", send_window AS "window", tps,
          prefixes, priority, enabled, concatenation, message_id_form AS "messageIdForm", receipt_time_zone AS "receiptTimeZone",
          plain_receipts AS "plainReceipts", operator_group AS "operatorGroup", settings, overflow_after_s AS "overflowAfterS",
          created_at AS "createdAt", held_at AS "heldAt",
          coalesce(bind.state, CASE WHEN enabled THEN 'DISCONNECTED' ELSE 'DISABLED' END) AS state,
          coalesce(bind.able, false) AND held_at IS NULL AS able, coalesce(bind.bound, 0) AS bound, coalesce(bind.in_flight, 0) AS "inFlight",
          coalesce(bind.rate, 0) AS rate, bind.error, bind.bound_at AS "boundAt"
   FROM operators LEFT JOIN (
     SELECT operator_id, bool_or(state = 'BOUND' AND able_until > now()) AS able, sum(in_flight) AS in_flight,
            sum(rate) AS rate, min(bound_at) AS bound_at, count(*) FILTER (WHERE state = 'BOUND') AS bound,
            (array_agg(error ORDER BY number) FILTER (WHERE error IS NOT NULL))[1] AS error,
            CASE WHEN bool_or(state = 'BOUND') THEN 'BOUND' WHEN bool_or(state = 'REFUSED') THEN 'REFUSED'
                 WHEN bool_or(state = 'CONNECTING') THEN 'CONNECTING' ELSE 'DISCONNECTED' END AS state
     FROM operator_binds WHERE ${BELIEVED} GROUP BY operator_id
   ) bind ON bind.operator_id = operators.id
   WHERE NOT deleted`;

/** An operator in a response, without the defaults of its settings. */
export type ShownRow = Omit<Operator, keyof OperatorSettings> & { settings: StoredSettings };

export const findShown = query<ShownRow>("operators.findShown", `${SHOWN} AND id = $1`);

export const listShown = pagedList<ShownRow & Keyed>(
  "operators.listShown",
  { by: [["created_at", "timestamptz"], "id"], at: 1 },
  ({ seek, page, rowKey }) => `${SHOWN.replace("SELECT ", `SELECT ${rowKey}, `)} AND ${seek} ${page}`,
);

export const listShownAmong = query<ShownRow>(
  "operators.listShownAmong",
  `${SHOWN} AND id = ANY($1::text[]) ORDER BY id LIMIT 100`,
);

export const countShown = query<{ count: number }>(
  "operators.countShown",
  "SELECT count(*) FROM operators WHERE NOT deleted",
);

/**
 * Claims a bind of an operator for a new session: if this process already has it, or the ownership has ended, or none
 * of its owner's connections to this database is alive (a killed process: no need to wait). Returns the messages per
 * second that the operator accepted from its last session, if that is less than its limit.
 */
export const claimBind = query<{ learned_rate: number | null }>(
  "operators.claimBind",
  `INSERT INTO operator_binds (operator_id, number, session_id, node, owned_until)
   VALUES ($1, $2, $3, $4, now() + $5::bigint * interval '1 millisecond')
   ON CONFLICT (operator_id, number) DO UPDATE
   SET session_id = excluded.session_id, node = excluded.node, owned_until = excluded.owned_until, state = 'CONNECTING',
       in_flight = 0, rate = 0, error = operator_binds.error, bound_at = NULL, able_until = NULL
   WHERE operator_binds.node = excluded.node OR operator_binds.owned_until < now()
      OR NOT ${isLiving("operator_binds.node")}
   RETURNING learned_rate`,
);

/** Renews the ownership of the bind, and reports its state; no row: another process owns it. */
export const updateBind = query<{ owned: boolean }>(
  "operators.updateBind",
  `UPDATE operator_binds
   SET owned_until = now() + $3::bigint * interval '1 millisecond', state = $4, in_flight = $5, rate = $6, error = $7,
       bound_at = CASE WHEN $4 <> 'BOUND' THEN NULL ELSE coalesce(bound_at, now()) END,
       able_until = now() + $8::bigint * interval '1 millisecond', learned_rate = $9
   WHERE operator_id = $1 AND session_id = $2
   RETURNING true AS owned`,
);

export const releaseBind = query(
  "operators.releaseBind",
  `UPDATE operator_binds SET owned_until = now(), state = 'DISCONNECTED', in_flight = 0, rate = 0, able_until = NULL
   WHERE operator_id = $1 AND session_id = $2`,
);

/** Deletes a bind whose sessions have left nothing behind. */
export const deleteBind = query(
  "operators.deleteBind",
  "DELETE FROM operator_binds WHERE operator_id = $1 AND session_id = $2",
);

/** Stores the heartbeat of a gateway ($1), and returns the number of live gateways. */
export const seeGateway = query<{ count: number }>(
  "operators.seeGateway",
  `WITH here AS (
     INSERT INTO gateways (node, seen_at) VALUES ($1, now()) ON CONFLICT (node) DO UPDATE SET seen_at = now()
   ), gone AS (
     DELETE FROM gateways WHERE seen_at < now() - interval '1 minute' AND node <> $1
   )
   SELECT 1 + count(*) AS count FROM gateways WHERE node <> $1 AND ${BINDS_NOW}`,
);

/** Deletes a gateway that has ended. */
export const forgetGateway = query("operators.forgetGateway", "DELETE FROM gateways WHERE node = $1");

/** Locks the certificate that identifies us to an operator, and its key. */
export const lockCertificate = query<Pick<OperatorRow, "tls_cert" | "sealed_tls_key">>(
  "operators.lockCertificate",
  "SELECT tls_cert, sealed_tls_key FROM operators WHERE id = $1 AND NOT deleted FOR UPDATE",
);

export const sealedPasswords = sealedColumn("operators", "operators", "sealed_password");
export const sealedTlsKeys = sealedColumn("operators", "operators", "sealed_tls_key");
