// The URLs of opt-outs.
import { Type } from "typebox";
import { companyCaller } from "../accounts/accounts.ts";
import { paged } from "../kernel/envelope.ts";
import { route } from "../kernel/routes.ts";
import { Phone, pageFields } from "../kernel/schemas.ts";
import { createOptout, deleteOptout, listOptouts, OPTOUT_ORDERS } from "./optouts.ts";

export const create = route({
  summary: "Opts a phone out of the company's messages",
  body: Type.Object({ phone: Phone }),
  caller: companyCaller,
  run: (app, caller, { phone }) => app.database.transaction((tx) => createOptout(tx, caller, phone)),
});

export const list = route({
  summary: "Lists the phones that want no more messages",
  body: Type.Object({ ...pageFields, orderBy: Type.Enum([...OPTOUT_ORDERS], { default: "createdAt" }) }),
  caller: companyCaller,
  run: async (app, caller, page) => paged(await listOptouts(app.database, caller, page), page),
});

// `delete` is a word of the language.
export const remove = route({
  summary: "Ends a phone's opt-out",
  body: Type.Object({ phone: Phone }),
  caller: companyCaller,
  run: (app, caller, { phone }) => app.database.transaction((tx) => deleteOptout(tx, caller, phone)),
});
