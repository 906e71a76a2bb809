// The choice of the sender of a send, by its name.
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { Refusal, requireRow } from "../../platform/http/refusals.ts";
import { batcher } from "../../platform/jobs/batcher.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import * as sql from "./sql.ts";

/**
 * The sender of a send: `id` is null for the service's default sender name. `registered`: where the name is registered,
 * as `operatorId callingCode`.
 */
export type ChosenSender = { id: string | null; name: string; registered: readonly string[] };

type WantedSender = { companyId: string; name: string | undefined };

const TOGETHER_AT_MOST = 500;

const chooser = perRuntime((app) =>
  batcher<WantedSender, ChosenSender>({
    max: TOGETHER_AT_MOST,
    async run(wanted) {
      const rows = await app.database.run(sql.listSendersForSends, {
        wanted: wanted.map(({ companyId, name = null }, asked) => ({ asked, companyId, name })),
      });
      const found = Map.groupBy(rows, (row) => row.asked);
      return wanted.map((send, i) => choose(send.name, found.get(i) ?? [], app.config.defaultSender));
    },
  }),
);

/**
 * Chooses the sender of a company's send by its full name (exact, else ignoring case), or the service's default by its
 * name; without a name, the company's only accepted sender, else the service's default. Refuses `sender-not-found` and
 * `sender-not-accepted`.
 */
export function chooseSender(
  app: Runtime,
  companyId: string,
  name: string | undefined,
): Promise<ChosenSender> {
  return chooser(app)({ companyId, name });
}

/** Returns a company's accepted sender by id or full name. Refuses `sender-not-found` and `sender-not-accepted`. */
export async function requireSender(
  db: Statements,
  companyId: string,
  idOrName: string,
): Promise<ChosenSender & { id: string }> {
  const found = await db.run(sql.listSendersNamed, [companyId, idOrName]);
  const chosen = choose(idOrName, found, "");
  if (chosen instanceof Refusal) throw chosen;
  return { ...chosen, id: chosen.id! };
}

/** Returns the names of a company's accepted senders, in order; the limit of senders bounds them. */
export async function listAcceptedSenders(
  db: Statements,
  companyId: string,
): Promise<{ id: string; name: string }[]> {
  return db.run(sql.listAccepted, [companyId]);
}

/** Chooses an accepted sender of any of a user's companies, by its name. Refuses as `requireSender`. */
export async function chooseSenderOfUser(app: Runtime, userId: string, name: string): Promise<ChosenSender> {
  const found = await app.database.run(sql.listSendersOfUser, [userId, name]);
  const chosen = choose(name, found, app.config.defaultSender);
  if (chosen instanceof Refusal) throw chosen;
  return chosen;
}

function choose(
  name: string | undefined,
  found: readonly sql.NamedSender[],
  defaultSender: string,
): ChosenSender | Refusal {
  if (name === undefined) {
    const [only, another] = found;
    return only && !another ? chosenOf(only) : defaultOf(defaultSender);
  }
  if (found.length === 0)
    return name.toUpperCase() === defaultSender.toUpperCase()
      ? defaultOf(defaultSender)
      : new Refusal("sender-not-found");
  const accepted = found.filter((sender) => sender.status === "ACCEPTED");
  const best = accepted.find((sender) => sender.exact) ?? accepted[0];
  return best ? chosenOf(best) : new Refusal("sender-not-accepted");
}

function chosenOf({ id, name, registered }: sql.NamedSender): ChosenSender {
  return { id, name, registered };
}

/** Returns the service's default sender, which companies share, so that nobody registers it for one of them. */
export function defaultOf(name: string): ChosenSender {
  return { id: null, name, registered: [] };
}

/** Returns the sender of a campaign that was stored, with its current registrations. */
export async function readChosen(
  db: Statements,
  companyId: string,
  { senderId, senderName }: { senderId: string | null; senderName: string },
): Promise<ChosenSender> {
  const [sender] = senderId === null ? [] : await db.run(sql.findRegistered, [companyId, senderId]);
  return { id: senderId, name: senderName, registered: sender?.registered ?? [] };
}

/** Locks a sender of any company, and returns its company. Refuses `sender-not-found`. */
export async function lockSender(tx: Tx, senderId: string): Promise<string> {
  const { companyId } = await requireRow(tx.run(sql.lockSender, [senderId]), "sender-not-found");
  return companyId;
}

/** Sets where a sender is registered: for those who keep the registrations. Each entry is `operatorId callingCode`. */
export async function markRegistered(
  tx: Tx,
  { companyId, senderId }: { companyId: string; senderId: string },
  registered: readonly string[],
): Promise<void> {
  await tx.run(sql.updateRegistered, [companyId, senderId, registered]);
}
