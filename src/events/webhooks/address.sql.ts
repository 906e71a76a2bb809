// The queries that seal the URLs of webhooks.

import { type Query, query } from "../../platform/database/query.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";

type UnsealedAddress = { id: string; url: string };

type FreshAddress = { id: string; old: string; url: string; sealedQuery: string | null };

/** A column of URLs whose queries are sealed in `sealed_query`, each bound to its row. */
export type AddressColumn = {
  readonly table: string;
  /** Lists the first $1 URLs that have an unsealed query. */
  readonly list: Query<UnsealedAddress>;
  /** Replaces old URLs, if they are still the same, by fresh ones with their sealed queries. */
  readonly update: Query<never, { fresh: readonly FreshAddress[] }>;
};

/** Returns the queries on a column of URLs in a folder's table, with an index of unsealed ones (migration 0146). */
export function addressColumn(folder: string, table: string, column: string): AddressColumn {
  return {
    table,
    list: query<UnsealedAddress>(
      `${folder}.listUnsealedAddresses`,
      `SELECT id, ${column} AS url FROM ${table} WHERE ${column} ~ '[?#].' AND ${column} !~ '[?#].*••••' ORDER BY id LIMIT $1`,
    ),
    update: query(
      `${folder}.updateUnsealedAddresses`,
      `UPDATE ${table} AS kept SET ${column} = fresh.url, sealed_query = fresh.sealed_query
       FROM $fresh(id text, old text, url text, sealed_query text) AS fresh (id, old, url, sealed_query)
       WHERE kept.id = ANY($fresh.id) AND kept.id = fresh.id AND kept.${column} = fresh.old`,
    ),
  };
}

export const endpointAddresses = addressColumn("webhooks", "webhook_endpoints", "url");
export const sealedQueries = sealedColumn("webhooks", "webhook_endpoints", "sealed_query");
