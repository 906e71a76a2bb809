// The URLs of opt-outs.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { changing } from "../audit/audit.ts";
import { warningsOfPhone } from "../contacts/contacts.ts";
import type { Tx } from "../kernel/database.ts";
import { answerWarned } from "../kernel/envelope.ts";
import { inOrderOf, listRoute } from "../kernel/lists.ts";
import type { Warning } from "../kernel/refusals.ts";
import { route } from "../kernel/routes.ts";
import { Counted, Phone } from "../kernel/schemas.ts";
import { maskPhone } from "../sms/sms.ts";
import { announceEvents } from "../webhooks/webhooks.ts";
import { createOptout, deleteOptout, listOptouts, OPTOUT_ORDERS } from "./optouts.ts";
import { Optout } from "./shapes.ts";

/** The log tells of a phone that it is masked, since it only grows and a person may want to be erased. */
const optoutOf = (phone: string) => ({ kind: "optout", id: maskPhone(phone) });

export const create = route({
  summary: "Opts a phone out of the company's messages",
  body: Type.Object({ phone: Phone }),
  caller: companyMay("contacts"),
  answers: Optout,
  async run(app, caller, { phone }) {
    const optout = await changing(app, caller, { on: optoutOf(phone) }, (tx) =>
      createOptout(tx, caller, phone),
    );
    announceEvents(app);
    return answerWarned(optout, warningsOfPhone(phone, "phone", caller.country));
  },
});

export const list = listRoute({
  summary: "Lists the phones that want no more messages",
  body: { ...inOrderOf(OPTOUT_ORDERS), phone: Type.Optional(Phone) },
  caller: companyMay("read", "contacts"),
  rows: Optout,
  list: (app, caller, wanted) => listOptouts(app.database.of(caller.companyId), caller, wanted),
});

// Named `remove`, because `delete` is a keyword of JavaScript.
export const remove = route({
  summary: "Ends an opt-out that the company entered; a person's own STOP ends by their START",
  body: Type.Object({ phone: Phone }),
  caller: companyMay("contacts"),
  answers: Counted,
  async run(app, caller, { phone }) {
    const noting = { on: optoutOf(phone), after: () => null };
    const work = (tx: Tx) => deleteOptout(app, tx, caller, phone);
    const { count, isTheirs } = await changing(app, caller, noting, work);
    return answerWarned({ count }, isTheirs ? [THEIRS] : []);
  },
});

const THEIRS: Warning = {
  field: "phone",
  message: {
    fr: "cette personne s’est désinscrite par SMS ; elle seule peut se réinscrire, en répondant START",
    en: "this person opted out by SMS; only they can opt in again, by replying START",
  },
};
