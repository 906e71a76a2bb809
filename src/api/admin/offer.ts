// The URLs of /v1/admin/offer.

import { TopupOffer } from "../../commerce/topups/shapes.ts";
import * as offers from "../../commerce/topups/topups.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import { oneId } from "../../platform/http/idschemas.ts";
import { amongIds, inOrder, listRoute } from "../../platform/http/lists.ts";
import { route } from "../../platform/http/routes.ts";

const onOffer = { on: thingMade("topup-offer") };

export const createOffer = route("/v1/admin/offer/create", {
  title: { fr: "Créer une offre", en: "Create an offer" },
  says: {
    fr: "Met en vente une offre du service : des crédits et un bonus pour un montant, en XOF sauf mention contraire.",
    en: "Puts an offer of the service on sale: credits and a bonus for an amount, in XOF unless stated otherwise.",
  },
  body: offers.TopupOfferInput,
  caller: adminWho("account"),
  answers: TopupOffer,
  refuses: ["conflict"],
  example: { name: "Petit pack", credit: 200, bonusCredit: 20, amount: 5000 },
  audit: { fr: "a mis une offre de recharge en vente", en: "put a top-up offer on sale" },
  defaults: { currency: "XOF" },
  run: (app, caller, body) => audited(app, caller, onOffer, (tx) => offers.createTopupOffer(tx, app, body)),
});

export const listOffers = listRoute("/v1/admin/offer/list", {
  title: { fr: "Lister toutes les offres", en: "List all offers" },
  says: {
    fr: "Liste les offres du service, y compris les offres archivées.",
    en: "Lists the offers of the service, archived ones included.",
  },
  body: { ...inOrder("desc"), ...amongIds("topupOffer") },
  caller: adminWho("read"),
  rows: TopupOffer,
  list: (app, _caller, wanted) => offers.listTopupOffers(app.database, wanted),
});

export const archiveOffer = route("/v1/admin/offer/{id}/archive", {
  title: { fr: "Archiver une offre", en: "Archive an offer" },
  says: {
    fr: "Retire une offre du service de la vente. Les recharges déjà commencées peuvent encore être payées.",
    en: "Takes an offer of the service off sale. Top-ups already started can still be paid.",
  },
  body: oneId("topupOffer"),
  caller: adminWho("account"),
  answers: TopupOffer,
  refuses: ["offer-not-found"],
  audit: { fr: "a archivé une offre de recharge", en: "archived a top-up offer" },
  run: (app, caller, { id }) => audited(app, caller, onOffer, (tx) => offers.archiveTopupOffer(tx, id)),
});
