// The URLs of /v1/campaign.
import { Type } from "typebox";
import { privacyMeanings } from "../compliance/privacy/shapes.ts";
import { Message, STATUSES } from "../delivery/sends/record/shapes.ts";
import { companyMay } from "../identity/accounts/callers.ts";
import { audited } from "../identity/audit/audit.ts";
import { cancelCampaign, createCampaign, settleCanceled } from "../messaging/campaigns/campaigns.ts";
import { CampaignDraftInFull } from "../messaging/campaigns/draftshapes.ts";
import { type Duplicate, duplicateCampaign } from "../messaging/campaigns/duplicate.ts";
import { quoteCampaign } from "../messaging/campaigns/quote.ts";
import { Quote } from "../messaging/campaigns/quoteshapes.ts";
import { Recurring } from "../messaging/campaigns/schedule.ts";
import { CampaignFilter, searchCampaigns } from "../messaging/campaigns/search.ts";
import {
  CAMPAIGN_TYPES,
  Campaign,
  CampaignReport,
  CampaignStatistics,
  CreatedCampaign,
  campaignMeanings,
} from "../messaging/campaigns/shapes.ts";
import { readCampaignStatistics } from "../messaging/campaigns/statistics.ts";
import { rescheduleCampaign, updateCampaign } from "../messaging/campaigns/update.ts";
import { listCampaignMessages, readCampaign } from "../messaging/campaigns/views.ts";
import { resumeCampaign, toggleCampaign } from "../messaging/campaigns/waiting.ts";
import { warningsOf, warningsOfValues } from "../messaging/campaigns/warnings.ts";
import { messageMeanings } from "../messaging/messages/shapes.ts";
import { listForgottenCampaigns } from "../messaging/recovery/forgotten.ts";
import { ForgottenCampaign } from "../messaging/recovery/shapes.ts";
import { ContactInput } from "../phonebook/contacts/given.ts";
import type { Tx } from "../platform/database/transaction.ts";
import { answerWarned } from "../platform/http/envelope.ts";
import { IdempotencyKey, idempotencyOf } from "../platform/http/idempotency.ts";
import { idOf, oneId } from "../platform/http/idschemas.ts";
import { inOrder, inOrderOf, listRoute, warnBesideCursor, warnIgnored } from "../platform/http/lists.ts";
import { member } from "../platform/http/meanings.ts";
import { orNull } from "../platform/http/responseschemas.ts";
import { route } from "../platform/http/routes.ts";
import { CallbackData, MessageText, Name, SenderName } from "../platform/http/schemas.ts";
import { isFieldName } from "../protocol/sms/personalise.ts";

const campaignFields = {
  name: Type.Optional(Name),
  contacts: Type.Array(ContactInput, { default: [] }),
  groupsIds: member(Type.Array(idOf("group"), { default: [] }), campaignMeanings.groupsIds),
  // `MessageText` has no length limit of its own: the campaign's template has one.
  text: MessageText,
  senderId: Type.Optional(SenderName),
  type: Type.Enum([...CAMPAIGN_TYPES], { default: "SMS" }),
  scheduledDate: member(Type.Optional(Type.String({ maxLength: 64 })), campaignMeanings.scheduledDate),
  recurring: member(Type.Optional(Recurring), campaignMeanings.recurring),
};

/** More than the largest campaign can cost. */
const CEILING_AT_MOST = 1_000_000_000;

