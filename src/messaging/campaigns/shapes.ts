// The shapes of campaigns in responses.
import { type Static, type TSchema, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, PhoneShown, shape, TextShown, Timestamp } from "../../platform/http/responseschemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const campaignMeanings = {
  groupsIds: { fr: "Identifiants de groupes", en: "Group IDs", sample: ["66f0c0ffee00000000000001"] },
  scheduledDate: {
    fr: "Date d’envoi avec son fuseau horaire, à un quart d’heure exact",
    en: "Send time with its time zone, on an exact quarter hour",
    sample: null,
  },
  recurring: {
    fr: "Jours de la semaine en anglais, chacun avec une heure HH:MM (UTC) ou un horodatage, à un quart d’heure exact",
    en: "Weekdays in English, each with a time HH:MM (UTC) or a timestamp, on an exact quarter hour",
  },
  _count: { fr: "Décomptes", en: "Counts" },
  groups: {
    fr: "Nombre de groupes destinataires",
    en: "Number of groups that receive the campaign",
    sample: 0,
  },
  variables: {
    fr: "Variables du texte. Pour un devis ou une campagne, avec le nombre de destinataires sans valeur",
    en: "Variables of the text. For a quote or a campaign, with the number of recipients without a value",
    sample: [],
  },
  awaitsApproval: {
    fr: "true si la campagne est en attente d’approbation par un deuxième membre de l’entreprise, sinon absent",
    en: "true if the campaign is pending approval by a second member of the company, otherwise absent",
    sample: true,
  },
  askedAt: {
    fr: "Date depuis laquelle la campagne est en attente sous sa forme actuelle. Donnez-la à `approve` ou à `decline` pour décider seulement si la campagne n’a pas changé depuis",
    en: "Time since which the campaign has been pending in its current form. Pass it to `approve` or `decline` to decide only if the campaign has not changed since",
    sample: "2026-11-21T09:00:00.000Z",
  },
  revision: {
    fr: "Numéro de version, augmenté à chaque enregistrement. Un ancien numéro est refusé (`conflict`)",
    en: "Revision number, incremented on each save. An old number is refused (`conflict`)",
  },
} satisfies Record<string, Meaning>;

export const CAMPAIGN_TYPES = ["SMS", "SCHEDULED", "RECURRING"] as const;

export const CampaignName = Type.String({ examples: ["Rentrée"] });
export const NameOfSender = Type.String({ examples: ["BOUTIQUE"] });

/** A contact that gets no message, with the reason in the language of the company. */
export const BlockedContact = shape("BlockedContact", {
  phone: PhoneShown,
  name: orNull(Type.String()),
  code: Type.Enum([
    "invalid-number",
    "duplicate",
    "opted-out",
    "country-not-allowed",
    "sender-not-registered",
    "unroutable",
  ]),
  reason: Type.String(),
});
export type BlockedContact = Static<typeof BlockedContact>;

/** The contacts that get no message. */
export const blockedMembers = {
  blockedContacts: Type.Array(BlockedContact),
  blockedCount: member(Type.Integer(), {
    fr: "Nombre de contacts écartés",
    en: "Number of blocked contacts",
    sample: 0,
  }),
};

/** A campaign in lists. A campaign that runs later has used no credits yet. */
export const Campaign = shape("Campaign", {
  id: Type.String(),
  name: CampaignName,
  text: TextShown,
  type: Type.Enum([...CAMPAIGN_TYPES]),
  status: Type.Enum(["PENDING", "SENDING", "SENT", "FAILED", "CANCELED", "ACTIVE"]),
  scheduledDate: member(orNull(Timestamp), campaignMeanings.scheduledDate),
  createdAt: Timestamp,
  contactCount: Type.Integer(),
  creditUsed: Type.Integer(),
  senderIdId: member(orNull(Type.String()), {
    fr: "Identifiant de l’expéditeur",
    en: "ID of the sender",
    sample: null,
  }),
  userId: orNull(Type.String()),
  _count: member(
    Type.Object({
      contacts: member(Type.Integer({ examples: [1] }), {
        fr: "Nombre de destinataires, comme contactCount",
        en: "Number of recipients, same as contactCount",
      }),
      groups: member(Type.Integer(), campaignMeanings.groups),
    }),
    campaignMeanings._count,
  ),
});
export type Campaign = Static<typeof Campaign>;

