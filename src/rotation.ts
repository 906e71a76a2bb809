// All values that a master key has sealed, one line for each column.

import { sealedTokens } from "./commerce/apps/connections.sql.ts";
import { sealedApiSecrets, sealedAppQueries } from "./commerce/apps/sql.ts";
import { sealedTokens as sealedLinks, sealedParts } from "./compliance/privacy/exports.sql.ts";
import { sealedPhones } from "./compliance/privacy/sql.ts";
import { sealedPhoneMessages } from "./delivery/operators/phones.sql.ts";
import {
  sealedCallbacks,
  sealedConnectorFields,
  sealedPasswords,
  sealedTlsKeys,
} from "./delivery/operators/sql.ts";
import { countSealedTexts } from "./delivery/sends/queue/sealing.sql.ts";
import { sealedQueries } from "./events/webhooks/address.sql.ts";
import { sealedOldSecrets, sealedSecrets } from "./events/webhooks/sql.ts";
import { sealedTotps } from "./identity/admins/factors.sql.ts";
import { sealedMails } from "./messaging/notices/sql.ts";
import { sealedFileParts, sealedPreviews } from "./phonebook/imports/sql.ts";
import type { Query } from "./platform/database/query.ts";
import type { Tx } from "./platform/database/transaction.ts";
import { sealedByKernel } from "./platform/secrets/keyring.ts";
import type { KeyCount, SealedColumn } from "./platform/secrets/sealed.ts";

/** The columns that a rotation seals again. */
export const sealedColumns: readonly SealedColumn[] = [
  ...sealedByKernel,
  sealedTotps,
  sealedPasswords,
  sealedTlsKeys,
  sealedConnectorFields,
  sealedCallbacks,
  sealedPhoneMessages,
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
