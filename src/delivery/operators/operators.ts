// Mobile operators: which exist, which numbers they serve, and how an administrator changes that.
import { type Static, Type } from "typebox";
import { pageAmong, readListed, shownAs } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseTaken } from "../../platform/database/unique.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { named, OF_NO_ACCOUNT } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { changeOf, emptiable, Name, nullable, patterned } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { isTimeZone } from "../../protocol/smpp/donedate.ts";
import { CREDENTIAL_OCTETS } from "../../protocol/smpp/pdu.ts";
import { passwordPlace } from "./bind.ts";
import { connectorGiven } from "./connectors.ts";
import { carrierColumns, changesFit, membersFit, NO_CONNECTOR_COLUMNS } from "./kinds.ts";
import { findAnyPorted } from "./ported.sql.ts";
import { type Routing, routingOf, SIMULATED } from "./routing.ts";
import { requireSenderRule } from "./senderrules.ts";
import {
  chosenSettings,
  cString,
  phoneTermsOf,
  settingsChanged,
  settingsGiven,
  settingsOf,
} from "./settings.ts";
import { Operator, operatorMeanings } from "./shapes.ts";
import * as sql from "./sql.ts";
import { tlsChanged, tlsColumns, tlsGiven } from "./tls.ts";

const PREFIXES_AT_MOST = 1_000;
const WINDOW_AT_MOST = 1_000;
const TPS_AT_MOST = 100_000;
const PRIORITY_AT_MOST = 10_000;
const OVERFLOW_AFTER_S_AT_MOST = 86_400;
/** In the statements, this value means that messages never overflow, since null changes nothing there. */
const NEVER_S = -1;

const HOST = {
  fr: "doit être un nom d’hôte ou une adresse IP",
  en: "must be a host name or an IP address",
};
const PREFIX = {
  fr: "doit avoir 1 à 15 chiffres, sans + ni 0 initial, comme 22507",
  en: "must have 1 to 15 digits, without + or a leading 0, such as 22507",
};

/** For an unknown time zone. */
const NO_ZONE: Sentence = {
  fr: "n’est pas un fuseau horaire comme Africa/Lagos ou +01:00",
  en: "is not a time zone such as Africa/Lagos or +01:00",
};
const TimeZone = Type.String({ maxLength: 50 });
const Group = Type.String({ maxLength: 200 });

/** A new operator. The limits of the first three strings are those of our binds. */
export const OperatorInput = Type.Object({
  kind: member(Type.Optional(Operator.properties.kind), operatorMeanings.kind),
  ...connectorGiven,
  systemId: member(
    Type.Optional(cString(CREDENTIAL_OCTETS, { minLength: 1, ...named(OF_NO_ACCOUNT) })),
    operatorMeanings.systemId,
  ),
  // Some SMPP operators give no password: an empty one is a value.
  password: member(Type.Optional(cString(CREDENTIAL_OCTETS, { "x-empty": true })), {
    fr: "Mot de passe SMPP",
    en: "SMPP password",
  }),
  systemType: member(Type.Optional(cString(12)), operatorMeanings.systemType),
  name: Name,
  host: member(
    Type.Optional(patterned("^[A-Za-z0-9._:-]+$", HOST, { minLength: 1, maxLength: 253 })),
    operatorMeanings.host,
  ),
  port: member(Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })), operatorMeanings.port),
  tls: member(Type.Optional(Type.Boolean()), operatorMeanings.tls),
  ...tlsGiven,
  window: member(
    Type.Optional(Type.Integer({ minimum: 1, maximum: WINDOW_AT_MOST })),
    operatorMeanings.window,
  ),
  /** The maximum messages per second; 0: no limit. */
  tps: member(Type.Optional(Type.Integer({ minimum: 0, maximum: TPS_AT_MOST })), operatorMeanings.tps),
  /** No phone begins with 0, so no prefix does. */
  prefixes: member(
    Type.Array(patterned("^[1-9][0-9]{0,14}$", PREFIX), {
      minItems: 1,
      maxItems: PREFIXES_AT_MOST,
    }),
    operatorMeanings.prefixes,
  ),
  /** Lower values go first. */
  priority: member(
    Type.Optional(Type.Integer({ minimum: 0, maximum: PRIORITY_AT_MOST })),
    operatorMeanings.priority,
  ),
  enabled: Type.Optional(Type.Boolean()),
  /** Messages that have waited so many seconds for this operator go to the next one; null: never. */
  overflowAfterS: member(
    nullable(Type.Integer({ minimum: 1, maximum: OVERFLOW_AFTER_S_AT_MOST })),
    operatorMeanings.overflowAfterS,
  ),
  concatenation: Type.Optional(Operator.properties.concatenation),
  messageIdForm: Type.Optional(Operator.properties.messageIdForm),
  receiptTimeZone: member(Type.Optional(TimeZone), operatorMeanings.receiptTimeZone),
  plainReceipts: member(Type.Optional(Type.Boolean()), operatorMeanings.plainReceipts),
  /** Rows of one group are one account at the operator; by default, rows with the same host and systemId are. */
  operatorGroup: member(Type.Optional(Group), operatorMeanings.operatorGroup),
  ...settingsGiven,
});
export type OperatorInput = Static<typeof OperatorInput>;

