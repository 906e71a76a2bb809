// Mails: stored encrypted until the mail server has them, retried for half a day, then given up.
import { Counter } from "prom-client";
import { deleteInSteps } from "../../platform/database/steps.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { isPlainAddress, type Mail, type Mailer, openMailer } from "./mailer.ts";
import * as sql from "./sql.ts";

/** Added to the time limit of an attempt. A mail not reported by then is taken again: its process is dead. */
const LEASE_SLACK_MS = 15_000;
/** A process that stops waits this long for mails in progress. */
const STOP_MS = 3_000;

const tries = perRuntime(
  (app) =>
    new Counter({
      name: "atumpan_mail_tries_total",
      help: "Tries to send a mail, by what became of the mail.",
      labelNames: ["status"],
      registers: [app.metrics],
    }),
);

/** Queues a mail, if there is a mail server and the address is valid. */
export async function queueMail(app: Runtime, tx: Tx, { to, subject, text }: Mail): Promise<void> {
  if (app.config.smtpUrl === undefined) return;
  if (!isPlainAddress(to)) {
    app.log.warn({ reason: "bad-address" }, "a notice goes without its mail");
    return;
  }
  const id = newId();
  const mail: Mail = { to, subject, text };
  await tx.run(sql.insertMail, [id, app.secrets.seal(sealedPlaceOf(id), JSON.stringify(mail))]);
}

/**
 * Sends at most 20 due mails; several processes may run this at the same time. A mail is sent at least once: if its
 * delivery cannot be recorded, it is sent again with the same Message-ID. An attempt ends after 15 s. When `signal`
 * aborts, it ends after 3 s and does not count.
 */
export async function sendMails(app: Runtime, signal: AbortSignal): Promise<void> {
  const { smtpUrl, limits } = app.config;
  if (smtpUrl === undefined) return;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    timer = setTimeout(() => stopping.abort(), STOP_MS);
  };
  signal.addEventListener("abort", stop);
  const mailer = openMailer(app.config);
  try {
    for (let room = limits.mailsPerTurn; room > 0 && !signal.aborted; room -= limits.mailsInFlight) {
      const count = Math.min(room, limits.mailsInFlight);
      const leaseMs = app.config.settings.mailTimeoutMs + LEASE_SLACK_MS;
      const taken = await app.database.run(sql.takeMails, [count, leaseMs]);
      await Promise.all(taken.map((mail) => tryMail(app, mailer, mail, stopping.signal)));
      if (taken.length < count) break;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    clearTimeout(timer);
    mailer.close();
  }
}

/** Makes one attempt and records its result. Never rejects: without a record, it is retried when its lease ends. */
async function tryMail(
  app: Runtime,
  mailer: Mailer,
  taken: sql.TakenMail,
  stopping: AbortSignal,
): Promise<void> {
  const { id, attempts, sealed, created_at } = taken;
  const delays = app.config.settings.mailRetryDelaysMs;
  try {
    // Every process that attempted this mail died.
    if (attempts > delays.length + 1) return await giveUp(app, taken, null);
    const mail = JSON.parse(app.secrets.unseal(sealedPlaceOf(id), sealed)) as Mail;
    const error = await mailer.send({ ...mail, id, createdAt: created_at }, stopping);
    if (error === null) {
      await app.database.run(sql.markSent, [id]);
      tries(app).inc({ status: "sent" });
    } else if (stopping.aborted) {
      await app.database.run(sql.updateFailed, {
        id,
        attempt: attempts,
        attempts: attempts - 1,
        delayMs: 0,
        error,
      });
    } else {
      const delayMs = delays[attempts - 1];
      if (delayMs === undefined) return await giveUp(app, taken, error);
      await app.database.run(sql.updateFailed, { id, attempt: attempts, attempts, delayMs, error });
      tries(app).inc({ status: "retry" });
      app.log.warn({ mail: id, error, attempts, delayMs }, "a mail was not sent; it is tried again");
    }
  } catch (error) {
    app.log.error(
      { err: error, mail: id },
      "a mail could not be tried, or what became of it not recorded; it is tried again",
    );
  }
}

async function giveUp(app: Runtime, { id, attempts }: sql.TakenMail, error: string | null): Promise<void> {
  await app.database.run(sql.markGivenUp, [id, attempts, error]);
  tries(app).inc({ status: "given-up" });
  app.log.error({ mail: id, error, attempts }, "a mail was given up");
}

function sealedPlaceOf(id: string) {
  return { table: "mails", column: "sealed", row: id };
}

const STEPS = { atOnce: 10_000, most: 100 };

/** Deletes old mails that were sent or given up. A job runs it. */
export async function forgetOldMails(app: Runtime, signal?: AbortSignal): Promise<void> {
  await deleteInSteps(app, sql.deleteOldMails, [app.config.settings.mailLifetimeMs], STEPS, signal);
}
