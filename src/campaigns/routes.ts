// The URLs of campaigns.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import { ContactInput } from "../contacts/contacts.ts";
import { answerWarned } from "../kernel/envelope.ts";
import { IdempotencyKey, onceOf } from "../kernel/idempotency.ts";
import { inOrder, inOrderOf, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Id, Name, SenderName } from "../kernel/schemas.ts";
import { readSender } from "../senders/senders.ts";
import { announceSends, Message } from "../sends/sends.ts";
import { QUEUE_LIFETIME_MS } from "./accept.ts";
import { cancelCampaign, createCampaign, settleCanceled } from "./campaigns.ts";
import { listKeptCampaigns, releaseCampaign } from "./firsts.ts";
import { quoteCampaign } from "./quote.ts";
import { Recurring } from "./schedule.ts";
import { CAMPAIGN_TYPES, Campaign, CampaignReport, CreatedCampaign, KeptCampaign, Quote } from "./shapes.ts";
import { listCampaignMessages, listCampaigns, listCampaignsOfSender, readCampaign } from "./views.ts";
import { resumeCampaign } from "./waiting.ts";
import { warningsOf } from "./warnings.ts";

const campaignFields = {
  name: Type.Optional(Name),
  contacts: Type.Array(ContactInput, { default: [] }),
  groupsIds: Type.Array(Id, { default: [] }),
  // How long it may be, its template says.
  text: Type.String({ minLength: 1 }),
  senderId: Type.Optional(SenderName),
  type: Type.Enum([...CAMPAIGN_TYPES], { default: "SMS" }),
  scheduledDate: Type.Optional(Type.String({ maxLength: 64 })),
  recurring: Type.Optional(Recurring),
};

export const create = route({
  summary: "Creates a campaign; the answer comes before delivery",
  body: Type.Object({ ...campaignFields, idempotencyKey: IdempotencyKey }),
  caller: companyMay("send"),
  answers: CreatedCampaign,
  bulk: true,
  async run(app, caller, body, request) {
    const scope = { caller: `${caller.companyId} ${caller.userId}`, path: "campaign/create" };
    const created = await createCampaign(app, caller, body, onceOf(app, request, scope, body));
    return answerWarned(created, warningsOf(body, caller.country));
  },
});

export const quote = route({
  summary: "Prices a campaign without sending anything",
  body: Type.Object(campaignFields),
  caller: companyMay("contacts", "send"),
  answers: Quote,
  bulk: true,
  run: async (app, caller, body) =>
    answerWarned(await quoteCampaign(app, caller, body), warningsOf(body, caller.country)),
});

// The document lists these orders; a campaign has no names and no phone, so all of them are its time of creation.
const CAMPAIGN_ORDERS = ["createdAt", "firstName", "lastName", "phone"] as const;

export const list = listRoute({
  summary: "Lists campaigns",
  body: { ...inOrderOf(CAMPAIGN_ORDERS), ...inOrder("desc") },
  caller: companyMay("read", "send"),
  rows: Campaign,
  list: (app, caller, page) => listCampaigns(app.database.of(caller.companyId), caller, page),
});

export const read = route({
  summary: "Reads one campaign with its statistics",
  body: Type.Object({ id: Id }),
  caller: companyMay("read", "send"),
  answers: CampaignReport,
  run: (app, caller, { id }) => readCampaign(app.database.of(caller.companyId), caller, id),
});

export const messages = listRoute({
  summary: "Lists the messages of a campaign",
  body: { id: Id, runId: Type.Optional(Id), ...inOrder("asc") },
  caller: companyMay("read", "send"),
  rows: Message,
  list: (app, caller, { id, runId, ...page }) =>
    listCampaignMessages(app.database.of(caller.companyId), caller, id, page, runId),
});

const CANCELED = { status: "CANCELED" };

export const cancel = route({
  summary: "Cancels a campaign: what is not with the operator yet is released",
  body: Type.Object({ id: Id }),
  caller: companyMay("send"),
  answers: CampaignReport,
  async run(app, caller, { id }) {
    // Single messages share batches with those of others, and events go to the endpoints of applications.
    const noting = { on: { kind: "campaign", id }, after: () => CANCELED, spansAccounts: true } as const;
    await changing(app, caller, noting, (tx) => cancelCampaign(app, tx, caller.companyId, id));
    settleCanceled(app);
    return readCampaign(app.database.of(caller.companyId), caller, id);
  },
});

export const cancelAny = route({
  summary: "Cancels a campaign of any company or customer",
  body: Type.Object({ id: Id, companyId: Id }),
  caller: adminWho("review"),
  answers: CampaignReport,
  async run(app, caller, { id, companyId }) {
    const noting = { on: { kind: "campaign", id }, companyId, after: () => CANCELED };
    await changing(app, caller, noting, (tx) => cancelCampaign(app, tx, companyId, id));
    settleCanceled(app);
    return readCampaign(app.database, { companyId }, id);
  },
});

export const resume = route({
  summary: "Resumes a recurring campaign that was paused because its runs failed",
  body: Type.Object({ id: Id }),
  caller: companyMay("send"),
  answers: CampaignReport,
  async run(app, caller, { id }) {
    const noting = { on: { kind: "campaign", id }, after: () => ({ status: "ACTIVE" }) };
    await changing(app, caller, noting, (tx) => resumeCampaign(app, tx, caller, id));
    return readCampaign(app.database.of(caller.companyId), caller, id);
  },
});

export const release = route({
  summary: "Lets a campaign of a new company go that waited for it",
  body: Type.Object({ id: Id, companyId: Id }),
  caller: adminWho("review"),
  answers: CampaignReport,
  async run(app, caller, { id, companyId }) {
    const noting = { on: { kind: "campaign", id }, companyId, after: () => ({ released: true }) };
    await changing(app, caller, noting, (tx) => releaseCampaign(tx, companyId, id));
    announceSends(app);
    return readCampaign(app.database, { companyId }, id);
  },
});

export const listHeld = listRoute({
  summary: "Lists the campaigns of new companies that wait for an administrator",
  body: inOrder("asc"),
  caller: adminWho("read"),
  rows: KeptCampaign,
  list: (app, _caller, page) => listKeptCampaigns(app.database, QUEUE_LIFETIME_MS, page),
});

export const listOfSender = listRoute({
  summary: "Lists the campaigns of a sender",
  body: { id: Id, ...inOrder("desc") },
  caller: companyMay("read", "send"),
  rows: Campaign,
  async list(app, caller, { id, ...page }) {
    const seen = app.database.of(caller.companyId);
    const sender = await readSender(seen, caller, id);
    return listCampaignsOfSender(seen, caller, sender.id, page);
  },
});
