// Operators: which mobile operators exist, which numbers they serve, and how an administrator changes that.
import { type Static, Type } from "typebox";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import { refuse } from "../kernel/refusals.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { type Listed, Name, offsetOf, type Page } from "../kernel/schemas.ts";
import { passwordPlace } from "./bind.ts";
import { Routing } from "./routing.ts";
import * as sql from "./sql.ts";

export type { Link, LinkUser, Traffic } from "./bind.ts";
export { nameOfStatus, SILENCE_MS, type Verdict, verdictOf } from "./codes.ts";
export { keepOperatorsBound } from "./keeper.ts";
export type { Routing } from "./routing.ts";
export type { OperatorRow } from "./sql.ts";

const PREFIXES_AT_MOST = 1_000;
const WINDOW_AT_MOST = 1_000;
const TPS_AT_MOST = 100_000;
const PRIORITY_AT_MOST = 10_000;

/** A C-octet string of SMPP 3.4, section 3.1, that a keyboard can type; `octets` without the NUL at its end. */
function cString(octets: number, atLeast = 0) {
  return Type.String({ minLength: atLeast, maxLength: octets, pattern: "^[ -~]*$" });
}

/** What an administrator says of an operator. The limits of the first three strings are those of a bind, section 4.1.5. */
export const OperatorInput = Type.Object({
  systemId: cString(15, 1),
  password: cString(8),
  systemType: Type.Optional(cString(12)),
  name: Name,
  host: Type.String({ minLength: 1, maxLength: 253, pattern: "^[A-Za-z0-9._:-]+$" }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  tls: Type.Optional(Type.Boolean()),
  window: Type.Optional(Type.Integer({ minimum: 1, maximum: WINDOW_AT_MOST })),
  /** Messages per second at most; 0: no limit. */
  tps: Type.Optional(Type.Integer({ minimum: 0, maximum: TPS_AT_MOST })),
  /** No phone begins with 0, so no prefix does. */
  prefixes: Type.Array(Type.String({ pattern: "^[1-9][0-9]{0,14}$" }), {
    minItems: 1,
    maxItems: PREFIXES_AT_MOST,
  }),
  /** Lower values go first. */
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: PRIORITY_AT_MOST })),
  enabled: Type.Optional(Type.Boolean()),
  concatenation: Type.Optional(Type.Enum(["udh8", "udh16", "sar", "payload"])),
  messageIdForm: Type.Optional(Type.Enum(["as-is", "hex-to-decimal", "decimal-to-hex"])),
});
export type OperatorInput = Static<typeof OperatorInput>;
/** What is to change; the rest stays. */
export const OperatorChanges = Type.Partial(OperatorInput);
export type OperatorChanges = Static<typeof OperatorChanges>;

const SIMULATED = "simulator";

/** Makes an operator; it is bound within a second. Refuses `conflict` for a name that another operator has. */
export async function createOperator(
  tx: Tx,
  app: Pick<Runtime, "secrets">,
  input: OperatorInput,
): Promise<sql.Operator> {
  if (input.name === SIMULATED) refuse("conflict");
  const id = newId();
  await nameIsFree(tx.run(sql.insertOperator, valuesOf(app, id, input)));
  return (await tx.run(sql.findShown, [id]))[0]!;
}

/** All operators with what their binds last said of themselves, at most 3 s old. */
export async function listOperators(tx: Tx, page: Page): Promise<Listed<sql.Operator>> {
  const [operators, [total]] = await Promise.all([
    tx.run(sql.listShown[page.sort ?? "desc"], [page.limit, offsetOf(page)]),
    tx.run(sql.countShown),
  ]);
  return { rows: operators, totalCount: total!.count };
}

/**
 * Changes an operator. Prefixes and priority count from now on; a change of anything that its session depends on drains
 * the session and binds anew. Refuses `not-found`, and `conflict` for a name that another operator has.
 */