/** The defaults of the members of `OperatorInput`, for the reference. The columns get theirs from `insertOperator`. */
export const operatorDefaults: Partial<Operator> = {
  kind: "smpp",
  connectorSettings: {},
  tls: false,
  window: 100,
  priority: 0,
  enabled: true,
  overflowAfterS: 60,
  concatenation: "udh8",
  messageIdForm: "as-is",
  plainReceipts: false,
  ...settingsOf({}),
};

/**
 * The members to change; the others stay. An empty `systemType`, `receiptTimeZone`, `operatorGroup` or TLS member is
 * removed, and an empty setting returns to its default.
 */
export const OperatorChanges = Type.Object({
  ...Type.Partial(OperatorInput).properties,
  systemType: member(emptiable(cString(12)), operatorMeanings.systemType),
  receiptTimeZone: member(emptiable(TimeZone), operatorMeanings.receiptTimeZone),
  operatorGroup: member(emptiable(Group), operatorMeanings.operatorGroup),
  ...tlsChanged,
  ...settingsChanged,
});
export type OperatorChanges = Static<typeof OperatorChanges>;

/**
 * Creates an operator; it is bound within a second. Refuses `conflict` for a name that another operator has, and
 * `invalid-request` for an error code that does not exist.
 */
export async function createOperator(
  tx: Tx,
  app: Pick<Runtime, "secrets">,
  input: OperatorInput,
): Promise<Operator> {
  if (input.name === SIMULATED) refuseConflict("name", NAME_RESERVED);
  zoneIsKnown(input.receiptTimeZone);
  membersFit(input);
  requireSenderRule(input);
  const id = newId();
  const columns = operatorColumns(app, id, { password: "", ...input }, tlsColumns(app, id, input));
  await nameIsFree(tx.run(sql.insertOperator, { ...columns, ...carrierColumns(app, id, input) }));
  return readOperator(tx, id);
}

/**
 * Reads one page of the operators, or of those with these ids, with the state that their binds last reported; one that
 * has reported nothing for 7 s is `DISCONNECTED`.
 */
export async function listOperators(
  db: Statements,
  { ids, ...page }: Page & { ids?: string[] | undefined },
): Promise<Listed<Operator>> {
  if (ids) return pageAmong((await db.run(sql.listShownAmong, [ids])).map(shownOf), page);
  return shownAs(readListed(db, sql.listShown, page, {}), shownOf);
}

/**
 * Changes an operator. Prefixes and priority count from now on; a change that its session depends on drains the session
 * and binds again. Refuses `not-found`, and otherwise like `createOperator`.
 */
export async function updateOperator(
  tx: Tx,
  app: Pick<Runtime, "secrets">,
  id: string,
  changes: OperatorChanges,
): Promise<Operator> {
  zoneIsKnown(changes.receiptTimeZone);
  const known = await readOperator(tx, id);
  // The simulated operator is found by its name when the process starts.
  const renamed = changes.name !== undefined && changes.name !== known.name;
  if (renamed && known.name === SIMULATED) refuseConflict("name", NAME_STAYS);
  if (renamed && changes.name === SIMULATED) refuseConflict("name", NAME_RESERVED);
  const kept = await requireRow(tx.run(sql.lockKnown, [id]), "not-found");
  changesFit(kept.kind, changes);
  requireSenderRule({ ...known, ...changes });
  const columns = operatorColumns(app, id, changes, tlsColumns(app, id, changes, kept));
  await nameIsFree(tx.run(sql.updateOperator, { ...columns, ...carrierColumns(app, id, changes, kept) }));
  return readOperator(tx, id);
}

/**
 * Holds an operator: its binds stay bound, and receipts and messages of handsets still arrive, but within a second
 * nothing more is taken or written over it. Queued messages go to other operators, as while it is not able; a text of
 * which it has a part is finished. A repeat changes nothing. Refuses `not-found`.
 */
export async function holdOperator(tx: Tx, id: string): Promise<Operator> {
  if ((await tx.run(sql.markHeld, [id])).length === 0) refuse("not-found");
  return readOperator(tx, id);
}

/** Resumes sending over an operator that is held. A repeat changes nothing. Refuses `not-found`. */
export async function resumeOperator(tx: Tx, id: string): Promise<Operator> {
  if ((await tx.run(sql.markResumed, [id])).length === 0) refuse("not-found");
  return readOperator(tx, id);
}

/**
 * Deletes an operator, and returns it as it was. Its sessions drain first; messages for its prefixes go to an operator
 * that serves a shorter one, and messages of unknown fate are sent again after the quarantine or expire. For 7 days
 * receipts for its messages may arrive by another operator of its account. Refuses `not-found`.
 */
export async function deleteOperator(tx: Tx, id: string): Promise<Operator> {
  const known = await readOperator(tx, id);
  await tx.run(sql.markDeleted, [id]);
  return known;
}