/** A variable of a text, and the number of recipients without a value: they get the fallback, if the text has one. */
export const Variable = Type.Object({
  name: Type.String({ examples: ["city"] }),
  missing: member(Type.Integer(), {
    fr: "Nombre de destinataires sans valeur pour cette variable",
    en: "Number of recipients without a value for this variable",
  }),
  fallback: member(Type.Optional(Type.String()), {
    fr: "Texte de remplacement de la variable, écrit `@firstName|cher client`. Il s’arrête à la ponctuation, au saut de ligne ou à un second `|`, et compte 40 caractères au plus",
    en: "Fallback text of the variable, written `@firstName|dear customer`. It ends at punctuation, a line break or a second `|`, and has at most 40 characters",
  }),
});
export type Variable = Static<typeof Variable>;

/** `campaignId` equals `id`: the interface document has both. `variables` is present if the text uses custom fields. */
export const CreatedCampaign = shape("CreatedCampaign", {
  ...Campaign.properties,
  campaignId: Type.String(),
  ...blockedMembers,
  variables: member(Type.Optional(Type.Array(Variable)), campaignMeanings.variables),
  awaitsApproval: member(Type.Optional(Type.Boolean()), campaignMeanings.awaitsApproval),
});
export type CreatedCampaign = Static<typeof CreatedCampaign>;

const MadeBy = member(Type.String(), {
  fr: "Auteur de la campagne",
  en: "Author of the campaign",
  sample: "66f0c0ffee00000000000002",
});

/** The approval of a campaign by a second person. `CANCELED` and `FAILED`: the campaign ended before a decision. */
export const CampaignApproval = shape("CampaignApproval", {
  status: member(Type.Enum(["PENDING", "APPROVED", "DECLINED", "CANCELED", "FAILED"]), {
    fr: "PENDING : en attente d’approbation. CANCELED, FAILED : la campagne a été annulée ou a échoué avant la décision",
    en: "PENDING: pending approval. CANCELED, FAILED: the campaign was canceled or failed before the decision",
  }),
  madeBy: MadeBy,
  askedAt: member(Timestamp, campaignMeanings.askedAt),
  changedBy: member(orNull(Type.String()), {
    fr: "Membre qui a modifié la campagne pendant l’attente et ne peut donc pas décider. null si personne d’autre que son auteur ne l’a modifiée",
    en: "Member who changed the campaign while it was pending and therefore cannot decide. null if nobody but its author changed it",
    sample: null,
  }),
  decidedBy: orNull(Type.String()),
  decidedAt: orNull(Timestamp),
  reason: member(orNull(Type.String()), {
    fr: "Raison du refus",
    en: "Reason why the campaign was declined",
    sample: "Recharge",
  }),
});
export type CampaignApproval = Static<typeof CampaignApproval>;

const SenderNameShown = member(NameOfSender, { fr: "Nom d’expéditeur affiché", en: "Sender name shown" });

/** A campaign that awaits approval by a second person of its company. */
export const AwaitingCampaign = shape("AwaitingCampaign", {
  id: Type.String(),
  name: CampaignName,
  text: TextShown,
  type: Type.Enum([...CAMPAIGN_TYPES]),
  scheduledDate: member(orNull(Timestamp), campaignMeanings.scheduledDate),
  senderName: SenderNameShown,
  contactCount: Type.Integer(),
  madeBy: MadeBy,
  askedAt: member(Timestamp, campaignMeanings.askedAt),
  createdAt: member(Timestamp, {
    fr: "Date de création de la campagne",
    en: "Creation time of the campaign",
    sample: "2026-11-21T09:00:00.000Z",
  }),
});
export type AwaitingCampaign = Static<typeof AwaitingCampaign>;

