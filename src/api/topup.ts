// The URLs of /v1/topup.

import { Type } from "typebox";
import { Topup, TopupOfferOnSale, TopupReceipt } from "../commerce/topups/shapes.ts";
import * as topups from "../commerce/topups/topups.ts";
import { companyMay } from "../identity/accounts/callers.ts";
import { IdempotencyKey, idempotencyOf } from "../platform/http/idempotency.ts";
import { idOf, oneId } from "../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../platform/http/lists.ts";
import { route } from "../platform/http/routes.ts";

export const listOnSale = listRoute("/v1/topup/offer/list", {
  synonyms: ["/v1/offer/list"],
  title: { fr: "Lister les offres de recharge", en: "List top-up offers" },
  says: {
    fr: "Liste les offres en vente, de la moins chère à la plus chère.",
    en: "Lists the offers on sale, cheapest first.",
  },
  body: inOrder("asc"),
  caller: companyMay("read"),
  rows: TopupOfferOnSale,
  list: (app, _caller, page) => topups.listOnSale(app.database, app, page),
});

export const begin = route("/v1/topup/begin", {
  title: { fr: "Commencer une recharge", en: "Start a top-up" },
  says: {
    fr: "Commence une recharge et ouvre une page chez le prestataire de paiement. Les crédits sont versés une fois le paiement effectué.",
    en: "Starts a top-up and opens a page at the payment provider. The credits are added once it is paid.",
  },
  body: Type.Object({ ...topups.TopupInput.properties, idempotencyKey: IdempotencyKey }),
  caller: companyMay("manage"),
  answers: Topup,
  refuses: ["offer-not-found", "conflict", "idempotency-key-reused", "idempotency-in-progress"],
  example: { offerId: "<offerId>" },
  audit: { fr: "a démarré une recharge", en: "started a top-up" },
  run(app, caller, { idempotencyKey, ...body }, request) {
    const scope = { caller: `${caller.companyId} ${caller.userId}`, path: "topup/begin" };
    const idempotency = idempotencyOf(app, request, scope, {
      ...body,
      ...(idempotencyKey && { idempotencyKey }),
    });
    return topups.beginTopup(app, caller, body, idempotency);
  },
});

export const list = listRoute("/v1/topup/list", {
  title: { fr: "Lister les recharges", en: "List top-ups" },
  says: { fr: "Liste les recharges de l’entreprise.", en: "Lists the company’s top-ups." },
  body: inOrder("desc"),
  caller: companyMay("read"),
  whenClosed: true,
  rows: Topup,
  list: (app, caller, page) =>
    topups.listTopups(app.database.of(caller.companyId), app, caller.companyId, page),
});

export const read = route("/v1/topup/{id}", {
  title: { fr: "Lire une recharge", en: "Read a top-up" },
  says: { fr: "Renvoie une recharge et son statut.", en: "Returns a top-up and its status." },
  body: oneId("topup"),
  reads: true,
  caller: companyMay("read"),
  whenClosed: true,
  answers: Topup,
  refuses: ["not-found"],
  run: (app, caller, { id }) =>
    topups.readTopup(app.database.of(caller.companyId), app, caller.companyId, id),
});

export const checkout = route("/v1/topup/{id}/checkout", {
  title: { fr: "Rouvrir la page de paiement", en: "Reopen the payment page" },
  says: {
    fr: "Ouvre une page de paiement pour une recharge dont le premier essai a échoué, ou renvoie la page déjà ouverte.",
    en: "Opens a payment page for a top-up whose first attempt failed, or returns the page that is already open.",
  },
  body: Type.Object({ id: idOf("topup"), ...topups.Paying }),
  actsOutside: true,
  caller: companyMay("manage"),
  answers: Topup,
  refuses: ["not-found", "conflict"],
  run: (app, caller, { id, provider, returnUrl }) =>
    topups.openTopup(app, caller, id, { provider, returnUrl }),
});

export const receipt = route("/v1/topup/{id}/receipt", {
  title: { fr: "Lire le reçu d’une recharge", en: "Read the receipt of a top-up" },
  says: {
    fr: "Renvoie le reçu d’une recharge payée. La numérotation des reçus d’une année est continue.",
    en: "Returns the receipt of a paid top-up. The receipts of a year are numbered without gaps.",
  },
  body: oneId("topup"),
  reads: true,
  caller: companyMay("read"),
  whenClosed: true,
  answers: TopupReceipt,
  refuses: ["not-found", "conflict"],
  run: (app, caller, { id }) =>
    topups.readTopupReceipt(app.database.of(caller.companyId), caller.companyId, id),
});
