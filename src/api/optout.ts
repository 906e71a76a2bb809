// The URLs of /v1/optout.
import { Type } from "typebox";
import { announceEvents } from "../events/webhooks/webhooks.ts";
import { companyMay } from "../identity/accounts/callers.ts";
import { audited } from "../identity/audit/audit.ts";
import { warningsOfPhone } from "../phonebook/contacts/given.ts";
import { createOptout, deleteOptout, listOptouts, OPTOUT_ORDERS } from "../phonebook/optouts/optouts.ts";
import { Optout } from "../phonebook/optouts/shapes.ts";
import type { Tx } from "../platform/database/transaction.ts";
import { answerWarned } from "../platform/http/envelope.ts";
import type { Warning } from "../platform/http/fielderrors.ts";
import { inOrderOf, listRoute } from "../platform/http/lists.ts";
import { DeletedCount } from "../platform/http/paging.ts";
import { route } from "../platform/http/routes.ts";
import { Phone } from "../platform/http/schemas.ts";
import { maskPhone } from "../protocol/sms/phone.ts";

/** The audit log has only masked phones, since it only grows and a person may ask for erasure. */
const optoutOf = (phone: string) => ({ kind: "optout", id: maskPhone(phone) });

export const create = route("/v1/optout/create", {
  title: { fr: "Désinscrire un numéro", en: "Opt out a phone number" },
  says: {
    fr: "Désinscrit un numéro : l’entreprise ne lui envoie plus de messages.",
    en: "Opts out a phone number: the company no longer sends messages to it.",
  },
  body: Type.Object({ phone: Phone }),
  caller: companyMay("contacts"),
  answers: Optout,
  refuses: ["invalid-phone-number", "conflict"],
  example: { phone: "2250102030499" },
  audit: { fr: "a ajouté des désinscriptions", en: "added opt-outs" },
  async run(app, caller, { phone }) {
    const optout = await audited(app, caller, { on: optoutOf(phone) }, (tx) =>
      createOptout(tx, caller, phone),
    );
    announceEvents(app);
    return answerWarned(optout, warningsOfPhone(phone, "phone", caller.country));
  },
});

export const list = listRoute("/v1/optout/list", {
  title: { fr: "Lister les numéros désinscrits", en: "List opted-out numbers" },
  says: { fr: "Liste les numéros désinscrits.", en: "Lists the phone numbers that have opted out." },
  body: { ...inOrderOf(OPTOUT_ORDERS), phone: Type.Optional(Phone) },
  caller: companyMay("read", "contacts"),
  whenClosed: true,
  rows: Optout,
  refuses: ["invalid-phone-number"],
  list: (app, caller, wanted) => listOptouts(app.database.of(caller.companyId), caller, wanted),
});

const THEIRS: Warning = {
  field: "phone",
  message: {
    fr: "cette personne s’est désinscrite par SMS ; elle seule peut se réinscrire, en répondant START",
    en: "this person opted out by SMS; only they can opt in again, by replying START",
  },
};

// Named `remove`, because `delete` is a keyword of JavaScript.
export const remove = route("/v1/optout/delete", {
  title: { fr: "Réinscrire un numéro", en: "Remove an opt-out" },
  says: {
    fr: "Réinscrit un numéro que l’entreprise avait désinscrit. Une désinscription par STOP ne prend fin que lorsque la personne envoie START.",
    en: "Removes an opt-out that the company entered. An opt-out by STOP ends only when the person sends START.",
  },
  body: Type.Object({ phone: Phone }),
  caller: companyMay("contacts"),
  answers: DeletedCount,
  refuses: ["invalid-phone-number"],
  example: { phone: "2250102030499" },
  audit: { fr: "a réinscrit des numéros", en: "opted numbers in again" },
  async run(app, caller, { phone }) {
    const audit = { on: optoutOf(phone), after: () => null };
    const work = (tx: Tx) => deleteOptout(app, tx, caller, phone);
    const { count, isTheirs } = await audited(app, caller, audit, work);
    return answerWarned({ count }, isTheirs ? [THEIRS] : []);
  },
});
