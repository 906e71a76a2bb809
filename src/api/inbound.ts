// The URLs of /v1/inbound.

import { Type } from "typebox";
import { companyMay } from "../identity/accounts/callers.ts";
import { listReceived, readReceived } from "../messaging/inbound/inbound.ts";
import * as numbers from "../messaging/inbound/numbers.ts";
import {
  InboundMessage,
  inboundMeanings,
  OwnNumber,
  receivedFilter,
  Written,
} from "../messaging/inbound/shapes.ts";
import { idOf, oneId } from "../platform/http/idschemas.ts";
import { listRoute } from "../platform/http/lists.ts";
import { member } from "../platform/http/meanings.ts";
import { route } from "../platform/http/routes.ts";

export const list = listRoute("/v1/inbound/list", {
  title: { fr: "Lister les messages entrants", en: "List incoming messages" },
  says: {
    fr: "Liste les messages reçus par l’entreprise, du plus récent au plus ancien. Un filtre s’applique à 10 000 messages au plus, et les autres filtres au résultat du premier.",
    en: "Lists the messages that the company received, newest first. One filter selects at most 10,000 messages, and the other filters apply to its result.",
  },
  body: {
    ...receivedFilter,
    keyword: member(Written, inboundMeanings.keyword),
    campaignId: Type.Optional(idOf("campaign")),
  },
  caller: companyMay("read"),
  rows: InboundMessage,
  refuses: ["invalid-phone-number"],
  list: (app, caller, body) => listReceived(app.database.of(caller.companyId), caller, body),
});

export const read = route("/v1/inbound/{id}", {
  title: { fr: "Lire un message entrant", en: "Read an incoming message" },
  says: {
    fr: "Renvoie un message reçu par l’entreprise.",
    en: "Returns a message that the company received.",
  },
  body: oneId("inboundMessage"),
  reads: true,
  caller: companyMay("read"),
  answers: InboundMessage,
  refuses: ["not-found"],
  run: (app, caller, { id }) => readReceived(app.database.of(caller.companyId), caller, id),
});

export const listOwn = listRoute("/v1/inbound/number/list", {
  title: { fr: "Lister les numéros de réception", en: "List the numbers that receive messages" },
  says: {
    fr: "Liste les numéros et les mots-clés par lesquels l’entreprise reçoit des messages.",
    en: "Lists the numbers and keywords by which the company receives messages.",
  },
  body: {},
  caller: companyMay("read"),
  rows: OwnNumber,
  direction: "asc",
  list: (app, { companyId }, page) => numbers.listOwnNumbers(app.database.of(companyId), companyId, page),
});
