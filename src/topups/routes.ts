// The URLs of top-ups: those of companies and of administrators.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import { IdempotencyKey, onceOf } from "../kernel/idempotency.ts";
import { amongIds, inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Id } from "../kernel/schemas.ts";
import * as offers from "./offers.ts";
import { TOPUP_STATUSES, Topup, TopupOffer, TopupOfferOnSale, TopupReceipt, TopupSold } from "./shapes.ts";
import * as topups from "./topups.ts";

const onOffer = { on: ({ id }: TopupOffer) => ({ kind: "topup-offer", id }) };

export const createOffer = route({
  summary: "Puts an offer of the service on sale: credits and a bonus for an amount",
  body: offers.TopupOfferInput,
  caller: adminWho("account"),
  answers: TopupOffer,
  run: (app, caller, body) => changing(app, caller, onOffer, (tx) => offers.createTopupOffer(tx, app, body)),
});

export const listOffers = listRoute({
  summary: "Lists the offers of the service, archived ones too",
  body: { ...inOrder("desc"), ...amongIds },
  caller: adminWho("read"),
  rows: TopupOffer,
  list: (app, _caller, wanted) => offers.listTopupOffers(app.database, wanted),
});

export const archiveOffer = route({
  summary: "Takes an offer of the service off sale; what was begun can still be paid",
  body: Type.Object({ id: Id }),
  caller: adminWho("account"),
  answers: TopupOffer,
  run: (app, caller, { id }) => changing(app, caller, onOffer, (tx) => offers.archiveTopupOffer(tx, id)),
});

export const listSold = listRoute({
  summary: "Lists the top-ups of all companies",
  body: {
    ...inOrder("desc"),
    status: Type.Optional(Type.Enum([...TOPUP_STATUSES])),
    companyId: Type.Optional(Id),
  },
  caller: adminWho("read"),
  rows: TopupSold,
  list: (app, _caller, { status, companyId, ...page }) =>
    topups.listSold(app.database, app, { status, companyId }, page),
});

export const listOnSale = listRoute({
  summary: "Lists what the service sells, the cheapest first",
  body: inOrder("asc"),
  caller: companyMay("read"),
  rows: TopupOfferOnSale,
  list: (app, _caller, page) => offers.listOnSale(app.database, app, page),
});

export const begin = route({
  summary: "Begins a top-up and opens the page of the payment provider; credits come once it is paid",
  body: Type.Object({ ...topups.TopupInput.properties, idempotencyKey: IdempotencyKey }),
  caller: companyMay("manage"),
  answers: Topup,
  run(app, caller, { idempotencyKey, ...body }, request) {
    const scope = { caller: `${caller.companyId} ${caller.userId}`, path: "topup/begin" };
    const once = onceOf(app, request, scope, { ...body, ...(idempotencyKey && { idempotencyKey }) });
    return topups.beginTopup(app, caller, body, once);
  },
});

export const checkout = route({
  summary:
    "Opens the page of the payment provider for a top-up whose first try failed, or answers the open one",
  body: Type.Object({ id: Id, ...topups.Paying }),
  actsOutside: true,
  caller: companyMay("manage"),
  answers: Topup,
  run: (app, caller, { id, provider, returnUrl }) =>
    topups.openTopup(app, caller, id, { provider, returnUrl }),
});

export const list = listRoute({
  summary: "Lists the company’s top-ups",
  body: inOrder("desc"),
  caller: companyMay("read"),
  rows: Topup,
  list: (app, caller, page) =>
    topups.listTopups(app.database.of(caller.companyId), app, caller.companyId, page),
});

export const read = route({
  summary: "Reads a top-up and its status",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("read"),
  answers: Topup,
  run: (app, caller, { id }) =>
    topups.readTopup(app.database.of(caller.companyId), app, caller.companyId, id),
});

export const receipt = route({
  summary: "The receipt of a top-up that was paid; receipts of a year are numbered without a gap",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("read"),
  answers: TopupReceipt,
  run: (app, caller, { id }) =>
    topups.readTopupReceipt(app.database.of(caller.companyId), caller.companyId, id),
});
