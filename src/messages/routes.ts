// The URLs of messages: the search for them, and one with its life.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { listRoute, warnBesideAfter } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Id, Instant, orNull, Phone } from "../kernel/schemas.ts";
import { STATUSES } from "../sends/sends.ts";
import { readMessageLife } from "./life.ts";
import { findAnyMessages, findMessages } from "./messages.ts";
import { FoundMessage, FoundMessageOfAll, MessageLife, NamedMovement } from "./shapes.ts";
import { readNamedStatement } from "./statement.ts";

/** False: so much waits that only the newest of it was searched. */
const queueSearched = Type.Boolean();
const wanted = {
  phone: Type.Optional(Phone),
  status: Type.Optional(Type.Enum([...STATUSES])),
  campaignId: Type.Optional(Id),
  from: Instant,
  to: Instant,
  afterId: Type.Optional(Id),
};
const next = Type.Union([Type.String(), Type.Null()], { examples: [null] });

export const list = listRoute({
  summary: "Lists what the company sent, to a phone or to anybody, newest first",
  body: wanted,
  caller: companyMay("read", "send"),
  rows: FoundMessage,
  beside: {
    contact: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
    optout: orNull(Type.Enum(["COMPANY", "HANDSET"])),
    queueSearched,
    next,
  },
  list: (app, caller, body) => findMessages(app, caller, body),
  ignored: ({ afterId, after }) => warnBesideAfter("afterId", afterId, after),
});

export const listOfAll = listRoute({
  summary: "Lists what all companies sent to a phone, or what one sent, newest first",
  body: { ...wanted, companyId: Type.Optional(Id) },
  caller: adminWho("read"),
  rows: FoundMessageOfAll,
  beside: { queueSearched, next },
  list: (app, caller, body) => findAnyMessages(app, body, caller.language),
  ignored: ({ afterId, after }) => warnBesideAfter("afterId", afterId, after),
});

export const read = route({
  summary: "Reads one message: what became of it, and when",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("read", "send"),
  answers: MessageLife,
  run: (app, caller, { id }) => readMessageLife(app, caller, id),
});

/** It stands here, above campaigns, since it names them. */
export const statement = listRoute({
  summary: "What changed the company's balance, newest first, with the balance after each",
  body: {},
  caller: companyMay("read"),
  rows: NamedMovement,
  list: (app, caller, page) => readNamedStatement(app.database.of(caller.companyId), caller, page),
});
