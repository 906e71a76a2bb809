// The URLs of /v1/admin/inbound.

import { Type } from "typebox";
import { adminWho } from "../../identity/admins/callers.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import { listAnyReceived } from "../../messaging/inbound/inbound.ts";
import * as numbers from "../../messaging/inbound/numbers.ts";
import {
  InboundKeyword,
  InboundMessageOfAll,
  InboundNumber,
  inboundMeanings,
  receivedFilter,
} from "../../messaging/inbound/shapes.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute, warnIgnored } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";

export const listOfAll = listRoute("/v1/admin/inbound/list", {
  title: {
    fr: "Lister les messages entrants de toutes les entreprises",
    en: "List incoming messages of all companies",
  },
  says: {
    fr: "Liste les messages entrants de toutes les entreprises, d’une seule, ou sans destinataire (unrouted), du plus récent au plus ancien.",
    en: "Lists the incoming messages of all companies, of one, or of none (unrouted), newest first.",
  },
  body: {
    ...receivedFilter,
    companyId: Type.Optional(idOf("company")),
    unrouted: member(Type.Optional(Type.Boolean()), {
      fr: "true : seulement les messages pour lesquels aucune entreprise n’a été trouvée",
      en: "true: only messages for which no company was found",
    }),
  },
  caller: adminWho("read"),
  rows: InboundMessageOfAll,
  refuses: ["invalid-phone-number"],
  list: (app, _caller, body) => listAnyReceived(app.database, body),
  ignored: ({ companyId, unrouted }) =>
    warnIgnored("companyId", companyId !== undefined && unrouted === true, {
      fr: "unrouted liste les messages qui n’ont atteint aucune entreprise",
      en: "unrouted lists the messages that reached no company",
    }),
});

export const createNumber = route("/v1/admin/inbound/number/create", {
  title: { fr: "Attribuer un numéro de réception", en: "Create a number that receives messages" },
  says: {
    fr: "Attribue un numéro court ou long à une entreprise. Sans entreprise, le numéro est partagé et ses mots-clés désignent le destinataire. STOP et START, envoyés au numéro d’une entreprise, ne concernent que celle-ci.",
    en: "Assigns a short or long number to a company. Without a company the number is shared, and its keywords choose the recipient. STOP and START sent to a company’s number apply to that company only.",
  },
  body: numbers.NumberInput,
  caller: adminWho("govern"),
  answers: InboundNumber,
  refuses: ["not-found", "conflict"],
  example: { number: "36123" },
  audit: { fr: "a créé un numéro de réception", en: "created a receiving number" },
  run(app, caller, body) {
    const audit = { on: thingMade("number"), companyId: ({ companyId }: InboundNumber) => companyId };
    return audited(app, caller, audit, (tx) => numbers.createNumber(tx, app, body));
  },
});

export const listNumbers = listRoute("/v1/admin/inbound/number/list", {
  title: { fr: "Lister tous les numéros de réception", en: "List all numbers that receive messages" },
  says: {
    fr: "Liste les numéros courts et longs qui reçoivent des messages.",
    en: "Lists the short and long numbers that receive messages.",
  },
  body: inOrder("desc"),
  caller: adminWho("read"),
  rows: InboundNumber,
  list: (app, _caller, page) => numbers.listNumbers(app.database, page),
});

/** The audit entry of a number: before and after. Its company sees it too. */
function changeOf(id: string) {
  return {
    on: { kind: "number", id },
    companyId: ({ companyId }: InboundNumber) => companyId,
    before: (tx: Tx) => numbers.readNumber(tx, id),
  };
}

export const updateNumber = route("/v1/admin/inbound/number/{id}/update", {
  title: { fr: "Modifier un numéro de réception", en: "Update a number that receives messages" },
  says: {
    fr: "Attribue un numéro à une autre entreprise ou à un autre opérateur. Un texte vide supprime l’attribution.",
    en: "Assigns a number to another company or operator. An empty text removes the assignment.",
  },
  body: Type.Object({ id: idOf("number"), ...numbers.NumberChanges.properties }),
  emptyTexts: "emptied",
  caller: adminWho("govern"),
  answers: InboundNumber,
  refuses: ["not-found", "conflict"],
  example: { companyId: "" },
  audit: { fr: "a modifié un numéro de réception", en: "updated a receiving number" },
  run: (app, caller, { id, ...changes }) =>
    audited(app, caller, changeOf(id), (tx) => numbers.updateNumber(tx, id, changes)),
});

export const removeNumber = route("/v1/admin/inbound/number/{id}/delete", {
  title: { fr: "Supprimer un numéro de réception", en: "Delete a number that receives messages" },
  says: {
    fr: "Supprime un numéro et ses mots-clés. Les messages déjà reçus sont conservés.",
    en: "Deletes a number with its keywords. Messages already received are kept.",
  },
  body: oneId("number"),
  caller: adminWho("govern"),
  answers: InboundNumber,
  refuses: ["not-found"],
  audit: { fr: "a supprimé un numéro de réception", en: "deleted a receiving number" },
  run: (app, caller, { id }) =>
    audited(app, caller, { ...changeOf(id), after: () => null }, (tx) => numbers.deleteNumber(tx, id)),
});

const keywordNamed = {
  on: thingMade("keyword"),
  companyId: ({ companyId }: InboundKeyword) => companyId,
};

export const createKeyword = route("/v1/admin/inbound/keyword/create", {
  title: { fr: "Créer un mot-clé", en: "Create a keyword" },
  says: {
    fr: "Attribue à une entreprise les messages reçus sur un numéro et qui commencent par un mot-clé. STOP, START et leurs synonymes sont réservés.",
    en: "Assigns to a company the messages to a number that begin with a keyword. STOP, START and their synonyms are reserved.",
  },
  body: numbers.KeywordInput,
  caller: adminWho("govern"),
  answers: InboundKeyword,
  refuses: ["not-found", "conflict"],
  example: { numberId: "<numberId>", keyword: "PROMO", companyId: "<companyId>" },
  audit: { fr: "a attribué un mot-clé", en: "assigned a keyword" },
  run: (app, caller, body) =>
    audited(app, caller, keywordNamed, (tx) => numbers.createKeyword(tx, app, body)),
});

export const listKeywords = listRoute("/v1/admin/inbound/keyword/list", {
  title: { fr: "Lister les mots-clés d’un numéro", en: "List the keywords of a number" },
  says: {
    fr: "Liste les mots-clés d’un numéro par ordre alphabétique.",
    en: "Lists the keywords of a number in alphabetical order.",
  },
  body: { numberId: member(idOf("number"), inboundMeanings.numberId) },
  caller: adminWho("read"),
  rows: InboundKeyword,
  direction: "asc",
  refuses: ["not-found"],
  example: { numberId: "<numberId>" },
  list: (app, _caller, body) => numbers.listKeywords(app.database, body),
});

export const removeKeyword = route("/v1/admin/inbound/keyword/{id}/delete", {
  title: { fr: "Supprimer un mot-clé", en: "Delete a keyword" },
  says: {
    fr: "Supprime un mot-clé. Ses messages reviennent à l’entreprise du numéro.",
    en: "Deletes a keyword. Its messages then go to the company of the number.",
  },
  body: oneId("keyword"),
  caller: adminWho("govern"),
  answers: InboundKeyword,
  refuses: ["not-found"],
  audit: { fr: "a retiré un mot-clé", en: "removed a keyword" },
  run: (app, caller, { id }) =>
    audited(app, caller, { ...keywordNamed, after: () => null }, (tx) => numbers.deleteKeyword(tx, id)),
});
