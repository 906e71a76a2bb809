// The URLs of resellers: those of their servers, of their companies, of the administrator and of payment providers.
import { Type } from "typebox";
import { keyFollowers, NewCompany } from "../accounts/accounts.ts";
import { adminWho, raising } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import { Campaign, listCampaigns } from "../campaigns/campaigns.ts";
import { Company, Movement, readCompany, readStatement } from "../credits/credits.ts";
import type { Tx } from "../kernel/database.ts";
import { IdempotencyKey, onceOf } from "../kernel/idempotency.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { Id, Reason } from "../kernel/schemas.ts";
import { partnerMay, sellerMay } from "./callers.ts";
import * as customers from "./customers.ts";
import * as offers from "./offers.ts";
import { disablePartner, enablePartner, makeServerKey, resetKeys } from "./partners.ts";
import { listPayments, providerCaller, takePayment } from "./payments.ts";
import * as purchases from "./purchases.ts";
import {
  Customer,
  Offer,
  PAYMENT_STATUSES,
  Partner,
  Payment,
  Purchase,
  ServerKey,
  Settlement,
  Transfer,
} from "./shapes.ts";
import * as suspension from "./suspension.ts";

function companyOf(id: string) {
  return { on: { kind: "company", id }, companyId: id };
}

/** What is noted of a suspension or its end: how the company was and how it is. */
function suspensionOf(app: Runtime, id: string) {
  return { ...companyOf(id), before: (tx: Tx) => readCompany(tx, app, id) };
}

export const enable = route({
  summary: "Makes a company a reseller",
  body: Type.Object({ companyId: Id }),
  caller: adminWho("account"),
  answers: Partner,
  run: (app, caller, { companyId }) =>
    changing(app, caller, companyOf(companyId), (tx) => enablePartner(tx, app, companyId)),
});

export const disable = route({
  summary: "Ends that a company is a reseller; its server key dies at once",
  body: Type.Object({ id: Id }),
  caller: adminWho("account"),
  answers: Partner,
  run: (app, caller, { id }) => changing(app, caller, companyOf(id), (tx) => disablePartner(tx, id)),
});

export const suspendCompany = route({
  summary: "Suspends a company: its requests are refused, and what it has queued waits",
  body: Type.Object({ id: Id, reason: Type.Optional(Reason) }),
  caller: adminWho("govern"),
  answers: Company,
  run: (app, caller, { id, reason = null }) =>
    changing(app, caller, suspensionOf(app, id), (tx) => suspension.suspend(tx, app, id, reason)),
});

export const resumeCompany = route({
  summary: "Resumes a company that is suspended; what it has queued goes on",
  body: Type.Object({ id: Id }),
  caller: adminWho("govern"),
  answers: Company,
  run: (app, caller, { id }) =>
    changing(app, caller, suspensionOf(app, id), (tx) => suspension.resume(tx, app, id)),
});

export const resetKey = route({
  summary:
    "Gives the company's owner a new apiKey, shown only here; the old one dies at once, with `all` every other too",
  body: Type.Object({ id: Id, all: Type.Optional(Type.Boolean()) }),
  caller: adminWho("govern"),
  answers: NewCompany,
  async run(app, caller, { id, all }) {
    const noting = { ...companyOf(id), after: () => null };
    const made = await raising(app, caller, noting, (tx) => resetKeys(tx, app, id, all));
    for (const follow of keyFollowers(app)) follow(made.userId, made.apiKey);
    return made;
  },
});

export const serverKey = route({
  summary: "Gives the reseller a new server key, shown only here; the old one dies at once",
  body: Type.Object({}),
  caller: partnerMay("manage"),
  answers: ServerKey,
  async run(app, caller) {
    const noting = { ...companyOf(caller.companyId), after: () => null };
    const made = await changing(app, caller, noting, (tx) => makeServerKey(tx, app, caller));
    app.log.info({ companyId: caller.companyId, userId: caller.userId }, "a reseller has a new server key");
    return made;
  },
});

export const createCustomer = route({
  summary: "Makes a customer of the reseller, with no credits yet",
  body: customers.CustomerInput,
  caller: sellerMay("manage"),
  answers: Customer,
  run(app, caller, body) {
    const noting = {
      on: ({ id }: Customer) => ({ kind: "customer", id }),
      // A customer is often a person, whose name is forgotten when the reseller closes.
      after: ({ name: _, ...customer }: Customer) => customer,
    };
    return changing(app, caller, noting, (tx) => customers.createCustomer(tx, caller, body));
  },
});

export const listCustomers = listRoute({
  summary: "Lists the reseller's customers with their balances",
  body: inOrder("desc"),
  caller: sellerMay("read"),
  rows: Customer,
  list: (app, caller, page) => customers.listCustomers(app.database.of(caller.companyId), caller, page),
});

