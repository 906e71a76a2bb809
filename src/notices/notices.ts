import type { Tx } from "../kernel/database.ts";
import type { Runtime } from "../kernel/runtime.ts";
export type Notice = {
  phone: string | null;
  email: string | null;
  subject: string;
  text: string;
  sms: string;
};
export async function sendNotice(_app: Runtime, _tx: Tx, _notice: Notice): Promise<void> {}
