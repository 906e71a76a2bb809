// Repeats: at every URL that changes something, a request with the header Idempotency-Key has its effect once.
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import type { Access } from "../database/database.ts";
import { one } from "../database/query.ts";
import * as sql from "../database/sql.ts";
import { CommitUnknown, type Tx } from "../database/transaction.ts";
import { networkOf, Rates } from "../limits/rates.ts";
import { type AnyDatabase, perRuntime, type Runtime, withDatabase } from "../runtime.ts";
import type { Fields } from "./body.ts";
import { Answer } from "./envelope.ts";
import { type IdempotentRequest, idempotencyOf, stillRunning } from "./idempotency.ts";
import { Refusal, refuse, type Sentence } from "./refusals.ts";
import type { Acting, Request } from "./routes.ts";

/** A request with a key, and the caller whose stored answers are counted. */
export type Repeatable = IdempotentRequest & { caller: string };

/**
 * Returns the key of a request. It is scoped to its credential and its path; for a caller without credentials, to its
 * network. Refuses `invalid-request` for a header that is not a valid key.
 */
export function repeatableOf(
  app: Runtime,
  request: Request,
  caller: unknown,
  body: Fields,
): Repeatable | undefined {
  if (request.headers["idempotency-key"] === undefined) return undefined;
  const by = nameOf(caller, request);
  // Here the body's own `idempotencyKey` is an unknown member, which gives a warning.
  const { idempotencyKey: _, ...rest } = body as { idempotencyKey?: unknown };
  const path = JSON.stringify([request.endpoint, request.params]);
  return { ...idempotencyOf(app, request, { caller: by, path }, rest)!, caller: by };
}

function nameOf(caller: unknown, { ip }: Request): string {
  const { by, companyId } = (caller ?? {}) as Partial<Acting> & { companyId?: string | null };
  if (!by) return JSON.stringify(["network", networkOf(ip)]);
  return JSON.stringify([by.kind, by.id, by.keyId, by.sessionId ?? null, companyId ?? null]);
}

/** Runs a route's operation with this runtime. */
type Run = (app: Runtime) => Promise<unknown>;

/** Returns the function that runs the operations of a route whose data has this schema. */
export function repeater(data: TSchema, isClaimedFirst: boolean) {
  let validator: Validator | undefined;
  const fits = (value: unknown) => {
    validator ??= Compile(data);
    return validator.Check(value);
  };
  /**
   * Returns the answer of `run`, or the first answer to the same request. The first transaction of the operation stores
   * the key, so neither is committed without the other; if the result of that transaction is the data of the answer, it
   * stores the answer too. With `isClaimedFirst` the key is stored before the operation begins, because it acts outside
   * of the database. A refusal is not stored. Refuses `idempotency-key-reused` for another body and if the first call
   * ended without an answer, `idempotency-in-progress` while the first call is running, and `too-many-requests` if too
   * many bytes were stored for the caller in too little time.
   */
  return async function answerRepeat(app: Runtime, idempotency: Repeatable, run: Run): Promise<unknown> {
    const known = await findAnswer(app, app.database, idempotency);
    if (known) return known;
    const keeping = new Keeping(app, idempotency, fits);
    try {
      if (isClaimedFirst) await keeping.claim();
      const result = await run(keeping.app);
      return (await keeping.finish(result)) ?? result;
    } catch (error) {
      if (error instanceof Known) return error.answer;
      if (error instanceof Refusal) await keeping.forget();
      throw error;
    }
  };
}

/** Stops an operation whose answer another request has stored meanwhile. */
class Known extends Error {
  readonly answer: Answer<unknown>;

  constructor(answer: Answer<unknown>) {
    super("the same request was answered meanwhile");
    this.answer = answer;
  }
}

/** One request with a key while its operation runs. */
class Keeping {
  /** The runtime of the operation: the first transaction that it commits stores the key. */
  readonly app: Runtime;
  readonly #app: Runtime;
  readonly #idempotency: Repeatable;
  readonly #fits: (data: unknown) => boolean;
  /** A transaction stores the key, or has stored it. */
  #isTaken = false;
  /** The content of the committed row; undefined without a row. */
  #kept: { text: string; sealed: string } | undefined;
  /** Why the operation must stop, although it may have caught the error. */
  #stop: Known | Refusal | undefined;

  constructor(app: Runtime, idempotency: Repeatable, fits: (data: unknown) => boolean) {
    this.#app = app;
    this.#idempotency = idempotency;
    this.#fits = fits;
    const around: Around = (access, work, limitMs) => this.#around(access, work, limitMs);
    this.app = withDatabase(app, aroundTransactions(app.database, around));
  }

