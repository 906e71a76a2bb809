// The links of exports: each identifies the key that requested it, and stops working with it.
import type { KeyHolder } from "../../identity/accounts/callers.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { ExportRow } from "./exports.sql.ts";
import { tokenPlace } from "./parts.ts";
import type { Progress } from "./shapes.ts";

/** Returns the progress of an export, and the link for this reader. */
export function progressOf(app: Runtime, reader: KeyHolder, row: ExportRow): Progress {
  const isThere = row.sealed_token !== null && row.expires_at !== null;
  return {
    status: row.status,
    percent: row.percent,
    rows: row.row_count,
    bytes: row.byte_count,
    url: isThere ? urlOf(app, reader, row) : null,
    expiresAt: isThere ? row.expires_at : null,
    createdAt: row.created_at,
  };
}

function urlOf(
  app: Runtime,
  { keyDigest }: KeyHolder,
  { id, sealed_token: sealed }: Pick<ExportRow, "id" | "sealed_token">,
): string {
  const token = app.secrets.unseal(tokenPlace(id), sealed!);
  return `${app.publicUrl}/exports/${token}.${proofOf(app, id, keyDigest)}`;
}

const PROOF_CHARACTERS = 32;

/** Returns the part of a link that identifies the key that requested it. */
export function proofOf(app: Runtime, id: string, keyDigest: string): string {
  return app.secrets.digest("export-link", `${id} ${keyDigest}`).slice(0, PROOF_CHARACTERS);
}
