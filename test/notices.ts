// Helpers for tests of notices: a notice to a new person, given to the service as its folders do.
import { type Notice, sendNotice } from "../src/messaging/notices/notices.ts";
import type { TestService } from "./testservice.ts";

export const LINK = "https://sms.example.org/claim/Qm9uam91ci1sZS1zZWNyZXQ";

let people = 0;

/** A notice to a person who gets no other notice. */
export function noticeTo(more: Partial<Notice> = {}): Notice & { email: string } {
  const email = `awa${++people}@boutique.example`;
  const text = `Votre application est approuvée.\n\n${LINK}${people}`;
  const given = { phone: null, email, subject: "Application approuvée", text, sms: "Approuvée", ...more };
  return { ...given, email: given.email ?? email };
}

export async function give(here: TestService, notice: Notice): Promise<void> {
  await here.app.database.transaction((tx) => sendNotice(here.app, tx, notice));
}
