// The queries that seal the URLs of webhooks.

import { type Query, query } from "../../platform/database/query.ts";
import { sealedColumn } from "../../platform/secrets/sealed.ts";

type UnsealedAddress = { id: string; url: string };

/** A column of URLs whose queries are sealed in `sealed_query`, each bound to its row. */
export type AddressColumn = {
  readonly table: string;
  /** Lists the first $1 URLs that have an unsealed query. */
  readonly list: Query<UnsealedAddress>;
  /** In the rows $1, replaces the URLs $2, if they are still the same, by $3 with the sealed queries $4. */
  readonly update: Query<never>;
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
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS fresh (id, old, url, sealed_query)
       WHERE kept.id = ANY($1) AND kept.id = fresh.id AND kept.${column} = fresh.old`,
    ),
  };
}

export const endpointAddresses = addressColumn("webhooks", "webhook_endpoints", "url");
export const sealedQueries = sealedColumn("webhooks", "webhook_endpoints", "sealed_query");
