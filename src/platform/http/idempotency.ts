// Idempotency: a request with a key has its effect once, however often it is repeated.
import { type Static, Type } from "typebox";
import type { Access } from "../database/database.ts";
import { one } from "../database/query.ts";
import { commitsWait } from "../database/silentstandby.ts";
import * as sql from "../database/sql.ts";
import { CommitUnknown, type Tx } from "../database/transaction.ts";
import type { Runtime } from "../runtime.ts";
import type { SealedPlace } from "../secrets/secrets.ts";
import { refuseField } from "./fielderrors.ts";
import { member } from "./meanings.ts";
import { Refusal, refuse } from "./refusals.ts";
import type { Request } from "./routes.ts";
import { patterned } from "./schemas.ts";

const KEY = "^[A-Za-z0-9._:-]{1,255}$";
const KEY_SENTENCE = {
  fr: "doit avoir 1 à 255 caractères parmi A-Z a-z 0-9 . _ : -",
  en: "must have 1 to 255 characters from A-Z a-z 0-9 . _ : -",
};

/** The member of a body that holds the key. The header `Idempotency-Key` may hold it instead. */
export const IdempotencyKey = member(Type.Optional(patterned(KEY, KEY_SENTENCE)), {
  fr: "Clé d’idempotence de votre choix. La même requête, répétée dans les 72 h, n’a d’effet qu’une fois",
  en: "Idempotency key of your choice. The same request, repeated within 72 h, takes effect only once",
});

/** A request with a key. `id` is a digest of caller, operation and key; `body` is a digest of the rest of its body. */
export type IdempotentRequest = { id: string; body: string };

/** Whether a request may have an idempotency key; `idempotencyOf` reads it. */
export function hasKey(request: Request, body: { readonly idempotencyKey?: unknown }): boolean {
  return request.headers["idempotency-key"] !== undefined || body.idempotencyKey !== undefined;
}

/**
 * Returns the key of a request, if it has one. The key is scoped to `caller`, which is the credential, and to `path`,
 * which is the operation. Refuses `invalid-request` for a header that is not a valid key, or that differs from the key
 * in the body.
 */
export function idempotencyOf(
  app: Runtime,
  request: Request,
  scope: { caller: string; path: string },
  body: { readonly idempotencyKey?: Static<typeof IdempotencyKey> },
): IdempotentRequest | undefined {
  const header = request.headers["idempotency-key"];
  if (header !== undefined && (typeof header !== "string" || !new RegExp(KEY).test(header))) {
    refuseField("Idempotency-Key", KEY_SENTENCE);
  }
  const {
    idempotencyKey = header,
    apiKey,
    adminKey,
    serverApiKey,
    connectionToken,
    apiSecret,
    ...rest
  } = body as Record<string, unknown>;
  if (idempotencyKey === undefined) return undefined;
  if (header !== undefined && header !== idempotencyKey)
    refuseField("idempotencyKey", { fr: "diffère de l’en-tête", en: "differs from the header" });
  const { caller, path } = scope;
  return {
    id: app.secrets.digest("idempotency", [caller, path, idempotencyKey].join("\n")),
    body: app.secrets.digest("idempotency-body", JSON.stringify(rest, sortMembers)),
  };
}

/** For JSON.stringify: sorts the members of each object, because a repeated body may have them in another order. */
function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Runs `work` in a transaction, once per key. A repeat gets the first answer again and has no effect. The answer is
 * stored in the transaction of the effect, so that neither exists without the other. A refusal is not stored. Refuses
 * `idempotency-key-reused` for another body, and `idempotency-in-progress` while the first call is still running.
 * `database` may be one account's view of it.
 */
export async function runOnce<Data>(
  app: Runtime,
  idempotency: IdempotentRequest | undefined,
  work: (tx: Tx) => Promise<Data>,
  database: Pick<Access, "transaction"> = app.database,
): Promise<Data> {
  if (!idempotency) return database.transaction(work);
  try {
    return await database.transaction((tx) => workOnce(app, tx, idempotency, work));
  } catch (error) {
    // If the first try was committed, the database has its answer. If not, `work` runs again.
    if (!(error instanceof CommitUnknown)) throw error;
    return database.transaction((tx) => workOnce(app, tx, idempotency, work));
  }
}

/**
 * Runs `check`, which may refuse the request, and then `run` with its result. If the check refuses a repeat, the
 * repeat still gets the first answer: the date of the request may have passed since, or its sender may be gone.
 */
export async function checkedIdempotency<Checked, Data>(
  app: Runtime,
  idempotency: IdempotentRequest | undefined,
  check: () => Checked | Promise<Checked>,
  run: (checked: Checked) => Promise<Data>,
): Promise<Data> {
  let checked: Checked;
  try {
    checked = await check();
  } catch (refusal) {
    const [known] = idempotency ? await app.database.run(sql.findIdempotencyKey, [idempotency.id]) : [];
    if (!idempotency || !known) throw refusal;
    return answerOf(app, idempotency, known);
  }
  return run(checked);
}

/** Returns the answer that was stored for a key. Refuses `idempotency-key-reused` for another body. */
function answerOf<Data>(app: Runtime, idempotency: IdempotentRequest, known: sql.KeptAnswer): Data {
  if (known.body_digest !== idempotency.body) refuse("idempotency-key-reused");
  return JSON.parse(app.secrets.unseal(placeOf(idempotency), known.answer)) as Data;
}

/** The place of a stored answer. It is sealed, because it may contain a secret, such as a one-time password's token. */
function placeOf(idempotency: IdempotentRequest): SealedPlace {
  return { table: "idempotency_keys", column: "answer", row: idempotency.id };
}

async function workOnce<Data>(
  app: Runtime,
  tx: Tx,
  idempotency: IdempotentRequest,
  work: (tx: Tx) => Promise<Data>,
): Promise<Data> {
  const lock = await one(tx, sql.lockIdempotencyKey, [idempotency.id]);
  if (!lock.locked) throw stillRunning(app);
  const [known] = await tx.run(sql.findIdempotencyKey, [idempotency.id]);
  if (known) return answerOf(app, idempotency, known);
  const data = await work(tx);
  if (!(data instanceof Refusal)) {
    const answer = app.secrets.seal(placeOf(idempotency), JSON.stringify(data));
    await tx.run(sql.insertIdempotencyKey, [idempotency.id, idempotency.body, answer]);
  }
  return data;
}

/**
 * Returns the refusal for a repeat while the first call holds its key: that call is running, or its COMMIT waits for a
 * standby that may be away for long.
 */
export function stillRunning(app: Runtime): Refusal {
  return new Refusal(commitsWait(app) ? "service-unavailable" : "idempotency-in-progress");
}

/** Deletes stored answers that are older than their lifetime. A job runs it. */
export async function forgetOldKeys(app: Runtime): Promise<void> {
  await app.database.run(sql.deleteOldIdempotencyKeys, [app.config.settings.idempotencyLifetimeMs]);
}
