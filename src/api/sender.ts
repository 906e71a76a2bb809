// The URLs of /v1/sender.

import { listOwnRegistrations } from "../delivery/operators/registrations.ts";
import { SenderWithRegistrations } from "../delivery/operators/registrationshapes.ts";
import { companyMay } from "../identity/accounts/callers.ts";
import { audited } from "../identity/audit/audit.ts";
import { Campaign } from "../messaging/campaigns/shapes.ts";
import { listCampaignsOfSender } from "../messaging/campaigns/views.ts";
import {
  createSender,
  listSenders,
  readSender,
  readSenderInFull,
  SENDER_ORDERS,
  SenderInput,
} from "../phonebook/senders/senders.ts";
import { auditedSender, Sender } from "../phonebook/senders/shapes.ts";
import { idOf, oneId } from "../platform/http/idschemas.ts";
import { inOrder, inOrderOf, listRoute } from "../platform/http/lists.ts";
import { route } from "../platform/http/routes.ts";

export const create = route("/v1/sender/create", {
  title: { fr: "Demander un nom d’expéditeur", en: "Request a sender name" },
  says: {
    fr: "Demande un nom d’expéditeur. Il est utilisable une fois accepté.",
    en: "Requests a sender name. It can be used once it is accepted.",
  },
  body: SenderInput,
  caller: companyMay("manage"),
  answers: Sender,
  refuses: ["sender-name-taken", "sender-limit-reached"],
  example: { name: "BOUTIQUE", description: "Le nom de notre boutique" },
  audit: { fr: "a demandé un expéditeur", en: "requested a sender" },
  run: (app, caller, body) =>
    audited(app, caller, { on: auditedSender }, (tx) => createSender(tx, app, caller, body)),
});

export const list = listRoute("/v1/sender/list", {
  title: { fr: "Lister les expéditeurs", en: "List senders" },
  says: { fr: "Liste les noms d’expéditeur de l’entreprise.", en: "Lists the company’s sender names." },
  // Descending for names too: the interface document specifies so for this list.
  body: { ...inOrderOf(SENDER_ORDERS), ...inOrder("desc") },
  caller: companyMay("read", "send", "otp"),
  whenClosed: true,
  rows: Sender,
  list: (app, caller, wanted) => listSenders(app.database.of(caller.companyId), caller, wanted),
});

export const read = route("/v1/sender/{id}", {
  title: { fr: "Lire un expéditeur", en: "Read a sender" },
  says: {
    fr: "Renvoie un nom d’expéditeur, avec les dates de sa transmission à l’opérateur et de la décision, et ses enregistrements chez les opérateurs.",
    en: "Returns a sender name, with the dates of its submission to the operator and of the decision, and its registrations at operators.",
  },
  body: oneId("sender"),
  reads: true,
  caller: companyMay("read", "send", "otp"),
  answers: SenderWithRegistrations,
  refuses: ["sender-not-found"],
  async run(app, caller, { id }) {
    const sender = await readSenderInFull(app.database.of(caller.companyId), caller, id);
    // The names of operators are not rows of the company.
    return { ...sender, registrations: await listOwnRegistrations(app.database, caller.companyId, id) };
  },
});

export const listOfSender = listRoute("/v1/sender/{id}/campaign", {
  synonyms: ["/v1/sender/{id}/campain"],
  title: { fr: "Lister les campagnes d’un expéditeur", en: "List the campaigns of a sender" },
  says: {
    fr: "Liste les campagnes envoyées sous un nom d’expéditeur.",
    en: "Lists the campaigns sent under a sender name.",
  },
  body: { id: idOf("sender"), ...inOrder("desc") },
  caller: companyMay("read", "send"),
  whenClosed: true,
  rows: Campaign,
  refuses: ["sender-not-found"],
  async list(app, caller, { id, ...page }) {
    const seen = app.database.of(caller.companyId);
    const sender = await readSender(seen, caller, id);
    return listCampaignsOfSender(seen, caller, sender.id, page);
  },
});
