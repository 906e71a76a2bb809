// Submissions by people without an account. No caller can block others, and no unreviewed submission is stored forever.

import { one } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { networksOf } from "../../platform/http/networks.ts";
import { refuse } from "../../platform/http/refusals.ts";
import type { Request } from "../../platform/http/routes.ts";
import { newId } from "../../platform/ids.ts";
import { networkOf } from "../../platform/limits/rates.ts";
import { SharedRates } from "../../platform/limits/sharedrates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";
import { checkInput, hookAddressOf, insertApplication, type PublicApplicationInput } from "./apps.ts";
import type { Application } from "./shapes.ts";
import type { ApplicationRow } from "./sql.ts";
import * as sql from "./submissions.sql.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;

const rates = perRuntime((app) => {
  const { publicSubmitsPerHour, publicSubmitsPerHourOfNetwork, publicSubmitsPerDayOfOwner } =
    app.config.limits;
  const rate = (of: string, burst: number, seconds: number) =>
    new SharedRates(app, { name: `submissions of ${of}`, perSecond: burst / seconds, burst });
  return {
    ofAddress: rate("an address", publicSubmitsPerHour, HOUR),
    ofNetwork: rate("a network", publicSubmitsPerHourOfNetwork, HOUR),
    ofPhone: rate("a phone", publicSubmitsPerDayOfOwner, DAY),
    ofEmail: rate("a mailbox", publicSubmitsPerDayOfOwner, DAY),
  };
});

/**
 * Submits an application of a person without an account. An address may do so five times an hour, its network twenty
 * times, and ten a day may name one phone or one e-mail. There is no limit for all together: submissions beyond the
 * daily budget are surplus, and get the same response. Refuses `invalid-request`, `invalid-phone-number`,
 * `app-slug-taken`, `too-many-requests`.
 */
export async function submitPublicApplication(
  app: Runtime,
  input: PublicApplicationInput,
  request: Request,
): Promise<Application> {
  const phone = requirePhone(input.ownerPhone, "ownerPhone");
  const waitSeconds = await takeSubmission(app, request, phone, input.ownerEmail);
  if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
  await checkInput(app, input);
  const { name, slug, description = "", ownerEmail } = input;
  const id = newId();
  const application = {
    ...{ id, slug, name, description, ownerEmail, ownerPhone: phone },
    ...hookAddressOf(app, id, input),
    ...{ logoUrl: null, companyId: null, userId: null },
  };
  const { publicSubmitsPerDay } = app.config.limits;
  return app.database.transaction(async (tx) => {
    // No lock is taken here: concurrent submissions may exceed the budget together.
    const { count } = await one(tx, sql.countOfBudget, [publicSubmitsPerDay]);
    return insertApplication(tx, app, { ...application, isSurplus: count >= publicSubmitsPerDay });
  });
}

/** Counts a submission; returns the seconds to wait if one of its limits is reached. */
async function takeSubmission(app: Runtime, { ip }: Request, phone: string, email: string): Promise<number> {
  const { ofAddress, ofNetwork, ofPhone, ofEmail } = rates(app);
  const network = networksOf(app).of(ip);
  // One after the other: a refusal by one limit does not count against the next.
  return (
    (await ofAddress.take(networkOf(ip))) ||
    (network === undefined ? 0 : await ofNetwork.take(network)) ||
    (await ofPhone.take(phone)) ||
    ofEmail.take(mailboxOf(email))
  );
}

/** Returns the mailbox that an address most likely means: most servers ignore case, and text after a plus sign. */
function mailboxOf(email: string): string {
  return email.toLowerCase().replace(/\+[^@]*(?=@)/, "");
}

const SLUG_TAKEN = {
  fr: "appartient désormais à une autre application, car celle-ci est restée en attente plus de 72 heures",
  en: "belongs to another application now, because this one was pending for more than 72 hours",
};

/**
 * Restores the slug that a submission lost while it waited. Refuses `app-slug-taken`, with a sentence for the reviewer,
 * if another application has it.
 */
export async function takeSlugBack(tx: Tx, { id, slug, holdsSlug }: ApplicationRow): Promise<void> {
  if (holdsSlug) return;
  await tx.run(sql.lockSlug, [slug]);
  const [held] = await tx.run(sql.holdSlug, [id]);
  if (!held) refuse("app-slug-taken", { details: [{ field: "slug", message: SLUG_TAKEN }] });
}

// Deleted in steps, so that no statement is long.
const STEPS_AT_MOST = 100;

/** Deletes surplus submissions that nobody decided on in time, and the oldest beyond their limit. Run by a job. */
export async function forgetSurplus(app: Runtime, signal: AbortSignal): Promise<void> {
  const { limits, settings } = app.config;
  let forgotten = 0;
  for (let step = 0; step < STEPS_AT_MOST && !signal.aborted; step++) {
    const old = await app.database.run(sql.deleteOldSurplus, [settings.publicSubmissionLifetimeMs]);
    const excess = await app.database.run(sql.deleteExcessSurplus, [limits.publicSurplusAtMost]);
    const count = old.length + excess.length;
    if (count === 0) break;
    forgotten += count;
  }
  if (forgotten > 0) app.log.info({ forgotten }, "public submissions past the day's budget were forgotten");
}
