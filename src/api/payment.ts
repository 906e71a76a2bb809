// The URLs of /v1/payment.

import { Type } from "typebox";
import { providerCaller, takePayment } from "../commerce/partners/payments.ts";
import { Settlement } from "../commerce/partners/shapes.ts";
import { idOf, OF_NO_ACCOUNT } from "../platform/http/idschemas.ts";
import { route } from "../platform/http/routes.ts";

export const payment = route("/v1/payment/webhook/{provider}", {
  title: { fr: "Recevoir une notification de paiement", en: "Receive a payment notification" },
  says: {
    fr: "Reçoit du prestataire de paiement (standard ou paystack) la notification qu’un achat est payé. La signature porte sur le corps brut ; une répétition est sans effet.",
    en: "Receives the notification from the payment provider (standard or paystack) that a purchase was paid. It is signed over the raw body; a repeat has no effect.",
  },
  // The other properties are the provider's, in its own format.
  body: Type.Object({ provider: idOf(OF_NO_ACCOUNT) }, { additionalProperties: true }),
  caller: providerCaller,
  answers: Settlement,
  refuses: ["not-found", "purchase-not-found"],
  example: { id: "evt_1", type: "payment.succeeded", data: { purchaseId: "<purchaseId>", amount: 5000 } },
  run: (app, told) => app.database.transaction((tx) => takePayment(tx, app, told)),
});
