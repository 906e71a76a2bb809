// The URLs of /v1/admin/sender.
import { Type } from "typebox";
import {
  deleteRegistration,
  listAllRegistrations,
  listRegistrations,
  RegistrationInput,
  readRegistrations,
  registrationKey,
  setRegistration,
} from "../../delivery/operators/registrations.ts";
import {
  ListedRegistration,
  REGISTRATION_STATES,
  Registrations,
  ReviewedWithRegistrations,
  registrationMeanings,
} from "../../delivery/operators/registrationshapes.ts";
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { audited } from "../../identity/audit/audit.ts";
import {
  acceptSender,
  GivenSender,
  giveSender,
  listReviewedSenders,
  moveSender,
  readReviewed,
  readSenderForReview,
} from "../../phonebook/senders/senders.ts";
import { auditedSender, ReviewedSender, SENDER_STATUSES } from "../../phonebook/senders/shapes.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { amongIds, inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
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
    const audit = { on: auditedSender, companyId: body.companyId, after };
    return audited(app, caller, audit, (tx) => giveSender(tx, body));
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
    fr: "Renvoie un nom d’expéditeur, son entreprise, ses enregistrements chez les opérateurs et, le cas échéant, la marque à laquelle il ressemble.",
    en: "Returns a sender name with its company, its registrations at operators and, if there is one, the brand that it resembles.",
  },
  body: oneId("sender"),
  reads: true,
  caller: adminWho("read"),
  answers: ReviewedWithRegistrations,
  refuses: ["sender-not-found"],
  async run(app, _caller, { id }) {
    const sender = await readSenderForReview(app, id);
    return { ...sender, registrations: await listRegistrations(app.database, sender.companyId, id) };
  },
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
  run: (app, caller, { id }) => audited(app, caller, reviewOf(id), (tx) => moveSender(tx, "submit", id)),
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
    const audit = { ...reviewOf(id), after: (sender: ReviewedSender) => acceptedFor(sender, reason) };
    const moved = await audited(app, caller, audit, (tx) => acceptSender(tx, id, reason));
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
    const moved = await audited(app, caller, reviewOf(id), (tx) => moveSender(tx, "refuse", id, { reason }));
    announceEvents(app);
    return moved;
  },
});

export const registrations = listRoute("/v1/admin/sender/registration/list", {
  title: { fr: "Lister les enregistrements d’expéditeurs", en: "List sender registrations" },
  says: {
    fr: "Liste les enregistrements des noms d’expéditeur chez les opérateurs, ou ceux d’un état.",
    en: "Lists the registrations of sender names at operators, or those with one state.",
  },
  body: {
    ...inOrder("asc"),
    state: member(Type.Optional(Type.Enum([...REGISTRATION_STATES])), registrationMeanings.state),
  },
  caller: adminWho("read"),
  rows: ListedRegistration,
  list: (app, _caller, wanted) => listAllRegistrations(app, wanted),
});

/** The audit entry of a change of registrations: all of the sender, before and after. */
function registrationsOf(id: string) {
  return {
    on: { kind: "sender", id },
    companyId: ({ companyId }: Registrations) => companyId,
    before: (tx: Tx) => readRegistrations(tx, id),
  };
}

export const register = route("/v1/admin/sender/{id}/registration/set", {
  title: { fr: "Enregistrer un expéditeur chez un opérateur", en: "Register a sender at an operator" },
  says: {
    fr: "Note l’état d’un nom d’expéditeur chez un opérateur dans un pays. Ses messages passent d’abord par les opérateurs où il est REGISTERED.",
    en: "Records the state of a sender name at an operator in a country. Its messages go first to the operators where it is REGISTERED.",
  },
  body: Type.Object({ id: idOf("sender"), ...RegistrationInput.properties }),
  emptyTexts: "emptied",
  caller: adminWho("review"),
  answers: Registrations,
  refuses: ["sender-not-found", "not-found", "conflict"],
  example: { operatorId: "<operatorId>", country: "CI", state: "REGISTERED", reference: "OCI-2026-118" },
  audit: { fr: "a modifié un enregistrement d’expéditeur", en: "updated a sender registration" },
  run: (app, caller, { id, ...input }) =>
    audited(app, caller, registrationsOf(id), (tx) => setRegistration(tx, id, input)),
});

export const unregister = route("/v1/admin/sender/{id}/registration/delete", {
  title: { fr: "Supprimer un enregistrement d’expéditeur", en: "Delete a sender registration" },
  says: {
    fr: "Supprime l’enregistrement d’un nom d’expéditeur chez un opérateur dans un pays.",
    en: "Deletes the registration of a sender name at an operator in a country.",
  },
  body: Type.Object({ id: idOf("sender"), ...registrationKey }),
  caller: adminWho("review"),
  answers: Registrations,
  refuses: ["sender-not-found", "not-found"],
  example: { operatorId: "<operatorId>", country: "CI" },
  audit: { fr: "a supprimé un enregistrement d’expéditeur", en: "deleted a sender registration" },
  run: (app, caller, { id, ...key }) =>
    audited(app, caller, registrationsOf(id), (tx) => deleteRegistration(tx, id, key)),
});
