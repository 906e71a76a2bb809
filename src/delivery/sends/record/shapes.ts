// The shapes of messages in responses, and of the audit of credits.
import { type Static, Type } from "typebox";
import { member } from "../../../platform/http/meanings.ts";
import { orNull, PhoneShown, shape, Timestamp } from "../../../platform/http/responseschemas.ts";

/**
 * Held credits compared with messages in flight, for all pools. `difference` is 0 if no credit was lost or created and
 * no entry was changed; `changedDays` are the days (UTC) whose entries differ from those written.
 */
export const Audit = shape("Audit", {
  balanced: member(Type.Boolean(), {
    fr: "Indique si tout concorde",
    en: "Whether everything balances",
    sample: true,
  }),
  pools: member(Type.Integer(), {
    fr: "Nombre de soldes vérifiés",
    en: "Number of balances checked",
    sample: 2,
  }),
  entries: member(Type.Integer(), {
    fr: "Nombre d’écritures vérifiées",
    en: "Number of entries checked",
    sample: 3,
  }),
  held: member(Type.Integer(), { fr: "Crédits réservés", en: "Reserved credits", sample: 0 }),
  inFlight: member(Type.Integer(), {
    fr: "Prix des messages en cours",
    en: "Price of the messages in flight",
    sample: 0,
  }),
  difference: member(Type.Integer(), {
    fr: "Écart, 0 si tout concorde",
    en: "Difference, 0 if everything balances",
    sample: 0,
  }),
  changedDays: member(Type.Array(Type.String({ examples: ["2026-11-22"] })), {
    fr: "Jours (UTC) dont les écritures ont été modifiées directement dans la base de données",
    en: "Days (UTC) whose entries were changed directly in the database",
    sample: [],
  }),
});
export type Audit = Static<typeof Audit>;

export const STATUSES = [
  ...(["QUEUED", "SENDING", "SENT", "DELIVERED", "UNDELIVERED"] as const),
  ...(["EXPIRED", "REJECTED", "CANCELED", "UNKNOWN"] as const),
] as const;

/** One message of a campaign. Its id consists of the id of its send and the number of its recipient. */
export const Message = shape("Message", {
  id: Type.String({ examples: ["66f0c0ffee00000000000001-1"] }),
  phone: PhoneShown,
  status: Type.Enum([...STATUSES], { examples: ["DELIVERED"] }),
  segments: Type.Integer(),
  credits: Type.Integer(),
  error: member(orNull(Type.String()), {
    fr: "Code d’erreur. Pour un message, celui de l’opérateur",
    en: "Error code. For a message, the operator’s code",
    sample: null,
  }),
  errorReason: orNull(Type.String()),
  sentAt: member(orNull(Timestamp), {
    fr: "Date d’acceptation par l’opérateur",
    en: "Time when the operator accepted the message",
    sample: "2026-11-21T09:00:01.000Z",
  }),
  deliveredAt: orNull(Timestamp),
});
export type Message = Static<typeof Message>;

/** A test of an operator: its message, and the operator's id of it. */
export const OperatorTest = shape("OperatorTest", {
  ...Message.properties,
  id: Type.String(),
  createdAt: Timestamp,
  operatorMessageId: orNull(Type.String()),
});
export type OperatorTest = Static<typeof OperatorTest>;
