// Callers: identifies from an `adminKey` which administrator calls, a person or a machine, and with which rights.
import { Type } from "typebox";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Masking } from "../../platform/http/masking.ts";
import { isWithin } from "../../platform/http/origins.ts";
import { type Language, refuse, type Sentence } from "../../platform/http/refusals.ts";
import {
  type Acting,
  actingAs,
  credential,
  identify,
  languageFor,
  type Request,
} from "../../platform/http/routes.ts";
import { refuseUnauthenticated } from "../../platform/http/unauthenticated.ts";
import { batchLookUps } from "../../platform/jobs/batcher.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { callingCodeOf } from "../../protocol/sms/plans.ts";
import { type AuditOf, audited } from "../audit/audit.ts";
import { type AdminRole, mayDo, type Right, rolesThatMay } from "./roles.ts";
import * as sql from "./sql.ts";

/** The holder of an `adminKey`; `id` is that of the person or the key, null for the installation's key. */
type Administrator = {
  id: string | null;
  name: string;
  role: AdminRole;
  language: Language;
  /** False for keys, whose requests may specify a language. */
  saysLanguage?: boolean | undefined;
  /** That of a signed-in person, null for a key. */
  sessionId: string | null;
};

export type AdminCaller = Omit<Administrator, "id" | "name"> & Acting & { masking: Masking | undefined };

const AdminKeys = Type.Object({ adminKey: Type.String() });

/** The prefix of session keys. Keys of machines begin with `adm_`, like the installation's key. */
export const SESSION_PREFIX = "ads_";
export const KEY_PREFIX = "adm_";

/**
 * An administrator with this right: `adminKey` is the installation's key, a machine's key or that of a person's
 * session. Every invalid key gets the same response; a role without this right gets `not-authorized`.
 */
export function adminWho(right: Right) {
  const caller = identify(AdminKeys, async (app, body, request): Promise<AdminCaller> => {
    const adminKey = credential(body, "adminKey");
    const found = adminKey === undefined ? null : await findAdministrator(app, adminKey, request);
    if (!found) return refuseUnauthenticated(app, request);
    const { id, name, role, saysLanguage, sessionId } = found;
    if (!mayDo(role, right))
      refuse("not-authorized", { details: [{ field: "adminKey", message: notFor(role) }] });
    const masking = role === "support" ? CONCEALING : undefined;
    const { by } = actingAs("administrator", id, request);
    const language = languageFor(found, request);
    return { role, language, saysLanguage, sessionId, masking, by: { ...by, name } };
  });
  return Object.assign(caller, { roles: rolesThatMay(right) });
}

/**
 * Looks the caller up again and locks it: a caller disabled, demoted or revoked during the request can no longer grant
 * rights, nor can a session that is not fresh. Refuses `not-authenticated`, `not-authorized`, `sign-in-required`.
 */
async function lockAsOwner(tx: Tx, app: Runtime, { by, sessionId }: AdminCaller): Promise<void> {
  if (by.id === null) return;
  const [now] = sessionId
    ? await tx.run(sql.lockSession, [sessionId, app.config.settings.adminFreshMs])
    : await lockMachine(tx, by.id);
  if (!now) refuse("not-authenticated");
  if (!now.isFresh)
    refuse("sign-in-required", { details: [{ field: "adminKey", message: SESSION_TOO_OLD }] });
  if (!mayDo(now.role, "govern"))
    refuse("not-authorized", { details: [{ field: "adminKey", message: notFor(now.role) }] });
}

/** Locks the person who created the key too, so that disabling that person comes before or after the key's creation. */
async function lockMachine(tx: Tx, id: string) {
  await tx.run(sql.lockMaker, [id]);
  return tx.run(sql.lockKey, [id]);
}

/**
 * Like `changing`, for a change that lets somebody administer, act for a company or read messages: the caller must
 * still be an owner, with a recent sign-in.
 */
export function raising<Result>(
  app: Runtime,
  caller: AdminCaller,
  audit: AuditOf<Result>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return audited(app, caller, audit, async (tx) => {
    await lockAsOwner(tx, app, caller);
    return work(tx);
  });
}

const SESSION_TOO_OLD: Sentence = {
  fr: "reconnectez-vous ; cette opération exige une session récente",
  en: "sign in again; this operation requires a recent session",
};

function notFor(role: AdminRole): Sentence {
  return {
    fr: `le rôle ${role} ne permet pas cette opération`,
    en: `the role ${role} does not allow this operation`,
  };
}

const HIDDEN = "••••••••";
const DIGITS_SHOWN = 2;
const PHONE = /^\d{8,15}$/;

/** The view of support: `225••••••••04` of a phone, nothing of a text. */
const CONCEALING: Masking = {
  phone: (phone) => (PHONE.test(phone) ? callingCodeOf(phone) + HIDDEN + phone.slice(-DIGITS_SHOWN) : HIDDEN),
  text: () => HIDDEN,
};

/** The holder of the installation's key. */
const INSTALLATION: Administrator = {
  id: null,
  name: "ADMIN_KEY",
  role: "owner",
  language: "fr",
  saysLanguage: false,
  sessionId: null,
};

async function findAdministrator(
  app: Runtime,
  adminKey: string,
  request: Request,
): Promise<Administrator | null> {
  if (app.secrets.isAdminKey(adminKey)) return INSTALLATION;
  if (adminKey.startsWith(SESSION_PREFIX)) return findPerson(app, adminKey);
  return adminKey.startsWith(KEY_PREFIX) ? findMachine(app, adminKey, request) : null;
}

async function findPerson(app: Runtime, adminKey: string): Promise<Administrator | null> {
  const found = await findSession(app)(digestAdminKey(app, adminKey));
  if (!found) return null;
  const { isStale, ...person } = found;
  if (isStale) await app.database.run(sql.touchSession, [person.sessionId]);
  return person;
}

async function findMachine(app: Runtime, adminKey: string, { ip }: Request): Promise<Administrator | null> {
  const found = await findKey(app)(digestAdminKey(app, adminKey));
  if (!found || !isWithin(found.networks, ip)) return null;
  const { id, name, role, isStale } = found;
  if (isStale) await app.database.run(sql.touchKey, [id]);
  return { id, name, role, language: "fr", saysLanguage: false, sessionId: null };
}

/** Returns the digest of a key that the tables of keys and sessions store. */
export function digestAdminKey(app: Pick<Runtime, "secrets">, adminKey: string): string {
  return app.secrets.digest("adminKey", adminKey);
}

// Looked up on every request, so that an ended session or a revoked key is dead for the next one on every node.
// Concurrent requests share one statement.
const findSession = perRuntime((app) =>
  batchLookUps<string, sql.SessionCallerRow>((digests) =>
    app.database.run(sql.listSessionCallers, [digests, app.config.settings.adminSessionIdleMs]),
  ),
);

const findKey = perRuntime((app) =>
  batchLookUps<string, sql.KeyCallerRow>((digests) => app.database.run(sql.listKeyCallers, [digests])),
);
