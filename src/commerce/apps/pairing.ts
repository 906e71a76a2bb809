// Pairing: an application shows a code; a person types it, scans it or follows a link, and approves or refuses.
import { randomInt } from "node:crypto";
import { Counter } from "prom-client";
import { emitEvent } from "../../events/webhooks/webhooks.ts";
import { type CompanyCaller, type KeyHolder, lockAsOwner } from "../../identity/accounts/callers.ts";
import { listAcceptedSenders, requireSender } from "../../phonebook/senders/choice.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { Refusal, refuse } from "../../platform/http/refusals.ts";
import { SharedRates } from "../../platform/limits/sharedrates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { ApplicationCaller } from "./callers.ts";
import * as sql from "./connections.sql.ts";
import { connectAccount, tokenOf } from "./connections.ts";
import type { Denied, Paired, Pairing, PairingDetails, PairingStatus } from "./shapes.ts";

// No look-alikes: 23 letters without I, L and O, and the digits 2 to 9. 10 of 31 are 49.5 bits, or 8.2 × 10^14 codes.
// The guesses of all accounts together are not limited, because unauthenticated callers could use up a limit and block
// pairing for everybody. So the code must withstand them: 10,000 companies that each guess 10 times in every hour,
// while all 1,000 codes of an application are pending, hit one in 900 years (10^5 × 10^3 / 8.2 × 10^14 = 1.2 × 10^-7 an
// hour). Codes of 8 characters would be hit each year. Each further application with 1,000 codes adds as much.
const ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const CODE_CHARACTERS = 10;
const PREFIX = "ATUMPAN_";

