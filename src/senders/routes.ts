// The URLs of sender IDs: those of a company, and the administrator's review.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import type { Tx } from "../kernel/database.ts";
import { amongIds, inOrder, inOrderOf, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Id, Reason } from "../kernel/schemas.ts";
import { announceEvents } from "../webhooks/webhooks.ts";
import {
  acceptSender,
  createSender,
  GivenSender,
  giveSender,
  listReviewedSenders,
  listSenders,
  moveSender,
  readReviewed,
  readSenderForReview,
  readSenderInFull,
  SENDER_ORDERS,
  SenderInput,
} from "./senders.ts";
import { ReviewedSender, SENDER_STATUSES, Sender, SenderInFull } from "./shapes.ts";

function senderNamed({ id }: Sender) {
  return { kind: "sender", id };
}

/** What is noted of a review: how the sender was and how it is. */
function reviewOf(id: string) {
  return {
    on: { kind: "sender", id },
    companyId: ({ companyId }: ReviewedSender) => companyId,
    before: (tx: Tx) => readReviewed(tx, id),
  };
}

/**
 * What is noted of an acceptance: why a name is accepted that looks like another company's. `acceptedFor` is for administrators
 * alone, since it may name the other company.
 */
function acceptedFor({ alike, ...sender }: ReviewedSender, reason: string | undefined) {
  return alike ? { ...sender, acceptedFor: reason, alike } : sender;
}

export const create = route({
  summary: "Asks for a sender name; it can be used once it is accepted",
  body: SenderInput,
  caller: companyMay("manage"),
  answers: Sender,
  run: (app, caller, body) =>
    changing(app, caller, { on: senderNamed }, (tx) => createSender(tx, app, caller, body)),
});

export const give = route({
  summary: "Gives a company an accepted sender, with a name of 1 to 11 characters that handsets can show",
  body: GivenSender,
  caller: adminWho("review"),
  answers: ReviewedSender,
  run(app, caller, body) {
    const after = (sender: ReviewedSender) => acceptedFor(sender, body.description);
    const noting = { on: senderNamed, companyId: body.companyId, after };
    return changing(app, caller, noting, (tx) => giveSender(tx, body));
  },
});

export const list = listRoute({
  summary: "Lists the company's senders",
  // Descending for names too: the document says so of this list.
  body: { ...inOrderOf(SENDER_ORDERS), ...inOrder("desc") },
  caller: companyMay("read", "send", "otp"),
  rows: Sender,
  list: (app, caller, wanted) => listSenders(app.database.of(caller.companyId), caller, wanted),
});

export const read = route({
  summary: "Reads one sender: when it was submitted and decided",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("read", "send", "otp"),
  answers: SenderInFull,
  run: (app, caller, { id }) => readSenderInFull(app.database.of(caller.companyId), caller, id),
});

export const listReviewed = listRoute({
  summary: "Lists the senders of all companies",
  body: { ...inOrder("desc"), ...amongIds, status: Type.Optional(Type.Enum([...SENDER_STATUSES])) },
  caller: adminWho("read"),
  rows: ReviewedSender,
  list: (app, _caller, wanted) => listReviewedSenders(app, wanted),
});

export const readForReview = route({
  summary: "Reads a sender of any company, with its company and the brand that its name looks like",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: adminWho("read"),
  answers: ReviewedSender,
  run: (app, _caller, { id }) => readSenderForReview(app, id),
});

export const submit = route({
  summary: "Notes that a sender was submitted for validation",
  body: Type.Object({ id: Id }),
  caller: adminWho("review"),
  answers: ReviewedSender,
  run: (app, caller, { id }) => changing(app, caller, reviewOf(id), (tx) => moveSender(tx, "submit", id)),
});

export const accept = route({
  summary: "Accepts a sender: its company can send under this name",
  body: Type.Object({ id: Id, reason: Type.Optional(Reason) }),
  caller: adminWho("review"),
  answers: ReviewedSender,
  async run(app, caller, { id, reason }) {
    const noting = { ...reviewOf(id), after: (sender: ReviewedSender) => acceptedFor(sender, reason) };
    const moved = await changing(app, caller, noting, (tx) => acceptSender(tx, id, reason));
    announceEvents(app);
    return moved;
  },
});

export const refuse = route({
  summary: "Refuses a sender, with the reason that its company is shown",
  body: Type.Object({ id: Id, reason: Reason }),
  caller: adminWho("review"),
  answers: ReviewedSender,
  async run(app, caller, { id, reason }) {
    const moved = await changing(app, caller, reviewOf(id), (tx) => moveSender(tx, "refuse", id, { reason }));
    announceEvents(app);
    return moved;
  },
});
