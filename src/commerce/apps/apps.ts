// Third-party applications: their submission, and their management by their owners.
import { type Static, Type } from "typebox";
import { queryPlace, sealAddress } from "../../events/webhooks/address.ts";
import { checkWebhookUrl } from "../../events/webhooks/guard.ts";
import { emitEvents, readEndpoint } from "../../events/webhooks/webhooks.ts";
import { lockCompany } from "../../identity/accounts/accounts.ts";
import { type CompanyCaller, type KeyHolder, requireFresh } from "../../identity/accounts/callers.ts";
import { requireQuota } from "../../identity/accounts/quotas.ts";
import { readListed } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict, refuseField } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { refuse, requireRow } from "../../platform/http/refusals.ts";
import { Name, Phone, patterned } from "../../platform/http/schemas.ts";
import { newId } from "../../platform/ids.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey, type SealedPlace } from "../../platform/secrets/secrets.ts";
import { digestApiSecret } from "./callers.ts";
import type { Application, NewSecret, OwnedApplication } from "./shapes.ts";
import { applicationMeanings } from "./shapes.ts";
import * as sql from "./sql.ts";
import { revokeAll, upsertStopsOfApp } from "./stops.sql.ts";
import * as submissions from "./submissions.sql.ts";

const Slug = patterned("^[a-z0-9-]{3,40}$", {
  fr: "doit avoir 3 à 40 caractères parmi a-z 0-9 -",
  en: "must have 3 to 40 characters from a-z 0-9 -",
});
const Url = Type.String({ minLength: 1, maxLength: 2_048 });

/** A new application of a developer with an account. */
export const ApplicationInput = Type.Object({
  name: Name,
  slug: Slug,
  description: Type.String({ minLength: 1, maxLength: 1_000, "x-trimmed": true }),
  logoUrl: member(Type.Optional(Url), applicationMeanings.logoUrl),
  webhookUrl: member(Type.Optional(Url), applicationMeanings.webhookUrl),
});
type ApplicationInput = Static<typeof ApplicationInput>;

/** A new application of a person without an account. */
export const PublicApplicationInput = Type.Object({
  name: Name,
  slug: Slug,
  description: Type.Optional(Type.String({ maxLength: 1_000 })),
  ownerEmail: Type.String({ format: "email", maxLength: 254 }),
  ownerPhone: Phone,
  webhookUrl: member(Type.Optional(Url), applicationMeanings.webhookUrl),
});
export type PublicApplicationInput = Static<typeof PublicApplicationInput>;

/** Returns an application without its secrets. */
export function applicationOf(row: sql.ApplicationRow): Application {
  const { id, name, slug, description, logoUrl, webhookUrl, status, createdAt } = row;
  const { ownerEmail, ownerPhone, rejectionReason } = row;
  return {
    ...{ id, name, slug, description, logoUrl, webhookUrl, status, createdAt },
    ...(ownerEmail !== null && { ownerEmail }),
    ...(ownerPhone !== null && { ownerPhone }),
    ...(rejectionReason !== null && { rejectionReason }),
  };
}

/** Returns an application as its owner sees it: with its secrets while it is `ACTIVE`. */
export async function ownedApplicationOf(
  db: Statements,
  app: Runtime,
  row: sql.ApplicationRow,
): Promise<OwnedApplication> {
  const shown = applicationOf(row);
  if (row.status !== "ACTIVE") return shown;
  const endpoint = row.webhookUrl === null ? undefined : await readEndpoint(db, app.secrets, row.id);
  return {
    ...shown,
    apiSecret: app.secrets.unseal(apiSecretPlace(row.id), row.sealedSecret!),
    ...(endpoint && { webhookSecret: endpoint.secret, webhookEnabled: endpoint.enabled }),
  };
}

function apiSecretPlace(appId: string): SealedPlace {
  return { table: "apps", column: "sealed_secret", row: appId };
}

// People read the name before they approve, so invisible characters and those that reorder letters are not allowed.
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{DI}\u2800]/u;
const VISIBLE = /[\p{L}\p{N}]/u;
// The name appears in a line of an SMS and in the subject of a mail.
const CONTROL = /\p{Cc}/u;

function checkPublicText(field: string, text: string): void {
  if (INVISIBLE.test(text))
    refuseField(field, {
      fr: "ne doit pas contenir de caractères invisibles",
      en: "must not contain invisible characters",
    });
  if (!VISIBLE.test(text))
    refuseField(field, {
      fr: "doit contenir des lettres ou des chiffres",
      en: "must contain letters or digits",
    });
}

