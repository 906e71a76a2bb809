// Callers of applications: an application by its secret, and a connection by its token.
import { Type } from "typebox";
import { credential, refuseStranger, takeFromRate } from "../accounts/accounts.ts";
import { gatherLookUps } from "../kernel/gather.ts";
import { refuse } from "../kernel/refusals.ts";
import { identify } from "../kernel/routes.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import * as connections from "./connections.sql.ts";
import * as sql from "./sql.ts";

/** An application that may be connected. */
export type AppCaller = { appId: string; slug: string; name: string };

/** A connection that may send: `accountId` pays. */
export type ConnectionCaller = {
  connectionId: string;
  appId: string;
  appName: string;
  externalAccountId: string;
  accountId: string;
  userId: string | null;
  country: string;
  language: "fr" | "en";
  sender: { id: string; name: string } | null;
  dailyCreditCap: number | null;
  /** Whether the application has an address for webhooks. */
  watched: boolean;
};

/** An application's server: `apiSecret`. Refuses `app-not-active` where the application is not `ACTIVE`. */
export const appCaller = identify(
  Type.Object({ apiSecret: Type.String() }),
  async (app, body, request): Promise<AppCaller> => {
    const secret = credential(body, "apiSecret");
    const found = secret === undefined ? null : await findApp(app)(digestSecret(app, secret));
    if (!found) return refuseStranger(app, request);
    takeFromRate(app, found.appId);
    if (found.status !== "ACTIVE") refuse("app-not-active");
    return found;
  },
);

/**
 * An application that acts for an account: `connectionToken`. Refuses `app-not-active` where the application is not
 * `ACTIVE`, and `connection-revoked`.
 */
export const connectionCaller = identify(
  Type.Object({ connectionToken: Type.String() }),
  async (app, body, request): Promise<ConnectionCaller> => {
    const token = credential(body, "connectionToken");
    const found = token === undefined ? null : await findConnection(app)(digestToken(app, token));
    if (!found) return refuseStranger(app, request);
    // A rate of its own for each application and account: the account's is left to itself, if only to revoke.
    takeFromRate(app, `${found.appId} ${found.accountId}`);
    if (found.appStatus !== "ACTIVE") refuse("app-not-active");
    if (found.status !== "CONNECTED") refuse("connection-revoked");
    const { senderId, senderName, ...caller } = found;
    return { ...caller, sender: senderId === null ? null : { id: senderId, name: senderName! } };
  },
);

/** What `apps.secret_digest` holds for a secret. */
export function digestSecret(app: Pick<Runtime, "secrets">, apiSecret: string): string {
  return app.secrets.digest("apiSecret", apiSecret);
}

/** What `connections.token_digest` holds for a token. */
export function digestToken(app: Pick<Runtime, "secrets">, connectionToken: string): string {
  return app.secrets.digest("connectionToken", connectionToken);
}

// No cache, as with apiKeys: what was regenerated, revoked or deactivated is dead for the very next request, on every node.
const findApp = perRuntime((app) =>
  gatherLookUps<string, AppCaller & { status: sql.AppStatus }>((digests) =>
    app.database.run(sql.listAppCallers, [digests]),
  ),
);

const findConnection = perRuntime((app) =>
  gatherLookUps<string, connections.FoundConnection>((digests) =>
    app.database.run(connections.listConnectionCallers, [digests]),
  ),
);
