// Third-party applications: submitted, and managed by who submitted them.
import { type Static, Type } from "typebox";
import { type CompanyCaller, lockCompany } from "../accounts/accounts.ts";
import type { Tx } from "../kernel/database.ts";
import { newId } from "../kernel/ids.ts";
import { networkOf, Rates } from "../kernel/rates.ts";
import { refuse, refuseField } from "../kernel/refusals.ts";
import type { Request } from "../kernel/routes.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import { type Listed, Name, offsetOf, type Page, Phone } from "../kernel/schemas.ts";
import { newKey, type Place } from "../kernel/secrets.ts";
import { normalisePhone } from "../sms/sms.ts";
import { checkWebhookUrl, readEndpoint } from "../webhooks/webhooks.ts";
import { digestSecret } from "./callers.ts";
import * as sql from "./sql.ts";

export { deliverOptions } from "./hooks.ts";
export {
  confirmPairing,
  denyPairing,
  forgetOldPairings,
  isPairingCode,
  normaliseCode,
  type PairingDetails,
  qrContentOf,
  readPairing,
} from "./pairing.ts";
export { claimApp, readClaim } from "./review.ts";
export type { AppStatus } from "./sql.ts";

export const APP_STATUSES = ["PENDING_REVIEW", "ACTIVE", "REJECTED", "INACTIVE"] as const;

const Slug = Type.String({ pattern: "^[a-z0-9-]{3,40}$" });
const Url = Type.String({ minLength: 1, maxLength: 2_048 });

/** What a developer with an account says of an application. */
export const AppInput = Type.Object({
  name: Name,
  slug: Slug,
  description: Type.String({ minLength: 1, maxLength: 1_000 }),
  logoUrl: Type.Optional(Url),
  webhookUrl: Type.Optional(Url),
});
type AppInput = Static<typeof AppInput>;

/** What somebody without an account says of one. */
export const PublicAppInput = Type.Object({
  name: Name,
  slug: Slug,
  description: Type.Optional(Type.String({ maxLength: 1_000 })),
  ownerEmail: Type.String({ format: "email", maxLength: 254 }),
  ownerPhone: Phone,
  webhookUrl: Type.Optional(Url),
});
type PublicAppInput = Static<typeof PublicAppInput>;

/** An application as everybody sees it who may see it. The secrets are there for its owner while it is `ACTIVE`. */
export type App = {
  id: string;
  name: string;
  slug: string;
  description: string;
  logoUrl: string | null;
  webhookUrl: string | null;
  status: sql.AppStatus;
  createdAt: string;
  ownerEmail?: string;
  ownerPhone?: string;
  rejectionReason?: string;
};

/** Without secrets. */
export function appOf(row: sql.AppRow): App {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    logoUrl: row.logo_url,
    webhookUrl: row.webhook_url,
    status: row.status,
    createdAt: row.created_at.toISOString(),
    ...(row.owner_email !== null && { ownerEmail: row.owner_email }),
    ...(row.owner_phone !== null && { ownerPhone: row.owner_phone }),
    ...(row.rejection_reason !== null && { rejectionReason: row.rejection_reason }),
  };
}

export type OwnedApp = App & {
  apiSecret?: string;
  webhookSecret?: string;
  /** False once its address has failed for too long; absent without a webhook. */
  webhookEnabled?: boolean;
};

/** As its owner sees it: with its secrets while it is `ACTIVE`. */
export async function ownedAppOf(tx: Tx, app: Runtime, row: sql.AppRow): Promise<OwnedApp> {
  const shown = appOf(row);
  if (row.status !== "ACTIVE") return shown;
  const endpoint = row.webhook_url === null ? undefined : await readEndpoint(tx, app.secrets, row.id);
  return {
    ...shown,
    apiSecret: app.secrets.unseal(secretPlace(row.id), row.sealed_secret!),
    ...(endpoint && { webhookSecret: endpoint.secret, webhookEnabled: endpoint.enabled }),
  };
}

export function secretPlace(appId: string): Place {
  return { table: "apps", column: "sealed_secret", row: appId };
}

// A name is read by people who are about to trust it: nothing invisible, nothing that turns the order of letters.
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{DI}\u2800]/u;
const VISIBLE = /[\p{L}\p{N}]/u;
// It stands in a line of an SMS and in the subject of a mail.
const CONTROL = /\p{Cc}/u;

function checkPublicText(field: string, text: string): void {
  if (INVISIBLE.test(text)) refuseField(field, "must have no invisible characters");
  if (!VISIBLE.test(text)) refuseField(field, "must have letters or digits");
}

