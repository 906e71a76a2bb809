// The rows of the doors of top-ups, for the tests of every door.
import { byId, type Row, unique } from "./estates.ts";
import { PRICE } from "./reselling.ts";

const company = ["company"] as const;
const admin = ["admin"] as const;

export const rowsOfTopups: Readonly<Record<string, Row>> = {
  "/v1/admin/offer/create": {
    callers: admin,
    body: () => ({ name: "Petit pack", credit: 200, bonusCredit: 20, amount: PRICE, currency: "XOF" }),
  },
  "/v1/admin/offer/list": {
    callers: admin,
    body: ({ own }) => ({ sort: "asc", limit: 5, ids: [own.topupOffer] }),
    ids: { "ids[]": "topupOffer" },
  },
  "/v1/admin/offer/{id}/archive": {
    callers: admin,
    ...byId("topupOffer"),
    ids: { id: "topupOffer" },
    spends: true,
  },
  "/v1/admin/topup/list": {
    callers: admin,
    body: ({ own }) => ({ companyId: own.company, status: "PENDING", limit: 5 }),
    ids: { companyId: "company" },
  },
  "/v1/topup/offer/list": { callers: company, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/topup/begin": {
    callers: company,
    body: ({ own }) => ({
      ...{ offerId: own.topupOffer, provider: "standard", returnUrl: "https://boutique.example/" },
      idempotencyKey: unique(),
    }),
    ids: { offerId: "nothing" },
  },
  "/v1/topup/list": { callers: company, body: () => ({ sort: "asc", limit: 5 }) },
  "/v1/topup/{id}": { callers: company, ...byId("topup"), ids: { id: "topup" } },
  "/v1/topup/{id}/checkout": {
    callers: company,
    body: ({ own }) => ({ id: own.topup, provider: "standard", returnUrl: "https://boutique.example/" }),
    ids: { id: "topup" },
  },
  "/v1/topup/{id}/receipt": { callers: company, ...byId("paidTopup"), ids: { id: "paidTopup" } },
};
