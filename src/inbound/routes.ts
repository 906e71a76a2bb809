// The URLs of received messages, and of the numbers and keywords that lead them to companies.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import type { Tx } from "../kernel/database.ts";
import { inOrder, listRoute, warnIgnored } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Id, Instant, Phone } from "../kernel/schemas.ts";
import { listAnyReceived, listReceived, readReceived } from "./inbound.ts";
import * as numbers from "./numbers.ts";
import { InboundKeyword, InboundMessage, InboundMessageOfAll, InboundNumber, OwnNumber } from "./shapes.ts";

const Written = Type.Optional(Type.String({ maxLength: 30 }));
const wanted = { phone: Type.Optional(Phone), number: Written, from: Instant, to: Instant };

export const list = listRoute({
  summary: "Lists what handsets wrote to the company, newest first",
  body: { ...wanted, keyword: Written, campaignId: Type.Optional(Id) },
  caller: companyMay("read"),
  rows: InboundMessage,
  list: (app, caller, body) => listReceived(app.database.of(caller.companyId), caller, body),
});

export const read = route({
  summary: "Reads one message that a handset wrote to the company",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("read"),
  answers: InboundMessage,
  run: (app, caller, { id }) => readReceived(app.database.of(caller.companyId), caller, id),
});

export const listOwn = listRoute({
  summary: "Lists the numbers and keywords on which the company receives",
  body: {},
  caller: companyMay("read"),
  rows: OwnNumber,
  list: (app, { companyId }, page) => numbers.listOwnNumbers(app.database.of(companyId), companyId, page),
});

export const listOfAll = listRoute({
  summary: "Lists what handsets wrote to all companies, to one or to nobody, newest first",
  body: { ...wanted, companyId: Type.Optional(Id), unrouted: Type.Optional(Type.Boolean()) },
  caller: adminWho("read"),
  rows: InboundMessageOfAll,
  list: (app, _caller, body) => listAnyReceived(app.database, body),
  ignored: ({ companyId, unrouted }) =>
    warnIgnored("companyId", companyId !== undefined && unrouted === true, {
      fr: "unrouted liste les messages qui n’ont atteint aucune entreprise",
      en: "unrouted lists the messages that reached no company",
    }),
});

/** What is noted of a number: how it was and how it is. Its company is told. */
function changeOf(id: string) {
  return {
    on: { kind: "number", id },
    companyId: ({ companyId }: InboundNumber) => companyId,
    before: (tx: Tx) => numbers.readNumber(tx, id),
  };
}

export const createNumber = route({
  summary: "Makes a number that handsets write to, for a company or shared by keywords",
  body: numbers.NumberInput,
  caller: adminWho("govern"),
  answers: InboundNumber,
  run(app, caller, body) {
    const on = ({ id }: InboundNumber) => ({ kind: "number", id });
    const noting = { on, companyId: ({ companyId }: InboundNumber) => companyId };
    return changing(app, caller, noting, (tx) => numbers.createNumber(tx, app, body));
  },
});

export const listNumbers = listRoute({
  summary: "Lists the numbers that handsets write to",
  body: inOrder("desc"),
  caller: adminWho("read"),
  rows: InboundNumber,
  list: (app, _caller, page) => numbers.listNumbers(app.database, page),
});

export const updateNumber = route({
  summary: "Gives a number to another company or operator, or to none",
  body: Type.Object({ id: Id, ...numbers.NumberChanges.properties }),
  emptyTexts: "emptied",
  caller: adminWho("govern"),
  answers: InboundNumber,
  run: (app, caller, { id, ...changes }) =>
    changing(app, caller, changeOf(id), (tx) => numbers.updateNumber(tx, id, changes)),
});

export const removeNumber = route({
  summary: "Deletes a number with its keywords; what was received stays",
  body: Type.Object({ id: Id }),
  caller: adminWho("govern"),
  answers: InboundNumber,
  run: (app, caller, { id }) =>
    changing(app, caller, { ...changeOf(id), after: () => null }, (tx) => numbers.deleteNumber(tx, id)),
});

const keywordNamed = {
  on: ({ id }: InboundKeyword) => ({ kind: "keyword", id }),
  companyId: ({ companyId }: InboundKeyword) => companyId,
};

export const createKeyword = route({
  summary: "Gives the messages that begin with a word, on a number, to a company",
  body: numbers.KeywordInput,
  caller: adminWho("govern"),
  answers: InboundKeyword,
  run: (app, caller, body) =>
    changing(app, caller, keywordNamed, (tx) => numbers.createKeyword(tx, app, body)),
});

export const listKeywords = listRoute({
  summary: "Lists the keywords on a number, by the alphabet",
  body: { numberId: Id },
  caller: adminWho("read"),
  rows: InboundKeyword,
  list: (app, _caller, body) => numbers.listKeywords(app.database, body),
});

export const removeKeyword = route({
  summary: "Deletes a keyword; its messages are for whose number it is",
  body: Type.Object({ id: Id }),
  caller: adminWho("govern"),
  answers: InboundKeyword,
  run: (app, caller, { id }) =>
    changing(app, caller, { ...keywordNamed, after: () => null }, (tx) => numbers.deleteKeyword(tx, id)),
});
