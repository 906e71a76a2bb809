// The URLs of /v1/admin/message.

import { Type } from "typebox";
import { adminWho } from "../../identity/admins/callers.ts";
import { findAnyMessages } from "../../messaging/messages/messages.ts";
import { FoundMessageOfAll, messageFilter, searchReach } from "../../messaging/messages/shapes.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { listRoute, warnBesideCursor } from "../../platform/http/lists.ts";

export const listOfAll = listRoute("/v1/admin/message/list", {
  title: { fr: "Rechercher des messages de toutes les entreprises", en: "Search messages of all companies" },
  says: {
    fr: "Liste les messages de toutes les entreprises vers un numéro, ou les messages d’une seule entreprise, ceux en file d’attente compris, du plus récent au plus ancien.",
    en: "Lists the messages of all companies to a phone number, or the messages of one company, queued ones included, newest first.",
  },
  body: { ...messageFilter, companyId: Type.Optional(idOf("company")) },
  caller: adminWho("read"),
  rows: FoundMessageOfAll,
  refuses: ["invalid-phone-number", "campaign-not-found"],
  example: { phone: "2250102030405" },
  beside: searchReach,
  list: (app, caller, body) => findAnyMessages(app, body, caller.language),
  ignored: ({ afterId, ...cursors }) => warnBesideCursor("afterId", afterId, cursors),
});
