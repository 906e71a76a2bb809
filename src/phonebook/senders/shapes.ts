// The shapes of sender IDs in responses.
import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";

export const SENDER_STATUSES = ["PENDING", "SUBMITTED", "ACCEPTED", "REFUSED"] as const;
export type SenderStatus = (typeof SENDER_STATUSES)[number];

/** A sender as its company sees it; `reason` is present once it is refused. */
export const Sender = shape("Sender", {
  id: Type.String(),
  name: Type.String({ examples: ["BOUTIQUE"] }),
  description: Type.String(),
  status: Type.Enum([...SENDER_STATUSES]),
  createdAt: Timestamp,
  reason: Type.Optional(Type.String()),
});
export type Sender = Static<typeof Sender>;

/** A sender with its history: each time is present once it has come and if it is known. */
export const SenderInFull = shape("SenderInFull", {
  ...Sender.properties,
  submittedAt: member(Type.Optional(Timestamp), {
    fr: "Date de soumission de l’expéditeur pour validation",
    en: "Time when the sender was submitted for approval",
    sample: "2026-11-21T09:30:00.000Z",
  }),
  decidedAt: Type.Optional(Timestamp),
});
export type SenderInFull = Static<typeof SenderInFull>;

/** An accepted sender of another company with a look-alike name; `acceptedAt` is null if unknown. */
export const AlikeSender = shape("AlikeSender", {
  id: Type.String(),
  name: Type.String({ examples: ["BOUTIQUE"] }),
  companyId: Type.String(),
  companyName: Type.String(),
  acceptedAt: orNull(Timestamp),
});
export type AlikeSender = Static<typeof AlikeSender>;

/**
 * A sender as an administrator sees it: with its company and, when read, the brand that its name looks like and the
 * accepted senders of other companies that it can be mistaken for.
 */
export const ReviewedSender = shape("ReviewedSender", {
  ...Sender.properties,
  companyId: Type.String(),
  companyName: Type.String(),
  resembles: Type.Optional(Type.String()),
  alike: member(Type.Optional(Type.Array(AlikeSender)), {
    fr: "Expéditeurs acceptés d’autres entreprises dont le nom peut être confondu avec celui-ci, 5 au plus. Absent s’il n’y en a pas",
    en: "Accepted senders of other companies whose names can be confused with this one, at most 5. Absent if there are none",
  }),
});
export type ReviewedSender = Static<typeof ReviewedSender>;

/** The sender's reference in the audit log. */
export const senderNoted = ({ id }: Sender) => ({ kind: "sender", id });