/** Every message counts once: `sent` are those that the operator accepted and that have no receipt yet. */
const Stats = member(
  Type.Object({
    total: Type.Integer(),
    queued: Type.Integer(),
    sent: Type.Integer(),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    blocked: member(Type.Integer(), {
      fr: "Messages écartés avant l’envoi",
      en: "Messages blocked before sending",
      sample: 0,
    }),
  }),
  {
    fr: "Nombre de messages par statut. Leur somme est égale à total",
    en: "Number of messages by status. They add up to total",
  },
);
export type Stats = Static<typeof Stats>;

const CreditRefunded = member(Type.Integer(), {
  fr: "Crédits remboursés",
  en: "Credits refunded",
  sample: 0,
});

/** One run of a recurring campaign. */
export const Run = shape("Run", {
  id: orNull(Type.String()),
  name: CampaignName,
  date: member(Timestamp, { fr: "Date d’envoi prévue", en: "Scheduled time" }),
  status: Type.Enum(["PENDING", "SENDING", "SENT", "FAILED", "MISSED"]),
  error: member(orNull(Type.String()), {
    fr: "Code de la raison pour laquelle rien n’a été envoyé",
    en: "Code of the reason why nothing was sent",
  }),
  contactCount: Type.Integer(),
  stats: Stats,
  creditUsed: Type.Integer(),
  creditRefunded: CreditRefunded,
});
export type Run = Static<typeof Run>;

/** Returns members with the names of the weekdays, all with this schema. */
export function membersOfWeek<Schema extends TSchema>(day: Schema) {
  return {
    monday: member(day, { fr: "Lundi, HH:MM (UTC)", en: "Monday, HH:MM (UTC)" }),
    tuesday: member(day, { fr: "Mardi, HH:MM (UTC)", en: "Tuesday, HH:MM (UTC)" }),
    wednesday: member(day, { fr: "Mercredi, HH:MM (UTC)", en: "Wednesday, HH:MM (UTC)" }),
    thursday: member(day, { fr: "Jeudi, HH:MM (UTC)", en: "Thursday, HH:MM (UTC)" }),
    friday: member(day, { fr: "Vendredi, HH:MM (UTC)", en: "Friday, HH:MM (UTC)" }),
    saturday: member(day, { fr: "Samedi, HH:MM (UTC)", en: "Saturday, HH:MM (UTC)" }),
    sunday: member(day, { fr: "Dimanche, HH:MM (UTC)", en: "Sunday, HH:MM (UTC)" }),
  };
}

/** The time of each weekday on which a recurring campaign runs: `HH:MM` in UTC. */
export const RecurringTimes = Type.Object(membersOfWeek(Type.Optional(Type.String({ examples: ["08:30"] }))));
export type RecurringTimes = Static<typeof RecurringTimes>;

/**
 * A campaign with its statistics and those of its groups that still exist, 100 at most; a recurring one with its newest
 * runs. `isEnabled`: it is not canceled and, if it is a series, not paused. `pausedAt` is present while it is paused
 * because its runs failed.
 */
