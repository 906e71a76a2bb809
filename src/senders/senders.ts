// Sender IDs: the names that a company may show as the sender of an SMS.
import { gather } from "../kernel/gather.ts";
import { Refusal } from "../kernel/refusals.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import * as sql from "./sql.ts";

/** The sender of a send: `id` null is the service's default sender name. */
export type ChosenSender = { id: string | null; name: string };

type Wanted = { companyId: string; name: string | undefined };

const TOGETHER_AT_MOST = 500;

const chooser = perRuntime((app) =>
  gather<Wanted, ChosenSender>({
    max: TOGETHER_AT_MOST,
    async run(wanted) {
      const rows = await app.database.run(sql.listSendersForSends, [
        wanted.map((_, i) => i),
        wanted.map((send) => send.companyId),
        wanted.map((send) => send.name ?? null),
      ]);
      const found = Map.groupBy(rows, (row) => row.asked);
      return wanted.map((send, i) => choose(send.name, found.get(i) ?? [], app.config.defaultSender));
    },
  }),
);

/**
 * The sender for a send of a company, by its full name (exact, else ignoring case); without a name, the company's only
 * accepted sender, else the service's default. Refuses `sender-not-found` and `sender-not-accepted`.
 */
export function chooseSender(
  app: Runtime,
  companyId: string,
  name: string | undefined,
): Promise<ChosenSender> {
  return chooser(app)({ companyId, name });
}

function choose(
  name: string | undefined,
  found: readonly { id: string; name: string; status: string; exact: boolean }[],
  defaultSender: string,
): ChosenSender | Refusal {
  if (name === undefined) {
    return found.length === 1
      ? { id: found[0]!.id, name: found[0]!.name }
      : { id: null, name: defaultSender };
  }
  if (found.length === 0) return new Refusal("sender-not-found");
  const accepted = found.filter((sender) => sender.status === "ACCEPTED");
  const best = accepted.find((sender) => sender.exact) ?? accepted[0];
  return best ? { id: best.id, name: best.name } : new Refusal("sender-not-accepted");
}
