// A database as years of use leave it: companies, contacts, campaigns, messages, and credits that balance.
import type { Atumpan } from "./atumpan.ts";
import { makeCompany } from "./companies.ts";
import { SENDER, TEXT } from "./messages.ts";

export type Size = { messages: number; contacts: number };

/** What requests name, all of the largest company, and the number of its contacts. */
export type Place = { campaignId: string; senderId: string; contacts: number };

export const COMPANIES = { few: 2, many: 200 };

const MESSAGES_A_SEND = 10;
const MESSAGES_A_STATEMENT = 500_000;
/** One in so many messages belongs to the other companies. The largest company has the rest. */
const OTHERS_PART = 10;
const CONTACTS_OF_OTHERS = 50;
const GROUPS = { few: 5, many: 500 };
/** One in so many contacts has opted out. */
const OPTOUTS_PART = 20;
const TABLES =
  "messages, campaigns, sends, holds, entries, contacts, optouts, groups, senders, companies, pools";

/** Knows what is stored so far, and adds to it by statements over ranges. */
export class Store {
  readonly #atumpan: Atumpan;
  readonly #senderId: string;
  #sends = 0;
  #messages = 0;
  #contacts = 0;
  #groups = 0;
  #companies: string[] = [];

  constructor(atumpan: Atumpan, senderId: string) {
    this.#atumpan = atumpan;
    this.#senderId = senderId;
  }

  /** Makes the store of the service's one company, with an accepted sender. */
  static async make(atumpan: Atumpan): Promise<Store> {
    const { id } = await atumpan.call<{ id: string }>("/v1/sender/create", {
      name: "BOUTIQUE",
      description: "bench",
    });
    await atumpan.call(`/v1/admin/sender/${id}/accept`, {});
    return new Store(atumpan, id);
  }

  /** Adds what is missing to reach this size, and one campaign to every contact. */
  async grow({ messages, contacts }: Size, companies: number): Promise<Place> {
    const { companyId } = this.#atumpan;
    await this.#addCompanies(companies);
    await this.#addContacts(contacts);
    await this.#addGroups(companies === COMPANIES.few ? GROUPS.few : GROUPS.many);
    const large = await this.#addSends([companyId], 1, contacts);
    const sends = Math.max(0, Math.floor((messages - this.#messages) / MESSAGES_A_SEND));
    const ofOthers = Math.floor(sends / OTHERS_PART);
    await this.#addSends(this.#companies, ofOthers, MESSAGES_A_SEND);
    await this.#addSends([companyId], sends - ofOthers, MESSAGES_A_SEND);
    await this.#count();
    await this.#run(COUNTED);
    for (const table of TABLES.split(", ")) await this.#run(`VACUUM (ANALYZE) ${table}`);
    await this.#run("CHECKPOINT");
    return { campaignId: large, senderId: this.#senderId, contacts };
  }

  async #run(statement: string, values: unknown[] = []): Promise<void> {
    await this.#atumpan.database.query(statement, values);
  }

  async #addCompanies(count: number): Promise<void> {
    while (this.#companies.length < count - 1) {
      const { companyId } = await makeCompany(this.#atumpan.call, `Company ${this.#companies.length}`);
      const id = `'010000000000' || lpad(to_hex(number), 12, '0')`;
      await this.#run(
        `INSERT INTO contacts (company_id, id, phone, name) SELECT $1, ${id}, ${phone("number")}, 'Awa'
         FROM generate_series(1, ${CONTACTS_OF_OTHERS}) AS number`,
        [companyId],
      );
      this.#companies.push(companyId);
    }
  }

  async #addContacts(count: number): Promise<void> {
    await this.#run(
      `INSERT INTO contacts (company_id, id, phone, name, first_name, last_name)
       SELECT $1, '010000000000' || lpad(to_hex(number), 12, '0'), ${phone("number")}, 'Awa ' || number, 'Awa ' || number % 5003, 'K ' || number % 7919
       FROM generate_series($2::int, $3::int - 1) AS number`,
      [this.#atumpan.companyId, this.#contacts, count],
    );
    await this.#run(
      `INSERT INTO optouts (company_id, phone, source, created_at)
       SELECT $1, ${phone("number")}, 'HANDSET', now() - number * interval '1 second'
       FROM generate_series($2::int, $3::int - 1) AS number WHERE number % ${OPTOUTS_PART} = 7`,
      [this.#atumpan.companyId, this.#contacts, count],
    );
    this.#contacts = count;
  }

  async #addGroups(count: number): Promise<void> {
    await this.#run(
      `INSERT INTO groups (company_id, id, name)
       SELECT $1, '010000000000' || lpad(to_hex(number), 12, '0'), 'Groupe ' || number FROM generate_series($2::int, $3::int - 1) AS number`,
      [this.#atumpan.companyId, this.#groups, count],
    );
    this.#groups = count;
  }

