// The rows of the doors of drafts, templates and what else a console does with campaigns, for the tests of every door.
import { byId, given, type Row, unique, WEEK } from "./estates.ts";

const company = ["company"] as const;

export const rowsOfCampaigns: Readonly<Record<string, Row>> = {
  "/v1/campaign/draft/save": {
    callers: company,
    body: ({ own, phone }) => ({
      id: own.draft,
      text: "Bonjour @firstName",
      contacts: given(phone),
      groupsIds: [own.group],
      senderId: "PASENCORE",
      type: "RECURRING",
      recurring: WEEK,
    }),
    ids: { id: "draft", "contacts[].id": "nothing", "groupsIds[]": "group", senderId: "chosen" },
  },
  "/v1/campaign/draft/list": { callers: company, body: () => ({ limit: 5 }) },
  "/v1/campaign/draft/{id}": { callers: company, ...byId("draft"), ids: { id: "draft" } },
  "/v1/campaign/draft/{id}/delete": {
    callers: company,
    ...byId("draft"),
    ids: { id: "draft" },
    spends: true,
  },
  "/v1/campaign/draft/{id}/submit": { callers: company, ...byId("draft"), ids: { id: "draft" } },
  "/v1/campaign/template/create": {
    callers: company,
    body: () => ({ name: unique(), text: "Bonjour @name" }),
  },
  "/v1/campaign/template/list": { callers: company, body: () => ({ limit: 5 }) },
  "/v1/campaign/template/{id}/update": {
    callers: company,
    body: ({ own }) => ({ id: own.template, text: "Bonsoir @name" }),
    ids: { id: "template" },
  },
  "/v1/campaign/template/{id}/delete": {
    callers: company,
    ...byId("template"),
    ids: { id: "template" },
    spends: true,
  },
  "/v1/campaign/{id}/duplicate": { callers: company, ...byId("recurring"), ids: { id: "recurring" } },
  "/v1/campaign/{id}/reschedule": {
    callers: company,
    body: ({ own }) => ({ id: own.recurring, recurring: WEEK }),
    ids: { id: "recurring" },
  },
};
