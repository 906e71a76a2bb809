// The URLs of campaigns.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import { ContactInput } from "../contacts/contacts.ts";
import type { Tx } from "../kernel/database.ts";
import { answerWarned } from "../kernel/envelope.ts";
import { IdempotencyKey, onceOf } from "../kernel/idempotency.ts";
import { inOrder, inOrderOf, listRoute, warnBesideAfter, warnIgnored } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import {
  CallbackData,
  Counted,
  Id,
  Instant,
  MessageText,
  Name,
  orNull,
  Reason,
  SenderName,
} from "../kernel/schemas.ts";
import { readSender } from "../senders/senders.ts";
import { announceSends, Message, STATUSES } from "../sends/sends.ts";
import { isFieldName } from "../sms/sms.ts";
import { QUEUE_LIFETIME_MS } from "./accept.ts";
import { decideCampaign, listAwaiting } from "./approvals.ts";
import { cancelCampaign, createCampaign, settleCanceled } from "./campaigns.ts";
import { type Duplicate, duplicateCampaign } from "./duplicate.ts";
import { listKeptCampaigns, readKeptCampaign, releaseCampaign } from "./firsts.ts";
import { quoteCampaign } from "./quote.ts";
import { rescheduleCampaign } from "./reschedule.ts";
import { Recurring } from "./schedule.ts";
import { CampaignFilter, searchCampaigns } from "./search.ts";
import {
  AwaitingCampaign,
  CAMPAIGN_TYPES,
  Campaign,
  CampaignDraftInFull,
  CampaignReport,
  CampaignStatistics,
  CampaignTemplate,
  CreatedCampaign,
  KeptCampaign,
  Quote,
} from "./shapes.ts";
import { readCampaignStatistics } from "./statistics.ts";
import * as templates from "./templates.ts";
import { listCampaignMessages, listCampaignsOfSender, readCampaign } from "./views.ts";
import { resumeCampaign } from "./waiting.ts";
import { warningsOf, warningsOfTemplate, warningsOfValues } from "./warnings.ts";

export { toggle, update } from "./changeroutes.ts";
export {
  list as listDrafts,
  read as readDraft,
  remove as deleteDraft,
  save as saveDraft,
  submit as submitDraft,
} from "./draftroutes.ts";

const campaignFields = {
  name: Type.Optional(Name),
  contacts: Type.Array(ContactInput, { default: [] }),
  groupsIds: Type.Array(Id, { default: [] }),
  // How long it may be, its template says.
  text: MessageText,
  senderId: Type.Optional(SenderName),
  type: Type.Enum([...CAMPAIGN_TYPES], { default: "SMS" }),
  scheduledDate: Type.Optional(Type.String({ maxLength: 64 })),
  recurring: Type.Optional(Recurring),
};

/** More than the largest campaign can cost. */
const CEILING_AT_MOST = 1_000_000_000;

export const create = route({
  summary: "Sends an SMS to people, now, later or every week; the answer comes before delivery",
  body: Type.Object({
    ...campaignFields,
    draftId: Type.Optional(Id),
    creditAtMost: Type.Optional(Type.Integer({ minimum: 0, maximum: CEILING_AT_MOST })),
    callbackData: CallbackData,
    idempotencyKey: IdempotencyKey,
  }),
  caller: companyMay("send"),
  answers: CreatedCampaign,
  bulk: true,
  paid: true,
  async run(app, caller, body, request) {
    const scope = { caller: `${caller.companyId} ${caller.userId}`, path: "campaign/create" };
    const created = await createCampaign(app, caller, body, onceOf(app, request, scope, body));
    const { variables, ...documented } = created;
    const hasOwn = variables?.some(({ name }) => isFieldName(name));
    return answerWarned(hasOwn ? created : documented, await warningsOf(app, caller, body, variables));
  },
});

export const quote = route({
  summary: "Prices a campaign without sending anything",
  body: Type.Object(campaignFields),
  reads: true,
  caller: companyMay("contacts", "send"),
  answers: Quote,
  bulk: true,
  async run(app, caller, body) {
    const quoted = await quoteCampaign(app, caller, body);
    const warnings = await warningsOf(app, caller, body, quoted.variables);
    return answerWarned(quoted, [...warningsOfValues(quoted), ...warnings]);
  },
});

