// The URLs of /v1/partner.

import { Type } from "typebox";
import { partnerMay, sellerMay } from "../commerce/partners/callers.ts";
import * as customers from "../commerce/partners/customers.ts";
import { makeServerKey } from "../commerce/partners/partners.ts";
import * as purchases from "../commerce/partners/purchases.ts";
import {
  Customer,
  Offer,
  Purchase,
  partnerMeanings,
  ServerKey,
  Transfer,
} from "../commerce/partners/shapes.ts";
import { audited, auditOfCompany, thingMade } from "../identity/audit/audit.ts";
import { Movement } from "../ledger/credits/shapes.ts";
import { readStatement } from "../ledger/credits/statement.ts";
import { Campaign } from "../messaging/campaigns/shapes.ts";
import { listCampaigns } from "../messaging/campaigns/views.ts";
import { IdempotencyKey, idempotencyOf } from "../platform/http/idempotency.ts";
import { idOf, oneId } from "../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../platform/http/lists.ts";
import { member } from "../platform/http/meanings.ts";
import { route } from "../platform/http/routes.ts";
import { Reason } from "../platform/http/schemas.ts";

export const serverKey = route("/v1/partner/app/server-key", {
  title: { fr: "Renouveler la clé de serveur", en: "Renew the server key" },
  says: {
    fr: "Remplace la clé de serveur du revendeur. La nouvelle n’est affichée qu’une fois et l’ancienne cesse de fonctionner immédiatement.",
    en: "Replaces the reseller’s server key. The new one is shown only once, and the old one stops working immediately.",
  },
  body: Type.Object({}),
  caller: partnerMay("manage"),
  answers: ServerKey,
  audit: { fr: "a remplacé la clé de serveur du revendeur", en: "replaced the reseller’s server key" },
  async run(app, caller) {
    const audit = { ...auditOfCompany(caller.companyId), after: () => null };
    const made = await audited(app, caller, audit, (tx) => makeServerKey(tx, app, caller));
    app.log.info({ companyId: caller.companyId, userId: caller.userId }, "a reseller has a new server key");
    return made;
  },
});

export const createCustomer = route("/v1/partner/customer/create", {
  title: { fr: "Créer un client", en: "Create a customer" },
  says: {
    fr: "Crée un client du revendeur, sans crédits.",
    en: "Creates a customer of the reseller, without credits.",
  },
  body: customers.CustomerInput,
  caller: sellerMay("manage"),
  answers: Customer,
  refuses: ["conflict"],
  example: { name: "Salon Fatou" },
  audit: { fr: "a ajouté un client", en: "added a customer" },
  run(app, caller, body) {
    const audit = {
      on: thingMade("customer"),
      // A customer is often a person, whose name is deleted when the reseller is closed.
      after: ({ name: _, ...customer }: Customer) => customer,
    };
    return audited(app, caller, audit, (tx) => customers.createCustomer(tx, caller, body));
  },
});

export const listCustomers = listRoute("/v1/partner/customer/list", {
  title: { fr: "Lister les clients", en: "List customers" },
  says: {
    fr: "Liste les clients du revendeur avec leur solde.",
    en: "Lists the reseller’s customers with their balances.",
  },
  body: inOrder("desc"),
  caller: sellerMay("read"),
  rows: Customer,
  list: (app, caller, page) => customers.listCustomers(app.database.of(caller.companyId), caller, page),
});

export const readCustomer = route("/v1/partner/customer/{id}", {
  title: { fr: "Lire un client", en: "Read a customer" },
  says: { fr: "Renvoie un client et son solde.", en: "Returns a customer and its balance." },
  body: oneId("customer"),
  reads: true,
  caller: sellerMay("read"),
  answers: Customer,
  refuses: ["customer-not-found"],
  run: (app, caller, { id }) => customers.readCustomer(app.database.of(caller.companyId), caller, id),
});

export const grantCredit = route("/v1/partner/grant-credit", {
  title: { fr: "Attribuer des crédits à un client", en: "Grant credits to a customer" },
  says: {
    fr: "Transfère des crédits du revendeur à un client, au prix de 0.",
    en: "Transfers credits from the reseller to a customer, at price 0.",
  },
  body: Type.Object({
    customerId: idOf("customer"),
    credit: member(Type.Integer({ minimum: 1, maximum: customers.AMOUNT_AT_MOST }), partnerMeanings.credit),
    reason: Type.Optional(Reason),
    idempotencyKey: IdempotencyKey,
  }),
  caller: sellerMay("manage"),
  answers: Transfer,
  refuses: [
    "customer-not-found",
    "insufficient-credits",
    "idempotency-key-reused",
    "idempotency-in-progress",
  ],
  spends: true,
  example: { customerId: "<customerId>", credit: 1, reason: "Bienvenue" },
  audit: { fr: "a vendu des crédits à un client", en: "sold credits to a customer" },
  run(app, caller, body, request) {
    const { customerId, credit, reason = null } = body;
    const idempotency = idempotencyOf(
      app,
      request,
      { caller: caller.companyId, path: "partner/grant-credit" },
      body,
    );
    const after = (transfer: Transfer) => ({ ...transfer, reason });
    const audit = { on: { kind: "customer", id: customerId }, after, idempotency };
    const grant = { customerId, credit, reason };
    return audited(app, caller, audit, (tx) => customers.grantToCustomer(tx, caller, grant));
  },
});

