// The URLs of the search for messages by phone.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { listRoute } from "../kernel/lists.ts";
import { Id, orNull, Phone } from "../kernel/schemas.ts";
import { findAnyMessages, findMessages } from "./messages.ts";
import { FoundMessage, FoundMessageOfAll, NamedMovement } from "./shapes.ts";
import { readNamedStatement } from "./statement.ts";

const Instant = Type.Optional(Type.String({ maxLength: 64 }));
/** False: so much waits that only the newest of it was searched. */
const queueSearched = Type.Boolean();
const wanted = { phone: Phone, from: Instant, to: Instant };

export const list = listRoute({
  summary: "Lists what the company sent to a phone, newest first",
  body: wanted,
  caller: companyMay("read", "send"),
  rows: FoundMessage,
  beside: {
    contact: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
    optout: orNull(Type.Enum(["COMPANY", "HANDSET"])),
    queueSearched,
  },
  list: (app, caller, body) => findMessages(app, caller, body),
});

export const listOfAll = listRoute({
  summary: "Lists what all companies or one sent to a phone, newest first",
  body: { ...wanted, companyId: Type.Optional(Id) },
  caller: adminWho("read"),
  rows: FoundMessageOfAll,
  beside: { queueSearched },
  list: (app, caller, body) => findAnyMessages(app, body, caller.language),
});

/** It stands here, above campaigns, since it names them. */
export const statement = listRoute({
  summary: "What changed the company's balance, newest first, with the balance after each",
  body: {},
  caller: companyMay("read"),
  rows: NamedMovement,
  list: (app, caller, page) => readNamedStatement(app.database.of(caller.companyId), caller, page),
});
