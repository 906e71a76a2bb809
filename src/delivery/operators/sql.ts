// The queries of operators and of the owners of their binds.

import { isLiving } from "../../platform/database/liveness.ts";
import { type Keyed, pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";
import type { Connector } from "../../protocol/carriers/connector.ts";
import type { OperatorSettings, StoredSettings } from "./settings.ts";
import type { Operator } from "./shapes.ts";

export type OperatorRow = {
  id: string;
  name: string;
  kind: Operator["kind"];
  /** The name of a built-in connector, or a declaration; both null for SMPP. */
  connector: string | null;
  declaration: Connector | null;
  /** The values of the fields that are no secrets. */
  connector_fields: Record<string, string>;
  sealed_fields: string | null;
  sealed_callback: string | null;
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

/** The columns of TLS. Null changes nothing; an empty text empties the column. */
export type TlsColumns = Record<"tlsCa" | "tlsServerName" | "tlsCert" | "sealedTlsKey", string | null>;

type Chosen =
  | ("name" | "host" | "port" | "tls" | "systemId" | "window" | "tps" | "prefixes" | "priority" | "enabled")
  | ("concatenation" | "messageIdForm" | "plainReceipts");

/** The columns that the connector of an operator over HTTP decides. Secrets in `connectorFields` are masked. */
export type ConnectorColumns = {
  connector: string | null;
  declaration: Connector | null;
  connectorFields: Record<string, string>;
  sealedFields: string;
  sealedCallback: string;
  host: string;
  port: number;
  tls: boolean;
  systemId: string;
};

/** The columns of an operator; `settings` are the chosen ones. An empty text empties a column. */
export type OperatorColumns = TlsColumns & { readonly [Name in Chosen]?: Operator[Name] | undefined } & {
  id: string;
  kind: Operator["kind"] | undefined;
  connector: string | null;
  declaration: Connector | null;
  /** Null: the connector and its fields do not change. */
  connectorFields: Record<string, string> | null;
  sealedFields: string | null;
  sealedCallback: string | null;
  sealedPassword: string | undefined;
  systemType: string | null;
  receiptTimeZone: string | null;
  settings: Record<string, unknown>;
  overflowAfterS: number | undefined;
  operatorGroup: string | null;
};

/** Null takes the default, 0 messages a second mean no limit, and an overflow after -1 s means never. */
export const insertOperator = query<never, OperatorColumns>(
  "operators.insertOperator",
  `INSERT INTO operators (id, name, host, port, tls, system_id, sealed_password, system_type, send_window, tps, prefixes,
                          priority, enabled, concatenation, message_id_form, receipt_time_zone, plain_receipts,
                          settings, overflow_after_s, operator_group, tls_ca, tls_server_name, tls_cert,
                          sealed_tls_key, kind, connector, declaration, connector_fields, sealed_fields,
                          sealed_callback)
   VALUES ($id, $name, $host, $port, coalesce($tls, false), $systemId, $sealedPassword, coalesce($systemType, ''),
           coalesce($window, 100), nullif($tps::int, 0), $prefixes, coalesce($priority, 0), coalesce($enabled, true),
           coalesce($concatenation, 'udh8'), coalesce($messageIdForm, 'as-is'), nullif($receiptTimeZone, ''),
           coalesce($plainReceipts, false), jsonb_strip_nulls($settings::jsonb),
           nullif(coalesce($overflowAfterS::int, 60), -1), nullif($operatorGroup, ''), nullif($tlsCa, ''),
           nullif($tlsServerName, ''), nullif($tlsCert, ''), nullif($sealedTlsKey, ''), coalesce($kind, 'smpp'),
           $connector, $declaration::json, coalesce($connectorFields::jsonb, '{}'), $sealedFields, $sealedCallback)`,
);

/**
 * Changes the values that are not null; a setting that is null returns to its default. No row: there is no such
 * operator.
 */
export const updateOperator = query<{ id: string }, OperatorColumns>(
  "operators.updateOperator",
  `UPDATE operators
   SET name = coalesce($name, name), host = coalesce($host, host), port = coalesce($port, port),
       tls = coalesce($tls, tls),
       system_id = coalesce($systemId, system_id), sealed_password = coalesce($sealedPassword, sealed_password),
       system_type = coalesce($systemType, system_type), send_window = coalesce($window, send_window),
       tps = nullif(coalesce($tps, tps), 0), prefixes = coalesce($prefixes, prefixes),
       priority = coalesce($priority, priority),
       enabled = coalesce($enabled, enabled), concatenation = coalesce($concatenation, concatenation),
       message_id_form = coalesce($messageIdForm, message_id_form),
       receipt_time_zone = nullif(coalesce($receiptTimeZone, receipt_time_zone), ''),
       plain_receipts = coalesce($plainReceipts, plain_receipts),
       settings = jsonb_strip_nulls(settings || $settings::jsonb),
       overflow_after_s = nullif(coalesce($overflowAfterS, overflow_after_s), -1),
       operator_group = nullif(coalesce($operatorGroup, operator_group), ''),
       tls_ca = nullif(coalesce($tlsCa, tls_ca), ''),
       tls_server_name = nullif(coalesce($tlsServerName, tls_server_name), ''),
       tls_cert = nullif(coalesce($tlsCert, tls_cert), ''),
       sealed_tls_key = nullif(coalesce($sealedTlsKey, sealed_tls_key), ''),
       connector = CASE WHEN $connectorFields::jsonb IS NULL THEN connector ELSE $connector END,
       declaration = CASE WHEN $connectorFields::jsonb IS NULL THEN declaration ELSE $declaration::json END,
       connector_fields = coalesce($connectorFields::jsonb, connector_fields),
       sealed_fields = coalesce($sealedFields, sealed_fields),
       sealed_callback = coalesce($sealedCallback, sealed_callback)
   WHERE id = $id AND NOT deleted RETURNING id`,
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

/** Sets which operators have a suspect route: those with these ids ($1), and no others. */
export const updateSuspects = query(
  "operators.updateSuspects",
  "UPDATE operators SET suspect = id = ANY($1::text[]) WHERE suspect <> (id = ANY($1::text[]))",
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
  `SELECT id, name, kind, connector, declaration, connector_fields, sealed_fields, sealed_callback,
          host, port, tls, tls_ca, tls_server_name, tls_cert, sealed_tls_key, system_id, sealed_password, system_type, send_window, tps, prefixes, priority, enabled,
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

const SHOWN = `SELECT id, operators.name, kind, connector, declaration, connector_fields AS "connectorSettings", host, port, tls, tls_ca AS "tlsCa", tls_server_name AS "tlsServerName", tls_cert AS "tlsCert", system_id AS "systemId", nullif(system_type, '') AS "systemType", send_window AS "window", tps,
          prefixes, priority, enabled, concatenation, message_id_form AS "messageIdForm", receipt_time_zone AS "receiptTimeZone",
          plain_receipts AS "plainReceipts", operator_group AS "operatorGroup", settings, overflow_after_s AS "overflowAfterS",
          created_at AS "createdAt", held_at AS "heldAt", suspect,
          coalesce(bind.state, CASE WHEN enabled THEN 'DISCONNECTED' ELSE 'DISABLED' END) AS state,
          coalesce(bind.able, false) AND held_at IS NULL AS able, coalesce(bind.bound, 0) AS bound, coalesce(bind.in_flight, 0) AS "inFlight",
          coalesce(bind.rate, 0) AS rate, bind.error, bind.bound_at AS "boundAt",
          paired_at, phones.name AS phone_name, seen_at, battery, charging, network,
          CASE WHEN day = (now() AT TIME ZONE 'UTC')::date THEN sent_on_day ELSE 0 END AS sent_today
   FROM operators LEFT JOIN phones ON phones.operator_id = operators.id LEFT JOIN (
     SELECT operator_id, bool_or(state = 'BOUND' AND able_until > now()) AS able, sum(in_flight) AS in_flight,
            sum(rate) AS rate, min(bound_at) AS bound_at, count(*) FILTER (WHERE state = 'BOUND') AS bound,
            (array_agg(error ORDER BY number) FILTER (WHERE error IS NOT NULL))[1] AS error,
            CASE WHEN bool_or(state = 'BOUND') THEN 'BOUND' WHEN bool_or(state = 'REFUSED') THEN 'REFUSED'
                 WHEN bool_or(state = 'CONNECTING') THEN 'CONNECTING' ELSE 'DISCONNECTED' END AS state
     FROM operator_binds WHERE ${BELIEVED} GROUP BY operator_id
   ) bind ON bind.operator_id = operators.id
   WHERE NOT deleted`;

/** An operator in a response, without the defaults of its settings. */
export type ShownRow = Omit<Operator, keyof OperatorSettings | "phone"> & {
  settings: StoredSettings;
} & PhoneRow;

/** The columns of a phone; all but the last are null for other operators. */
type PhoneRow = {
  paired_at: Date | null;
  phone_name: string | null;
  seen_at: Date | null;
  battery: number | null;
  charging: boolean | null;
  network: NonNullable<Operator["phone"]>["network"];
  sent_today: number;
};

export const findShown = query<ShownRow>("operators.findShown", `${SHOWN} AND id = $1`);

export const listShown = {
  ...pagedQuery<ShownRow & Keyed>(
    "operators.listShown",
    [["created_at", "timestamptz"], "id"],
    ({ seek, page, rowKey }) => `${SHOWN.replace("SELECT ", `SELECT ${rowKey}, `)} AND ${seek} ${page}`,
  ),
  count: query<Counted, object>("operators.countShown", "SELECT count(*) FROM operators WHERE NOT deleted"),
};

export const listShownAmong = query<ShownRow>(
  "operators.listShownAmong",
  `${SHOWN} AND id = ANY($1::text[]) ORDER BY id LIMIT 100`,
);

/** A bind that a session of this process (`node`) wants to own. */
type Claim = { operatorId: string; number: number; sessionId: string; node: string; ownedForMs: number };

/**
 * Claims a bind of an operator for a new session: if this process already has it, or the ownership has ended, or none
 * of its owner's connections to this database is alive (a killed process: no need to wait). Returns the messages per
 * second that the operator accepted from its last session, if that is less than its limit.
 */
export const claimBind = query<{ learned_rate: number | null }, Claim>(
  "operators.claimBind",
  `INSERT INTO operator_binds (operator_id, number, session_id, node, owned_until)
   VALUES ($operatorId, $number, $sessionId, $node, now() + $ownedForMs::bigint * interval '1 millisecond')
   ON CONFLICT (operator_id, number) DO UPDATE
   SET session_id = excluded.session_id, node = excluded.node, owned_until = excluded.owned_until, state = 'CONNECTING',
       in_flight = 0, rate = 0, error = operator_binds.error, bound_at = NULL, able_until = NULL
   WHERE operator_binds.node = excluded.node OR operator_binds.owned_until < now()
      OR NOT ${isLiving("operator_binds.node")}
   RETURNING learned_rate`,
);

/** The state of a bind. `ableForMs` null: it takes no messages. `learnedRate` null: none is known. */
type Renewal = {
  operatorId: string;
  sessionId: string;
  ownedForMs: number;
  state: string;
  inFlight: number;
  rate: number;
  error: string | null;
  ableForMs: number | null;
  learnedRate: number | null;
};

/** Renews the ownership of the bind, and reports its state; no row: another process owns it. */
export const updateBind = query<{ owned: boolean }, Renewal>(
  "operators.updateBind",
  `UPDATE operator_binds
   SET owned_until = now() + $ownedForMs::bigint * interval '1 millisecond', state = $state, in_flight = $inFlight,
       rate = $rate, error = $error,
       bound_at = CASE WHEN $state <> 'BOUND' THEN NULL ELSE coalesce(bound_at, now()) END,
       able_until = now() + $ableForMs::bigint * interval '1 millisecond', learned_rate = $learnedRate
   WHERE operator_id = $operatorId AND session_id = $sessionId
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

/** What an operator has before a change. */
export type KnownRow = Pick<
  OperatorRow,
  | ("id" | "kind" | "tls_cert" | "sealed_tls_key")
  | ("connector" | "declaration" | "connector_fields" | "sealed_fields" | "sealed_callback")
>;
const KNOWN =
  "SELECT id, kind, tls_cert, sealed_tls_key, connector, declaration, connector_fields, sealed_fields, sealed_callback FROM operators WHERE id = $1 AND NOT deleted";

/** Reads the certificate that identifies us to an operator, its connector, and their secrets. */
export const findKnown = query<KnownRow>("operators.findKnown", KNOWN);

export const lockKnown = query<KnownRow>("operators.lockKnown", `${KNOWN} FOR UPDATE`);

/** Replaces the sealed secret in the path of an operator's callbacks. */
export const updateCallback = query(
  "operators.updateCallback",
  "UPDATE operators SET sealed_callback = $2 WHERE id = $1",
);

export const sealedPasswords = sealedColumn("operators", "operators", "sealed_password");
export const sealedConnectorFields = sealedColumn("operators", "operators", "sealed_fields");
export const sealedCallbacks = sealedColumn("operators", "operators", "sealed_callback");
export const sealedTlsKeys = sealedColumn("operators", "operators", "sealed_tls_key");