const templateMade = ({ id }: CampaignTemplate) => ({ kind: "template", id });

export const createTemplate = route({
  summary: "Keeps a text under a name, to be used again",
  body: templates.TemplateInput,
  caller: companyMay("contacts", "send"),
  answers: CampaignTemplate,
  async run(app, caller, body) {
    const noting = { on: templateMade };
    const made = await changing(app, caller, noting, (tx) => templates.createTemplate(tx, caller, body));
    return answerWarned(made, await warningsOfTemplate(app, caller, made));
  },
});

export const listTemplates = listRoute({
  summary: "Lists the texts that the company uses again, by name",
  body: inOrder("asc"),
  caller: companyMay("read", "contacts", "send"),
  rows: CampaignTemplate,
  list: (app, caller, page) => templates.listTemplates(app.database.of(caller.companyId), caller, page),
});

export const updateTemplate = route({
  summary: "Changes a text that is used again; what is not said stays",
  body: Type.Object({ id: Id, ...templates.TemplateChange.properties }),
  // An empty text is refused, not ignored.
  emptyTexts: "kept",
  caller: companyMay("contacts", "send"),
  answers: CampaignTemplate,
  async run(app, caller, { id, ...change }) {
    const before = (tx: Tx) => templates.readTemplate(tx, caller, id);
    const changed = await changing(app, caller, { on: { kind: "template", id }, before }, (tx) =>
      templates.updateTemplate(tx, caller, id, change),
    );
    return answerWarned(
      changed,
      change.text === undefined ? [] : await warningsOfTemplate(app, caller, changed),
    );
  },
});

export const deleteTemplate = route({
  summary: "Deletes a text that was used again",
  body: Type.Object({ id: Id }),
  caller: companyMay("contacts", "send"),
  answers: Counted,
  run: (app, caller, { id }) =>
    changing(
      app,
      caller,
      {
        on: { kind: "template", id },
        before: (tx) => templates.readTemplate(tx, caller, id),
        after: () => null,
      },
      (tx) => templates.deleteTemplate(tx, caller, id),
    ),
});

export const duplicate = route({
  summary: "Makes a draft that says what a campaign said, to those who are still there",
  body: Type.Object({ id: Id }),
  caller: companyMay("contacts", "send"),
  answers: CampaignDraftInFull,
  async run(app, caller, { id }) {
    const noting = {
      on: ({ draft }: Duplicate) => ({ kind: "draft", id: draft.id }),
      after: ({ draft: { name, type, _count } }: Duplicate) => ({ name, type, _count, duplicateOf: id }),
    };
    const { draft, warnings } = await changing(app, caller, noting, (tx) =>
      duplicateCampaign(tx, caller, id),
    );
    return answerWarned(draft, warnings);
  },
});

// The document lists these orders. A campaign has no names and no phone, so all of them are its time of creation.
const CAMPAIGN_ORDERS = ["createdAt", "firstName", "lastName", "phone"] as const;

export const list = listRoute({
  summary: "Lists campaigns",
  body: { ...inOrderOf(CAMPAIGN_ORDERS), ...inOrder("desc"), ...CampaignFilter.properties },
  caller: companyMay("read", "send"),
  rows: Campaign,
  list: (app, caller, wanted) => searchCampaigns(app.database.of(caller.companyId), caller, wanted),
  ignored: ({ orderBy }) =>
    warnIgnored("orderBy", orderBy !== "createdAt", {
      fr: `une campagne n’a pas de ${orderBy} ; la liste est triée par date de création`,
      en: `a campaign has no ${orderBy}; the list is sorted by creation date`,
    }),
});

export const read = route({
  summary: "Reads one campaign with its statistics",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("read", "send"),
  answers: CampaignReport,
  run: (app, caller, { id }) => readCampaign(app.database.of(caller.companyId), caller, id),
});

