// The sender of a draft's message: the senders that it may have, and the default.
import type { Visit } from "../visit.ts";

const SENDERS_SHOWN = 100;

/** `standard` is the sender of a message that names none; `service` is the sender of companies without any. */
export type Senders = { accepted: readonly string[]; standard: string; service: string };

/** Returns the company's senders. As in `campaign/create`, the default is the only accepted one, else the service's. */
export async function sendersOf(visit: Visit): Promise<Senders> {
  const { data } = await visit.call("/v1/sender/list", { limit: SENDERS_SHOWN });
  const accepted = data.filter(({ status }) => status === "ACCEPTED").map(({ name }) => name);
  const service = visit.api.app.config.defaultSender;
  const [only = service, ...others] = accepted;
  return { accepted, service, standard: others.length === 0 ? only : service };
}

/** `ATUMPAN (du service)`. */
export function serviceWords(visit: Visit, { service }: Senders): string {
  return visit.t(`${service} (du service)`, `${service} (service sender)`);
}