export const create = route("/v1/campaign/create", {
  synonyms: ["/v1/campain/create"],
  title: { fr: "Créer une campagne", en: "Create a campaign" },
  says: {
    fr: "Envoie un SMS à une liste de destinataires : tout de suite, à une date donnée ou chaque semaine. La réponse est rendue avant la remise des messages.",
    en: "Sends an SMS to a list of recipients: now, at a given time or every week. The response is returned before the messages are delivered.",
  },
  body: Type.Object({
    ...campaignFields,
    draftId: member(Type.Optional(idOf("draft")), {
      fr: "Brouillon à l’origine de la campagne. Il est supprimé quand la campagne est acceptée",
      en: "Draft that the campaign comes from. It is deleted when the campaign is accepted",
    }),
    creditAtMost: member(Type.Optional(Type.Integer({ minimum: 0, maximum: CEILING_AT_MOST })), {
      fr: "Prix total maximal d’une campagne SMS. Si les groupes ont changé depuis le devis et que le prix le dépasse, rien n’est envoyé (`conflict`)",
      en: "Maximum total price of an SMS campaign. If its groups have changed since the quote and the price exceeds it, nothing is sent (`conflict`)",
    }),
    callbackData: CallbackData,
    idempotencyKey: IdempotencyKey,
  }),
  caller: companyMay("send"),
  answers: CreatedCampaign,
  refuses: [
    "invalid-phone-number",
    "too-many-contacts",
    "no-recipient",
    "group-not-found",
    "sender-not-found",
    "sender-not-accepted",
    "message-too-long",
    "invalid-schedule",
    "insufficient-credits",
    "conflict",
    "not-found",
    "idempotency-key-reused",
    "idempotency-in-progress",
  ],
  spends: true,
  example: { contacts: [{ phone: "2250102030405", name: "Awa" }], text: "Bonjour @name" },
  audit: { fr: "a envoyé ou programmé une campagne", en: "sent or scheduled a campaign" },
  bulk: true,
  paid: true,
  async run(app, caller, body, request) {
    const scope = { caller: `${caller.companyId} ${caller.userId}`, path: "campaign/create" };
    const created = await createCampaign(app, caller, body, idempotencyOf(app, request, scope, body));
    const { variables, ...documented } = created;
    const hasOwn = variables?.some(({ name }) => isFieldName(name));
    return answerWarned(hasOwn ? created : documented, await warningsOf(app, caller, body, variables));
  },
});

export const quote = route("/v1/campaign/quote", {
  title: { fr: "Établir le devis d’une campagne", en: "Quote a campaign" },
  says: {
    fr: "Calcule le prix d’une campagne sans rien envoyer.",
    en: "Calculates the price of a campaign without sending anything.",
  },
  body: Type.Object(campaignFields),
  reads: true,
  caller: companyMay("contacts", "send"),
  answers: Quote,
  refuses: [
    "invalid-phone-number",
    "too-many-contacts",
    "no-recipient",
    "group-not-found",
    "sender-not-found",
    "sender-not-accepted",
    "message-too-long",
    "invalid-schedule",
    "conflict",
  ],
  example: { contacts: [{ phone: "2250102030405", name: "Awa" }], text: "Bonjour @name" },
  bulk: true,
  async run(app, caller, body) {
    const quoted = await quoteCampaign(app, caller, body);
    const warnings = await warningsOf(app, caller, body, quoted.variables);
    return answerWarned(quoted, [...warningsOfValues(quoted), ...warnings]);
  },
});

// The interface document lists these orders. A campaign has no names or phone, so all of them sort by creation time.
const CAMPAIGN_ORDERS = ["createdAt", "firstName", "lastName", "phone"] as const;

export const list = listRoute("/v1/campaign/list", {
  title: { fr: "Lister les campagnes", en: "List campaigns" },
  says: {
    fr: "Liste les campagnes. Les filtres status, type et search s’appliquent aux 10 000 campagnes les plus récentes entre from et to.",
    en: "Lists campaigns. The filters status, type and search apply to the 10,000 most recent campaigns between from and to.",
  },
  body: { ...inOrderOf(CAMPAIGN_ORDERS), ...inOrder("desc"), ...CampaignFilter.properties },
  caller: companyMay("read", "send"),
  whenClosed: true,
  rows: Campaign,
  list: (app, caller, wanted) => searchCampaigns(app.database.of(caller.companyId), caller, wanted),
  ignored: ({ orderBy }) =>
    warnIgnored("orderBy", orderBy !== "createdAt", {
      fr: `une campagne n’a pas de ${orderBy} ; la liste est triée par date de création`,
      en: `a campaign has no ${orderBy}; the list is sorted by creation date`,
    }),
});

