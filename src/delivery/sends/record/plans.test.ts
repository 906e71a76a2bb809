// Reads of one send look into the month of that send alone, whatever the number of months.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import pg from "pg";
import { cloneDatabase, type TestDatabase } from "../../../../test/database.ts";
import { allQueries } from "../../../../test/queries.ts";
import { valuesOf } from "../../../platform/database/query.ts";
import { newId } from "../../../platform/ids.ts";

const MONTHS = 24;
const COMPANY = "company";
// The settings of `platform/database/database.ts` that choose plans.
const SETTINGS =
  "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off";

let database: TestDatabase;
let client: pg.Client;
/** A campaign to one person in each month, the oldest first. */
const ids: string[] = [];
const parts: string[] = [];

before(async () => {
  database = await cloneDatabase();
  client = new pg.Client({ connectionString: database.url, options: SETTINGS });
  await client.connect();
  const { rows } = await client.query(
    `SELECT extract(epoch FROM month)::float8 AS seconds, table_of_month(month::date) AS part
     FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'), now() AT TIME ZONE 'UTC' + $1::int * interval '1 month', '1 month') AS month
     ORDER BY month LIMIT $1`,
    [MONTHS],
  );
  for (const [i, { seconds, part }] of rows.entries()) {
    if (i > 2) await client.query("SELECT make_record_month(to_timestamp($1)::date)", [seconds]);
    parts.push(part);
    ids.push(newId(seconds * 1_000 + 24 * 3_600_000));
  }
  await client.query(
    `INSERT INTO campaigns (company_id, id, body, sender_id, sender_name, contact_count, credit_used)
     SELECT $1, id, 'Bonjour', 'sender', 'AWA', 1, 1 FROM unnest($2::text[]) AS id`,
    [COMPANY, ids],
  );
  await client.query(
    `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, operator_id, operator_message_id, sent_at)
     SELECT $1, id, number, '22507' || number, 'SENT', 1, 1, 'operator', id || number, now() FROM unnest($2::text[]) AS id, generate_series(1, 100) AS number`,
    [COMPANY, ids],
  );
  await client.query("INSERT INTO otp_shares (account_id) VALUES ($1)", [COMPANY]);
  await client.query(
    `INSERT INTO otp_codes (token_digest, account_id, user_id, phone, prefix, length, code_digest, send_id, expires_at)
     SELECT id, $1, 'user', '22507', '22507', 4, '', id, now() FROM unnest($2::text[]) AS id`,
    [COMPANY, ids.slice(MONTHS - 15, MONTHS - 5)],
  );
  await client.query("ANALYZE");
});
after(async () => {
  await client.end();
  await database.drop();
});

type Plan = { "Relation Name"?: string; "Actual Loops": number; Plans?: Plan[] };

