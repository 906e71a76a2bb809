// One-time passwords are secrets: the queue holds their texts sealed, and only their submit_sm has them in the clear.
import type { Runtime } from "../../../platform/runtime.ts";

type Keys = Pick<Runtime, "secrets">;

/** Seals the text of a send in the lane of one-time passwords, for the queue. */
export function sealText(app: Keys, sendId: string, text: string): string {
  return app.secrets.seal(sealedPlaceOf(sendId), text);
}

/** Opens a text that `sealText` sealed. */
export function unsealText(app: Keys, sendId: string, body: string): string {
  return app.secrets.unseal(sealedPlaceOf(sendId), body);
}

function sealedPlaceOf(sendId: string) {
  return { table: "message_queue", column: "body", row: sendId };
}