export async function updateOperator(
  tx: Tx,
  app: Pick<Runtime, "secrets">,
  id: string,
  changes: OperatorChanges,
): Promise<sql.Operator> {
  const known = await findOperator(tx, id);
  // The simulated operator is found again by its name when the process starts.
  const renamed = changes.name !== undefined && changes.name !== known.name;
  if (renamed && (changes.name === SIMULATED || known.name === SIMULATED)) refuse("conflict");
  await nameIsFree(tx.run(sql.updateOperator, valuesOf(app, id, changes)));
  return findOperator(tx, id);
}

/**
 * Deletes an operator, and returns it as it was. Its session drains first; what waits for its prefixes goes to whoever
 * serves a shorter one, and what is of unknown fate is sent again after the quarantine or expires. Refuses `not-found`.
 */
export async function deleteOperator(tx: Tx, id: string): Promise<sql.Operator> {
  const known = await findOperator(tx, id);
  await tx.run(sql.markDeleted, [id]);
  return known;
}

async function findOperator(tx: Tx, id: string): Promise<sql.Operator> {
  const [operator] = await tx.run(sql.findShown, [id]);
  return operator ?? refuse("not-found");
}

/** The values of `insertOperator` and `updateOperator`; what was not said is null. */
function valuesOf(app: Pick<Runtime, "secrets">, id: string, input: OperatorChanges): unknown[] {
  const { password, prefixes } = input;
  return [
    id,
    input.name,
    input.host,
    input.port,
    input.tls,
    input.systemId,
    password === undefined ? undefined : app.secrets.seal(passwordPlace(id), password),
    input.systemType,
    input.window,
    input.tps,
    prefixes && [...new Set(prefixes)],
    input.priority,
    input.enabled,
    input.concatenation,
    input.messageIdForm,
  ];
}

const UNIQUE_VIOLATION = "23505";

/** Names are what people tell operators apart by: no two have the same. */
async function nameIsFree(writing: Promise<unknown>): Promise<void> {
  await writing.catch((error: Error & { code?: unknown }) => {
    if (error.code === UNIQUE_VIOLATION) refuse("conflict");
    throw error;
  });
}

// What another process changed counts within this time; every send would read the same few rows otherwise.
const ROUTING_MS = 1_000;

const routing = perRuntime<{ readAt: number; current: Promise<Routing> | undefined }>(() => ({
  readAt: 0,
  current: undefined,
}));

/** Which prefixes are served now, at most a second old; the longest match wins, none means unroutable. */
export function currentRouting(app: Runtime): Promise<Routing> {
  const known = routing(app);
  if (!known.current || performance.now() - known.readAt > ROUTING_MS) {
    known.readAt = performance.now();
    known.current = readRouting(app.database);
    known.current.catch(() => {
      known.current = undefined;
    });
  }
  return known.current;
}

/** To be called after the commit of a change: sends of this process follow it at once. */
export function forgetRouting(app: Runtime): void {
  routing(app).current = undefined;
}

/** The same as of now, inside a transaction, which must not wait for a second connection. */
export async function readRouting(tx: Tx): Promise<Routing> {
  return new Routing((await tx.run(sql.listOperators)).filter((row) => row.enabled));
}

/** Any real operator of the same prefix comes before it. */
const LAST = 1_000;
const EVERY_PREFIX = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** Makes the simulated operator known, or follows it to its new port. It serves every number that nobody else does. */
export async function connectSimulator(
  app: Runtime,
  address: { host: string; port: number; systemId: string; password: string },
): Promise<void> {
  await app.database.transaction(async (tx) => {
    const [known] = await tx.run(sql.findOperatorByName, [SIMULATED]);
    if (known) return tx.run(sql.updateOperator, valuesOf(app, known.id, { ...address, enabled: true }));
    const made = { ...address, name: SIMULATED, prefixes: EVERY_PREFIX, priority: LAST };
    return tx.run(sql.insertOperator, valuesOf(app, newId(), made));
  });
}

/** Forgets the way to a simulated operator that no longer runs; messages for it wait for another operator. */
export async function disconnectSimulator(tx: Tx): Promise<void> {
  await tx.run(sql.disableOperator, [SIMULATED]);
}
