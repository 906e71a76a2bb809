// The rights of the service in its database: a second check behind the filters of our own statements. The login owns
// nothing and takes one of two roles: the service sees all rows, a transaction of an account only that account's.
import pg from "pg";
import { closeClient, openClient } from "./connection.ts";
import { Hosts } from "./hosts.ts";

/** Sees every row: the gateway, jobs, and statements that serve many accounts. */
export const SERVICE_ROLE = "atumpan_service";
/** Sees the rows of the account that `atumpan.account` names. */
export const TENANT_ROLE = "atumpan_tenant";

/** The state of row-level security and roles in an installation. */
export type LoginRights = {
  /** The roles exist, and the service's login may take them. */
  hasRoles: boolean;
  /** The tables of final messages are distributed over the workers of Citus (`citus.ts`). */
  isDistributed: boolean;
  /** Why row-level security is not effective, each as a sentence for the operator. Empty: it is. */
  gaps: readonly string[];
};

/** The setting of all sessions of the service; a transaction of an account names the account instead. */
export const EVERY_ACCOUNT = { "atumpan.account": "*" };

// Another database of the cluster creates or grants the same role.
const IS_UNDER_WAY = new Set(["23505", "42710", "XX000"]);
const TRIES_AT_MOST = 5;
const ANSWER_MS = 10_000;

/**
 * Updates roles, rights and policies after the migrations, as the owner of the tables. It writes nothing if they are up
 * to date. `lock` excludes other nodes meanwhile; but roles belong to the whole cluster, so another database may create
 * them at the same time. `login` is the name with which the service connects.
 */
export async function settleRights(client: pg.Client, login: string, lock: number): Promise<LoginRights> {
  for (let tries = 1; ; tries++) {
    try {
      // One request is one transaction.
      await client.query(`SELECT pg_advisory_xact_lock(${lock}); ${settle(login)}`);
      return await readRights(client, login);
    } catch (error) {
      const { code } = error as pg.DatabaseError;
      if (tries >= TRIES_AT_MOST || !IS_UNDER_WAY.has(code ?? "")) throw error;
    }
  }
}

/** Returns the name with which a database URL logs in. */
export function loginOf(url: string): string {
  return new pg.Client({ connectionString: new Hosts(url).address }).user!;
}

/** Returns the rights of the service at a database URL. */
export async function findRights(url: string): Promise<LoginRights> {
  const client = await openClient(new Hosts(url), "atumpan-rights", { answerMs: ANSWER_MS });
  try {
    return await readRights(client, loginOf(url));
  } finally {
    await closeClient(client);
  }
}

/** Returns the rights of the service's login. */
export async function readRights(client: pg.Client, login: string): Promise<LoginRights> {
  const { rows } = await client.query(RIGHTS, [login, SERVICE_ROLE, TENANT_ROLE]);
  const { has_roles: hasRoles, is_super, bypasses, owns } = rows[0];
  const gaps = [
    hasRoles ? undefined : `the login ${login} may not take the roles ${SERVICE_ROLE} and ${TENANT_ROLE}`,
    is_super ? `the login ${login} is a superuser` : undefined,
    bypasses && !is_super ? `the login ${login} bypasses row-level security` : undefined,
    owns ? `the login ${login} owns tables` : undefined,
  ].filter((gap) => gap !== undefined);
  return { hasRoles, isDistributed: await isDistributed(client), gaps };
}

export async function hasCitus(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  return rowCount === 1;
}

async function isDistributed(client: pg.Client): Promise<boolean> {
  if (!(await hasCitus(client))) return false;
  const { rowCount } = await client.query(
    "SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('messages')",
  );
  return rowCount === 1;
}

// Since version 16 a member of a role may lack the right to SET it.
const MAY_TAKE =
  "CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END";

const RIGHTS = `
  SELECT (SELECT count(*) = 2 FROM pg_roles
          WHERE rolname IN ($2, $3) AND pg_has_role($1::name, oid, ${MAY_TAKE})) AS has_roles,
         rolsuper AS is_super, rolbypassrls AS bypasses,
         EXISTS (SELECT FROM pg_class WHERE relowner = pg_roles.oid AND relnamespace = 'public'::regnamespace) AS owns
  FROM pg_roles WHERE rolname = $1`;

const ADMINISTRATION = [
  ...["administrators", "administrator_recovery_codes", "administrator_sessions", "administrator_keys"],
  "administrator_sign_ins",
];
/** Tables without an account, which no transaction of an account needs. */
const INSTALLATION = [
  ...[
    "keyring",
    "jobs",
    "incarnations",
    "nodes",
    "rates",
    "operators",
    "operator_binds",
    "gateways",
    "orphan_receipts",
    "receipt_parts",
    "message_parts",
    "receipts_reach",
  ],
  ...["route_quality", "suspect_routes", "otp_routes_counted", "probes", "probe_sends"],
  ...["status_queries", "phones", "phone_messages"],
  ...["record_drops", "suspension_changes", "mails", "payment_events", "ended_sessions"],
  ...["member_sign_ins", "sign_ups"],
  ...["record_drops", "suspension_changes", "mails", "payment_events", "ended_sessions", "tallies"],
  ...["inbound_parts", "inbound_marks", "contact_words_marks"],
  ...["topup_offers", "receipt_years", "last_audit", "ledger_days", "grants", "forgotten_reports"],
  ...["gateway_reports", "submitted_messages"],
];
/** Tables that only the service's role may use. */
const OF_SERVICE = [...INSTALLATION, ...ADMINISTRATION];
/** Tables that the service only reads. */
const READ_ONLY = ["schema_migrations"];
/** Views, which everybody reads with rights of their own. */
const VIEWS = ["actor_names"];
/** Append-only tables. */
const GROWING = ["audit_log", "entries"];
/** Tables without an account that accounts may read. Locking a session requires the right to update it (0145). */
const READ_BY_ACCOUNTS: Readonly<Record<string, string>> = {
  gateway_sessions: "SELECT, UPDATE",
  ported_numbers: "SELECT",
};

