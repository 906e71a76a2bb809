// The URLs of /v1/message.
import { Type } from "typebox";
import { companyMay } from "../identity/accounts/callers.ts";
import { inboundMeanings } from "../messaging/inbound/shapes.ts";
import { readMessageLife } from "../messaging/messages/life.ts";
import { findMessages } from "../messaging/messages/messages.ts";
import { FoundMessage, MessageLife, messageFilter, searchReach } from "../messaging/messages/shapes.ts";
import { oneId } from "../platform/http/idschemas.ts";
import { listRoute, warnBesideCursor } from "../platform/http/lists.ts";
import { member } from "../platform/http/meanings.ts";
import { orNull } from "../platform/http/responseschemas.ts";
import { route } from "../platform/http/routes.ts";

export const list = listRoute("/v1/message/list", {
  title: { fr: "Rechercher des messages", en: "Search messages" },
  says: {
    fr: "Liste les messages de l’entreprise, ceux en file d’attente compris, du plus récent au plus ancien, sur 92 jours au plus. Pour un numéro, les 1 000 derniers. Sans numéro, page par page avec `afterId`. Pour une campagne, sans limite de date.",
    en: "Lists the company’s messages, queued ones included, newest first, within 92 days at most. For a phone number, the last 1,000. Without one, page by page with `afterId`. For a campaign, of any date.",
  },
  body: messageFilter,
  caller: companyMay("read", "send"),
  rows: FoundMessage,
  refuses: ["invalid-phone-number", "campaign-not-found"],
  example: { phone: "2250102030405" },
  beside: {
    contact: member(orNull(Type.Object({ id: Type.String(), name: Type.String() })), inboundMeanings.contact),
    optout: member(orNull(Type.Enum(["COMPANY", "HANDSET"])), {
      fr: "Auteur de la désinscription du numéro : l’entreprise ou la personne. null si le numéro n’est pas désinscrit",
      en: "Who opted the number out: the company or the person. null if the number is not opted out",
      sample: null,
    }),
    ...searchReach,
  },
  list: (app, caller, body) => findMessages(app, caller, body),
  ignored: ({ afterId, ...cursors }) => warnBesideCursor("afterId", afterId, cursors),
});

export const read = route("/v1/message/{id}", {
  title: { fr: "Lire un message", en: "Read a message" },
  says: {
    fr: "Renvoie un message et l’historique de ses statuts. Son identifiant figure dans les listes de messages.",
    en: "Returns a message with its status history. Its id is in the lists of messages.",
  },
  body: oneId("message"),
  reads: true,
  caller: companyMay("read", "send"),
  whenClosed: true,
  answers: MessageLife,
  refuses: ["not-found"],
  run: (app, caller, { id }) => readMessageLife(app, caller, id),
});