// Other sites embed the URL, so it may not contain a character that could end an attribute (RFC 3986, section 2).
const PLAIN_URL = /^https:\/\/[\w\-.~:/?#[\]@!$&()*+,;=%]+$/;

function checkLogoUrl(text: string): void {
  const url = PLAIN_URL.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    refuseField("logoUrl", {
      rule: "https",
      message: { fr: "doit être une URL en https", en: "must be an https URL" },
    });
}

/** Refuses `invalid-request` for a bad name, logo or webhook URL. It queries DNS, so it runs outside transactions. */
export async function checkInput(
  app: Runtime,
  input: ApplicationInput | PublicApplicationInput,
): Promise<void> {
  checkPublicText("name", input.name);
  if (CONTROL.test(input.name))
    refuseField("name", { fr: "doit tenir sur une ligne", en: "must be on a single line" });
  if (input.description) checkPublicText("description", input.description);
  if ("logoUrl" in input && input.logoUrl !== undefined) checkLogoUrl(input.logoUrl);
  if (input.webhookUrl !== undefined) await checkWebhookUrl(app, input.webhookUrl);
}

/** Returns the URL of an application's webhooks and its sealed query, as `insertApplication` takes them. */
export function hookAddressOf(
  app: Runtime,
  id: string,
  { webhookUrl }: { webhookUrl?: string },
): Pick<sql.NewApplication, "webhookUrl" | "sealedQuery"> {
  if (webhookUrl === undefined) return { webhookUrl: null, sealedQuery: null };
  const { url, sealedQuery } = sealAddress(app.secrets, queryPlace("apps", id), webhookUrl, "webhookUrl");
  return { webhookUrl: url, sealedQuery };
}

/** The maximum number of a company's applications, including rejected ones, so that their list stays limited. */
export const APPS_IN_ALL = 1_000;

/**
 * Submits an application of a company for review, after `checkInput`. Refuses `app-slug-taken`, and `conflict` beyond
 * the company's quota, or beyond a thousand with the rejected ones.
 */
export async function submitApplication(
  tx: Tx,
  app: Runtime,
  caller: CompanyCaller,
  input: ApplicationInput,
): Promise<Application> {
  const { companyId, userId } = caller;
  await lockCompany(tx, companyId);
  const mine = await one(tx, sql.listApplications.count, { companyId });
  requireQuota(caller.quotas, "applications", mine.live + 1, "name");
  if (mine.count >= APPS_IN_ALL)
    refuseConflict("name", {
      fr: `l’entreprise a déjà soumis ${APPS_IN_ALL} applications, le nombre maximal`,
      en: `the company has already submitted ${APPS_IN_ALL} applications, the maximum`,
    });
  const { name, slug, description, logoUrl = null } = input;
  const id = newId();
  return insertApplication(tx, app, {
    ...{ id, slug, name, description, logoUrl, companyId, userId },
    ...hookAddressOf(app, id, input),
    ...{ ownerEmail: null, ownerPhone: null, isSurplus: false },
  });
}

/**
 * Inserts an application. A public submission that has waited for too long loses its slug to it. Refuses
 * `app-slug-taken`.
 */
export async function insertApplication(
  tx: Tx,
  app: Runtime,
  application: sql.NewApplication,
): Promise<Application> {
  const { slug } = application;
  const [, , [row]] = await Promise.all([
    tx.run(submissions.lockSlug, [slug]),
    tx.run(submissions.releaseSlug, [slug, app.config.settings.publicSubmissionLifetimeMs]),
    tx.run(sql.insertApplication, application),
  ]);
  return row ? applicationOf(row) : refuse("app-slug-taken");
}

/** Returns one page of a company's applications, with the secrets of active ones unless the session is not fresh. */
export async function listApplications(
  app: Runtime,
  caller: KeyHolder,
  page: Page,
): Promise<Listed<OwnedApplication>> {
  return app.database.of(caller.companyId).transaction(async (tx) => {
    const { companyId } = caller;
    const { rows, ...listed } = await readListed(tx, sql.listApplications, page, { companyId });
    const apps = await Promise.all(rows.map((row) => ownedApplicationOf(tx, app, row)));
    return { rows: caller.isFresh ? apps : apps.map(withoutSecrets), ...listed };
  });
}

function withoutSecrets({ apiSecret: _, webhookSecret: __, ...shown }: OwnedApplication): OwnedApplication {
  return shown;
}

/** Returns one of the caller's applications without secrets, locked until the commit. Refuses as `lockOwnActive`. */
export async function readOwnActive(tx: Tx, caller: CompanyCaller, appId: string): Promise<Application> {
  return applicationOf(await lockOwnActive(tx, caller, appId));
}

/**
 * Returns an application of the caller's company, locked until the commit. Refuses `app-not-found`, and
 * `app-not-active` unless it is `ACTIVE`.
 */
export async function lockOwnActive(
  tx: Tx,
  caller: CompanyCaller,
  appId: string,
): Promise<sql.ApplicationRow> {
  const row = await requireRow(tx.run(sql.lockApplicationOf, [caller.companyId, appId]), "app-not-found");
  if (row.status !== "ACTIVE") refuse("app-not-active");
  return row;
}

/**
 * Replaces an application's secret; the old one is dead on every node after the commit. With `revokeConnections`, its
 * connections are revoked too, and their queued messages canceled. Refuses as `lockOwnActive` and `requireFresh`.
 */
export async function regenerateSecret(
  tx: Tx,
  app: Runtime,
  caller: KeyHolder,
  appId: string,
  revokeConnections: boolean,
): Promise<NewSecret> {
  requireFresh(caller);
  await lockOwnActive(tx, caller, appId);
  if (revokeConnections) await revokeAllConnections(tx, appId);
  return { apiSecret: await giveSecret(tx, app, appId) };
}

/** Revokes all connections of an application, also those that the thief of a secret provisioned. */
async function revokeAllConnections(tx: Tx, appId: string): Promise<void> {
  await tx.run(upsertStopsOfApp, [appId]);
  const revoked = await tx.run(revokeAll, [appId]);
  const events = revoked.map(({ id, external_account_id: externalAccountId, target }) => ({
    endpointId: appId,
    type: "connection.revoked" as const,
    data: { connectionId: id, externalAccountId, status: "REVOKED" as const, target },
  }));
  await emitEvents(tx, events);
}

export async function giveSecret(tx: Tx, app: Runtime, appId: string): Promise<string> {
  const secret = newKey("tps_");
  const sealed = app.secrets.seal(apiSecretPlace(appId), secret);
  await tx.run(sql.updateSecret, [appId, digestApiSecret(app, secret), sealed]);
  return secret;
}
