// Helpers for tests of notices: a notice to a new person, given to the service as its folders do.
import { sendNotice } from "../src/messaging/notices/notices.ts";
import type { Tx } from "../src/platform/database/transaction.ts";
import type { TestService } from "./testservice.ts";

export const LINK = "https://sms.example.org/claim/Qm9uam91ci1sZS1zZWNyZXQ";

let people = 0;

type Given = { phone: string | null; email: string; subject: string; text: string };

/** A notice to a person who gets no other notice. */
export function noticeTo(more: Partial<Given> = {}): Given {
  const email = `awa${++people}@boutique.example`;
  const text = `Votre application est approuvée.\n\n${LINK}${people}`;
  return { phone: null, email, subject: "Application approuvée", text, ...more };
}

/** Queues a notice, the same in both languages. */
export function queue(here: TestService, tx: Tx, { subject, text, ...to }: Given): Promise<void> {
  const notice = { subject: { fr: subject, en: subject }, text: { fr: text, en: text } };
  return sendNotice(here.app, tx, { ...to, language: "fr" }, notice);
}

export async function give(here: TestService, notice: Given): Promise<void> {
  await here.app.database.transaction((tx) => queue(here, tx, notice));
}
