// Texts that are secrets: one-time passwords wait in the queue sealed, and only their submit_sm has them in the clear.
import type { Runtime } from "../kernel/runtime.ts";

type Keys = Pick<Runtime, "secrets">;

/** What the queue holds of the text of a send in the lane of one-time passwords. */
export function sealText(app: Keys, sendId: string, text: string): string {
  return app.secrets.seal(sealedPlaceOf(sendId), text);
}

/** The text again. */
export function unsealText(app: Keys, sendId: string, body: string): string {
  return app.secrets.unseal(sealedPlaceOf(sendId), body);
}

function sealedPlaceOf(sendId: string) {
  return { table: "message_queue", column: "body", row: sendId };
}
