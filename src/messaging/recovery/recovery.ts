// Recovery: the decision of an administrator when the database may have lost what was sent, and its execution.
import { matchAllOrphans } from "../../delivery/gateway/orphans.ts";
import {
  countInDoubt,
  hasInDoubt,
  markHeldForReviewInDoubt,
  markQueueInDoubt,
  settleSomeInDoubt,
} from "../../delivery/sends/settlement/indoubt.ts";
import {
  decideIncarnation,
  lockIncarnation,
  readIncarnation,
  settleIncarnation,
} from "../../platform/database/decisions.ts";
import type { IncarnationRow } from "../../platform/database/incarnations.sql.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict, refuseField } from "../../platform/http/fielderrors.ts";
import { BODY, type Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { queueLargeSends } from "../campaigns/runs.ts";
import { readForgotten } from "./forgotten.ts";
import type { Recovery } from "./shapes.ts";
import { isSubmittedKnown, readGateways, submittedIn } from "./submitted.ts";

/** Returns the current incarnation of the database, whether sending is held, and how much awaits a decision. */
export async function readRecovery(db: Statements): Promise<Recovery> {
  const row = await readIncarnation(db);
  const [messages, forgotten, gateways] = await Promise.all([
    row.messages ?? countInDoubt(db),
    readForgotten(db, row.number),
    readGateways(db, row.number),
  ]);
  return {
    state: row.state,
    incarnation: row.number,
    reason: row.reason,
    heldAt: row.reason === null ? null : row.made_at,
    lastSeenAt: row.last_beat_at,
    messages,
    ...forgotten,
    decision: row.decision,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    since: row.since,
    submittedOnly: row.submitted_only,
    gateways,
  };
}

const GIVEN_UP: Sentence = {
  fr: "il a déjà été décidé de ne pas renvoyer les messages en attente",
  en: "it was already decided not to send the queued messages again",
};
const NOT_HELD_NOW: Sentence = {
  fr: "l’envoi n’est pas suspendu ; il n’y a rien à décider",
  en: "sending is not on hold; there is nothing to decide",
};

/**
 * Resumes the sending of all queued messages, whether they were sent before or not. Returns how many may be sent twice.
 * Safe to repeat. Refuses `conflict` once it was decided not to send them again.
 */
export async function resumeSending(tx: Tx, by: string): Promise<Recovery> {
  const row = await lockIncarnation(tx);
  if (row.state === "SETTLING") refuseConflict(BODY, GIVEN_UP);
  if (row.state === "NORMAL") return readRecovery(tx);
  const messages = await countInDoubt(tx);
  await markQueueInDoubt(tx, false);
  await decideIncarnation(tx, row, { state: "NORMAL", decision: "RESUMED", by, since: null, messages });
  return readRecovery(tx);
}

const OTHERWISE: Sentence = {
  fr: "une autre décision a déjà été prise",
  en: "another decision was already made",
};
const NOT_BESIDE: Sentence = {
  fr: "ne peut pas être utilisé avec submittedOnly",
  en: "cannot be used with submittedOnly",
};
const NOT_ALL_REPORTED: Sentence = {
  fr: "au moins un processus n’a pas déclaré tous les messages qu’il a soumis (gateways dans admin/recovery/read) ; les messages certainement non soumis ne sont donc pas connus",
  en: "at least one process has not reported all the messages that it submitted (gateways in admin/recovery/read), so the messages that were certainly not submitted are not known",
};

/**
 * Decides that it is unknown what was sent since a time (by default the last heartbeat): no message then queued is sent
 * again, except those still held for review or approval. Receipts may prove that one was sent; the others end as
 * `UNKNOWN` and are refunded. Campaigns due in that period count as missed. With `submittedOnly`, messages that no
 * gateway had submitted are sent, and review and approval apply only to these. Safe to repeat. Refuses `conflict` if
 * sending is not held, another decision was made, or not all gateways have reported what they had submitted, and
 * `invalid-request` for a time after sending was held, or with `submittedOnly`.
 */
export async function giveUpSince(
  tx: Tx,
  by: string,
  { since: wanted, submittedOnly }: { since: Date | undefined; submittedOnly: boolean },
): Promise<Recovery> {
  const row = await lockIncarnation(tx);
  if (row.state !== "HELD") {
    if (row.decision !== "UNKNOWN") refuseConflict(BODY, NOT_HELD_NOW);
    if (row.submitted_only !== submittedOnly) refuseConflict("submittedOnly", OTHERWISE);
    return readRecovery(tx);
  }
  const since = wanted ?? sinceOf(row);
  if (since > row.made_at)
    refuseField("since", {
      fr: "est postérieur à la suspension de l’envoi",
      en: "is after the time at which sending was put on hold",
    });
  const messages = await countInDoubt(tx);
  if (submittedOnly) {
    if (wanted) refuseField("since", NOT_BESIDE);
    if (!(await isSubmittedKnown(tx, row))) refuseConflict("submittedOnly", NOT_ALL_REPORTED);
    await markHeldForReviewInDoubt(tx);
  }
  const decided = { state: "SETTLING", decision: "UNKNOWN", by, since, submittedOnly, messages } as const;
  await decideIncarnation(tx, row, decided);
  return readRecovery(tx);
}

/** The last heartbeat before sending was held: another process may have sent one while the hold was being recorded. */
function sinceOf({ last_beat_at: seenAt, made_at: heldAt }: IncarnationRow): Date {
  return seenAt !== null && seenAt < heldAt ? seenAt : heldAt;
}

/** Settles messages in doubt after this decision, in steps. A job runs it. Several processes may run this at once. */
export async function settleInDoubt(app: Runtime, signal: AbortSignal): Promise<void> {
  const { state, submitted_only: submittedOnly } = await readIncarnation(app.database);
  if (state !== "SETTLING") return;
  // Accepted messages that are not queued yet are queued first, so that they are in doubt like the others.
  await queueLargeSends(app, signal);
  for (let settled = 1; settled > 0 && !signal.aborted; )
    settled = await app.database.transaction((tx) =>
      settleSomeInDoubt(tx, app.config.settings, submittedOnly ? submittedIn(app, tx) : async (all) => all),
    );
  if (signal.aborted) return;
  await matchAllOrphans(app, signal);
  await app.database.transaction(async (tx) => {
    const row = await lockIncarnation(tx);
    // A session may still hold some. It gives them back, and the next call settles them.
    if (!(await hasInDoubt(tx))) await settleIncarnation(tx, row);
  });
}