export const statement = listRoute("/v1/partner/customer/{id}/statement", {
  title: { fr: "Lire le relevé d’un client", en: "Read a customer’s statement" },
  says: {
    fr: "Liste les écritures du compte d’un client, de la plus récente à la plus ancienne, avec le solde après chacune.",
    en: "Lists the entries of a customer’s account, newest first, with the balance after each.",
  },
  body: { id: idOf("customer") },
  caller: sellerMay("read"),
  rows: Movement,
  refuses: ["customer-not-found"],
  async list(app, caller, { id, ...page }) {
    const customer = await customers.readCustomer(app.database.of(caller.companyId), caller, id);
    return readStatement(app.database.of(customer.id), customer.id, page);
  },
});

export const campaigns = listRoute("/v1/partner/customer/{id}/campaigns", {
  title: { fr: "Lister les envois pour un client", en: "List the sends for a customer" },
  says: {
    fr: "Liste les envois effectués par des applications pour un client.",
    en: "Lists the sends by applications for a customer.",
  },
  body: { id: idOf("customer"), ...inOrder("desc") },
  caller: sellerMay("read"),
  rows: Campaign,
  refuses: ["customer-not-found"],
  async list(app, caller, { id, ...page }) {
    const customer = await customers.readCustomer(app.database.of(caller.companyId), caller, id);
    return listCampaigns(app.database.of(customer.id), { companyId: customer.id }, page);
  },
});

export const createOffer = route("/v1/partner/app/offers/create", {
  title: { fr: "Créer une offre de revendeur", en: "Create a reseller’s offer" },
  says: {
    fr: "Crée une offre : des crédits et un bonus pour un prix.",
    en: "Creates an offer: credits and a bonus for a price.",
  },
  body: customers.OfferInput,
  caller: partnerMay("manage"),
  answers: Offer,
  refuses: ["conflict"],
  example: { name: "Petit pack", price: 5000, credit: 200, bonusCredit: 20 },
  audit: { fr: "a mis une offre en vente", en: "put an offer on sale" },
  run: (app, caller, body) =>
    audited(app, caller, { on: thingMade("offer") }, (tx) => customers.createOffer(tx, caller, body)),
});

export const listOffers = listRoute("/v1/partner/app/offers/list", {
  title: { fr: "Lister les offres du revendeur", en: "List the reseller’s offers" },
  says: {
    fr: "Liste les offres du revendeur, y compris les offres archivées.",
    en: "Lists the reseller’s offers, archived ones included.",
  },
  body: inOrder("desc"),
  caller: partnerMay("read"),
  rows: Offer,
  list: (app, caller, page) => customers.listOffers(app.database.of(caller.companyId), caller, page),
});

export const purchase = route("/v1/partner/offer/purchase", {
  title: { fr: "Acheter une offre pour un client", en: "Purchase an offer for a customer" },
  says: {
    fr: "Enregistre l’achat d’une offre par un client. Les crédits et le bonus sont versés une fois l’achat payé.",
    en: "Records a customer’s purchase of an offer. Credits and bonus are added once it is paid.",
  },
  body: Type.Object({ customerId: idOf("customer"), offerId: idOf("offer"), idempotencyKey: IdempotencyKey }),
  caller: sellerMay("manage"),
  answers: Purchase,
  refuses: [
    "customer-not-found",
    "offer-not-found",
    "conflict",
    "idempotency-key-reused",
    "idempotency-in-progress",
  ],
  example: { customerId: "<customerId>", offerId: "<offerId>" },
  audit: { fr: "a créé un achat pour un client", en: "created a purchase for a customer" },
  run(app, caller, body, request) {
    const idempotency = idempotencyOf(
      app,
      request,
      { caller: caller.companyId, path: "partner/offer/purchase" },
      body,
    );
    const audit = { on: thingMade("purchase"), idempotency };
    return audited(app, caller, audit, (tx) => purchases.createPurchase(tx, caller, body));
  },
});

export const readPurchase = route("/v1/partner/purchase/{id}", {
  title: { fr: "Lire un achat", en: "Read a purchase" },
  says: { fr: "Renvoie un achat et son statut.", en: "Returns a purchase and its status." },
  body: oneId("purchase"),
  reads: true,
  caller: sellerMay("read"),
  answers: Purchase,
  refuses: ["purchase-not-found"],
  run: (app, caller, { id }) => purchases.readPurchase(app.database.of(caller.companyId), caller, id),
});

export const archiveOffer = route("/v1/partner/app/offers/{id}/archive", {
  title: { fr: "Archiver une offre de revendeur", en: "Archive a reseller’s offer" },
  says: {
    fr: "Archive une offre, qui ne peut plus être achetée. Les achats déjà commencés peuvent encore être payés.",
    en: "Archives an offer, which can no longer be purchased. Purchases already started can still be paid.",
  },
  body: oneId("offer"),
  caller: partnerMay("manage"),
  answers: Offer,
  refuses: ["offer-not-found"],
  audit: { fr: "a archivé une offre", en: "archived an offer" },
  run: (app, caller, { id }) =>
    audited(app, caller, { on: { kind: "offer", id } }, (tx) => customers.archiveOffer(tx, caller, id)),
});
