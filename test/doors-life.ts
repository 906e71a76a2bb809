// The rows of the doors of a message's life, of credits by day and of changes to campaigns, for the tests of every door.
import { byId, given, type Row } from "./estates.ts";

const company = ["company"] as const;

export const rowsOfLife: Readonly<Record<string, Row>> = {
  "/v1/message/{id}": { callers: company, ...byId("message"), ids: { id: "message" } },
  "/v1/transaction/stats": { callers: company, body: () => ({ from: "2026-11-01", to: "2026-11-30" }) },
  "/v1/campaign/{id}/update": {
    callers: company,
    body: ({ own, phone }) => ({
      ...{ id: own.later, name: "Samedi", text: "Bonsoir", contacts: given(phone) },
    }),
    ids: { id: "later", "contacts[].id": "nothing" },
  },
};
