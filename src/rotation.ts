// Everything that a master key has sealed, one line for each column.
import { sealedTotps } from "./admins/admins.ts";
import { sealedApiSecrets, sealedAppQueries, sealedTokens } from "./apps/apps.ts";
import { sealedFileParts, sealedPreviews } from "./imports/imports.ts";
import type { Query, Tx } from "./kernel/database.ts";
import { sealedByKernel } from "./kernel/keyring.ts";
import type { KeyCount, SealedColumn } from "./kernel/sealed.ts";
import { sealedMails } from "./notices/notices.ts";
import { sealedPasswords, sealedTlsKeys } from "./operators/operators.ts";
import { sealedLinks, sealedParts, sealedPhones } from "./privacy/privacy.ts";
import { countSealedTexts } from "./sends/sends.ts";
import { sealedOldSecrets, sealedQueries, sealedSecrets } from "./webhooks/webhooks.ts";

/** What is sealed again in a rotation. */
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

/** How many values each master key has sealed, place by place. */
export async function countSealed(tx: Tx): Promise<SealedShare[]> {
  const all: SealedShare[] = [];
  for (const [place, query] of counts)
    for (const { key_id, count } of await tx.run(query)) all.push({ place, keyId: key_id, count });
  return all;
}
