// Callers of applications: an application by its secret, and a connection by its token.
import { hash, randomBytes } from "node:crypto";
import { Type } from "typebox";
import { giveBackToRate, mayTakeFromRate, takeFromRate } from "../../identity/accounts/callers.ts";
import { refuseSuspended } from "../../identity/accounts/suspensions.ts";
import type { ChosenSender } from "../../phonebook/senders/choice.ts";
import type { Fields } from "../../platform/http/body.ts";
import { member } from "../../platform/http/meanings.ts";
import { type Language, refuse } from "../../platform/http/refusals.ts";
import { type Acting, actingAs, credential, identify } from "../../platform/http/routes.ts";
import { refuseUnauthenticated } from "../../platform/http/unauthenticated.ts";
import { batchLookUps } from "../../platform/jobs/batcher.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import * as connections from "./connections.sql.ts";
import type { Application } from "./shapes.ts";
import { applicationMeanings } from "./shapes.ts";
import * as sql from "./sql.ts";

/** An application that may be connected; its language is that of its owner. */
export type ApplicationCaller = { appId: string; slug: string; name: string; language: Language };

/** A connection that may send: `accountId` pays. `version` is what `requireVersions` compares. */
export type ConnectionCaller = Omit<
  connections.FoundConnection,
  "status" | "appStatus" | "senderId" | "senderName" | "senderRegistered" | "suspended"
> & { sender: ChosenSender | null };

/**
 * An application's server: `apiSecret`. Refuses `app-not-active` if the application is not `ACTIVE`, or its company is
 * suspended.
 */
export const applicationCaller = identify(
  Type.Object({ apiSecret: member(Type.String(), applicationMeanings.apiSecret) }),
  async (app, body, request): Promise<ApplicationCaller & Acting> => {
    const secret = credential(body, "apiSecret");
    const found = secret === undefined ? null : await findApplication(app)(digestApiSecret(app, secret));
    if (!found) return refuseUnauthenticated(app, request);
    await takeFromRate(app, found.appId);
    if (found.status !== "ACTIVE") refuse("app-not-active");
    return { ...found, ...actingAs("application", found.appId, request) };
  },
);

/** Like `applicationCaller`, for calls that must also name the paying account by its own credentials. */
export const provisionCaller = identify(applicationCaller.credentials, applicationCaller.bind(null), [
  ...applicationCaller.wanted,
  {
    field: "companyApiKey",
    message: {
      fr: "clé de l’entreprise, requise avec companyId pour la cible company",
      en: "key of the company, required with companyId for the target company",
    },
  },
  {
    field: "partnerServerKey",
    message: {
      fr: "clé du revendeur, requise avec partnerCustomerId pour la cible partnerCustomer",
      en: "key of the reseller, required with partnerCustomerId for the target partnerCustomer",
    },
  },
]);

/**
 * An application that acts for an account: `connectionToken`. Refuses `app-not-active` as `applicationCaller`,
 * `connection-revoked`, and `not-authorized` if the charged company is suspended.
 */
export const connectionCaller = identify(
  Type.Object({ connectionToken: Type.String() }),
  async (app, body, request): Promise<ConnectionCaller> => {
    const token = credential(body, "connectionToken");
    const found = token === undefined ? null : await findConnection(app)(digestConnectionToken(app, token));
    if (!found) return refuseUnauthenticated(app, request);
    await takeFromRate(app, rateOf(found));
    if (found.appStatus !== "ACTIVE") refuse("app-not-active");
    if (found.status !== "CONNECTED") refuse("connection-revoked");
    if (found.suspended) refuseSuspended("connectionToken");
    const { senderId, senderName, senderRegistered, suspended, ...caller } = found;
    const sender =
      senderId === null ? null : { id: senderId, name: senderName!, registered: senderRegistered! };
    cached(app).set(token!, { ...caller, sender });
    return { ...caller, sender };
  },
);

/** Each application has its own rate per account, so that the account's own rate stays free, at least to revoke. */
function rateOf({ appId, accountId }: Pick<ConnectionCaller, "appId" | "accountId">): string {
  return `${appId} ${accountId}`;
}

/**
 * Returns the cached connection of a token. Whoever acts for it must compare its version in the same transaction.
 * Undefined if it is not cached.
 */
export function cachedConnection(app: Runtime, body: Fields): ConnectionCaller | undefined {
  const token = credential(body, "connectionToken");
  return token === undefined ? undefined : cached(app).get(token);
}

/** Counts a request of a cached connection; returns false if it exceeds its rate. */
export function takeSend(app: Runtime, caller: ConnectionCaller): Promise<boolean> {
  return mayTakeFromRate(app, rateOf(caller));
}

/** Undoes `takeSend`, for a request that the ordinary path handles and counts. */
export function giveSendBack(app: Runtime, caller: ConnectionCaller): void {
  giveBackToRate(app, rateOf(caller));
}

const BELIEVED_AT_MOST = 10_000;

/** Cached connections, by a hash of their secret tokens that is useless outside of this process. */
class CachedCallers {
  readonly #known = new Map<string, ConnectionCaller>();
  readonly #salt = randomBytes(32).toString("hex");

  get(token: string): ConnectionCaller | undefined {
    return this.#known.get(this.#keyOf(token));
  }

  set(token: string, caller: ConnectionCaller): void {
    if (this.#known.size >= BELIEVED_AT_MOST) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(this.#keyOf(token), caller);
  }

  #keyOf(token: string): string {
    return hash("sha256", this.#salt + token, "base64url");
  }
}

const cached = perRuntime(() => new CachedCallers());

/** Returns the digest of a secret that `apps.secret_digest` stores. */
export function digestApiSecret(app: Pick<Runtime, "secrets">, apiSecret: string): string {
  return app.secrets.digest("apiSecret", apiSecret);
}

/** Returns the digest of a token that `connections.token_digest` stores. */
export function digestConnectionToken(app: Pick<Runtime, "secrets">, connectionToken: string): string {
  return app.secrets.digest("connectionToken", connectionToken);
}

// Not cached, like apiKeys: a regenerated, revoked or deactivated secret is dead for the next request on every node.
const findApplication = perRuntime((app) =>
  batchLookUps<string, ApplicationCaller & { status: Application["status"] }>((digests) =>
    app.database.run(sql.listApplicationCallers, [digests]),
  ),
);

const findConnection = perRuntime((app) =>
  batchLookUps<string, connections.FoundConnection>((digests) =>
    app.database.run(connections.listConnectionCallers, [digests]),
  ),
);