  /** Adds finished sends of `size` messages each, to these companies in turn. Returns the id of the last one. */
  async #addSends(companies: readonly string[], count: number, size: number): Promise<string> {
    const until = this.#sends + count;
    while (this.#sends < until) {
      const next = Math.min(until, this.#sends + Math.max(1, MESSAGES_A_STATEMENT / size));
      const values = [this.#sends, next - 1, companies, size, this.#senderId];
      for (const statement of stored) await this.#run(statement, values);
      this.#messages += (next - this.#sends) * size;
      this.#sends = next;
    }
    return `010000000000${(until - 1).toString(16).padStart(12, "0")}`;
  }

  /** Writes the counts that the service's statements keep as they write. */
  async #count(): Promise<void> {
    await this.#run("DELETE FROM contact_counts");
    await this.#run(
      "INSERT INTO contact_counts SELECT company_id, count(*) FROM contacts GROUP BY company_id",
    );
  }
}

/** The n-th phone of `phoneOf`. */
function phone(number: string): string {
  return `'22507' || lpad((${number})::text, 7, '0') || '9'`;
}

const ID = `'010000000000' || lpad(to_hex(send), 12, '0')`;
const SENDS = `(SELECT send, ($3::text[])[1 + send % cardinality($3::text[])] AS company_id, $4::int AS size, $5::text AS sender_id
   FROM generate_series($1::bigint, $2::bigint) AS send) AS sends`;

/** Counts all campaigns anew, as the service counts each that it makes. */
export const COUNTED = `INSERT INTO campaign_counts (company_id, sender_id, campaigns)
   SELECT company_id, coalesce(sender_id, ''), count(*) FROM campaigns GROUP BY 1, 2
   ON CONFLICT (company_id, sender_id) DO UPDATE SET campaigns = excluded.campaigns`;

/**
 * The statements that store sends number $1 to $2 of companies $3 with $4 messages each. Every other one is from sender
 * $5.
 */
const stored = [
  `INSERT INTO campaigns (company_id, id, user_id, body, sender_id, sender_name, contact_count, credit_used)
   SELECT company_id, ${ID}, 'bench', '${TEXT}', CASE WHEN send % 2 = 0 THEN sender_id END, '${SENDER}', size, size FROM ${SENDS}`,
  `INSERT INTO sends (id, total, sent, delivered) SELECT ${ID}, size, size, size FROM ${SENDS}`,
  `INSERT INTO messages (account_id, send_id, number, phone, status, segments, price, operator_id, operator_message_id, sent_at, delivered_at)
   SELECT company_id, ${ID}, number, ${phone("(send * size + number) % 1000000")}, 'DELIVERED', 1, 1, 'bench', to_hex(send * 1000003 + number), now(), now()
   FROM ${SENDS}, generate_series(1, size) AS number`,
  `INSERT INTO holds (id, pool_id, total, captured) SELECT ${ID}, company_id, size, size FROM ${SENDS}`,
  `INSERT INTO entries (key, kind, from_pool, to_pool, amount)
   SELECT 'bench:' || send, 'capture', company_id, company_id, size FROM ${SENDS}`,
  `WITH taken AS (
     UPDATE pools SET available = available - amount, held_ever = held_ever + amount
     FROM (SELECT company_id, sum(size) AS amount FROM ${SENDS} GROUP BY company_id) AS sent
     WHERE id = company_id RETURNING company_id, amount
   )
   UPDATE pool_outcomes SET captured = captured + amount FROM taken WHERE pool_id = company_id`,
];