export const CampaignReport = shape("CampaignReport", {
  ...Campaign.properties,
  status: Type.Enum(Campaign.properties.status.enum, { examples: ["SENT"] }),
  stats: Stats,
  creditRefunded: CreditRefunded,
  recurring: member(orNull(RecurringTimes), campaignMeanings.recurring),
  sender: Type.Object({ id: orNull(Type.String()), name: NameOfSender }),
  groupsIds: member(Type.Array(Type.String()), campaignMeanings.groupsIds),
  updatedAt: Timestamp,
  isEnabled: member(Type.Boolean({ examples: [true] }), {
    fr: "Indique si la campagne est active, ni annulée ni suspendue. campaign/{id}/toggle-enable suspend et reprend une campagne récurrente",
    en: "Whether the campaign is active, neither canceled nor paused. campaign/{id}/toggle-enable pauses and resumes a recurring campaign",
  }),
  failure: member(Type.Optional(Type.String()), {
    fr: "Code de la raison pour laquelle rien n’a été envoyé",
    en: "Code of the reason why nothing was sent",
    sample: "insufficient-credits",
  }),
  approval: member(Type.Optional(CampaignApproval), {
    fr: "Décision d’un deuxième membre sur la campagne",
    en: "Decision of a second member on the campaign",
  }),
  nextRunAt: member(Type.Optional(orNull(Timestamp)), {
    fr: "Date de la prochaine occurrence",
    en: "Time of the next occurrence",
    sample: null,
  }),
  pausedAt: member(Type.Optional(Timestamp), {
    fr: "Date de la suspension automatique, après l’échec de 4 occurrences de suite. campaign/{id}/resume reprend la campagne",
    en: "Time of the automatic pause, after 4 occurrences in a row failed. campaign/{id}/resume resumes the campaign",
    sample: "2026-11-21T09:00:01.000Z",
  }),
  runs: member(Type.Optional(Type.Array(Run)), {
    fr: "Occurrences d’une campagne récurrente",
    en: "Occurrences of a recurring campaign",
    sample: [],
  }),
});
export type CampaignReport = Static<typeof CampaignReport>;

/** The outcomes of a campaign's messages: by operator, by reason of failure, and as a cumulative curve. */
export const CampaignStatistics = shape("CampaignStatistics", {
  byOperator: Type.Array(
    Type.Object({
      operator: orNull(Type.String({ examples: ["Opérateur 07"] })),
      total: Type.Integer(),
      delivered: Type.Integer(),
      failed: Type.Integer(),
      waiting: member(Type.Integer(), {
        fr: "Messages dont le résultat n’est pas encore connu",
        en: "Messages whose outcome is not known yet",
        sample: 0,
      }),
    }),
  ),
  byReason: member(
    Type.Array(
      Type.Object({
        status: Type.Enum(["UNDELIVERED", "EXPIRED", "REJECTED", "CANCELED", "UNKNOWN"]),
        code: orNull(Type.String({ examples: ["ESME_RINVDSTADR"] })),
        reason: Type.String(),
        count: member(Type.Integer(), {
          fr: "Nombre de messages pour cette raison",
          en: "Number of messages for this reason",
          sample: 1,
        }),
      }),
    ),
    {
      fr: "Raisons des échecs, la plus fréquente en premier",
      en: "Reasons for the failures, most frequent first",
    },
  ),
  curve: member(Type.Array(Type.Object({ at: Timestamp, sent: Type.Integer(), delivered: Type.Integer() })), {
    fr: "Nombre total de messages acceptés et remis à chaque date, 100 points au plus",
    en: "Total number of messages accepted and delivered by each time, at most 100 points",
  }),
});
export type CampaignStatistics = Static<typeof CampaignStatistics>;

/**
 * A campaign, or one of its runs, held for an administrator's review. `companyName`: null for a reseller's customer.
 */
export const KeptCampaign = shape("KeptCampaign", {
  id: Type.String(),
  companyId: Type.String(),
  companyName: orNull(Type.String()),
  name: orNull(Type.String()),
  text: TextShown,
  senderName: SenderNameShown,
  contactCount: Type.Integer(),
  heldAt: member(Timestamp, {
    fr: "Date à laquelle la campagne a été retenue pour examen",
    en: "Time when the campaign was held for review",
    sample: "2026-11-21T09:00:00.000Z",
  }),
});
export type KeptCampaign = Static<typeof KeptCampaign>;