export const read = route("/v1/campaign/{id}", {
  title: { fr: "Lire une campagne", en: "Read a campaign" },
  says: { fr: "Renvoie une campagne et ses statistiques.", en: "Returns a campaign with its statistics." },
  body: oneId("campaign"),
  reads: true,
  caller: companyMay("read", "send"),
  whenClosed: true,
  answers: CampaignReport,
  refuses: ["campaign-not-found"],
  run: (app, caller, { id }) => readCampaign(app.database.of(caller.companyId), caller, id),
});

export const messages = listRoute("/v1/campaign/{id}/messages", {
  title: { fr: "Lister les messages d’une campagne", en: "List the messages of a campaign" },
  says: {
    fr: "Liste les messages d’une campagne. `campaign/{id}/export` les exporte en CSV, avec le même filtre status.",
    en: "Lists the messages of a campaign. `campaign/{id}/export` exports them as CSV, with the same status filter.",
  },
  body: {
    id: idOf("campaign"),
    runId: member(Type.Optional(idOf("run")), privacyMeanings.runId),
    status: Type.Optional(Type.Enum([...STATUSES])),
    afterNumber: member(Type.Optional(Type.Integer({ minimum: 0, maximum: 2_000_000_000 })), {
      fr: "Curseur de page : renvoie les messages qui suivent celui-ci. Donnez la valeur de next. Une page filtrée incomplète n’est pas toujours la dernière",
      en: "Page cursor: returns the messages after this one. Pass the value of next. A short filtered page is not always the last one",
    }),
    ...inOrder("asc"),
  },
  beside: { next: member(orNull(Type.Integer()), messageMeanings.next) },
  caller: companyMay("read", "send"),
  whenClosed: true,
  rows: Message,
  refuses: ["campaign-not-found"],
  list: (app, caller, { id, ...wanted }) => listCampaignMessages(app, caller, id, wanted),
  ignored: ({ status, afterNumber, ...cursors }) => [
    ...warnIgnored("afterNumber", afterNumber !== undefined && status === undefined, {
      fr: "ce champ n’est utilisé qu’avec status ; after continue toute liste",
      en: "this field is used only with status; after continues any list",
    }),
    ...(status === undefined ? [] : warnBesideCursor("afterNumber", afterNumber, cursors)),
  ],
});

export const duplicate = route("/v1/campaign/{id}/duplicate", {
  title: { fr: "Dupliquer une campagne", en: "Duplicate a campaign" },
  says: {
    fr: "Duplique une campagne en brouillon, sans les contacts et les groupes supprimés depuis.",
    en: "Duplicates a campaign as a draft, without contacts and groups that have been deleted since.",
  },
  body: oneId("campaign"),
  caller: companyMay("contacts", "send"),
  answers: CampaignDraftInFull,
  refuses: ["campaign-not-found", "conflict"],
  audit: { fr: "a dupliqué une campagne", en: "duplicated a campaign" },
  async run(app, caller, { id }) {
    const audit = {
      on: ({ draft }: Duplicate) => ({ kind: "draft", id: draft.id }),
      after: ({ draft: { name, type, _count } }: Duplicate) => ({ name, type, _count, duplicateOf: id }),
    };
    const { draft, warnings } = await audited(app, caller, audit, (tx) => duplicateCampaign(tx, caller, id));
    return answerWarned(draft, warnings);
  },
});

