// The queries of the audit log. Migration 0053 defines the functions for its months.
import { columnsOf } from "../../platform/database/columns.ts";
import { pagedQuery } from "../../platform/database/pages.ts";
import { query } from "../../platform/database/query.ts";
import type { Counted } from "../../platform/http/paging.ts";

/** The end of a chain. Entries up to `dropped` were dropped with their months. */
export type HeadRow = { chain: string; number: number; hash: string; lastId: string; dropped: number };

const HEAD = columnsOf(["chain", "number", "hash", "lastId", "dropped"]);

/** Locks the heads of these chains, in order, so that two writers do not deadlock. */
export const lockHeads = query<HeadRow>(
  "audit.lockHeads",
  `SELECT ${HEAD} FROM audit_heads WHERE chain = ANY($1::text[]) ORDER BY chain FOR UPDATE`,
);

export const insertHeads = query(
  "audit.insertHeads",
  "INSERT INTO audit_heads (chain) SELECT unnest($1::text[]) ORDER BY 1 ON CONFLICT DO NOTHING",
);

/** Lists the names of these actors as they are now; `position` counts from 1. */
export const listActorNames = query<
  { position: number; name: string | null },
  { actors: readonly { kind: string; id: string | null }[] }
>(
  "audit.listActorNames",
  `SELECT position, (SELECT name FROM actor_names known WHERE known.kind = actor.kind AND known.id = actor.id LIMIT 1) AS name
   FROM $actors(kind text, id text) WITH ORDINALITY AS actor (kind, id, position) ORDER BY position`,
);

/** An entry as it is stored. `before` and `after` are the bytes of their JSON. */
export type EntryRow = {
  id: string;
  chain: string;
  number: number;
  companyId: string | null;
  actorKind: string;
  actorId: string | null;
  keyId: string | null;
  actorName: string | null;
  address: string;
  action: string;
  thing: string;
  thingId: string | null;
  before: string | null;
  after: string | null;
  isCut: boolean;
  previous: string;
  hash: string;
  requestId: string | null;
};

/** Inserts entries, and moves the heads of their chains. */
export const insertEntries = query<never, { entries: readonly EntryRow[]; heads: readonly HeadRow[] }>(
  "audit.insertEntries",
  `WITH moved AS (
     UPDATE audit_heads SET number = last.number, hash = last.hash, last_id = last.last_id
     FROM $heads(chain text, number bigint, hash text, last_id text) AS last (chain, number, hash, last_id)
     WHERE audit_heads.chain = last.chain AND audit_heads.chain = ANY($heads.chain::text[])
   )
   INSERT INTO audit_log (id, chain, number, company_id, actor_kind, actor_id, key_id, actor_name, address, action, thing,
                          thing_id, before, after, is_cut, previous, hash, request_id)
   SELECT id, chain, number, company_id, actor_kind, actor_id, key_id, actor_name, address, action, thing,
          thing_id, before::json, after::json, is_cut, previous, hash, request_id
   FROM $entries(id text, chain text, number bigint, company_id text, actor_kind text, actor_id text, key_id text, actor_name text,
                 address text, action text, thing text, thing_id text, before text, after text, is_cut boolean, previous text,
                 hash text, request_id text)
     AS entry (id, chain, number, company_id, actor_kind, actor_id, key_id, actor_name, address, action, thing,
               thing_id, before, after, is_cut, previous, hash, request_id)`,
);

/** Waits until no other change of this thing ($1) that records its previous state is under way. */
export const lockThing = query(
  "audit.lockThing",
  "SELECT FROM pg_advisory_xact_lock(hashtextextended('audit ' || $1, 0))",
);

/** The members of an entry that its hash covers, in order; its request since 2026-11-27. */
export const HASHED = [
  ...[
    "id",
    "chain",
    "number",
    "companyId",
    "actorKind",
    "actorId",
    "keyId",
    "actorName",
    "address",
    "action",
  ],
  ...["thing", "thingId", "before", "after", "isCut", "previous"],
] as (keyof Omit<EntryRow, "hash">)[];

const ENTRY = columnsOf([...HASHED, "hash", "requestId"], { before: "before::text", after: "after::text" });

/** Only this many of the newest entries that match the first filter are searched. */
const SEEN_AT_MOST = 10_000;

type By = "all" | "byCompany" | "byActor" | "byAction";

/** The first filter, which an index serves. The others select among its results. */
const FIRST: Readonly<Record<By, string>> = {
  all: "true",
  byCompany: "company_id = $companyId",
  byActor: "actor_id = $actorId",
  byAction: "action = $action",
};

/** Which entries are listed; null matches all. `before` is an id. */
type Wanted = {
  companyId: string | null;
  actorId: string | null;
  action: string | null;
  before: string;
};

/** Selects the entries that are listed among the newest ones that match the first filter. */
const fitting = (by: By) => `FROM (
     SELECT id, company_id, actor_id, action FROM audit_log WHERE ${FIRST[by]} AND id < $before ORDER BY id DESC LIMIT ${SEEN_AT_MOST}
   ) newest
   WHERE ($companyId::text IS NULL OR company_id = $companyId) AND ($actorId::text IS NULL OR actor_id = $actorId)
     AND ($action::text IS NULL OR action = $action)`;

const listBy = (by: By) => ({
  ...pagedQuery<EntryRow, Wanted>(
    `audit.listEntries.${by}`,
    ["id"],
    ({ direction, seek, page }) =>
      `SELECT ${ENTRY} FROM audit_log
     WHERE id = ANY(ARRAY(SELECT id ${fitting(by)} AND ${seek} ${page})) ORDER BY id ${direction}`,
  ),
  count: query<Counted, Wanted>(`audit.countEntries ${by}`, `SELECT count(*) AS count ${fitting(by)}`),
});

export const listEntries = {
  all: listBy("all"),
  byCompany: listBy("byCompany"),
  byActor: listBy("byActor"),
  byAction: listBy("byAction"),
};

/** Lists the entries of a chain from a number up to another, `atMost` of them. */
export const listChain = query<EntryRow, { chain: string; from: number; to: number; atMost: number }>(
  "audit.listChain",
  `SELECT ${ENTRY} FROM audit_log WHERE chain = $chain AND number BETWEEN $from AND $to ORDER BY number, id LIMIT $atMost`,
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
