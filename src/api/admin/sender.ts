// The URLs of /v1/admin/sender.
import { Type } from "typebox";
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { changing } from "../../identity/audit/audit.ts";
import {
  acceptSender,
  GivenSender,
  giveSender,
  listReviewedSenders,
  moveSender,
  readReviewed,
  readSenderForReview,
} from "../../phonebook/senders/senders.ts";
import { ReviewedSender, SENDER_STATUSES, senderNoted } from "../../phonebook/senders/shapes.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { amongIds, inOrder, listRoute } from "../../platform/http/lists.ts";
import { route } from "../../platform/http/routes.ts";
import { Reason } from "../../platform/http/schemas.ts";

/**
 * The audit entry of an acceptance: the reason for accepting a name that looks like another company's. Only
 * administrators see `acceptedFor`, since it may name the other company.
 */
function acceptedFor({ alike, ...sender }: ReviewedSender, reason: string | undefined) {
  return alike ? { ...sender, acceptedFor: reason, alike } : sender;
}

export const give = route("/v1/admin/sender/create", {
  title: { fr: "Créer un expéditeur accepté", en: "Create an accepted sender" },
  says: {
    fr: "Attribue à une entreprise un nom d’expéditeur déjà accepté, de 1 à 11 caractères affichables par les téléphones.",
    en: "Assigns an accepted sender name to a company, of 1 to 11 characters that phones can display.",
  },
  body: GivenSender,
  caller: adminWho("review"),
  answers: ReviewedSender,
  refuses: ["not-found", "sender-name-taken"],
  example: { companyId: "<companyId>", name: "Chez Awa", description: "Son nom chez son ancien fournisseur" },
  audit: { fr: "a attribué un expéditeur", en: "assigned a sender" },
  run(app, caller, body) {
    const after = (sender: ReviewedSender) => acceptedFor(sender, body.description);
    const noting = { on: senderNoted, companyId: body.companyId, after };
    return changing(app, caller, noting, (tx) => giveSender(tx, body));
  },
});

export const listReviewed = listRoute("/v1/admin/sender/list", {
  title: { fr: "Lister les expéditeurs de toutes les entreprises", en: "List the senders of all companies" },
  says: {
    fr: "Liste les noms d’expéditeur de toutes les entreprises.",
    en: "Lists the sender names of all companies.",
  },
  body: { ...inOrder("desc"), ...amongIds("sender"), status: Type.Optional(Type.Enum([...SENDER_STATUSES])) },
  caller: adminWho("read"),
  rows: ReviewedSender,
  list: (app, _caller, wanted) => listReviewedSenders(app, wanted),
});

export const readForReview = route("/v1/admin/sender/{id}", {
  title: { fr: "Lire un expéditeur d’une entreprise", en: "Read a company’s sender" },
  says: {
    fr: "Renvoie un nom d’expéditeur, son entreprise et, le cas échéant, la marque à laquelle il ressemble.",
    en: "Returns a sender name, its company and, if there is one, the brand that it resembles.",
  },
  body: oneId("sender"),
  reads: true,
  caller: adminWho("read"),
  answers: ReviewedSender,
  refuses: ["sender-not-found"],
  run: (app, _caller, { id }) => readSenderForReview(app, id),
});

/** The audit entry of a review: the sender before and after. */
function reviewOf(id: string) {
  return {
    on: { kind: "sender", id },
    companyId: ({ companyId }: ReviewedSender) => companyId,
    before: (tx: Tx) => readReviewed(tx, id),
  };
}

export const submit = route("/v1/admin/sender/{id}/submit", {
  title: { fr: "Marquer un expéditeur comme transmis", en: "Mark a sender as submitted" },
  says: {
    fr: "Enregistre qu’un nom d’expéditeur a été transmis à l’opérateur pour validation.",
    en: "Records that a sender name was submitted to the operator for validation.",
  },
  body: oneId("sender"),
  caller: adminWho("review"),
  answers: ReviewedSender,
  refuses: ["sender-not-found", "conflict"],
  audit: { fr: "a transmis un expéditeur aux opérateurs", en: "submitted a sender to the operators" },
  run: (app, caller, { id }) => changing(app, caller, reviewOf(id), (tx) => moveSender(tx, "submit", id)),
});

export const accept = route("/v1/admin/sender/{id}/accept", {
  title: { fr: "Accepter un expéditeur", en: "Accept a sender" },
  says: {
    fr: "Accepte un nom d’expéditeur. Son entreprise peut alors l’utiliser.",
    en: "Accepts a sender name. Its company can then use it.",
  },
  body: Type.Object({ id: idOf("sender"), reason: Type.Optional(Reason) }),
  caller: adminWho("review"),
  answers: ReviewedSender,
  refuses: ["sender-not-found", "conflict"],
  audit: { fr: "a accepté un expéditeur", en: "accepted a sender" },
  async run(app, caller, { id, reason }) {
    const noting = { ...reviewOf(id), after: (sender: ReviewedSender) => acceptedFor(sender, reason) };
    const moved = await changing(app, caller, noting, (tx) => acceptSender(tx, id, reason));
    announceEvents(app);
    return moved;
  },
});

export const refuse = route("/v1/admin/sender/{id}/refuse", {
  title: { fr: "Refuser un expéditeur", en: "Refuse a sender" },
  says: {
    fr: "Refuse un nom d’expéditeur. Le motif est communiqué à l’entreprise.",
    en: "Refuses a sender name. The company is shown the reason.",
  },
  body: Type.Object({ id: idOf("sender"), reason: Reason }),
  caller: adminWho("review"),
  answers: ReviewedSender,
  refuses: ["sender-not-found", "conflict"],
  example: { reason: "Ce nom appartient à une autre marque" },
  audit: { fr: "a refusé un expéditeur", en: "refused a sender" },
  async run(app, caller, { id, reason }) {
    const moved = await changing(app, caller, reviewOf(id), (tx) => moveSender(tx, "refuse", id, { reason }));
    announceEvents(app);
    return moved;
  },
});
