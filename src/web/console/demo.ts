// The first look: a link that signs a person who has just started the demo in as its owner and as its administrator.
import { openMemberSession } from "../../identity/accounts/sessions.ts";
import { nowMs } from "../../platform/clock.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { sameDigest } from "../../platform/secrets/secrets.ts";
import { Refused } from "./apiclient.ts";
import type { Screens } from "./screens.ts";
import { Redirect } from "./visit.ts";

/** The person whom the link signs in: the owner of the demo company. */
export type DemoOwner = { phone: string; companyId: string };

/**
 * Returns the link of the quick start. It gives the same rights as the keys beside it, so it is shown only where they
 * are. It is valid as long as the demo and the master key.
 */
export function demoUrl(app: Runtime, owner: DemoOwner): string {
  return `${app.publicUrl}/demo/${tokenOf(app, owner)}`;
}

function tokenOf(app: Runtime, { phone }: DemoOwner): string {
  return app.secrets.digest("console-demo", phone);
}

/** Adds the page behind that link, only on an installation with a demo. */
export function addDemo(screens: Screens, owner: DemoOwner): void {
  const { app } = screens.api;
  screens.page(
    "/demo/:token",
    async (visit) => {
      const isRight = app.config.demo && sameDigest(visit.param("token"), tokenOf(app, owner));
      if (!isRight) throw new Refused("not-found");
      const { ip, headers } = visit.request;
      const from = { address: ip, browser: headers["user-agent"] ?? "" };
      const { sessionKey } = await app.database.transaction((tx) =>
        openMemberSession(tx, app, owner.phone, from),
      );
      visit.renew({
        person: { key: sessionKey, companyId: owner.companyId, phone: owner.phone },
        administrator: {
          ...{ as: "installation", key: app.secrets.adminKey, role: "owner", name: "ADMIN_KEY" },
          ...{ since: nowMs(), usedAt: nowMs() },
        },
      });
      return new Redirect("/");
    },
    { area: "public" },
  );
}
