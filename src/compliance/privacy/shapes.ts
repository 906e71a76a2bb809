// The response shapes of erasures, closings and exports.
import { type Static, Type } from "typebox";
import { Message } from "../../delivery/sends/record/shapes.ts";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const privacyMeanings = {
  runId: { fr: "Identifiant de l’occurrence", en: "Occurrence ID" },
  exportId: { fr: "Identifiant de l’export", en: "Export ID", sample: "<exportId>" },
} satisfies Record<string, Meaning>;

/** An erasure: its progress, and what was deleted or emptied so far. It does not name the person. */
export const Erasure = shape("Erasure", {
  id: Type.String(),
  status: Type.Enum(["RUNNING", "DONE"]),
  percent: Type.Integer({ examples: [40] }),
  erased: member(
    Type.Object({
      contacts: member(Type.Integer(), { fr: "Contacts enregistrés", en: "Stored contacts" }),
      optouts: Type.Integer(),
      queued: Type.Integer(),
      messages: Type.Integer(),
      received: member(Type.Integer(), {
        fr: "Messages reçus de cette personne",
        en: "Messages received from this person",
        sample: 1,
      }),
      codes: Type.Integer(),
      events: member(Type.Integer(), { fr: "Événements de webhooks", en: "Webhook events", sample: 1 }),
    }),
    { fr: "Éléments effacés jusqu’ici", en: "Items erased so far" },
  ),
  createdAt: Timestamp,
  doneAt: member(orNull(Timestamp), { fr: "Date de fin", en: "Completion time", sample: null }),
});
export type Erasure = Static<typeof Erasure>;

/** Whether a company has closed itself, and when it is emptied. */
export const Closing = shape("Closing", {
  companyId: Type.String(),
  status: Type.Enum(["OPEN", "CLOSED"]),
  emptyAt: orNull(Timestamp),
});
export type Closing = Static<typeof Closing>;

/** The progress of a file written in the background, and its link. */
const PROGRESS = {
  status: Type.Enum(["RUNNING", "DONE", "FAILED"]),
  percent: Type.Integer({ examples: [40] }),
  rows: Type.Integer(),
  bytes: Type.Integer(),
  url: member(orNull(Type.String()), {
    fr: "Lien de téléchargement de l’archive, valable aussi longtemps que la clé qui lit ce lien",
    en: "Download link for the archive, valid as long as the key that reads this link",
    sample: null,
  }),
  expiresAt: orNull(Timestamp),
  createdAt: Timestamp,
};
const Progress = Type.Object(PROGRESS);
export type Progress = Static<typeof Progress>;

/**
 * The messages of a send as CSV: its progress and its link. `runId` names the send; with `messageStatus` it has only
 * the messages with that status.
 */
export const CampaignExport = shape("CampaignExport", {
  exportId: member(Type.String(), privacyMeanings.exportId),
  campaignId: Type.String(),
  runId: member(Type.String(), privacyMeanings.runId),
  messageStatus: member(orNull(Message.properties.status), {
    fr: "Statut des messages du CSV, ou null pour tous",
    en: "Status of the messages in the CSV, or null for all",
  }),
  ...PROGRESS,
});
export type CampaignExport = Static<typeof CampaignExport>;

/** An archive of a company's data: its progress and its link. */
export const Export = shape("Export", {
  id: Type.String(),
  ...PROGRESS,
});
export type Export = Static<typeof Export>;

/** An erasure as the object of an audit entry. */
export const auditOfErasure = ({ id }: Erasure) => ({ kind: "erasure", id });
