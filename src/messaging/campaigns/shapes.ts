// The shapes of campaigns in responses.
import { type Static, Type } from "typebox";
import { OwnFieldsShown } from "../../phonebook/contacts/fields.ts";
import { orNull, PhoneShown, shape, TextShown, Timestamp } from "../../platform/http/schemas.ts";

export const CAMPAIGN_TYPES = ["SMS", "SCHEDULED", "RECURRING"] as const;

const CampaignName = Type.String({ examples: ["Rentrée"] });
const NameOfSender = Type.String({ examples: ["BOUTIQUE"] });

/** A contact that gets no message, with the reason in the language of the company. */
export const BlockedContact = shape("BlockedContact", {
  phone: PhoneShown,
  name: orNull(Type.String()),
  code: Type.Enum(["invalid-number", "duplicate", "opted-out", "unroutable"]),
  reason: Type.String(),
});
export type BlockedContact = Static<typeof BlockedContact>;

const blocked = { blockedContacts: Type.Array(BlockedContact), blockedCount: Type.Integer() };

/** A campaign in lists. A campaign that runs later has used no credits yet. */
export const Campaign = shape("Campaign", {
  id: Type.String(),
  name: CampaignName,
  text: TextShown,
  type: Type.Enum([...CAMPAIGN_TYPES]),
  status: Type.Enum(["PENDING", "SENDING", "SENT", "FAILED", "CANCELED", "ACTIVE"]),
  scheduledDate: orNull(Timestamp),
  createdAt: Timestamp,
  contactCount: Type.Integer(),
  creditUsed: Type.Integer(),
  senderIdId: orNull(Type.String()),
  userId: orNull(Type.String()),
  _count: Type.Object({ contacts: Type.Integer({ examples: [1] }), groups: Type.Integer() }),
});
export type Campaign = Static<typeof Campaign>;

/** A variable of a text, and the number of recipients without a value: they get the fallback, if the text has one. */
const Variable = Type.Object({
  name: Type.String({ examples: ["city"] }),
  missing: Type.Integer(),
  fallback: Type.Optional(Type.String()),
});
export type Variable = Static<typeof Variable>;

/** `campaignId` equals `id`: the interface document has both. `variables` is present if the text uses custom fields. */
export const CreatedCampaign = shape("CreatedCampaign", {
  ...Campaign.properties,
  campaignId: Type.String(),
  ...blocked,
  variables: Type.Optional(Type.Array(Variable)),
  awaitsApproval: Type.Optional(Type.Boolean()),
});
export type CreatedCampaign = Static<typeof CreatedCampaign>;

/** The approval of a campaign by a second person. `CANCELED` and `FAILED`: the campaign ended before a decision. */
export const CampaignApproval = shape("CampaignApproval", {
  status: Type.Enum(["PENDING", "APPROVED", "DECLINED", "CANCELED", "FAILED"]),
  madeBy: Type.String(),
  askedAt: Timestamp,
  changedBy: orNull(Type.String()),
  decidedBy: orNull(Type.String()),
  decidedAt: orNull(Timestamp),
  reason: orNull(Type.String()),
});
export type CampaignApproval = Static<typeof CampaignApproval>;

/** A campaign that awaits approval by a second person of its company. */
export const AwaitingCampaign = shape("AwaitingCampaign", {
  id: Type.String(),
  name: CampaignName,
  text: TextShown,
  type: Type.Enum([...CAMPAIGN_TYPES]),
  scheduledDate: orNull(Timestamp),
  senderName: NameOfSender,
  contactCount: Type.Integer(),
  madeBy: Type.String(),
  askedAt: Timestamp,
  createdAt: Timestamp,
});
export type AwaitingCampaign = Static<typeof AwaitingCampaign>;

/** Every message counts once: `sent` are those that the operator accepted and that have no receipt yet. */
const Stats = Type.Object({
  total: Type.Integer(),
  queued: Type.Integer(),
  sent: Type.Integer(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
  blocked: Type.Integer(),
});
export type Stats = Static<typeof Stats>;

/** One run of a recurring campaign. */
export const Run = shape("Run", {
  id: orNull(Type.String()),
  name: CampaignName,
  date: Timestamp,
  status: Type.Enum(["PENDING", "SENDING", "SENT", "FAILED", "MISSED"]),
  error: orNull(Type.String()),
  contactCount: Type.Integer(),
  stats: Stats,
  creditUsed: Type.Integer(),
  creditRefunded: Type.Integer(),
});
export type Run = Static<typeof Run>;

const Clock = Type.Optional(Type.String({ examples: ["08:30"] }));

/** The time of each weekday on which a recurring campaign runs: `HH:MM` in UTC. */
export const RecurringTimes = Type.Object({
  monday: Clock,
  tuesday: Clock,
  wednesday: Clock,
  thursday: Clock,
  friday: Clock,
  saturday: Clock,
  sunday: Clock,
});
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
  creditRefunded: Type.Integer(),
  recurring: orNull(RecurringTimes),
  sender: Type.Object({ id: orNull(Type.String()), name: NameOfSender }),
  groupsIds: Type.Array(Type.String()),
  updatedAt: Timestamp,
  isEnabled: Type.Boolean({ examples: [true] }),
  failure: Type.Optional(Type.String()),
  approval: Type.Optional(CampaignApproval),
  nextRunAt: Type.Optional(orNull(Timestamp)),
  pausedAt: Type.Optional(Timestamp),
  runs: Type.Optional(Type.Array(Run)),
});
export type CampaignReport = Static<typeof CampaignReport>;

