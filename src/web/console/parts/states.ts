// The states of campaigns, messages and a trial, in words and mostly an icon, in the language of the page.
import type { Html } from "../../../platform/http/html.ts";
import { STATUS_WORDS } from "../../../protocol/sms/statuses.ts";
import type { Data } from "../apiclient.ts";
import type { Visit } from "../visit.ts";
import { badge, type Tone } from "./parts.ts";

type Campaign = Data<"/v1/campaign/list">[number];
type Status = Campaign["status"];

const TONES: Readonly<Record<Status, Tone>> = {
  PENDING: "wait",
  SENDING: "note",
  SENT: "good",
  FAILED: "wrong",
  CANCELED: "calm",
  ACTIVE: "note",
};

export function statusWord(visit: Visit, { status, type }: Pick<Campaign, "status" | "type">): string {
  const words: Record<Status, readonly [string, string]> = {
    PENDING: type === "SCHEDULED" ? ["Programmée", "Scheduled"] : ["En attente", "Pending"],
    SENDING: ["En cours d’envoi", "Sending"],
    SENT: ["Envoyée", "Sent"],
    FAILED: ["Échouée", "Failed"],
    CANCELED: ["Annulée", "Canceled"],
    ACTIVE: ["Récurrente", "Recurring"],
  };
  return visit.t(...words[status]);
}

/** Renders the state of a campaign. */
export function campaignState(visit: Visit, campaign: Pick<Campaign, "status" | "type">): Html {
  return badge(TONES[campaign.status], statusWord(visit, campaign));
}

export type MessageStatus = Data<"/v1/campaign/{id}/messages">[number]["status"];

/** The tones of messages, as on the timeline of a number. */
export const MESSAGE_TONES: Readonly<Record<MessageStatus, Tone>> = {
  QUEUED: "wait",
  SENDING: "note",
  SENT: "note",
  DELIVERED: "good",
  UNDELIVERED: "wrong",
  EXPIRED: "wrong",
  REJECTED: "wrong",
  CANCELED: "calm",
  UNKNOWN: "wait",
};

export function messageWord(visit: Visit, status: MessageStatus): string {
  const { fr, en } = STATUS_WORDS[status];
  return visit.t<string>(fr, en);
}

/** Renders the state of a message as a word with an icon. */
export function messageState(visit: Visit, status: MessageStatus): Html {
  return badge(MESSAGE_TONES[status], messageWord(visit, status));
}

/** Returns where the messages of a company on trial go, and until when. */
export function trialWords(visit: Visit): string {
  return visit.t(
    "Vos SMS n’arrivent que sur des téléphones simulés tant que votre premier expéditeur n’est pas accepté.",
    "Your SMS only reach simulated handsets until your first sender is accepted.",
  );
}