export const statistics = route("/v1/campaign/{id}/statistics", {
  title: { fr: "Lire les statistiques d’une campagne", en: "Read the statistics of a campaign" },
  says: {
    fr: "Renvoie les résultats d’une campagne par opérateur, par motif d’échec et dans le temps.",
    en: "Returns the results of a campaign by operator, by failure reason and over time.",
  },
  body: Type.Object({
    id: idOf("campaign"),
    runId: member(Type.Optional(idOf("run")), privacyMeanings.runId),
  }),
  reads: true,
  caller: companyMay("read", "send"),
  answers: CampaignStatistics,
  refuses: ["campaign-not-found"],
  run: (app, caller, { id, runId }) => readCampaignStatistics(app, caller, id, runId),
});

export const forgottenCampaigns = listRoute("/v1/campaign/forgotten/list", {
  title: { fr: "Lister les campagnes perdues", en: "List lost campaigns" },
  says: {
    fr: "Liste les campagnes de l’entreprise qui avaient été acceptées puis perdues lors d’une panne de la base de données, de la plus récente à la plus ancienne.",
    en: "Lists the company’s campaigns that were accepted and then lost in a database failure, newest first.",
  },
  body: {},
  caller: companyMay("read"),
  whenClosed: true,
  rows: ForgottenCampaign,
  list: (app, { companyId }, wanted) => listForgottenCampaigns(app.database.of(companyId), companyId, wanted),
});

export const cancel = route("/v1/campaign/{id}/cancel", {
  title: { fr: "Annuler une campagne", en: "Cancel a campaign" },
  says: {
    fr: "Annule une campagne. Les messages qui n’ont pas encore été soumis à l’opérateur sont remboursés. Le remboursement suit la réponse de quelques secondes : `creditRefunded` et `stats` peuvent ne pas encore l’inclure.",
    en: "Cancels a campaign. Messages not yet submitted to the operator are refunded. The refund follows the response within seconds: `creditRefunded` and `stats` may not include it yet.",
  },
  body: oneId("campaign"),
  caller: companyMay("send"),
  answers: CampaignReport,
  refuses: ["campaign-not-found", "campaign-not-cancelable"],
  audit: { fr: "a annulé une campagne", en: "canceled a campaign" },
  async run(app, caller, { id }) {
    // Single messages share batches with those of others, and events go to the endpoints of applications.
    const audit = {
      on: { kind: "campaign", id },
      after: () => ({ status: "CANCELED" }),
      spansAccounts: true,
    } as const;
    await audited(app, caller, audit, (tx) => cancelCampaign(app, tx, caller.companyId, id));
    settleCanceled(app);
    return readCampaign(app.database.of(caller.companyId), caller, id);
  },
});

export const resume = route("/v1/campaign/{id}/resume", {
  title: { fr: "Reprendre une campagne récurrente", en: "Resume a recurring campaign" },
  says: {
    fr: "Reprend une campagne récurrente suspendue après l’échec de 4 occurrences de suite.",
    en: "Resumes a recurring campaign that was paused after 4 failed occurrences in a row.",
  },
  body: oneId("campaign"),
  caller: companyMay("send"),
  answers: CampaignReport,
  refuses: ["campaign-not-found", "conflict"],
  spends: true,
  audit: { fr: "a repris une campagne", en: "resumed a campaign" },
  async run(app, caller, { id }) {
    const audit = { on: { kind: "campaign", id }, after: () => ({ status: "ACTIVE" }) };
    await audited(app, caller, audit, (tx) => resumeCampaign(app, tx, caller, id));
    return readCampaign(app.database.of(caller.companyId), caller, id);
  },
});

function timesOf({ scheduledDate, recurring }: CampaignReport) {
  return { scheduledDate, recurring };
}

