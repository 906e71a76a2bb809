// The URLs of campaigns.
import { Type } from "typebox";
import { companyCaller } from "../accounts/accounts.ts";
import { ContactInput } from "../contacts/contacts.ts";
import { paged } from "../kernel/envelope.ts";
import { IdempotencyKey, onceOf } from "../kernel/idempotency.ts";
import { route } from "../kernel/routes.ts";
import { Id, Name, pageFields } from "../kernel/schemas.ts";
import { readSender } from "../senders/senders.ts";
import { cancelCampaign, createCampaign } from "./campaigns.ts";
import { quoteCampaign } from "./quote.ts";
import { listCampaignMessages, listCampaigns, listCampaignsOfSender, readCampaign } from "./views.ts";

const campaignFields = {
  name: Type.Optional(Name),
  contacts: Type.Array(ContactInput, { default: [] }),
  groupsIds: Type.Array(Id, { default: [] }),
  // How long it may be, its template says.
  text: Type.String({ minLength: 1 }),
  senderId: Type.Optional(Name),
  type: Type.Enum(["SMS", "SCHEDULED", "RECURRING"], { default: "SMS" }),
  scheduledDate: Type.Optional(Type.String({ maxLength: 64 })),
  recurring: Type.Optional(Type.Record(Type.String({ maxLength: 32 }), Type.String({ maxLength: 64 }))),
};

export const create = route({
  summary: "Creates a campaign; the answer comes before delivery",
  body: Type.Object({ ...campaignFields, idempotencyKey: IdempotencyKey }),
  caller: companyCaller,
  run(app, caller, body, request) {
    const scope = { caller: `${caller.companyId} ${caller.userId}`, path: "campaign/create" };
    return createCampaign(app, caller, body, onceOf(app, request, scope, body));
  },
});

export const quote = route({
  summary: "Prices a campaign without sending anything",
  body: Type.Object(campaignFields),
  caller: companyCaller,
  run: (app, caller, body) => quoteCampaign(app, caller, body),
});

export const list = route({
  summary: "Lists campaigns",
  body: Type.Object({
    ...pageFields,
    // The document lists these orders; a campaign has no names and no phone, so all of them are its time of creation.
    orderBy: Type.Enum(["createdAt", "firstName", "lastName", "phone"], { default: "createdAt" }),
  }),
  caller: companyCaller,
  run: async (app, caller, page) => paged(await listCampaigns(app.database, caller, page), page),
});

export const read = route({
  summary: "Reads one campaign with its statistics",
  body: Type.Object({ id: Id }),
  caller: companyCaller,
  run: (app, caller, { id }) => readCampaign(app.database, caller, id),
});

export const messages = route({
  summary: "Lists the messages of a campaign",
  body: Type.Object({ id: Id, runId: Type.Optional(Id), ...pageFields }),
  caller: companyCaller,
  run: async (app, caller, { id, runId, ...page }) =>
    paged(await listCampaignMessages(app.database, caller, id, page, runId), page),
});

export const cancel = route({
  summary: "Cancels a campaign: what is not with the operator yet is released",
  body: Type.Object({ id: Id }),
  caller: companyCaller,
  async run(app, caller, { id }) {
    await cancelCampaign(app, caller, id);
    return readCampaign(app.database, caller, id);
  },
});

export const listOfSender = route({
  summary: "Lists the campaigns of a sender",
  body: Type.Object({ id: Id, ...pageFields }),
  caller: companyCaller,
  async run(app, caller, { id, ...page }) {
    const sender = await readSender(app.database, caller, id);
    return paged(await listCampaignsOfSender(app.database, caller, sender.id, page), page);
  },
});