/** Runs a query by its generic plan. Returns how often it looked into each part of the record. */
async function looksOf(name: string, params: object): Promise<Map<string, number>> {
  const query = await queryOf(name);
  const values = valuesOf(query, params);
  await client.query(`PREPARE looked AS ${query.text}`);
  await client.query("BEGIN");
  const given = values.length > 0 ? `(${values.map(literalOf).join(", ")})` : "";
  const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE looked${given}`);
  await client.query("ROLLBACK; DEALLOCATE looked");
  const looks = new Map<string, number>();
  const visit = (plan: Plan): void => {
    const { "Relation Name": relation = "", "Actual Loops": loops } = plan;
    if (relation.startsWith("messages_") && loops > 0)
      looks.set(relation, (looks.get(relation) ?? 0) + loops);
    plan.Plans?.forEach(visit);
  };
  visit(rows[0]["QUERY PLAN"][0].Plan);
  return looks;
}

function literalOf(value: unknown): string {
  if (value === null) return "NULL";
  return pg.escapeLiteral(Array.isArray(value) ? `{${value.join(",")}}` : String(value));
}

// The month of the send that is read.
const AT = 17;

const rangeOfSend = () => ({ accountId: COMPANY, sendId: ids[AT], first: 1, last: 100 });
const keyOfMessage = () => ({ accountId: COMPANY, sendId: ids[AT], number: 1 });

/** The parameters of each query that reads the record by one send. */
const BY_SEND: Record<string, () => object> = {
  "sends.listMessages": rangeOfSend,
  "sends.listOfStatus.ASC": () => ({ ...rangeOfSend(), status: "SENT", limit: 10 }),
  "sends.listOfStatus.DESC": () => ({ ...rangeOfSend(), status: "SENT", limit: 10 }),
  "sends.listGone": () => ({ messages: [keyOfMessage()] }),
  "sends.listFinalMessages": () => ({ keys: [keyOfMessage()] }),
  "sends.listByKeys": () => ({ accountIds: [COMPANY], sendIds: [ids[AT]], numbers: [1] }),
  "sends.findAlone": () => [COMPANY, ids[AT]],
  "sends.findOperatorMessageId": () => [COMPANY, ids[AT], 1],
  "campaigns.findCampaign": () => [COMPANY, ids[AT]],
  "trace.findRecorded": () => [[COMPANY], [ids[AT]], [1]],
  "campaigns.lockCampaign": () => [COMPANY, ids[AT]],
};

/** The parameters of each query that reads one send for each row of a page. */
const BY_PAGE: Record<string, () => object> = {
  ...inPages("campaigns.listCampaigns", {}),
  ...inPages("campaigns.listCampaignsOfSender", { senderId: "sender" }),
  "otp.listJudged": () => [COMPANY, 10, 10],
  "otp.listCodesOfRoutes": () => ({ from: hoursFromNow(-1), to: hoursFromNow(1), digits: 3 }),
  ...ofFound("ofTime"),
  ...ofFound("named"),
};

function hoursFromNow(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}

/** A filtered list of campaigns in both directions, over all of them. */
function ofFound(name: string): Record<string, () => object> {
  const all = { fromId: "0", beforeId: "g", most: MONTHS, type: null, search: null };
  return inPages(`campaigns.listFound.${name}`, all);
}

/** A list in both directions: ten rows after the first five, by number and by cursor. */
function inPages(name: string, filter: object): Record<string, () => object> {
  const page = { companyId: COMPANY, ...filter, limit: 10 };
  return {
    [`${name}.ASC`]: () => ({ ...page, from: 5 }),
    [`${name}.DESC`]: () => ({ ...page, from: 5 }),
    [`${name}.ASC.after`]: () => ({ ...page, from: [ids[4]] }),
    [`${name}.DESC.after`]: () => ({ ...page, from: [ids[MONTHS - 5]] }),
  };
}

/** What reads the record otherwise, and why. */
const OTHERS: Record<string, string> = {
  "sends.settleQueued": "it only inserts",
  "sends.settlePacked": "it only inserts",
  "sends.listAnswered": "it reads the months that have an index for receipts, as the next test says",
  "sends.updateReceived": "it reads the months that have an index for receipts, as the next test says",
  "sends.updateFallen": "as sends.updateReceived",
  "sends.markParts": "as sends.updateReceived",
  "sends.listOutcomes": "it reads what is about to be dropped",
  "sends.listRecordedTo": "it reads the summary of the phones of one month, as the last test says",
  "sends.updateErased": "it writes one month, as the last test says",
  "sends.eraseNext": "it goes through all of an account, from month to month, as the last test says",
  "privacy.export.messages": "it goes through all of an account, from month to month, as the last test says",
  "messages.countOfAccount": "it counts 2,001 at most",
  "messages.listOfAccount": "it reads the 2,000 messages that an account has at most",
  ...Object.fromEntries(
    ["listNewest", "findStep", "listNewestOfStatus", "countNewest"].map((name) => [
      `messages.${name}`,
      "it reads no more than it lists, as src/messaging/messages/plans.test.ts says",
    ]),
  ),
  "messages.listToPhone": "it reads the summary of the phones of some months",
  ...Object.fromEntries(
    ["ASC", "DESC", "ASC.after", "DESC.after"].map((order) => [
      `campaigns.listFound.named.later.${order}`,
      "as those of any type, among the few that run later",
    ]),
  ),
  ...Object.fromEntries(
    [
      ...["count", "count.later"],
      ...["ASC", "DESC", "ASC.after", "DESC.after"].flatMap((order) => [
        `list.${order}`,
        `list.later.${order}`,
      ]),
    ].map((rest) => {
      const [verb, ...more] = rest.split(".");
      const name = ["campaigns", `${verb}Found`, "inStatus", ...more].join(".");
      return [name, "it reads the sends of the newest 10,000 campaigns of a company at most"];
    }),
  ),
  "inbound.findLastWriter": "it reads the summary of the phones of each month",
  "inbound.listWrittenNames": "as findLastWriter, for replies of a keyword and a name",
  "inbound.countSent": "it counts 2,001 at most",
  "inbound.findSendOfFew": "it reads the 2,000 messages that an account has at most",
  "inbound.findSendOfMany": "it reads the summary of the phones of the last days",
};

const queryOf = async (name: string) => (await allQueries()).find(({ query }) => query.name === name)!.query;

suite("plans over many months", () => {
  test("every query that reads the record is looked at here", async () => {
    const reading = (await allQueries()).filter(({ query }) =>
      /\b(FROM|JOIN|INTO|UPDATE) (messages|recorded_messages)\b/.test(query.text),
    );
    const known = [...Object.keys(BY_SEND), ...Object.keys(BY_PAGE), ...Object.keys(OTHERS)];
    assert.deepEqual(reading.map(({ query }) => query.name).sort(), known.sort());
  });

  test("a read of one send looks into its month alone", async () => {
    for (const [name, params] of Object.entries(BY_SEND))
      assert.deepEqual(await looksOf(name, params()), new Map([[parts[AT], 1]]), name);
    for (const [name, params] of Object.entries(BY_PAGE)) {
      const page = name.includes(".ASC") ? parts.slice(5, 15) : parts.slice(MONTHS - 15, MONTHS - 5);
      const looks = await looksOf(name, params());
      assert.deepEqual([...looks].sort(), page.map((part) => [part, 1]).sort(), name);
    }
  });

  test("receipts look into the months from the reach of receipts on, by the indexes that only those have", async () => {
    for (let i = 0; i < AT - 2; i++)
      await client.query("SELECT drop_receipts_index(to_date(substr($1, 10), 'YYYY_MM'))", [parts[i]]);
    const fromId = ids[AT - 1];
    const answered = await looksOf("sends.listAnswered", {
      operatorIds: ["operator"],
      ids: [`${ids[AT]}1`, `${ids[AT]}2`],
      fromId,
    });
    assert.deepEqual([...answered.keys()].sort(), [...parts.slice(AT - 1), "messages_unforeseen"]);
    const changed = await looksOf("sends.updateReceived", {
      accountIds: [COMPANY, COMPANY],
      sendIds: [ids[AT], ids[AT]],
      numbers: [1, 2],
      statuses: ["DELIVERED", "EXPIRED"],
      errors: ["0", "0"],
      agesMs: [0, 0],
      fromId,
    });
    assert.ok([...changed.keys()].every((part) => part >= parts[AT - 1]!));
  });

  test("an erasure looks into one month at a time, and what goes through an account into no earlier one than its place", async () => {
    const month = { from: ids[AT]!.slice(0, 12), to: ids[AT + 1]!.slice(0, 12) };
    const keysOf = async (name: string, params: object) => [...(await looksOf(name, params)).keys()];
    const start = { accountId: "", sendId: "", number: 0, limit: 10 };
    const recorded = await keysOf("sends.listRecordedTo", { phone: "225071", ...month, ...start });
    assert.deepEqual(new Set([...recorded, parts[AT + 1]]), new Set([parts[AT], parts[AT + 1]]));
    const keys = [keyOfMessage()];
    const erased = await keysOf("sends.updateErased", { keys, phone: "erased", ...month });
    assert.ok(
      erased.includes(parts[AT]!) && erased.every((part) => [parts[AT], parts[AT + 1]].includes(part)),
    );
    // A part for what nobody foresaw keeps PostgreSQL from reading months one after the other: it looks into the later
    // ones too.
    const onwards = new Set([...parts.slice(AT), "messages_unforeseen"]);
    const emptied = await keysOf("sends.eraseNext", { ...keyOfMessage(), phone: "erased", limit: 10 });
    const exported = await keysOf("privacy.export.messages", [COMPANY, [ids[AT], "1"], 10]);
    for (const part of [...emptied, ...exported]) assert.ok(onwards.has(part), part);
  });
});