  /** Stores the key before the operation begins. */
  claim(): Promise<void> {
    return this.#around(this.#app.database, async () => {});
  }

  /** Stores the answer, unless it is stored. Returns the first answer if another request has stored one. */
  async finish(result: unknown): Promise<Answer<unknown> | undefined> {
    if (this.#stop instanceof Known) return this.#stop.answer;
    if (this.#stop) throw this.#stop;
    if (result instanceof Refusal) return void (await this.forget());
    const text = textOf(result);
    if (this.#kept?.text === text) return undefined;
    const { id, body } = this.#idempotency;
    // The limit of stored bytes is not checked, because the effect can no longer be undone.
    const answer = await this.#seal(text);
    if (!this.#kept) await this.#app.database.run(sql.insertRepeat, [id, body, answer]);
    else
      await this.#app.database.run(sql.updateIdempotencyKey, [id, answer]).catch((error: Error) => {
        // The effect is committed, so the caller gets its answer. A repeat is refused because that answer was lost.
        this.#app.log.warn({ err: error }, "the answer to a request with a key was not kept");
      });
    return undefined;
  }

  /** Deletes the key, because the request was refused. */
  async forget(): Promise<void> {
    if (this.#kept) await this.#app.database.run(sql.deleteIdempotencyKey, [this.#idempotency.id]);
    this.#kept = undefined;
  }

  async #around<T>(
    access: Pick<Access, "transaction">,
    work: (tx: Tx) => Promise<T>,
    limitMs?: number,
  ): Promise<T> {
    if (this.#stop) throw this.#stop;
    if (this.#isTaken) return access.transaction(work, limitMs);
    this.#isTaken = true;
    let tried: Tried<T> | undefined;
    const attempt = async () => {
      const done = await access.transaction(async (tx) => {
        tried = await this.#keepIn(tx, work, tried);
        return tried;
      }, limitMs);
      if (done.kept) this.#kept = done.kept;
      else this.#isTaken = false;
      return done.result;
    };
    try {
      return await attempt().catch((error) => {
        // If the first try was committed, the database has its key.
        if (error instanceof CommitUnknown) return attempt();
        throw error;
      });
    } catch (error) {
      this.#isTaken = false;
      throw error;
    }
  }

  /** Runs the work of a transaction, and stores the key with it. `before` is an earlier try that may be committed. */
  async #keepIn<T>(tx: Tx, work: (tx: Tx) => Promise<T>, before: Tried<T> | undefined): Promise<Tried<T>> {
    const { id, body } = this.#idempotency;
    const lock = await one(tx, sql.lockIdempotencyKey, [id]);
    if (!lock.locked) throw this.#stopping(stillRunning(this.#app));
    const [row] = await tx.run(sql.findIdempotencyKey, [id]);
    if (row && before?.kept?.sealed === row.answer) return before;
    if (row) {
      const stop = await findAnswer(this.#app, tx, this.#idempotency).then(
        (answer) => new Known(answer!),
        (refusal: Refusal) => refusal,
      );
      throw this.#stopping(stop);
    }
    const result = await work(uncommitted(tx));
    if (result instanceof Refusal) return { result };
    const text = this.#dataFits(result) ? textOf(result) : NO_ANSWER;
    const waitSeconds = bytesKept(this.#app).waitOf(this.#idempotency.caller);
    if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
    const sealed = await this.#seal(text);
    await tx.run(sql.insertIdempotencyKey, [id, body, sealed]);
    return { result, kept: { text, sealed } };
  }

  #stopping<Stop extends Known | Refusal>(stop: Stop): Stop {
    this.#stop = stop;
    return stop;
  }

  #dataFits(result: unknown): boolean {
    const data = result instanceof Answer ? result.data : result;
    return data !== undefined && this.#fits(JSON.parse(JSON.stringify(data)));
  }

  async #seal(text: string): Promise<string> {
    const { id, caller } = this.#idempotency;
    const packed = text.length < PACKED_FROM ? text : PACKED + (await deflate(text)).toString("base64");
    bytesKept(this.#app).spend(caller, packed.length);
    return this.#app.secrets.seal({ table: "idempotency_keys", column: "answer", row: id }, packed);
  }
}

type Tried<T> = { result: T; kept?: { text: string; sealed: string } };

/** Stands for an answer that is not known yet; no JSON. */
const NO_ANSWER = "";
/** The prefix of a compressed answer; no JSON. 10,000 contacts take 1.9 MB, and 0.4 MB compressed (2026-11-26). */
const PACKED = "z";
const PACKED_FROM = 4_096;
const FASTEST = 1;
const UNPACKED_AT_MOST = 64 * 1024 * 1024;

async function deflate(text: string): Promise<Buffer> {
  return promisify<string, { level: number }, Buffer>(deflateRaw)(text, { level: FASTEST });
}

async function unpack(packed: string): Promise<string> {
  if (!packed.startsWith(PACKED)) return packed;
  const bytes = Buffer.from(packed.slice(PACKED.length), "base64");
  const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);
  return (await inflate(bytes, { maxOutputLength: UNPACKED_AT_MOST })).toString();
}

/** The bytes of stored answers of each caller: they stay in the database for 72 hours, paid or not. */
const bytesKept = perRuntime(({ config }) => {
  const { keptAnswerBytesPerSecond: perSecond, keptAnswerBytesAtOnce: burst } = config.limits;
  return new Rates({ perSecond, burst });
});

/** The parts of an answer that a repeat gets again. */
type Kept = { data: unknown; beside?: Record<string, unknown>; warnings?: Answer<unknown>["warnings"] };

function textOf(result: unknown): string {
  const { data, beside, warnings } = result instanceof Answer ? result : new Answer(result ?? null, {});
  const kept: Kept = {
    data,
    ...(Object.keys(beside).length > 0 && { beside }),
    ...(warnings.length > 0 && { warnings }),
  };
  return JSON.stringify(kept);
}

/**
 * Returns the answer that is stored for a key; undefined for a new key. Refuses `idempotency-key-reused` for another
 * body and for a call that must have ended without an answer, and `idempotency-in-progress`.
 */
async function findAnswer(
  app: Runtime,
  db: Pick<Tx, "run">,
  { id, body }: IdempotentRequest,
): Promise<Answer<unknown> | undefined> {
  const [row] = await db.run(sql.findRepeat, [id, ENDED_AFTER * app.config.limits.requestTimeoutMs]);
  if (!row) return undefined;
  if (row.body_digest !== body) refuse("idempotency-key-reused");
  const place = { table: "idempotency_keys", column: "answer", row: id };
  const text = await unpack(app.secrets.unseal(place, row.answer));
  if (text === NO_ANSWER) {
    if (!row.isOld) refuse("idempotency-in-progress");
    refuse("idempotency-key-reused", { details: [{ field: "Idempotency-Key", message: LOST }] });
  }
  const { data, beside = {}, warnings = [] } = JSON.parse(text) as Kept;
  return new Answer(data, beside, warnings);
}

/** After this many times the limit of a request, an unanswered one is considered to have ended without an answer. */
const ENDED_AFTER = 2;

const LOST: Sentence = {
  fr: "la première requête avec cette clé a peut-être été exécutée, mais sa réponse est perdue ; vérifiez, puis utilisez une autre clé",
  en: "the first request with this key may have been executed, but its response is lost; check, then use another key",
};

/** A transaction that its work cannot commit, because the key must be written after it. */
function uncommitted(tx: Tx): Tx {
  return {
    run: (query, ...given) => tx.run(query, ...given),
    onEnd: (hear) => tx.onEnd(hear),
    acknowledges: (all) => tx.acknowledges(all),
    commitNow() {},
  };
}

/** Runs a transaction in place of `access`. */
type Around = <T>(
  access: Pick<Access, "transaction">,
  work: (tx: Tx) => Promise<T>,
  limitMs?: number,
) => Promise<T>;

/** Returns a view of the database that runs each transaction through `around` and passes everything else on. */
function aroundTransactions(database: AnyDatabase, around: Around): AnyDatabase {
  return {
    node: database.node,
    get pool() {
      return database.pool;
    },
    run: (query, ...given) => database.run(query, ...given),
    runWithin: (limitMs, query, ...given) => database.runWithin(limitMs, query, ...given),
    ping: (limitMs) => database.ping(limitMs),
    hurry: () => database.hurry(),
    inOrder: () => database.inOrder(),
    snapshot: (work) => database.snapshot(work),
    close: () => database.close(),
    transaction: (work, limitMs) => around(database, work, limitMs),
    of(accountId) {
      const access = database.of(accountId);
      return { ...access, transaction: (work, limitMs) => around(access, work, limitMs) };
    },
  };
}