/**
 * Partitions get no rights: a query of a partition would bypass the policies of the whole table. The policy
 * `of_service` is a constant, which the planner drops: the service's own statements cost nothing more.
 */
function settle(login: string): string {
  const list = (names: readonly string[]) => names.map((name) => pg.escapeLiteral(name)).join(", ");
  const rightsRead = `${pg.escapeLiteral(JSON.stringify(READ_BY_ACCOUNTS))}::jsonb`;
  return `DO $settle$
DECLARE
  login name := ${pg.escapeLiteral(login)};
  wanted name;
  made record;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['${SERVICE_ROLE}', '${TENANT_ROLE}'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      IF NOT (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN RETURN; END IF;
      EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
    END IF;
    IF NOT pg_has_role(login, wanted, ${MAY_TAKE}) THEN
      BEGIN
        EXECUTE format('GRANT %I TO %I', wanted, login);
      EXCEPTION WHEN insufficient_privilege THEN
        NULL; -- The operator is told that it is missing.
      END;
    END IF;
    IF NOT has_schema_privilege(wanted, 'public', 'USAGE') THEN
      EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', wanted);
    END IF;
    FOR made IN SELECT oid::regclass AS name, relname IN (${list([...READ_ONLY, ...VIEWS])}) AS is_read_only,
        CASE WHEN wanted = '${TENANT_ROLE}' THEN ${rightsRead} ->> relname::text END AS read_by_accounts,
        relname IN (${list(GROWING)}) AS is_growing FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition
        AND pg_has_role(relowner, 'USAGE') AND NOT (wanted = '${TENANT_ROLE}' AND relname IN (${list([...OF_SERVICE, ...READ_ONLY])}))
        AND NOT (has_table_privilege(wanted, oid, 'SELECT') AND (relname IN (${list([...READ_ONLY, ...VIEWS])})
          OR wanted = '${TENANT_ROLE}' AND ${rightsRead} ? relname::text
          OR has_table_privilege(wanted, oid, 'INSERT') AND (relname IN (${list(GROWING)})
            OR has_table_privilege(wanted, oid, 'UPDATE') AND has_table_privilege(wanted, oid, 'DELETE'))))
    LOOP
      EXECUTE format('GRANT %s ON %s TO %I',
        CASE WHEN made.is_read_only THEN 'SELECT' WHEN made.is_growing THEN 'SELECT, INSERT'
          WHEN made.read_by_accounts IS NOT NULL THEN made.read_by_accounts ELSE 'SELECT, INSERT, UPDATE, DELETE' END, made.name, wanted);
    END LOOP;
    FOR made IN SELECT oid::regclass AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND pg_has_role(relowner, 'USAGE')
        AND CASE WHEN relkind = 'S' THEN NOT has_sequence_privilege(wanted, oid, 'USAGE') END
    LOOP
      EXECUTE format('GRANT USAGE ON SEQUENCE %s TO %I', made.name, wanted);
    END LOOP;
    FOR made IN SELECT oid::regprocedure AS name FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND prosecdef AND pg_has_role(proowner, 'USAGE')
        AND (wanted = '${SERVICE_ROLE}' OR proname = 'is_connected') AND NOT has_function_privilege(wanted, oid, 'EXECUTE')
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', made.name, wanted);
    END LOOP;
  END LOOP;
  FOR made IN SELECT oid::regclass AS name, pg_get_userbyid(relowner) AS owner,
      EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid AND polname = 'of_service') AS is_open,
      EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid AND polname = 'of_account' AND polroles = '{0}') AS is_everybodys
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND pg_has_role(relowner, 'USAGE')
  LOOP
    IF NOT made.is_open THEN
      EXECUTE format('CREATE POLICY of_service ON %s TO ${SERVICE_ROLE} USING (true)', made.name);
    END IF;
    -- The service's role would read the policies of accounts with each plan, and lock the tables that they ask.
    IF made.is_everybodys THEN
      EXECUTE format('ALTER POLICY of_account ON %s TO ${TENANT_ROLE}, %I', made.name, made.owner);
    END IF;
  END LOOP;
END $settle$`;
}

/** Lets the owner of the tables see their rows, for the migrations that follow: the owner may have changed. */
export async function mendOwner(client: pg.Client): Promise<void> {
  await client.query(`DO $mend$
DECLARE
  made record;
BEGIN
  FOR made IN SELECT polrelid::regclass AS name, pg_get_userbyid(relowner) AS owner
    FROM pg_policy JOIN pg_class ON pg_class.oid = polrelid
    WHERE polname = 'of_owner' AND relnamespace = 'public'::regnamespace AND pg_has_role(relowner, 'USAGE')
      AND NOT relowner = ANY(polroles)
  LOOP
    EXECUTE format('ALTER POLICY of_owner ON %s TO %I', made.name, made.owner);
    EXECUTE format('ALTER POLICY of_account ON %s TO PUBLIC', made.name); -- settled with the other rights
  END LOOP;
END $mend$`);
}
