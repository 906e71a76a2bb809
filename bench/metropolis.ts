// The database of `bench:console`: one company as years of use leave it, beside thousands of others.
import pg from "pg";
import { historyOf } from "./history.ts";
import { DAYS, idAt, idFrom, OPERATOR, phoneFrom, series } from "./rows.ts";

export type Size = { contacts: number; messages: number; companies: number };

/** What the rows belong to. The service has made these before. */
export type Owner = { companyId: string; userId: string; senderId: string; appId: string };

export const GROUPS = 1_000;
const MEMBERS_OF_SMALL_GROUPS = 200;
/** One contact in so many has opted out. */
const OPTOUTS_PART = 50;
const DELIVERIES = 200_000;
const REQUESTS = 300_000;
const DEEDS = 300_000;

const SESSION = `SET "atumpan.account" = '*'; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
  SET synchronous_commit = off; SET work_mem = '256MB'`;

/** The ids of a campaign to all contacts, of one to a part of them, and of a send to one. */
export type Campaigns = { large: string; part: string; single: string };

/** Fills the database by statements over ranges. It takes minutes, and says on standard error what it is at. */
export async function build(ownerUrl: string, size: Size, owner: Owner): Promise<Campaigns> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: "bench" });
  await client.connect();
  const steps: Record<string, string[]> = {
    months: [MONTHS],
    contacts: contactsOf(owner, size),
    groups: groupsOf(owner, size),
    ...historyOf(owner, size),
    companies: companiesOf(size),
    logs: logsOf(owner),
    counts: countsOf(owner),
    vacuum: ["VACUUM (ANALYZE)", "CHECKPOINT"],
  };
  try {
    await client.query(SESSION);
    for (const [name, statements] of Object.entries(steps)) {
      const startedAt = performance.now();
      for (const statement of statements) await client.query(statement);
      console.error(`built ${name} in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
    }
    return (await client.query<Campaigns>(CAMPAIGNS, [owner.companyId])).rows[0]!;
  } finally {
    await client.end();
  }
}

const CAMPAIGNS = `SELECT max(id) FILTER (WHERE name = 'Campagne 400') AS large, max(id) FILTER (WHERE name = 'Campagne 450') AS part,
  max(id) FILTER (WHERE name = 'Commande 7') AS single FROM campaigns WHERE company_id = $1`;

/** The record begins 90 days ago. In a new installation the part of this month has all months before it too. */
const MONTHS = `DO $$
  DECLARE
    this date := date_trunc('month', now());
    earlier date;
  BEGIN
    EXECUTE format('ALTER TABLE messages DETACH PARTITION %I', table_of_month(this));
    EXECUTE format('ALTER TABLE messages ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                   table_of_month(this), first_id_of(this), first_id_of(month_after(this)));
    FOR earlier IN SELECT generate_series(date_trunc('month', now() - interval '${DAYS} days'), this - 1, interval '1 month') LOOP
      PERFORM make_record_month(earlier);
    END LOOP;
  END $$`;

const FIRST_NAMES = "Awa,Koffi,Fatou,Serge,Mariam,Yao,Aminata,Didier,Salif,Grace,Ibrahim";
const LAST_NAMES = "Koné,Kouassi,Diallo,Traoré,Ouattara,N’Guessan,Bamba,Zongo,Touré";

function contactsOf({ companyId }: Owner, { contacts }: Size): string[] {
  return [
    `INSERT INTO contacts (company_id, id, phone, name, first_name, last_name, created_at, updated_at)
     SELECT '${companyId}', ${idFrom("n")}, ${phoneFrom("n")}, first || ' ' || last || ' ' || n % 5003, first, last, at, at
     FROM ${series("n", 0, contacts - 1)} CROSS JOIN LATERAL (
       SELECT split_part('${FIRST_NAMES}', ',', (1 + n % 11)::int) AS first, split_part('${LAST_NAMES}', ',', (1 + n / 7 % 9)::int) AS last,
              now() - n % 400 * interval '1 day' AS at) AS person`,
    `INSERT INTO optouts (company_id, phone, source, created_at)
     SELECT '${companyId}', ${phoneFrom("n")}, 'HANDSET', now() - n * interval '1 second'
     FROM ${series("n", 0, contacts - 1)} WHERE n % ${OPTOUTS_PART} = 7`,
  ];
}

/** Group 0 has all contacts, the others some each. */
function groupsOf({ companyId }: Owner, { contacts }: Size): string[] {
  return [
    `INSERT INTO groups (company_id, id, name, contact_count, created_at)
     SELECT '${companyId}', ${idFrom("g")}, CASE g WHEN 0 THEN 'Tous les clients' ELSE 'Groupe ' || g END,
            CASE g WHEN 0 THEN ${contacts} ELSE ${MEMBERS_OF_SMALL_GROUPS} END, now() - g * interval '1 hour'
     FROM ${series("g", 0, GROUPS - 1)}`,
    `INSERT INTO group_members (company_id, group_id, contact_id)
     SELECT '${companyId}', ${idFrom("0")}, ${idFrom("n")} FROM ${series("n", 0, contacts - 1)}
     UNION ALL
     SELECT '${companyId}', ${idFrom("g")}, ${idFrom(`(g * 7919 + n) % ${contacts}`)}
     FROM ${series("g", 1, GROUPS - 1)}, ${series("n", 1, MEMBERS_OF_SMALL_GROUPS)}`,
  ];
}

/** Each has an owner, a sender, ten contacts and days of statistics. One sender in 50 waits for its review. */
function companiesOf({ companies }: Size): string[] {
  const id = `'c' || lpad(n::text, 23, '0')`;
  const userId = `'d' || lpad(n::text, 23, '0')`;
  const from = `FROM ${series("n", 1, companies)}`;
  return [
    `INSERT INTO companies (id, name, created_at) SELECT ${id}, 'Entreprise ' || n, now() - n * interval '1 hour' ${from}`,
    `INSERT INTO users (id, name, phone, key_digest) SELECT ${userId}, 'Gérant ' || n, '22505' || lpad(n::text, 8, '0'), 'bench ' || n ${from}`,
    `INSERT INTO memberships (company_id, user_id, role) SELECT ${id}, ${userId}, 'owner' ${from}`,
    `INSERT INTO pools (id, kind) SELECT ${id}, 'company' ${from}`,
    `INSERT INTO pool_outcomes (pool_id) SELECT ${id} ${from}`,
    `INSERT INTO senders (company_id, id, name, description, status)
     SELECT ${id}, 'e' || lpad(n::text, 23, '0'), 'S' || n, 'bench', CASE WHEN n % 50 = 0 THEN 'PENDING' ELSE 'ACCEPTED' END ${from}`,
    `INSERT INTO contacts (company_id, id, phone, name)
     SELECT ${id}, ${idFrom("n * 10 + i")}, ${phoneFrom("i")}, 'Awa ' || i ${from}, ${series("i", 1, 10)}`,
    `INSERT INTO message_days (account_id, day, operator_id, sent, delivered, credits)
     SELECT ${id}, now()::date - d::int, ${OPERATOR}, 20, 19, 20 ${from}, ${series("d", 1, DAYS)}`,
  ];
}

/** The logs that grow with use: webhooks, refused requests, and the audit, whose hashes are not made. */
function logsOf({ companyId, userId, appId }: Owner): string[] {
  const timed = (count: number, at: string) =>
    `FROM ${series("n", 1, count)} CROSS JOIN LATERAL (SELECT ${at} AS at) AS made`;
  const monthBegan = "greatest(date_trunc('month', now()), now() - interval '20 days')";
  return [
    `INSERT INTO webhook_deliveries (endpoint_id, id, type, data, status, attempts, last_status_code, created_at, delivered_at)
     SELECT '${appId}', ${idAt("at", "n")}, 'message.delivered', '{"status":"DELIVERED"}', 'DELIVERED', 1, 200, at, at
     ${timed(DELIVERIES, `now() - (${DELIVERIES} - n) * interval '10 seconds'`)}`,
    `INSERT INTO requests (company_id, id, door, outcome, code, fields, caller, address, ms, bytes, count, last_at)
     SELECT '${companyId}', ${idAt("at", "n")}, '/v1/contact/create', 'invalid-request', 'invalid-request', '{contacts[0].phone}', 'key', '127.0.0.1', 3, 200, 1, at
     ${timed(REQUESTS, `now() - (${REQUESTS} - n) * interval '4 seconds'`)}`,
    `INSERT INTO audit_log (id, chain, number, company_id, actor_kind, actor_id, actor_name, address, action, thing, thing_id, after, is_cut, previous, hash)
     SELECT ${idAt("at", "n")}, CASE n % 2 WHEN 0 THEN '${companyId}' ELSE 'platform' END, n, '${companyId}',
            CASE n % 2 WHEN 0 THEN 'user' ELSE 'administrator' END, CASE n % 2 WHEN 0 THEN '${userId}' END, 'Awa', '127.0.0.1',
            CASE n % 3 WHEN 0 THEN '/v1/contact/update' ELSE '/v1/group/update' END, 'contact', ${idFrom("n")}, '{"name":"Awa"}', false, '', ''
     ${timed(DEEDS, `${monthBegan} + n * interval '1 millisecond'`)}`,
  ];
}

/** The counts that the service's statements keep as they write. */
function countsOf({ companyId }: Owner): string[] {
  const counts =
    "sent = excluded.sent, delivered = excluded.delivered, undelivered = excluded.undelivered, credits = excluded.credits";
  const days = (rows: string) =>
    `INSERT INTO message_days (account_id, day, operator_id, sent, delivered, undelivered, credits) ${rows}
     ON CONFLICT (account_id, day, operator_id) DO UPDATE SET ${counts}`;
  return [
    `INSERT INTO contact_counts SELECT company_id, count(*) FROM contacts GROUP BY company_id
     ON CONFLICT (company_id) DO UPDATE SET contact_count = excluded.contact_count`,
    `INSERT INTO campaign_counts (company_id, sender_id, campaigns)
     SELECT company_id, coalesce(sender_id, ''), count(*) FROM campaigns GROUP BY 1, 2
     ON CONFLICT (company_id, sender_id) DO UPDATE SET campaigns = excluded.campaigns`,
    days(`SELECT account_id, sent_at::date, operator_id, count(*), count(*) FILTER (WHERE status = 'DELIVERED'),
                 count(*) FILTER (WHERE status = 'UNDELIVERED'), sum(price)
          FROM messages WHERE account_id = '${companyId}' AND sent_at IS NOT NULL GROUP BY 1, 2, 3`),
    days(`SELECT '', day, operator_id, sum(sent), sum(delivered), sum(undelivered), sum(credits)
          FROM message_days WHERE account_id <> '' GROUP BY day, operator_id`),
  ];
}