export const messages = listRoute({
  summary: "Lists the messages of a campaign",
  body: {
    id: Id,
    runId: Type.Optional(Id),
    status: Type.Optional(Type.Enum([...STATUSES])),
    afterNumber: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_000_000_000 })),
    ...inOrder("asc"),
  },
  beside: { next: orNull(Type.Integer()) },
  caller: companyMay("read", "send"),
  rows: Message,
  list: (app, caller, { id, ...wanted }) => listCampaignMessages(app, caller, id, wanted),
  ignored: ({ status, afterNumber, after }) => [
    ...warnIgnored("afterNumber", afterNumber !== undefined && status === undefined, {
      fr: "ce champ n’est utilisé qu’avec status ; after continue toute liste",
      en: "this field is used only with status; after continues any list",
    }),
    ...(status === undefined ? [] : warnBesideAfter("afterNumber", afterNumber, after)),
  ],
});

export const statistics = route({
  summary: "What became of the messages of a campaign, by operator, by reason and over time",
  body: Type.Object({ id: Id, runId: Type.Optional(Id) }),
  reads: true,
  caller: companyMay("read", "send"),
  answers: CampaignStatistics,
  run: (app, caller, { id, runId }) => readCampaignStatistics(app, caller, id, runId),
});

const CANCELED = { status: "CANCELED" };

export const cancel = route({
  summary:
    "Cancels a campaign: what is not with the operator yet is released. The refund follows the answer within seconds, so its creditRefunded and stats may not count it yet",
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
  summary: "Cancels a campaign of any company or customer. The refund follows the answer within seconds",
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

export const listAwaitingApproval = listRoute({
  summary: "Lists the campaigns that wait for a second person of the company",
  body: inOrder("asc"),
  caller: companyMay("read", "send"),
  rows: AwaitingCampaign,
  list: (app, caller, page) => listAwaiting(app.database.of(caller.companyId), app, caller.companyId, page),
});

export const approve = route({
  summary: "Approves a campaign that another person of the company made; it goes then",
  body: Type.Object({ id: Id, askedAt: Instant }),
  caller: companyMay("send"),
  answers: CampaignReport,
  async run(app, caller, { id, askedAt }) {
    const decision = { status: "APPROVED", reason: null, askedAt } as const;
    const noting = { on: { kind: "campaign", id }, after: () => ({ approval: "APPROVED" }) };
    await changing(app, caller, noting, (tx) => decideCampaign(app, tx, caller, id, decision));
    announceSends(app);
    return readCampaign(app.database.of(caller.companyId), caller, id);
  },
});

export const decline = route({
  summary:
    "Declines a campaign that another person of the company made; it is canceled. The refund follows the answer within seconds, so its creditRefunded and stats may not count it yet",
  body: Type.Object({ id: Id, reason: Reason, askedAt: Instant }),
  caller: companyMay("send"),
  answers: CampaignReport,
  async run(app, caller, { id, reason, askedAt }) {
    const decision = { status: "DECLINED", reason, askedAt } as const;
    const after = () => ({ approval: "DECLINED", reason, ...CANCELED });
    const noting = { on: { kind: "campaign", id }, after, spansAccounts: true } as const;
    await changing(app, caller, noting, async (tx) => {
      await decideCampaign(app, tx, caller, id, decision);
      await cancelCampaign(app, tx, caller.companyId, id);
    });
    settleCanceled(app);
    return readCampaign(app.database.of(caller.companyId), caller, id);
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

export const reschedule = route({
  summary: "Gives a campaign that waits for its time another one",
  body: Type.Object({
    id: Id,
    scheduledDate: campaignFields.scheduledDate,
    recurring: campaignFields.recurring,
  }),
  caller: companyMay("send"),
  answers: CampaignReport,
  async run(app, caller, { id, ...times }) {
    const noting = {
      on: { kind: "campaign", id },
      before: async (tx: Tx) => timesOf(await readCampaign(tx, caller, id)),
      after: timesOf,
    };
    return changing(app, caller, noting, async (tx) => {
      await rescheduleCampaign(app, tx, caller, id, times);
      return readCampaign(tx, caller, id);
    });
  },
});

function timesOf({ scheduledDate, recurring }: CampaignReport) {
  return { scheduledDate, recurring };
}

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

export const readHeld = route({
  summary: "Reads a campaign of a new company that waits for an administrator",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: adminWho("read"),
  answers: KeptCampaign,
  run: (app, _caller, { id }) => readKeptCampaign(app.database, QUEUE_LIFETIME_MS, id),
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
