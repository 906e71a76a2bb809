// The queries of the audit log. Migration 0053 defines the functions that they call.

import { pagedList } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";

/** The end of a chain. Entries up to `dropped` were dropped with their months. */
export type HeadRow = { chain: string; number: number; hash: string; last_id: string; dropped: number };

const HEAD = "chain, number, hash, last_id, dropped";

/** Locks the heads of these chains, in order, so that two writers do not deadlock. */
export const lockHeads = query<HeadRow>(
  "audit.lockHeads",
  `SELECT ${HEAD} FROM audit_heads WHERE chain = ANY($1::text[]) ORDER BY chain FOR UPDATE`,
);

export const insertHeads = query(
  "audit.insertHeads",
  "INSERT INTO audit_heads (chain) SELECT unnest($1::text[]) ORDER BY 1 ON CONFLICT DO NOTHING",
);

/** Lists the names of these actors, by kinds and ids; `position` counts from 1. */
export const listActorNames = query<{ position: number; name: string | null }>(
  "audit.listActorNames",
  `SELECT position, name_of_actor(kind, id) AS name
   FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS actor (kind, id, position) ORDER BY position`,
);

/** Inserts entries as columns, and moves the heads of their chains to the numbers, hashes and ids ($19 to $22). */
export const insertEntries = query(
  "audit.insertEntries",
  `WITH moved AS (
     UPDATE audit_heads SET number = last.number, hash = last.hash, last_id = last.id
     FROM unnest($19::text[], $20::bigint[], $21::text[], $22::text[]) AS last (chain, number, hash, id)
     WHERE audit_heads.chain = last.chain AND audit_heads.chain = ANY($19::text[])
   )
   INSERT INTO audit_log (id, chain, number, company_id, actor_kind, actor_id, key_id, actor_name, address, action, thing,
                          thing_id, before, after, is_cut, previous, hash, request_id)
   SELECT id, chain, number, company_id, actor_kind, actor_id, key_id, actor_name, address, action, thing,
          thing_id, before::json, after::json, is_cut, previous, hash, request_id
   FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
               $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::boolean[], $16::text[], $17::text[],
               $18::text[])
     AS entry (id, chain, number, company_id, actor_kind, actor_id, key_id, actor_name, address, action, thing,
               thing_id, before, after, is_cut, previous, hash, request_id)`,
);

/** Waits until no other change of this thing ($1) that records its previous state is under way. */
export const lockThing = query(
  "audit.lockThing",
  "SELECT FROM pg_advisory_xact_lock(hashtextextended('audit ' || $1, 0))",
);

/** An entry as it is stored. `before` and `after` are the bytes of their JSON. */
export type EntryRow = {
  id: string;
  chain: string;
  number: number;
  company_id: string | null;
  actor_kind: string;
  actor_id: string | null;
  key_id: string | null;
  actor_name: string | null;
  address: string;
  action: string;
  thing: string;
  thing_id: string | null;
  before: string | null;
  after: string | null;
  is_cut: boolean;
  previous: string;
  hash: string;
  request_id: string | null;
};

const ENTRY = `id, chain, number, company_id, actor_kind, actor_id, key_id, actor_name, address, action, thing,
          thing_id, before::text, after::text, is_cut, previous, hash, request_id`;

/** Only this many of the newest entries that match the first filter are searched. */
const SEEN_AT_MOST = 10_000;

type By = "all" | "byCompany" | "byActor" | "byAction";

/** The first filter, which an index serves. The others select among its results. */
const FIRST: Readonly<Record<By, string>> = {
  all: "true",
  byCompany: "company_id = $1",
  byActor: "actor_id = $2",
  byAction: "action = $3",
};

/** Selects, of the newest entries before the id $4, those of company $1, actor $2 and action $3; null matches all. */
const fitting = (by: By) => `FROM (
     SELECT id, company_id, actor_id, action FROM audit_log WHERE ${FIRST[by]} AND id < $4 ORDER BY id DESC LIMIT ${SEEN_AT_MOST}
   ) newest
   WHERE ($1::text IS NULL OR company_id = $1) AND ($2::text IS NULL OR actor_id = $2) AND ($3::text IS NULL OR action = $3)`;

const countBy = (by: By) =>
  query<{ count: number }>(`audit.countEntries ${by}`, `SELECT count(*) AS count ${fitting(by)}`);

const listBy = (by: By) =>
  pagedList<EntryRow>(
    `audit.listEntries.${by}`,
    { by: ["id"], at: 5 },
    ({ direction, seek, page }) =>
      `SELECT ${ENTRY} FROM audit_log
     WHERE id = ANY(ARRAY(SELECT id ${fitting(by)} AND ${seek} ${page})) ORDER BY id ${direction}`,
  );

const queriesBy = (by: By) => ({ count: countBy(by), ...listBy(by) });

/** Lists a page of $5 entries after the first $6, and counts those on all pages. */
export const listEntries = {
  all: queriesBy("all"),
  byCompany: queriesBy("byCompany"),
  byActor: queriesBy("byActor"),
  byAction: queriesBy("byAction"),
};

/** Lists the entries of a chain ($1) from a number ($2) up to another ($3), $4 at most. */
export const listChain = query<EntryRow>(
  "audit.listChain",
  `SELECT ${ENTRY} FROM audit_log WHERE chain = $1 AND number BETWEEN $2 AND $3 ORDER BY number, id LIMIT $4`,
);

export const findHead = query<HeadRow>("audit.findHead", `SELECT ${HEAD} FROM audit_heads WHERE chain = $1`);

/** Lists the heads of up to $2 chains after $1. */
export const listHeads = query<HeadRow>(
  "audit.listHeads",
  `SELECT ${HEAD} FROM audit_heads WHERE chain > $1 ORDER BY chain LIMIT $2`,
);

/** Returns the next chain after $1 that has entries. */
export const findNextChain = query<{ chain: string }>(
  "audit.findNextChain",
  "SELECT chain FROM audit_log WHERE chain > $1 ORDER BY chain LIMIT 1",
);

export const makeMonths = query("audit.makeMonths", "SELECT FROM make_audit_months()");

/** Drops the months that ended more than $1 months ago. */
export const dropMonths = query<{ months: string[] }>(
  "audit.dropMonths",
  "SELECT drop_audit_months($1) AS months",
);