export const readCustomer = route({
  summary: "Reads a customer and its balance",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: sellerMay("read"),
  answers: Customer,
  run: (app, caller, { id }) => customers.readCustomer(app.database.of(caller.companyId), caller, id),
});

export const statement = listRoute({
  summary: "What changed a customer's balance, newest first, with the balance after each",
  body: { id: Id },
  caller: sellerMay("read"),
  rows: Movement,
  async list(app, caller, { id, ...page }) {
    const customer = await customers.readCustomer(app.database.of(caller.companyId), caller, id);
    return readStatement(app.database.of(customer.id), customer.id, page);
  },
});

export const campaigns = listRoute({
  summary: "Lists what applications sent for a customer",
  body: { id: Id, ...inOrder("desc") },
  caller: sellerMay("read"),
  rows: Campaign,
  async list(app, caller, { id, ...page }) {
    const customer = await customers.readCustomer(app.database.of(caller.companyId), caller, id);
    return listCampaigns(app.database.of(customer.id), { companyId: customer.id }, page);
  },
});

export const grantCredit = route({
  summary: "Moves credits from the reseller to a customer, at price 0",
  body: Type.Object({
    customerId: Id,
    credit: Type.Integer({ minimum: 1, maximum: offers.AMOUNT_AT_MOST }),
    reason: Type.Optional(Reason),
    idempotencyKey: IdempotencyKey,
  }),
  caller: sellerMay("manage"),
  answers: Transfer,
  run(app, caller, body, request) {
    const { customerId, credit, reason = null } = body;
    const once = onceOf(app, request, { caller: caller.companyId, path: "partner/grant-credit" }, body);
    const after = (transfer: Transfer) => ({ ...transfer, reason });
    const noting = { on: { kind: "customer", id: customerId }, after, once };
    const grant = { customerId, credit, reason };
    return changing(app, caller, noting, (tx) => customers.grantToCustomer(tx, caller, grant));
  },
});

export const createOffer = route({
  summary: "Makes an offer: credits and a bonus for a price",
  body: offers.OfferInput,
  caller: partnerMay("manage"),
  answers: Offer,
  run(app, caller, body) {
    const noting = { on: ({ id }: Offer) => ({ kind: "offer", id }) };
    return changing(app, caller, noting, (tx) => offers.createOffer(tx, caller, body));
  },
});

export const listOffers = listRoute({
  summary: "Lists the reseller's offers, archived ones too",
  body: inOrder("desc"),
  caller: partnerMay("read"),
  rows: Offer,
  list: (app, caller, page) => offers.listOffers(app.database.of(caller.companyId), caller, page),
});

export const archiveOffer = route({
  summary: "Archives an offer: it can be bought no more; what was bought can still be paid",
  body: Type.Object({ id: Id }),
  caller: partnerMay("manage"),
  answers: Offer,
  run: (app, caller, { id }) =>
    changing(app, caller, { on: { kind: "offer", id } }, (tx) => offers.archiveOffer(tx, caller, id)),
});

export const purchase = route({
  summary: "A customer buys an offer; credit and bonus come once it is paid",
  body: Type.Object({ customerId: Id, offerId: Id, idempotencyKey: IdempotencyKey }),
  caller: sellerMay("manage"),
  answers: Purchase,
  run(app, caller, body, request) {
    const once = onceOf(app, request, { caller: caller.companyId, path: "partner/offer/purchase" }, body);
    const noting = { on: ({ id }: Purchase) => ({ kind: "purchase", id }), once };
    return changing(app, caller, noting, (tx) => purchases.createPurchase(tx, caller, body));
  },
});

export const readPurchase = route({
  summary: "Reads a purchase and its status",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: sellerMay("read"),
  answers: Purchase,
  run: (app, caller, { id }) => purchases.readPurchase(app.database.of(caller.companyId), caller, id),
});

export const payment = route({
  summary: "A payment provider says that a purchase was paid; signed over the raw body, safe to repeat",
  // The rest is the provider's, in its own words.
  body: Type.Object({ provider: Id }, { additionalProperties: true }),
  caller: providerCaller,
  answers: Settlement,
  run: (app, told) => app.database.transaction((tx) => takePayment(tx, app, told)),
});

export const payments = listRoute({
  summary: "Lists what payment providers told us, and what became of it",
  body: { ...inOrder("desc"), status: Type.Optional(Type.Enum([...PAYMENT_STATUSES])) },
  caller: adminWho("read"),
  rows: Payment,
  list: (app, _caller, { status, ...page }) => listPayments(app.database, status, page),
});
