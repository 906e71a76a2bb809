// All values that a master key has sealed, one line for each column.
import { sealedApiSecrets, sealedAppQueries, sealedTokens } from "./commerce/apps/apps.ts";
import { sealedLinks, sealedParts, sealedPhones } from "./compliance/privacy/privacy.ts";
import { sealedPasswords, sealedTlsKeys } from "./delivery/operators/operators.ts";
import { countSealedTexts } from "./delivery/sends/sends.ts";
import { sealedOldSecrets, sealedQueries, sealedSecrets } from "./events/webhooks/webhooks.ts";
import { sealedTotps } from "./identity/admins/admins.ts";
import { sealedMails } from "./messaging/notices/notices.ts";
import { sealedFileParts, sealedPreviews } from "./phonebook/imports/imports.ts";
import type { Query, Tx } from "./platform/database.ts";
import { sealedByKernel } from "./platform/keyring.ts";
import type { KeyCount, SealedColumn } from "./platform/sealed.ts";

/** The columns that a rotation seals again. */
export const sealedColumns: readonly SealedColumn[] = [
  ...sealedByKernel,
  sealedTotps,
  sealedPasswords,
  sealedTlsKeys,
  sealedSecrets,
  sealedOldSecrets,
  sealedQueries,
  sealedAppQueries,
  sealedApiSecrets,
  sealedTokens,
  sealedMails,
  sealedPhones,
  sealedParts,
  sealedLinks,
  sealedFileParts,
  sealedPreviews,
];

const counts: readonly (readonly [place: string, count: Query<KeyCount>])[] = [
  ...sealedColumns.map(({ table, column, count }) => [`${table}.${column}`, count] as const),
  ["texts in the queue", countSealedTexts],
];

export type SealedShare = { place: string; keyId: string; count: number };

/** Counts the values that each master key has sealed, by column. */
export async function countSealed(tx: Tx): Promise<SealedShare[]> {
  const all: SealedShare[] = [];
  for (const [place, query] of counts)
    for (const { key_id, count } of await tx.run(query)) all.push({ place, keyId: key_id, count });
  return all;
}