/** A contact of a draft, as given. Its phone may still be missing. */
const DraftContact = Type.Object({
  phone: PhoneShown,
  name: Type.Optional(Type.String()),
  firstName: Type.Optional(Type.String()),
  lastName: Type.Optional(Type.String()),
  sex: Type.Optional(Type.Enum(["M", "F"])),
  fields: Type.Optional(OwnFieldsShown),
});
export type DraftContact = Static<typeof DraftContact>;

/** An unfinished campaign without its recipients. `revision` counts its saves; `userId` saved it last. */
export const CampaignDraft = shape("CampaignDraft", {
  id: Type.String(),
  revision: Type.Integer({ examples: [1] }),
  name: orNull(CampaignName),
  text: orNull(TextShown),
  senderId: orNull(NameOfSender),
  type: Type.Enum([...CAMPAIGN_TYPES]),
  scheduledDate: orNull(Type.String()),
  recurring: orNull(RecurringTimes),
  userId: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  submittedAt: orNull(Timestamp),
  submittedBy: orNull(Type.String()),
  _count: Type.Object({ contacts: Type.Integer({ examples: [1] }), groups: Type.Integer() }),
});
export type CampaignDraft = Static<typeof CampaignDraft>;

/** An unfinished campaign with its recipients. */
export const CampaignDraftInFull = shape("CampaignDraftInFull", {
  ...CampaignDraft.properties,
  contacts: Type.Array(DraftContact),
  groupsIds: Type.Array(Type.String()),
});
export type CampaignDraftInFull = Static<typeof CampaignDraftInFull>;

/** A text that a company reuses. */
export const CampaignTemplate = shape("CampaignTemplate", {
  id: Type.String(),
  name: Type.String({ examples: ["Rappel de rendez-vous"] }),
  text: TextShown,
  variables: Type.Array(Type.String({ examples: ["name"] })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type CampaignTemplate = Static<typeof CampaignTemplate>;
/** The outcomes of a campaign's messages: by operator, by reason of failure, and as a cumulative curve. */
export const CampaignStatistics = shape("CampaignStatistics", {
  byOperator: Type.Array(
    Type.Object({
      operator: orNull(Type.String({ examples: ["Opérateur 07"] })),
      total: Type.Integer(),
      delivered: Type.Integer(),
      failed: Type.Integer(),
      waiting: Type.Integer(),
    }),
  ),
  byReason: Type.Array(
    Type.Object({
      status: Type.Enum(["UNDELIVERED", "EXPIRED", "REJECTED", "CANCELED", "UNKNOWN"]),
      code: orNull(Type.String({ examples: ["ESME_RINVDSTADR"] })),
      reason: Type.String(),
      count: Type.Integer(),
    }),
  ),
  curve: Type.Array(Type.Object({ at: Timestamp, sent: Type.Integer(), delivered: Type.Integer() })),
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
  senderName: NameOfSender,
  contactCount: Type.Integer(),
  heldAt: Timestamp,
});
export type KeptCampaign = Static<typeof KeptCampaign>;

const Price = Type.Object({ messages: Type.Integer(), segments: Type.Integer(), credits: Type.Integer() });

/**
 * The messages of a quote with the same price: `messages × segments × creditsPerSegment = credits`. `country` is null
 * if several countries share the calling code.
 */
const PriceRow = Type.Object({
  callingCode: Type.String({ examples: ["225"] }),
  country: orNull(Type.String({ examples: ["CI"] })),
  encoding: Type.Enum(["GSM-7", "UCS-2"]),
  segments: Type.Integer(),
  creditsPerSegment: Type.Integer(),
  messages: Type.Integer(),
  credits: Type.Integer(),
});

/** The cost of a campaign; `balanceAfter` is below zero if it cannot be paid. */
export const Quote = shape("Quote", {
  contactCount: Type.Integer(),
  segments: Type.Integer(),
  creditUsed: Type.Integer(),
  encodings: Type.Object({ "GSM-7": Price, "UCS-2": Price }),
  bySegments: Type.Array(Type.Object({ segments: Type.Integer(), messages: Type.Integer() })),
  breakdown: Type.Array(PriceRow),
  awaitsApproval: Type.Optional(Type.Boolean()),
  balance: Type.Integer(),
  balanceAfter: Type.Integer(),
  sufficient: Type.Boolean(),
  ...blocked,
  variables: Type.Array(Variable),
  unicodeCharacters: Type.Array(
    Type.Object({ character: Type.String(), replacement: orNull(Type.String()), count: Type.Integer() }),
  ),
});
export type Quote = Static<typeof Quote>;
