// The URLs of /v1/admin/credit.
import { Type } from "typebox";
import { auditCredits } from "../../delivery/sends/record/audit.ts";
import { Audit } from "../../delivery/sends/record/shapes.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { audited } from "../../identity/audit/audit.ts";
import {
  administratorOf,
  confirmGrant,
  GrantRefusal,
  GrantsWanted,
  grantWarnings,
  listGrants,
  refuseGrant,
  requestGrant,
} from "../../ledger/credits/grants.ts";
import { creditMeanings, Granted, WaitingGrant } from "../../ledger/credits/shapes.ts";
import { answerWarned } from "../../platform/http/envelope.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { IdempotencyKey, idempotencyOf } from "../../platform/http/idempotency.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";
import { Reason } from "../../platform/http/schemas.ts";

const GRANT_AT_MOST = 1_000_000_000;

export const grant = route("/v1/admin/credit/grant", {
  title: { fr: "Attribuer des crédits", en: "Grant credits" },
  says: {
    fr: "Attribue des crédits à une entreprise, un utilisateur ou un client. Un nombre négatif est une correction. Au-delà de GRANT_LIMIT en 24 heures (`confirmation` dans la réponse), les crédits ne sont versés qu’après confirmation par un autre administrateur.",
    en: "Grants credits to a company, a user or a customer. A negative number is a correction. Above GRANT_LIMIT in 24 hours (`confirmation` in the response), the credits are only moved once another administrator confirms.",
  },
  body: Type.Object({
    companyId: Type.Optional(idOf("company")),
    userId: Type.Optional(idOf("user")),
    customerId: Type.Optional(idOf("customer")),
    credit: member(Type.Integer({ minimum: -GRANT_AT_MOST, maximum: GRANT_AT_MOST }), creditMeanings.credit),
    reason: Type.Optional(Reason),
    idempotencyKey: IdempotencyKey,
  }),
  caller: adminWho("account"),
  answers: Granted,
  refuses: [
    "not-found",
    "customer-not-found",
    "insufficient-credits",
    "idempotency-key-reused",
    "idempotency-in-progress",
  ],
  example: { companyId: "<companyId>", credit: 100, reason: "Recharge" },
  audit: { fr: "a attribué ou corrigé des crédits", en: "granted or corrected credits" },
  async run(app, caller, body, request) {
    const { companyId, userId, customerId, credit, reason } = body;
    const [poolId, another] = [companyId, userId, customerId].filter((id) => id !== undefined);
    if (poolId === undefined || another !== undefined)
      refuseField("companyId", {
        fr: "indiquez un seul de ces trois champs : companyId, userId ou customerId",
        en: "give exactly one of companyId, userId and customerId",
      });
    if (credit === 0) refuseField("credit", { fr: "ne doit pas être 0", en: "must not be 0" });
    const kind = companyId ? "company" : userId ? "user" : "customer";
    // Two administrators may use equal idempotency keys; all keys of one administrator share that person's.
    const administrator = await administratorOf(app.database, caller);
    const idempotency = idempotencyOf(
      app,
      request,
      { caller: administrator || "admin", path: "credit/grant" },
      body,
    );
    const audit = {
      on: { kind, id: poolId },
      // A company's log does not show a grant that still needs confirmation and may never be made.
      companyId: ({ confirmation }: Granted) => (confirmation ? null : (companyId ?? null)),
      after: (granted: Granted) => ({ credit, reason, ...granted }),
      idempotency,
    };
    const granted = await audited(app, caller, audit, (tx) =>
      requestGrant(tx, app, caller, { kind, poolId, credit, reason: reason ?? null }),
    );
    return answerWarned(granted, await grantWarnings(app, caller, granted));
  },
});

export const listWaitingGrants = listRoute("/v1/admin/credit/grant/list", {
  title: { fr: "Lister les attributions à confirmer", en: "List grants that need confirmation" },
  says: {
    fr: "Liste les attributions de crédits soumises à la confirmation d’un second administrateur.",
    en: "Lists the credit grants that required confirmation by a second administrator.",
  },
  body: { ...GrantsWanted.properties, ...inOrder("desc") },
  caller: adminWho("account"),
  rows: WaitingGrant,
  list: (app, caller, wanted) => listGrants(app, caller, wanted),
});

function decisionOn(id: string) {
  return {
    on: { kind: "grant", id },
    companyId: ({ ownerKind, ownerId, status }: WaitingGrant) =>
      ownerKind === "company" && status === "CONFIRMED" ? ownerId : null,
    after: ({ status, ownerKind, ownerId, credit, refusalReason, transactionId }: WaitingGrant) => ({
      ...{ status, ownerKind, ownerId, credit, refusalReason, transactionId },
    }),
  };
}

export const confirm = route("/v1/admin/credit/grant/{id}/confirm", {
  title: { fr: "Confirmer une attribution", en: "Confirm a grant" },
  says: {
    fr: "Confirme une attribution demandée par un autre administrateur. Les crédits sont alors versés.",
    en: "Confirms a grant that another administrator requested. Its credits are then moved.",
  },
  body: oneId("grant"),
  caller: adminWho("account"),
  answers: WaitingGrant,
  refuses: ["not-found", "customer-not-found", "conflict"],
  audit: { fr: "a confirmé une attribution de crédits", en: "confirmed a credit grant" },
  run: (app, caller, { id }) => audited(app, caller, decisionOn(id), (tx) => confirmGrant(tx, caller, id)),
});

export const refuseWaiting = route("/v1/admin/credit/grant/{id}/refuse", {
  title: { fr: "Refuser une attribution", en: "Refuse a grant" },
  says: {
    fr: "Refuse une attribution en attente, ou retire sa propre demande.",
    en: "Refuses a pending grant, or withdraws one’s own request.",
  },
  body: Type.Object({ id: idOf("grant"), ...GrantRefusal.properties }),
  caller: adminWho("account"),
  answers: WaitingGrant,
  refuses: ["not-found", "conflict"],
  example: { reason: "Pas de paiement reçu" },
  audit: { fr: "a refusé une attribution de crédits", en: "refused a credit grant" },
  run: (app, caller, { id, ...why }) =>
    audited(app, caller, decisionOn(id), (tx) => refuseGrant(tx, caller, id, why)),
});

export const audit = route("/v1/admin/credit/audit", {
  title: { fr: "Vérifier tous les soldes", en: "Verify all balances" },
  says: {
    fr: "Vérifie chaque solde à partir de ses écritures, et les crédits réservés à partir des messages en cours.",
    en: "Verifies every balance against its entries, and reserved credits against the messages in flight.",
  },
  body: Type.Object({}),
  reads: true,
  caller: adminWho("account"),
  answers: Audit,
  run: (app) => auditCredits(app),
});