export const reschedule = route("/v1/campaign/{id}/reschedule", {
  title: { fr: "Reprogrammer une campagne", en: "Reschedule a campaign" },
  says: {
    fr: "Change la date ou l’horaire d’une campagne programmée.",
    en: "Changes the time of a scheduled campaign.",
  },
  body: Type.Object({
    id: idOf("campaign"),
    scheduledDate: campaignFields.scheduledDate,
    recurring: campaignFields.recurring,
  }),
  caller: companyMay("send"),
  answers: CampaignReport,
  refuses: ["campaign-not-found", "invalid-schedule", "conflict"],
  example: { recurring: { monday: "09:30" } },
  audit: { fr: "a reprogrammé une campagne", en: "rescheduled a campaign" },
  async run(app, caller, { id, ...times }) {
    const audit = {
      on: { kind: "campaign", id },
      before: async (tx: Tx) => timesOf(await readCampaign(tx, caller, id)),
      after: timesOf,
    };
    return audited(app, caller, audit, async (tx) => {
      await rescheduleCampaign(app, tx, caller, id, times);
      return readCampaign(tx, caller, id);
    });
  },
});

function enabledOf({ isEnabled }: CampaignReport) {
  return { isEnabled };
}

export const toggle = route("/v1/campaign/{id}/toggle-enable", {
  title: { fr: "Suspendre ou reprendre une campagne récurrente", en: "Pause or resume a recurring campaign" },
  says: {
    fr: "Suspend une campagne récurrente, ou la reprend. Les occurrences de la période de suspension sont ignorées : elles sont enregistrées avec l’erreur `paused` et ne coûtent rien.",
    en: "Pauses a recurring campaign, or resumes it. Occurrences while it is paused are skipped: they are recorded with the error `paused` and cost nothing.",
  },
  body: oneId("campaign"),
  caller: companyMay("send"),
  answers: CampaignReport,
  refuses: ["campaign-not-found", "campaign-not-cancelable", "conflict"],
  audit: { fr: "a suspendu ou repris une campagne récurrente", en: "paused or resumed a recurring campaign" },
  run(app, caller, { id }) {
    const before = async (tx: Tx) => enabledOf(await readCampaign(tx, caller, id));
    return audited(app, caller, { on: { kind: "campaign", id }, before, after: enabledOf }, async (tx) => {
      await toggleCampaign(app, tx, caller, id);
      return readCampaign(tx, caller, id);
    });
  },
});

export const update = route("/v1/campaign/{id}/update", {
  title: { fr: "Modifier une campagne", en: "Update a campaign" },
  says: {
    fr: "Modifie le nom d’une campagne à tout moment, et son texte, ses contacts et son heure tant qu’elle est programmée. Une fois soumise à l’approbation d’une deuxième personne, son texte et ses contacts ne peuvent plus changer (`conflict`) : annulez-la et créez-en une autre.",
    en: "Updates the name of a campaign at any time, and its text, contacts and time while it is scheduled. Once it has been submitted for a second person’s approval, its text and contacts cannot change (`conflict`): cancel it and create another one.",
  },
  body: Type.Object({
    id: idOf("campaign"),
    name: Type.Optional(Name),
    text: Type.Optional(MessageText),
    contacts: Type.Optional(Type.Array(ContactInput)),
    scheduledDate: member(Type.Optional(Type.String({ maxLength: 64 })), campaignMeanings.scheduledDate),
    recurring: member(Type.Optional(Recurring), campaignMeanings.recurring),
  }),
  emptyTexts: "emptied",
  caller: companyMay("send"),
  answers: CampaignReport,
  refuses: [
    "campaign-not-found",
    "conflict",
    "invalid-schedule",
    "message-too-long",
    "invalid-phone-number",
    "too-many-contacts",
    "no-recipient",
  ],
  example: { name: "Rentrée des classes" },
  audit: { fr: "a modifié une campagne", en: "updated a campaign" },
  bulk: true,
  async run(app, caller, { id, ...change }) {
    const { text = "", contacts = [] } = change;
    const { report, variables } = await updateCampaign(app, caller, id, change);
    return answerWarned(report, await warningsOf(app, caller, { text, contacts }, variables));
  },
});
