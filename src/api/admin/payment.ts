// The URLs of /v1/admin/payment.
import { Type } from "typebox";
import { listPayments } from "../../commerce/partners/payments.ts";
import { PAYMENT_STATUSES, Payment } from "../../commerce/partners/shapes.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";

export const payments = listRoute("/v1/admin/payment/list", {
  title: { fr: "Lister les notifications de paiement", en: "List payment notifications" },
  says: {
    fr: "Liste les notifications reçues des prestataires de paiement et leur traitement.",
    en: "Lists the notifications received from payment providers and how each was processed.",
  },
  body: { ...inOrder("desc"), status: Type.Optional(Type.Enum([...PAYMENT_STATUSES])) },
  caller: adminWho("read"),
  rows: Payment,
  list: (app, _caller, { status, ...page }) => listPayments(app.database, status, page),
});