/** Sets which operators have a suspect route; all others have none. */
export async function markSuspects(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(sql.updateSuspects, [ids]);
}

/** Reads one operator with the state that its bind last reported. Refuses `not-found`. */
export async function readOperator(db: Statements, id: string): Promise<Operator> {
  return shownOf(await requireRow(db.run(sql.findShown, [id]), "not-found"));
}

function shownOf(row: sql.ShownRow): Operator {
  const { settings, paired_at, phone_name, seen_at, battery, charging, network, sent_today, ...operator } =
    row;
  if (operator.kind !== "phone") return { ...operator, ...settingsOf(settings), phone: null };
  const phone = { pairedAt: paired_at, name: phone_name, seenAt: seen_at, battery, charging, network };
  return {
    ...operator,
    ...settingsOf(settings),
    ...phoneTermsOf(settings),
    phone: { ...phone, sentToday: sent_today },
  };
}

/** Deletes operators permanently that were deleted 7 days ago. For a job. */
export async function forgetDeletedOperators(app: Runtime): Promise<void> {
  await app.database.run(sql.deleteRetired);
}

const NO_TLS: sql.TlsColumns = { tlsCa: null, tlsServerName: null, tlsCert: null, sealedTlsKey: null };

/** Returns the columns of a new operator or of a change. */
function operatorColumns(
  app: Pick<Runtime, "secrets">,
  id: string,
  input: OperatorChanges,
  tls = NO_TLS,
): sql.OperatorColumns {
  const { password, prefixes, overflowAfterS } = input;
  return {
    ...input,
    id,
    sealedPassword: password === undefined ? undefined : app.secrets.seal(passwordPlace(id), password),
    systemType: changeOf(input.systemType),
    prefixes: prefixes && [...new Set(prefixes)],
    receiptTimeZone: changeOf(input.receiptTimeZone),
    settings: chosenSettings(input),
    overflowAfterS: overflowAfterS === null ? NEVER_S : overflowAfterS,
    operatorGroup: changeOf(input.operatorGroup),
    ...NO_CONNECTOR_COLUMNS,
    ...tls,
    kind: input.kind,
  };
}

function zoneIsKnown(timeZone: string | null | undefined): void {
  if (timeZone && !isTimeZone(timeZone))
    refuse("invalid-request", { details: [{ field: "receiptTimeZone", message: NO_ZONE }] });
}

const NAME_TAKEN: Sentence = {
  fr: "un opérateur a déjà ce nom",
  en: "an operator already has this name",
};
const NAME_RESERVED: Sentence = {
  fr: "ce nom est réservé à l’opérateur simulé",
  en: "this name is reserved for the simulated operator",
};
const NAME_STAYS: Sentence = {
  fr: "l’opérateur simulé ne peut pas être renommé",
  en: "the simulated operator cannot be renamed",
};

/** Names are unique, because people identify operators by them. */
async function nameIsFree(writing: Promise<unknown>): Promise<void> {
  await refuseTaken(writing, "name", NAME_TAKEN);
}

// A change by another process counts within this time. Without the cache every send would read the same few rows.
const ROUTING_MS = 1_000;

const routing = perRuntime<{ readAt: number; current: Promise<Routing> | undefined }>(() => ({
  readAt: 0,
  current: undefined,
}));

/**
 * Returns the prefixes that are served now, and whether any number is ported, at most a second old. The longest match
 * wins; a number without a match is unroutable.
 */
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

/** Call it after the commit of a change: sends of this process apply it at once. */
export function forgetRouting(app: Runtime): void {
  routing(app).current = undefined;
}

/** Reads the current routing. A transaction reads it itself, since it must not wait for a second connection. */
export async function readRouting(db: Statements): Promise<Routing> {
  const [operators, ported] = await Promise.all([db.run(sql.listOperators), one(db, findAnyPorted)]);
  return routingOf(
    operators.filter((row) => row.enabled),
    { hasPorted: ported.any },
  );
}

/** The priority of the simulator: any real operator of the same prefix goes first. */
const LAST = 1_000;
const EVERY_PREFIX = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** Creates the simulated operator, or updates its port. It serves every number that no other operator serves. */
export async function connectSimulator(
  app: Runtime,
  address: { host: string; port: number; systemId: string; password: string },
): Promise<void> {
  await app.database.transaction(async (tx) => {
    const [known] = await tx.run(sql.findOperatorByName, [SIMULATED]);
    if (known)
      return tx.run(sql.updateOperator, operatorColumns(app, known.id, { ...address, enabled: true }));
    const made = { ...address, name: SIMULATED, prefixes: EVERY_PREFIX, priority: LAST };
    return tx.run(sql.insertOperator, operatorColumns(app, newId(), made));
  });
}

/** Disables a simulated operator that no longer runs; its messages wait for another operator. */
export async function disconnectSimulator(db: Statements): Promise<void> {
  await db.run(sql.disableOperator, [SIMULATED]);
}
