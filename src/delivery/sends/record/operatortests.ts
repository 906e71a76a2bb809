// Operator tests: one message through one operator, whatever the routing, up to its receipt. The service pays for it.
import { holdForService, SERVICE } from "../../../ledger/credits/credits.ts";
import { nowMs } from "../../../platform/clock.ts";
import type { Statements } from "../../../platform/database/query.ts";
import type { Tx } from "../../../platform/database/transaction.ts";
import { refuseConflict } from "../../../platform/http/fielderrors.ts";
import { type Language, refuse, type Sentence } from "../../../platform/http/refusals.ts";
import { newIdOfRequest } from "../../../platform/http/requestids.ts";
import { timeOf } from "../../../platform/ids.ts";
import type { Runtime } from "../../../platform/runtime.ts";
import { requirePhone } from "../../../protocol/sms/phone.ts";
import { segmentsOf } from "../../../protocol/sms/segments.ts";
import { priceOf } from "../../../protocol/sms/tariff.ts";
import { TEST_TEXT } from "../../operators/dryruns.ts";
import { readOperator } from "../../operators/operators.ts";
import { prefixOfOperator } from "../../operators/routing.ts";
import { enqueueSends, LANE, type Send } from "../queue/enqueue.ts";
import { sealText } from "../queue/sealing.ts";
import { findOperatorMessageId } from "./record.sql.ts";
import { readMessages } from "./record.ts";
import type { Message, OperatorTest } from "./shapes.ts";

const REASON = "Test d’un opérateur";
const LIFETIME_MS = 10 * 60_000;
const PAGE = { page: 1, limit: 1, sort: "asc" } as const;

const DISABLED: Sentence = {
  fr: "l’opérateur est désactivé ; activez-le (enabled) avant le test",
  en: "the operator is disabled; enable it (enabled) before the test",
};
const NOT_BOUND: Sentence = {
  fr: "l’opérateur n’est pas prêt (BOUND) ; s’il a une erreur (error), elle dit ce qui manque, sinon il se connecte encore",
  en: "the operator is not ready (BOUND); if it has an error, that says what is missing, else it is still connecting",
};

/**
 * Queues one message that only this operator may take. It goes before all others, is never sent twice, and expires
 * after 10 minutes. Refuses `invalid-phone-number`, `not-found`, `message-too-long`, `conflict` if the operator is
 * disabled, and `service-unavailable` if it is not bound; `field` names the operator in these.
 */
export async function sendTrial(
  app: Runtime,
  tx: Tx,
  operatorId: string,
  input: { phone: string; text?: string },
  field = "id",
): Promise<OperatorTest> {
  const phone = requirePhone(input.phone, "phone");
  const { enabled, state } = await readOperator(tx, operatorId);
  if (!enabled) refuseConflict(field, DISABLED);
  if (state !== "BOUND") refuse("service-unavailable", { details: [{ field, message: NOT_BOUND }] });
  const text = input.text ?? TEST_TEXT;
  const { encoding, segments } = segmentsOf(text);
  if (segments > app.config.limits.segmentsPerText) refuse("message-too-long");
  const id = newIdOfRequest();
  const price = priceOf(phone, segments);
  await holdForService(tx, { holdId: id, amount: price, reason: REASON });
  const body = sealText(app, id, text);
  const prefix = prefixOfOperator(operatorId);
  const send: Send = {
    id,
    // The record has the message under its operator, so that it is read by both ids and counts for no company.
    accountId: operatorId,
    poolId: SERVICE,
    // Only messages of this lane are never sent twice.
    lane: LANE.otp,
    sender: app.config.defaultSender,
    expiresAt: new Date(nowMs() + LIFETIME_MS),
    recipients: [{ phone, prefix, body, encoding, segments, price }],
    alone: true,
  };
  await enqueueSends(app, tx, [send]);
  const waiting = {
    id,
    status: "QUEUED",
    error: null,
    errorReason: null,
    sentAt: null,
    deliveredAt: null,
  } as const;
  return testOf(id, { phone, segments, credits: price, ...waiting }, null);
}

/** Reads the result of an operator test; its `errorReason` is in this language. Refuses `not-found`. */
export async function readTrial(
  db: Statements,
  language: Language,
  operatorId: string,
  id: string,
): Promise<OperatorTest> {
  if (Number.isNaN(timeOf(id))) refuse("not-found");
  const { rows } = await readMessages(db, { accountId: operatorId, language }, { id, total: 1 }, PAGE);
  const [message] = rows;
  if (!message) refuse("not-found");
  const [recorded] = await db.run(findOperatorMessageId, [operatorId, id, 1]);
  return testOf(id, message, recorded?.operator_message_id ?? null);
}

function testOf(id: string, message: Message, operatorMessageId: string | null): OperatorTest {
  return { ...message, id, createdAt: new Date(timeOf(id)), operatorMessageId };
}
