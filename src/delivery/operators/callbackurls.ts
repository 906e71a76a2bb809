// The address to which the carrier of an operator sends its callbacks.
import { type Static, Type } from "typebox";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { shape } from "../../platform/http/responseschemas.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { callbackUrlOf, newCallback, usable } from "./connectors.ts";
import * as sql from "./sql.ts";

const NOT_HTTP: Sentence = {
  fr: "seul un opérateur HTTP a une adresse des accusés de réception",
  en: "only an operator over HTTP has an address for delivery receipts",
};

/** The address to give to a carrier. */
export const CallbackAddress = shape("Callback", {
  url: member(Type.String(), {
    fr: "Adresse à donner au fournisseur",
    en: "Address to give to the carrier",
    sample: "https://sms.example.com/v1/carrier/<operatorId>/<secret>",
  }),
});
type CallbackAddress = Static<typeof CallbackAddress>;

type Sealed = Pick<Runtime, "secrets" | "publicUrl">;

/** Reads the address. Refuses `not-found`, and `conflict` for another kind or an unreadable secret. */
export async function readCallbackUrl(app: Sealed, db: Statements, id: string): Promise<CallbackAddress> {
  return callbackOf(app, await requireRow(db.run(sql.findKnown, [id]), "not-found"));
}

/** Replaces the secret of the address, and returns the new one. Refuses `not-found`, and `conflict` for another kind. */
export async function renewCallback(app: Sealed, tx: Tx, id: string): Promise<CallbackAddress> {
  const known = await requireRow(tx.run(sql.lockKnown, [id]), "not-found");
  requireHttp(known);
  const sealed = newCallback(app, id);
  await tx.run(sql.updateCallback, [id, sealed]);
  return callbackOf(app, { ...known, sealed_callback: sealed });
}

function callbackOf(app: Sealed, operator: sql.KnownRow): CallbackAddress {
  requireHttp(operator);
  return { url: usable(() => callbackUrlOf(app, operator)) };
}

function requireHttp({ kind }: sql.KnownRow): void {
  if (kind !== "http") refuseConflict("id", NOT_HTTP);
}
