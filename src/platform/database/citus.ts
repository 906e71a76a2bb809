// Citus: if the database has it, with workers, tables that grow without bound are distributed over them by account.
import pg from "pg";
import { hasCitus, type LoginRights, SERVICE_ROLE, TENANT_ROLE } from "./rights.ts";

/** The distributed tables, each with its column of the account. The rows of one account are on one shard. */
const DISTRIBUTED: Readonly<Record<string, string>> = { messages: "account_id" };

/**
 * A session uses one connection to each worker: recording 200 messages of 50 accounts then takes 21 ms, and 540 ms with
 * a connection to each shard (2 busy cores, 2026-11-25).
 */
export const ONE_CONNECTION = {
  "citus.multi_shard_modify_mode": "sequential",
  "citus.max_adaptive_executor_pool_size": "1",
};

/**
 * The session settings of the service if the tables are distributed. Workers need the account of a transaction, since
 * they check row-level security. Citus repeats there the whole of a request that has SET LOCAL: one that also takes a
 * lock would take it on each worker, and wait for itself (seen in a migration, 2026-11-26). Plans use the values, since
 * Citus refuses many statements with unknown values.
 */
export const DISTRIBUTED_SESSION = {
  ...ONE_CONNECTION,
  "citus.propagate_set_commands": "local",
  plan_cache_mode: "force_custom_plan",
};

/**
 * Workers plan statements as the coordinator does: `sessionsettings.ts` explains why. Their errors are in English,
 * because for some Citus passes on only the text. They log no warnings, since they would warn of the BEGIN that Citus
 * repeats there with each SET LOCAL of a request.
 */
const ON_WORKERS = {
  lc_messages: "C",
  log_min_messages: "error",
  jit: "off",
  TimeZone: "UTC",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

const INSUFFICIENT_PRIVILEGE = "42501";

/**
 * Distributes the tables that are not distributed yet, as their owner, if the database has Citus with workers and the
 * roles exist. Stored rows move to the workers, and cannot be written meanwhile. `lock` excludes other nodes. Fails if
 * the owner may not give the roles the rights that Citus needs. Returns whether the tables are distributed.
 */
export async function distribute(
  client: pg.Client,
  lock: number,
  { hasRoles, isDistributed }: LoginRights,
): Promise<boolean> {
  if (!hasRoles || !(await hasCitus(client)) || !(await hasWorkers(client))) return isDistributed;
  await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${lock}); SET LOCAL statement_timeout = 0`);
  try {
    await openWorkers(client);
    for (const [table, account] of Object.entries(DISTRIBUTED)) await distributeTable(client, table, account);
    await askApart(client);
    await client.query("COMMIT");
    return true;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {}); // the first error is thrown
    throw error;
  }
}

async function distributeTable(client: pg.Client, table: string, account: string): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_class WHERE oid = to_regclass($1)
       AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)`,
    [table],
  );
  if (rowCount === 0) return;
  // The owner copies the rows, and PostgreSQL does not copy into a table whose policies apply to the owner.
  await client.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
  await client.query(`SELECT create_distributed_table('${table}', '${account}')`);
  await client.query(`SELECT truncate_local_data_after_distributing_table('${table}')`);
  await client.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
}

/** From now on statements query the distributed tables separately: migration 0110 has both variants. */
async function askApart(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    "SELECT FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = 'recorded_messages_apart'",
  );
  if (rowCount === 0) return;
  await client.query("ALTER FUNCTION recorded_messages RENAME TO recorded_messages_joined");
  await client.query("ALTER FUNCTION recorded_messages_apart RENAME TO recorded_messages");
}

/** Group 0 is the coordinator itself. */
async function hasWorkers(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    "SELECT FROM pg_dist_node WHERE groupid > 0 AND noderole = 'primary' AND isactive AND shouldhaveshards LIMIT 1",
  );
  return rowCount === 1;
}

/**
 * Lets the coordinator log in to its workers with the roles of the service, which have no password. The service's role
 * bypasses the policies, which show it every row anyway: Citus inserts by COPY, which PostgreSQL refuses for a role
 * that has policies. It writes nothing if all is up to date. The statements are separate, since Citus sends a change of
 * a role to the workers, but none from inside a block.
 */
async function openWorkers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: string; rights: string }>(
    `SELECT rolname AS role, CASE rolname WHEN $1 THEN 'LOGIN BYPASSRLS' ELSE 'LOGIN' END AS rights FROM pg_roles
     WHERE rolname IN ($1, $2) AND NOT (rolcanlogin AND (rolbypassrls OR rolname <> $1) AND coalesce(rolconfig @> $3, false))`,
    [SERVICE_ROLE, TENANT_ROLE, Object.entries(ON_WORKERS).map(([name, value]) => `${name}=${value}`)],
  );
  const statements = rows.flatMap(({ role, rights }) => [
    `ALTER ROLE ${role} ${rights}`,
    ...Object.entries(ON_WORKERS).map(
      ([name, value]) => `ALTER ROLE ${role} SET ${name} = ${pg.escapeLiteral(value)}`,
    ),
  ]);
  for (const statement of statements)
    await client.query(statement).catch((error: pg.DatabaseError) => {
      if (error.code !== INSUFFICIENT_PRIVILEGE) throw error;
      throw new Error(
        `Citus wants more of the roles of the service than the owner may give: let a superuser run ${statements.join("; ")}`,
      );
    });
}
