// The URLs of sender IDs: those of a company, and the administrator's review.
import { Type } from "typebox";
import { adminCaller, companyCaller } from "../accounts/accounts.ts";
import { paged } from "../kernel/envelope.ts";
import { route } from "../kernel/routes.ts";
import { Id, pageFields } from "../kernel/schemas.ts";
import {
  createSender,
  listReviewedSenders,
  listSenders,
  moveSender,
  SENDER_ORDERS,
  SENDER_STATUSES,
  SenderInput,
} from "./senders.ts";

export const create = route({
  summary: "Asks for a sender name; it can be used once it is accepted",
  body: SenderInput,
  caller: companyCaller,
  run: (app, caller, body) => app.database.transaction((tx) => createSender(tx, app, caller, body)),
});

const PER_PAGE = 10;

export const list = route({
  summary: "Lists the company's senders",
  body: Type.Object({
    page: pageFields.page,
    // The document calls it `count` here and `limit` everywhere else; `count` wins.
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    // Descending for names too: the document says so of this list.
    sort: Type.Enum(["asc", "desc"], { default: "desc" }),
    orderBy: Type.Enum([...SENDER_ORDERS], { default: "createdAt" }),
  }),
  caller: companyCaller,
  async run(app, caller, body) {
    const page = { ...body, limit: body.count ?? body.limit ?? PER_PAGE };
    return paged(await listSenders(app.database, caller, page), page);
  },
});

export const listReviewed = route({
  summary: "Lists the senders of all companies",
  body: Type.Object({ ...pageFields, status: Type.Optional(Type.Enum([...SENDER_STATUSES])) }),
  caller: adminCaller,
  run: async (app, _caller, { status, ...page }) =>
    paged(await listReviewedSenders(app.database, status, page), page),
});

export const submit = route({
  summary: "Notes that a sender was submitted for validation",
  body: Type.Object({ id: Id }),
  caller: adminCaller,
  run: (app, _caller, { id }) => app.database.transaction((tx) => moveSender(tx, "submit", id)),
});

export const accept = route({
  summary: "Accepts a sender: its company can send under this name",
  body: Type.Object({ id: Id }),
  caller: adminCaller,
  run: (app, _caller, { id }) => app.database.transaction((tx) => moveSender(tx, "accept", id)),
});

export const refuse = route({
  summary: "Refuses a sender, with the reason that its company is shown",
  body: Type.Object({ id: Id, reason: Type.String({ minLength: 1, maxLength: 500 }) }),
  caller: adminCaller,
  run: (app, _caller, { id, reason }) =>
    app.database.transaction((tx) => moveSender(tx, "refuse", id, reason)),
});
