// The shapes of campaigns in answers.
import { type Static, Type } from "typebox";
import { orNull, PhoneShown, shape, TextShown, Timestamp } from "../kernel/schemas.ts";

export const CAMPAIGN_TYPES = ["SMS", "SCHEDULED", "RECURRING"] as const;

const CampaignName = Type.String({ examples: ["Rentrée"] });
const NameOfSender = Type.String({ examples: ["BOUTIQUE"] });

/** Somebody who gets no message, and why, in the language of the company. */
export const BlockedContact = shape("BlockedContact", {
  phone: PhoneShown,
  name: orNull(Type.String()),
  code: Type.Enum(["invalid-number", "duplicate", "opted-out", "unroutable"]),
  reason: Type.String(),
});
export type BlockedContact = Static<typeof BlockedContact>;

const blocked = { blockedContacts: Type.Array(BlockedContact), blockedCount: Type.Integer() };

/** A campaign as in lists. A campaign that runs later has used no credits yet. */
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

/** `campaignId` is its `id`: the document says both. */
export const CreatedCampaign = shape("CreatedCampaign", {
  ...Campaign.properties,
  campaignId: Type.String(),
  ...blocked,
});
export type CreatedCampaign = Static<typeof CreatedCampaign>;

/** Every message counts once: `sent` are with the operator and wait for their receipt. */
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

/** `HH:MM` in UTC, of each weekday on which a recurring campaign runs. */
const RecurringTimes = Type.Object({
  monday: Clock,
  tuesday: Clock,
  wednesday: Clock,
  thursday: Clock,
  friday: Clock,
  saturday: Clock,
  sunday: Clock,
});
export type RecurringTimes = Static<typeof RecurringTimes>;

/** A campaign with its statistics, and a recurring one with its newest runs; `pausedAt` is there while it is paused. */
export const CampaignReport = shape("CampaignReport", {
  ...Campaign.properties,
  status: Type.Enum(Campaign.properties.status.enum, { examples: ["SENT"] }),
  stats: Stats,
  creditRefunded: Type.Integer(),
  recurring: orNull(RecurringTimes),
  sender: Type.Object({ id: orNull(Type.String()), name: NameOfSender }),
  updatedAt: Timestamp,
  failure: Type.Optional(Type.String()),
  nextRunAt: Type.Optional(orNull(Timestamp)),
  pausedAt: Type.Optional(Timestamp),
  runs: Type.Optional(Type.Array(Run)),
});
export type CampaignReport = Static<typeof CampaignReport>;

/** A campaign, or one run of it, that waits for an administrator. `companyName` is null for a reseller's customer. */
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

/** What a campaign would cost; `balanceAfter` is below zero where it cannot be paid. */
export const Quote = shape("Quote", {
  contactCount: Type.Integer(),
  segments: Type.Integer(),
  creditUsed: Type.Integer(),
  encodings: Type.Object({ "GSM-7": Price, "UCS-2": Price }),
  balance: Type.Integer(),
  balanceAfter: Type.Integer(),
  sufficient: Type.Boolean(),
  ...blocked,
  unicodeCharacters: Type.Array(
    Type.Object({ character: Type.String(), replacement: orNull(Type.String()), count: Type.Integer() }),
  ),
});
export type Quote = Static<typeof Quote>;