// It is handed on as it is, to pages that others make: nothing that could end an attribute there (RFC 3986, section 2).
const PLAIN_URL = /^https:\/\/[\w\-.~:/?#[\]@!$&()*+,;=%]+$/;

function checkLogoUrl(text: string): void {
  const url = PLAIN_URL.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    refuseField("logoUrl", "must be an https URL");
}

/** Refuses `invalid-request` for a name, a logo or an address that will not do; asks DNS, so no part of a transaction. */
async function checkInput(app: Runtime, input: AppInput | PublicAppInput): Promise<void> {
  checkPublicText("name", input.name);
  if (CONTROL.test(input.name)) refuseField("name", "must be one line");
  if (input.description) checkPublicText("description", input.description);
  if ("logoUrl" in input && input.logoUrl !== undefined) checkLogoUrl(input.logoUrl);
  if (input.webhookUrl !== undefined) await checkWebhookUrl(app, input.webhookUrl);
}

/**
 * Submits an application of a company for review. Refuses `invalid-request`, `app-slug-taken` and, where the company has
 * a hundred applications already, `conflict`.
 */
export async function submitApp(app: Runtime, caller: CompanyCaller, input: AppInput): Promise<App> {
  await checkInput(app, input);
  return app.database.transaction(async (tx) => {
    await lockCompany(tx, caller.companyId);
    const [live] = await tx.run(sql.countLiveApps, [caller.companyId]);
    if (live!.count >= app.config.limits.appsPerCompany) refuse("conflict");
    const { name, slug, description, logoUrl = null, webhookUrl = null } = input;
    return insertApp(tx, [
      ...[newId(), slug, name, description, logoUrl, webhookUrl],
      ...[caller.companyId, caller.userId, null, null],
    ]);
  });
}

const submits = perRuntime(({ config }) => {
  const perHour = config.limits.publicSubmitsPerHour;
  return new Rates({ perSecond: perHour / 3_600, burst: perHour });
});

const DAY_MS = 24 * 3_600_000;
const DAY_FULL_SECONDS = 3_600;

/**
 * Submits an application of somebody without an account, five times an hour per network, and 200 times in 24 hours in
 * all: what strangers can fill the reviewers' list and take slugs with has an end. Refuses `invalid-request`,
 * `invalid-phone-number`, `app-slug-taken`, `too-many-requests`.
 */
export async function submitPublicApp(app: Runtime, input: PublicAppInput, request: Request): Promise<App> {
  const phone = normalisePhone(input.ownerPhone, "CI") ?? refuse("invalid-phone-number");
  const waitSeconds = submits(app).take(networkOf(request.ip));
  if (waitSeconds > 0) refuse("too-many-requests", { retryAfterSeconds: waitSeconds });
  await checkInput(app, input);
  const { name, slug, description = "", webhookUrl = null, ownerEmail } = input;
  const values = [newId(), slug, name, description, null, webhookUrl, null, null, ownerEmail, phone];
  return app.database.transaction(async (tx) => {
    await tx.run(sql.lockPublic);
    const [today] = await tx.run(sql.countPublic, [newId(Date.now() - DAY_MS)]);
    if (today!.count >= app.config.limits.publicSubmitsPerDay)
      refuse("too-many-requests", { retryAfterSeconds: DAY_FULL_SECONDS });
    return insertApp(tx, values);
  });
}

async function insertApp(tx: Tx, values: readonly unknown[]): Promise<App> {
  const [row] = await tx.run(sql.insertApp, values);
  return row ? appOf(row) : refuse("app-slug-taken");
}

/** One page of a company's applications, newest first unless `sort` says otherwise; with the secrets of active ones. */
export async function listApps(app: Runtime, caller: CompanyCaller, page: Page): Promise<Listed<OwnedApp>> {
  const tx = app.database;
  const [rows, [total]] = await Promise.all([
    tx.run(sql.listApps[page.sort ?? "desc"], [caller.companyId, page.limit, offsetOf(page)]),
    tx.run(sql.countApps, [caller.companyId]),
  ]);
  const apps = await Promise.all(rows.map((row) => ownedAppOf(tx, app, row)));
  return { rows: apps, totalCount: total!.count };
}

/** An application of the caller's company, locked until the commit. Refuses `app-not-found`, and `app-not-active` unless `ACTIVE`. */
export async function lockOwnActive(tx: Tx, caller: CompanyCaller, appId: string): Promise<sql.AppRow> {
  const [row] = await tx.run(sql.lockAppOf, [caller.companyId, appId]);
  if (!row) refuse("app-not-found");
  if (row.status !== "ACTIVE") refuse("app-not-active");
  return row;
}

/** Gives an application a new secret; the old one is dead on every node once this is committed. Refuses as `lockOwnActive`. */
export async function regenerateSecret(
  tx: Tx,
  app: Runtime,
  caller: CompanyCaller,
  appId: string,
): Promise<{ apiSecret: string }> {
  await lockOwnActive(tx, caller, appId);
  return { apiSecret: await giveSecret(tx, app, appId) };
}

export async function giveSecret(tx: Tx, app: Runtime, appId: string): Promise<string> {
  const secret = newKey("tps_");
  const sealed = app.secrets.seal(secretPlace(appId), secret);
  await tx.run(sql.updateSecret, [appId, digestSecret(app, secret), sealed]);
  return secret;
}