function newPairingCode(): string {
  return Array.from({ length: CODE_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Normalizes a code as people write it: in any case, with spaces or hyphens, or as in the QR code. */
export function normaliseCode(given: string): string {
  const code = given.toUpperCase().replace(/[\s-]/g, "");
  return code.startsWith(PREFIX) ? code.slice(PREFIX.length) : code;
}

const CODE = new RegExp(`^[${ALPHABET}]{${CODE_CHARACTERS}}$`);

/** Returns whether a normalized text has the form of a code. */
export function isPairingCode(text: string): boolean {
  return CODE.test(text);
}

/** Returns the content of a pairing's QR code. */
export function qrContentOf(code: string): string {
  return `${PREFIX}${code}`;
}

function digestPairingCode(app: Pick<Runtime, "secrets">, code: string): string {
  return app.secrets.digest("pairingCode", code);
}

/**
 * Begins the pairing of an external account and replaces the previous one: ten times an hour for each, while fewer than
 * 1,000 of the application are pending. Refuses `too-many-requests`.
 */
export async function beginPairing(
  tx: Tx,
  app: Runtime,
  caller: ApplicationCaller,
  externalAccountId: string,
): Promise<Pairing> {
  const code = newPairingCode();
  const { limits, settings } = app.config;
  await tx.run(sql.lockPairings, [caller.appId]);
  const begun = await one(tx, sql.upsertPairing, {
    appId: caller.appId,
    externalAccountId,
    codeDigest: digestPairingCode(app, code),
    lifetimeMs: settings.pairingLifetimeMs,
  });
  if (begun.begun > limits.pairingsPerHour)
    refuse("too-many-requests", { retryAfterSeconds: begun.seconds_left });
  const most = limits.pairingsPerApplication;
  const counted = await one(tx, sql.countWaiting, [caller.appId, most + 1]);
  if (counted.waiting > most) refuse("too-many-requests", { retryAfterSeconds: counted.seconds_left! });
  const parameters = new URLSearchParams({ code, app: caller.slug });
  return {
    pairingCode: code,
    expiresAt: begun.expires_at,
    qrContent: qrContentOf(code),
    link: `atumpan://pair?${parameters}`,
    universalLink: `${app.publicUrl}/pair?${parameters}`,
  };
}

/** Wrong pairing codes. Create it when the process starts, because Prometheus sees no increase in a first value. */
export const pairingMisses = perRuntime(
  (app) =>
    new Counter({
      name: "atumpan_pairing_misses_total",
      help: "Wrong pairing codes that were compared, of all accounts together.",
      registers: [app.metrics],
    }),
);

type LockedPairing = Awaited<ReturnType<typeof lockPairing>>;

async function lockPairing(tx: Tx, app: Runtime, code: string) {
  const [pairing] = await tx.run(sql.lockPairing, [digestPairingCode(app, normaliseCode(code))]);
  return pairing;
}

/**
 * Runs `work` on the pending pairing of a code. A try is counted as wrong before anything is compared, and uncounted if
 * it was right. After 10 wrong tries of an account in an hour, even the right code is refused. Returns
 * `pairing-code-invalid` for a wrong, used or expired code, and `too-many-requests`: a refusal that is returned instead
 * of thrown keeps the count.
 */
async function withPairing<Result>(
  tx: Tx,
  app: Runtime,
  caller: CompanyCaller,
  code: string,
  work: (pairing: NonNullable<LockedPairing>) => Promise<Result>,
): Promise<Result | Refusal> {
  const { companyId } = caller;
  const counted = await one(tx, sql.countMiss, [companyId]);
  if (counted.misses > app.config.limits.pairingMissesPerAccount) {
    app.log.warn({ companyId }, "too many wrong pairing codes");
    return new Refusal("too-many-requests", { retryAfterSeconds: counted.seconds_left });
  }
  const pairing = await lockPairing(tx, app, code);
  if (!pairing) {
    pairingMisses(app).inc();
    return new Refusal("pairing-code-invalid");
  }
  await tx.run(sql.uncountMiss, [companyId]);
  return work(pairing);
}

/** Returns what a person sees before approving: the application, expiry and senders. Refuses as `withPairing`. */
export function readPairing(
  tx: Tx,
  app: Runtime,
  caller: CompanyCaller,
  code: string,
): Promise<PairingDetails | Refusal> {
  return withPairing(tx, app, caller, code, async ({ name, slug, description, logo_url, expires_at }) => ({
    app: { name, slug, description, logoUrl: logo_url },
    expiresAt: expires_at,
    senders: await listAcceptedSenders(tx, caller.companyId),
  }));
}

/**
 * Approves a pairing: the caller's company pays for the application's messages. Without `senderId` the company's only
 * accepted sender is assigned; with null none is. Refuses as `withPairing`, and `sender-not-found`,
 * `sender-not-accepted`, `connection-conflict`; then the code stays pending.
 */
export function confirmPairing(
  tx: Tx,
  app: Runtime,
  caller: CompanyCaller,
  code: string,
  senderId: string | null | undefined,
): Promise<Paired | Refusal> {
  return withPairing(tx, app, caller, code, async ({ app_id, external_account_id }) => {
    const { companyId, userId } = caller;
    const account = { target: "company", accountId: companyId, companyId, userId } as const;
    const sender = await senderFor(tx, companyId, senderId);
    const connection = await connectAccount(tx, app, app_id, external_account_id, account, sender);
    const pairing = { appId: app_id, externalAccountId: external_account_id };
    await tx.run(sql.updatePairing, { ...pairing, status: "CONNECTED", connectionId: connection.id });
    const paired: Paired = {
      connectionId: connection.id,
      status: "CONNECTED",
      target: "company",
      senderAssigned: connection.senderId !== null,
    };
    // The token is added when the event is sent, so that no secret is queued.
    const data = { ...paired, externalAccountId: external_account_id };
    await emitEvent(tx, { endpointId: app_id, type: "connection.paired", data });
    return paired;
  });
}

/** Like `confirmPairing`, with a key, which must still be valid. Also refuses as `lockAsOwner`. */
export async function confirmByKey(
  tx: Tx,
  app: Runtime,
  caller: KeyHolder,
  code: string,
  senderId: string | undefined,
): Promise<Paired | Refusal> {
  await lockAsOwner(tx, caller);
  return confirmPairing(tx, app, caller, code, senderId);
}

async function senderFor(
  tx: Tx,
  companyId: string,
  senderId: string | null | undefined,
): Promise<string | null> {
  if (senderId === null) return null;
  if (senderId !== undefined) return (await requireSender(tx, companyId, senderId)).id;
  const [first, second] = await listAcceptedSenders(tx, companyId);
  return first && !second ? first.id : null;
}

/** Refuses a pairing: its code is used up. Refuses as `withPairing`. */
export function denyPairing(
  tx: Tx,
  app: Runtime,
  caller: CompanyCaller,
  code: string,
): Promise<Denied | Refusal> {
  return withPairing(tx, app, caller, code, async ({ app_id, external_account_id }) => {
    const pairing = { appId: app_id, externalAccountId: external_account_id };
    await tx.run(sql.updatePairing, { ...pairing, status: "DENIED", connectionId: null });
    return { status: "DENIED" } as const;
  });
}

/** Returns the object of a person's answer to a pairing for the audit log: the connection, if there is one. */
export function thingPaired(answer: Paired | Denied | Refusal): { kind: string; id: string | null } {
  const id = "connectionId" in answer ? answer.connectionId : null;
  return { kind: id === null ? "pairing" : "connection", id };
}

/** Polls of one external account: one in two seconds, with a small burst. */
const polls = perRuntime((app) => {
  const burst = app.config.limits.pairingPollsAtOnce;
  return new SharedRates(app, { name: "pairing polls", perSecond: 0.5, burst });
});

/** Counts a poll of an external account's pairing; refuses `too-many-requests`. The webhook is preferable. */
export async function takePoll(
  app: Runtime,
  caller: ApplicationCaller,
  externalAccountId: string,
): Promise<void> {
  const waitSeconds = await polls(app).take(`${caller.appId} ${externalAccountId}`);
  if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
}

function endedStatusOf({ status, expires_at }: sql.PairingRow): PairingStatus {
  return status === "DENIED" ? { status } : { status: "EXPIRED", expiresAt: expires_at };
}

/**
 * Returns the status of the newest pairing of an external account. If that one is not pending, a live connection comes
 * first, whether of this pairing, of an earlier one or of provisioning. Refuses `not-found` if there is none of these,
 * and `connection-revoked`.
 */
export async function readPairingStatus(
  db: Statements,
  app: Runtime,
  caller: ApplicationCaller,
  externalAccountId: string,
): Promise<PairingStatus> {
  const asked = [caller.appId, externalAccountId];
  const [pairing] = await db.run(sql.findPairing, asked);
  if (pairing?.status === "PENDING" && !pairing.expired)
    return { status: "PENDING", expiresAt: pairing.expires_at };
  const [paired] = pairing?.connection_id ? await db.run(sql.findConnection, [pairing.connection_id]) : [];
  const [live] = paired?.status === "CONNECTED" ? [paired] : await db.run(sql.findLive, asked);
  if (!live && pairing && pairing.status !== "CONNECTED") return endedStatusOf(pairing);
  const connection = live ?? paired;
  if (!connection) refuse("not-found");
  if (connection.status === "REVOKED") refuse("connection-revoked");
  return { status: "CONNECTED", connectionId: connection.id, connectionToken: tokenOf(app, connection) };
}

const STEPS = { atOnce: 5_000, most: 100 };

/** Deletes pairings, wrong codes and daily spending that are no longer needed. Run by a job. */
export async function forgetOldPairings(app: Runtime, signal?: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOldPairings, [], STEPS, signal);
  await app.database.run(sql.deleteOldMisses);
  await app.database.run(sql.deleteOldDays);
}
