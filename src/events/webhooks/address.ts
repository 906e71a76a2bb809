// The URL of a webhook. Its query often contains a secret of the receiver (`?token=…`): it is sealed and shown masked.
import { MASK, maskedAddress, parted } from "../../platform/http/addresses.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { SealedPlace, Secrets } from "../../platform/secrets/secrets.ts";
import type { AddressColumn } from "./address.sql.ts";

/** A URL as it is stored and shown, with its query sealed; null: it has no query. */
export type SealedAddress = { url: string; sealedQuery: string | null };

/** Where the query of a URL is stored: with the endpoint, or with the application until it is approved. */
export function queryPlace(table: string, id: string): SealedPlace {
  return { table, column: "sealed_query", row: id };
}

/** Returns a masked URL as clients may send it back: some percent-encode the mask. */
function decoded(address: string): string {
  return address.replaceAll(/%E2%80%A2/gi, "•");
}

function isMasked(address: string): boolean {
  return parted(decoded(address))[1].includes(MASK);
}

/** Returns whether a given URL is the masked form of the stored one, which then stays unchanged. */
export function isStored(given: string, stored: string | null): boolean {
  return isMasked(given) && decoded(given) === stored;
}

/** Seals the query of a URL. Refuses `invalid-request` on `field` if the query is masked. */
export function sealAddress(secrets: Secrets, place: SealedPlace, url: string, field: string): SealedAddress {
  if (isMasked(url)) refuseField(field, MASKED);
  const query = parted(url)[1];
  return { url: maskedAddress(url), sealedQuery: query === "" ? null : secrets.seal(place, query) };
}

const MASKED = {
  fr: "contient des valeurs masquées (••••) : saisissez les vraies valeurs, ou laissez l’adresse telle qu’elle est affichée",
  en: "contains masked values (••••): enter the real values, or leave the address as it is shown",
};

/** Returns the whole URL, for a delivery. One that is not sealed yet (0146) is stored whole. */
export function wholeAddress(
  secrets: Secrets,
  place: SealedPlace,
  { url, sealedQuery }: SealedAddress,
): string {
  if (sealedQuery === null || !isMasked(url)) return url;
  return parted(url)[0] + secrets.unseal(place, sealedQuery);
}

const AT_ONCE = 500;
const STEPS_AT_MOST = 100;

/**
 * Seals the queries of URLs from before migration 0146, and of those that a process of an earlier version still writes.
 * It runs with each tick; when nothing is left, it reads empty indexes.
 */
export async function sealOldAddresses(
  app: Runtime,
  columns: readonly AddressColumn[],
  signal: AbortSignal,
): Promise<void> {
  for (const column of columns)
    for (let step = 0; step < STEPS_AT_MOST && !signal.aborted; step++)
      if ((await sealSome(app, column)) < AT_ONCE) break;
}

async function sealSome(app: Runtime, { table, list, update }: AddressColumn): Promise<number> {
  const rows = await app.database.run(list, [AT_ONCE]);
  const fresh = rows.map(({ id, url }) => ({
    id,
    old: url,
    ...sealAddress(app.secrets, queryPlace(table, id), url, "url"),
  }));
  if (rows.length > 0) await app.database.transaction((tx) => tx.run(update, { fresh }));
  return rows.length;
}
