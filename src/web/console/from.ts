// Whom the message of a draft is from: the senders that it may have, and the one that it has where nobody chose.
import type { Visit } from "./visit.ts";

const SENDERS_SHOWN = 100;

/** `standard` is the sender of a message that names none; `service` that of a company without senders. */
export type Senders = { accepted: readonly string[]; standard: string; service: string };

/** The senders of a company, by the rule of `campaign/create`: its only accepted one stands in for none, else the service's. */
export async function sendersOf(visit: Visit): Promise<Senders> {
  const { data } = await visit.call("/v1/sender/list", { limit: SENDERS_SHOWN });
  const accepted = data.filter(({ status }) => status === "ACCEPTED").map(({ name }) => name);
  const service = visit.api.app.config.defaultSender;
  return { accepted, service, standard: accepted.length === 1 ? accepted[0]! : service };
}

/** `ATUMPAN (du service)`. */
export function serviceWords(visit: Visit, { service }: Senders): string {
  return visit.t(`${service} (du service)`, `${service} (service sender)`);
}
