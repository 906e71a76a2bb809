// The shapes of answers: what stands in `data`, as the interface document gives it.
import { type TSchema, Type } from "typebox";

const Text = Type.String();
const Count = Type.Integer();
const Timestamp = Type.String({ format: "date-time" });
const orNull = <Shape extends TSchema>(shape: Shape) => Type.Union([shape, Type.Null()]);

const person = {
  id: Text,
  name: Text,
  firstName: orNull(Text),
  lastName: orNull(Text),
  phone: Text,
  sex: orNull(Type.Enum(["M", "F"])),
};
const Contact = Type.Object({ ...person, createdAt: Timestamp });
const UpdatedContact = Type.Object({ ...person, updatedAt: Timestamp });

const Group = Type.Object({
  id: Text,
  name: Type.String({ examples: ["Clients fidèles"] }),
  description: orNull(Text),
  createdAt: Timestamp,
  contactCount: Count,
});

const Sender = Type.Object({
  id: Text,
  name: Type.String({ examples: ["BOUTIQUE"] }),
  description: orNull(Text),
  status: Type.Enum(["PENDING", "SUBMITTED", "ACCEPTED", "REFUSED"]),
  createdAt: Timestamp,
  reason: Type.Optional(Text),
});

const ReviewedSender = Type.Object({ ...Sender.properties, companyId: Text, companyName: Text });

const Optout = Type.Object({ phone: Text, source: Type.Enum(["COMPANY", "HANDSET"]), createdAt: Timestamp });

const BlockedContact = Type.Object({
  phone: Text,
  name: orNull(Text),
  code: Type.Enum(["invalid-number", "duplicate", "opted-out", "unroutable"]),
  reason: Text,
});

const campaign = {
  id: Text,
  name: orNull(Type.String({ examples: ["Rentrée"] })),
  text: Text,
  type: Type.Enum(["SMS", "SCHEDULED", "RECURRING"]),
  status: Type.Enum(["PENDING", "SENDING", "SENT", "FAILED", "CANCELED", "ACTIVE"]),
  scheduledDate: orNull(Timestamp),
  createdAt: Timestamp,
  contactCount: Count,
  senderIdId: orNull(Text),
  userId: orNull(Text),
  _count: Type.Object({ contacts: Type.Integer({ examples: [1] }), groups: Count }),
};
const Campaign = Type.Object(campaign);
const blocked = { blockedContacts: Type.Array(BlockedContact), blockedCount: Count };
const CreatedCampaign = Type.Object({ ...campaign, campaignId: Text, creditUsed: Count, ...blocked });

const spent = {
  stats: Type.Object({
    total: Count,
    queued: Count,
    sent: Count,
    delivered: Count,
    failed: Count,
    blocked: Count,
  }),
  creditUsed: Count,
  creditRefunded: Count,
};
const Run = Type.Object({
  id: orNull(Text),
  date: Timestamp,
  status: Type.Enum(["PENDING", "SENDING", "SENT", "FAILED", "MISSED"]),
  error: orNull(Text),
  contactCount: Count,
  ...spent,
});
const CampaignReport = Type.Object({
  ...campaign,
  status: Type.Enum(campaign.status.enum, { examples: ["SENT"] }),
  ...spent,
  failure: Type.Optional(Text),
  nextRunAt: Type.Optional(orNull(Timestamp)),
  runs: Type.Optional(Type.Array(Run)),
});

const Price = Type.Object({ messages: Count, segments: Count, credits: Count });
const Quote = Type.Object({
  contactCount: Count,
  segments: Count,
  creditUsed: Count,
  encodings: Type.Object({ "GSM-7": Price, "UCS-2": Price }),
  balance: Count,
  balanceAfter: Count,
  sufficient: Type.Boolean(),
  ...blocked,
  unicodeCharacters: Type.Array(Type.Object({ character: Text, replacement: orNull(Text), count: Count })),
});

const MESSAGE_STATES = [
  "QUEUED",
  "SENDING",
  "SENT",
  "DELIVERED",
  "UNDELIVERED",
  "EXPIRED",
  "REJECTED",
  "CANCELED",
  "UNKNOWN",
];
const Message = Type.Object({
  phone: Text,
  status: Type.Enum(MESSAGE_STATES, { examples: ["DELIVERED"] }),
  segments: Count,
  credits: Count,
  error: orNull(Text),
  sentAt: orNull(Timestamp),
  deliveredAt: orNull(Timestamp),
});

const Otp = Type.Object({
  token: Text,
  status: Type.Enum(["PENDING", "VERIFIED"]),
  phoneNumber: Text,
});

const OtpRefusal = Type.Object({
  accountId: Text,
  rule: Type.Enum(["country", "prefix", "unroutable", "unknown-token"]),
  destination: Text,
  hour: Timestamp,
  count: Count,
  lastAt: Timestamp,
});

const Company = Type.Object({
  id: Text,
  name: Type.String({ examples: ["Boutique Awa"] }),
  country: Text,
  language: Text,
  senderLimit: Count,
  partner: Type.Boolean(),
  balance: Count,
  createdAt: Timestamp,
});

const Audit = Type.Object({
  balanced: Type.Boolean(),
  pools: Count,
  entries: Count,
  held: Count,
  inFlight: Count,
  difference: Count,
});

