// The URLs of campaigns.
import { Type } from "typebox";
import { companyCaller } from "../accounts/accounts.ts";
import { ContactInput } from "../contacts/contacts.ts";
import { paged } from "../kernel/envelope.ts";
import { route } from "../kernel/routes.ts";
import { Id, Name, offsetOf, pageFields } from "../kernel/schemas.ts";
import { createCampaign, listCampaignMessages, listCampaigns, readCampaign } from "./campaigns.ts";

// Ten segments of GSM-7, and room for variables that vanish; the exact limit holds after personalisation.
const Text = Type.String({ minLength: 1, maxLength: 10_000 });

export const create = route({
  summary: "Creates a campaign; the answer comes before delivery",
  body: Type.Object({
    name: Type.Optional(Name),
    contacts: Type.Array(ContactInput, { default: [] }),
    text: Text,
    senderId: Type.Optional(Name),
    type: Type.Enum(["SMS"], { default: "SMS" }),
  }),
  caller: companyCaller,
  run: (app, caller, body) => createCampaign(app, caller, body),
});

export const list = route({
  summary: "Lists campaigns",
  body: Type.Object({
    ...pageFields,
    // The document lists these orders; a campaign has no names and no phone, so all of them are its time of creation.
    orderBy: Type.Enum(["createdAt", "firstName", "lastName", "phone"], { default: "createdAt" }),
  }),
  caller: companyCaller,
  async run(app, caller, { sort, page, limit }) {
    const order = { limit, offset: offsetOf({ page, limit }), ...(sort && { sort }) };
    const { campaigns, totalCount } = await listCampaigns(app.database, caller, order);
    return paged(campaigns, totalCount, { page, limit });
  },
});

export const read = route({
  summary: "Reads one campaign with its statistics",
  body: Type.Object({ id: Id }),
  caller: companyCaller,
  run: (app, caller, { id }) => readCampaign(app.database, caller, id),
});

export const messages = route({
  summary: "Lists the messages of a campaign",
  body: Type.Object({ id: Id, ...pageFields }),
  caller: companyCaller,
  async run(app, caller, { id, page, limit }) {
    const { messages, totalCount } = await listCampaignMessages(app.database, caller, id, { page, limit });
    return paged(messages, totalCount, { page, limit });
  },
});
