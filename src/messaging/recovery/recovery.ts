// Recovery: what an administrator decides when the database may have forgotten what was sent, and what follows.
import { adoptKeptReceipts } from "../../delivery/gateway/gateway.ts";
import {
  countDoubtful,
  doubtKept,
  doubtQueue,
  hasDoubtful,
  settleSomeDoubtful,
} from "../../delivery/sends/sends.ts";
import type { Statements, Tx } from "../../platform/database.ts";
import {
  decideIncarnation,
  type IncarnationRow,
  lockIncarnation,
  readIncarnation,
  settleIncarnation,
} from "../../platform/decisions.ts";
import { BODY, refuseConflict, refuseField, type Sentence } from "../../platform/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { queueLargeSends } from "../campaigns/campaigns.ts";
import { readForgotten } from "./forgotten.ts";
import type { Recovery } from "./shapes.ts";
import { isSubmittedKnown, readGateways, submittedIn } from "./submitted.ts";

export { forgetForgotten, keepReporting, notifyOfForgotten } from "./forgotten.ts";
export { holdQueue } from "./submitted.ts";

/** Reads which incarnation of the database this is, whether sending is held, and what waits for a decision. */
export async function readRecovery(db: Statements): Promise<Recovery> {
  const row = await readIncarnation(db);
  const [messages, forgotten, gateways] = await Promise.all([
    row.messages ?? countDoubtful(db),
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
 * Lets everything be sent that waits, whether it was sent before or not. Returns with how many messages may go out a
 * second time. Safe to repeat. Refuses `conflict` once it was decided that nothing is sent again.
 */
export async function resumeSending(tx: Tx, by: string): Promise<Recovery> {
  const row = await lockIncarnation(tx);
  if (row.state === "SETTLING") refuseConflict(BODY, GIVEN_UP);
  if (row.state === "NORMAL") return readRecovery(tx);
  const messages = await countDoubtful(tx);
  await doubtQueue(tx, false);
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
 * Says that nobody knows what was sent since a time (the last sign of life by default): nothing that waited is sent again,
 * but for what a person still has to approve. Receipts may prove it; the rest ends as `UNKNOWN` and is paid back. Campaigns
 * that were due in that time count as missed. With `submittedOnly`, all that no gateway had submitted is sent, and a person
 * approves only of that. Safe to repeat. Refuses `conflict` where sending is not held, where it is decided otherwise, or
 * where not all gateways have reported what they had submitted, and `invalid-request` for a time after it was held, or one
 * beside `submittedOnly`.
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
  const messages = await countDoubtful(tx);
  if (submittedOnly) {
    if (wanted) refuseField("since", NOT_BESIDE);
    if (!(await isSubmittedKnown(tx, row))) refuseConflict("submittedOnly", NOT_ALL_REPORTED);
    await doubtKept(tx);
  }
  const decided = { state: "SETTLING", decision: "UNKNOWN", by, since, submittedOnly, messages } as const;
  await decideIncarnation(tx, row, decided);
  return readRecovery(tx);
}

/** The last sign of life before sending was held: one of another process may have come while that was noted. */
function sinceOf({ last_beat_at: seenAt, made_at: heldAt }: IncarnationRow): Date {
  return seenAt !== null && seenAt < heldAt ? seenAt : heldAt;
}

/** Carries out the decision that what waited is of unknown fate, in steps; work of a tick. Safe beside other processes. */
export async function settleDoubtful(app: Runtime, signal: AbortSignal): Promise<void> {
  const { state, submitted_only: submittedOnly } = await readIncarnation(app.database);
  if (state !== "SETTLING") return;
  // What was accepted and not queued yet is queued now, to be of unknown fate as the rest.
  await queueLargeSends(app, signal);
  for (let settled = 1; settled > 0 && !signal.aborted; )
    settled = await app.database.transaction((tx) =>
      settleSomeDoubtful(tx, app.config.settings, submittedOnly ? submittedIn(app, tx) : async (all) => all),
    );
  if (signal.aborted) return;
  await adoptKeptReceipts(app, signal);
  await app.database.transaction(async (tx) => {
    const row = await lockIncarnation(tx);
    // A session may still have some of it. It gives that back, and the next tick settles it.
    if (!(await hasDoubtful(tx))) await settleIncarnation(tx, row);
  });
}