const HandsetMessage = Type.Object({
  id: Text,
  to: Type.String({ examples: ["2250102030405"] }),
  from: Type.String({ examples: ["ATUMPAN"] }),
  text: Type.String({ examples: ["Bonjour Awa"] }),
  encoding: Text,
  segments: Count,
  receivedAt: Timestamp,
});

const Operator = Type.Object({
  id: Text,
  name: Type.String({ examples: ["Opérateur 07"] }),
  host: Text,
  port: Count,
  tls: Type.Boolean(),
  systemId: Text,
  systemType: Text,
  window: Count,
  tps: orNull(Count),
  prefixes: Type.Array(Text),
  priority: Count,
  enabled: Type.Boolean(),
  concatenation: Type.Enum(["udh8", "udh16", "sar", "payload"]),
  messageIdForm: Type.Enum(["as-is", "hex-to-decimal", "decimal-to-hex"]),
  createdAt: Timestamp,
  state: Type.Enum(["CONNECTING", "BOUND", "REFUSED", "DISCONNECTED", "DISABLED"], { examples: ["BOUND"] }),
  able: Type.Boolean({ examples: [true] }),
  inFlight: Count,
  rate: Type.Number(),
  error: orNull(Text),
  boundAt: orNull(Timestamp),
});

const Movement = Type.Object({
  id: Text,
  kind: Type.Enum(["grant", "correction", "transfer", "hold", "release"]),
  amount: Type.Integer({ examples: [100] }),
  balanceAfter: Count,
  reason: orNull(Text),
  createdAt: Timestamp,
});

const Customer = Type.Object({
  id: Text,
  customerId: Text,
  name: Type.String({ examples: ["Salon Fatou"] }),
  externalId: orNull(Text),
  balance: Type.Integer({ examples: [0] }),
  createdAt: Timestamp,
});

const Offer = Type.Object({
  id: Text,
  name: Type.String({ examples: ["Petit pack"] }),
  price: Count,
  credit: Count,
  bonusCredit: Count,
  archivedAt: orNull(Timestamp),
  createdAt: Timestamp,
});

const Purchase = Type.Object({
  id: Text,
  purchaseId: Text,
  status: Type.Enum(["PENDING", "PAID", "GRANTED", "FAILED"]),
  amount: Count,
  reference: Text,
  customerId: Text,
  offerId: Text,
  credit: Count,
  bonusCredit: Count,
  createdAt: Timestamp,
  paidAt: orNull(Timestamp),
  grantedAt: orNull(Timestamp),
});

const Payment = Type.Object({
  id: Text,
  provider: Text,
  eventId: orNull(Text),
  type: orNull(Type.String({ examples: ["payment.succeeded"] })),
  purchaseId: orNull(Text),
  companyId: orNull(Text),
  amount: orNull(Count),
  currency: orNull(Text),
  status: Type.Enum(["ACCEPTED", "REFUSED", "IGNORED"]),
  reason: Type.String({ examples: ["accepted"] }),
  ip: orNull(Text),
  receivedAt: Timestamp,
});

const app = {
  id: Text,
  name: Type.String({ examples: ["Boutique"] }),
  slug: Text,
  description: Text,
  logoUrl: orNull(Text),
  webhookUrl: orNull(Text),
  status: Type.Enum(["PENDING_REVIEW", "ACTIVE", "REJECTED", "INACTIVE"]),
  createdAt: Timestamp,
  ownerEmail: Type.Optional(Text),
  ownerPhone: Type.Optional(Text),
  rejectionReason: Type.Optional(Text),
};
const App = Type.Object(app);
const OwnedApp = Type.Object({
  ...app,
  apiSecret: Type.Optional(Text),
  webhookSecret: Type.Optional(Text),
  webhookEnabled: Type.Optional(Type.Boolean()),
});

const Connection = Type.Object({
  id: Text,
  connectionId: Text,
  app: Type.Object({ id: Text, name: Type.String({ examples: ["Boutique"] }), slug: Text }),
  externalAccountId: Text,
  target: Type.Enum(["company", "partnerCustomer"]),
  customerId: Type.Optional(Text),
  status: Type.Enum(["CONNECTED", "REVOKED"]),
  sender: orNull(Type.Object({ id: Text, name: Type.String({ examples: ["BOUTIQUE"] }) })),
  senderAssigned: Type.Boolean(),
  dailyCreditCap: orNull(Count),
  createdAt: Timestamp,
  revokedAt: orNull(Timestamp),
});

const Delivery = Type.Object({
  id: Text,
  type: Type.String({ examples: ["connection.paired"] }),
  status: Type.Enum(["PENDING", "DELIVERED", "EXHAUSTED", "CANCELED"]),
  attempts: Count,
  lastStatusCode: orNull(Count),
  lastError: orNull(Text),
  nextAttemptAt: orNull(Timestamp),
  createdAt: Timestamp,
  deliveredAt: orNull(Timestamp),
});

/** The shapes that have a name of their own in the reference. */
export const shapes = {
  Contact,
  UpdatedContact,
  Group,
  Sender,
  ReviewedSender,
  Optout,
  BlockedContact,
  Campaign,
  CreatedCampaign,
  CampaignReport,
  Run,
  Quote,
  Message,
  Otp,
  OtpRefusal,
  Company,
  Audit,
  HandsetMessage,
  Operator,
  Movement,
  Customer,
  Offer,
  Purchase,
  Payment,
  App,
  OwnedApp,
  Connection,
  Delivery,
};
