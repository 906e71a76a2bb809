// The actors of audit entries, and the names of the things in them.

import { type Data, Refused } from "../apiclient.ts";
import type { Visit } from "../visit.ts";
import { companyNames, namesOf } from "./admin.ts";

export type LogEntry = Data<"/v1/admin/audit/list">[number];

/** Returns the actor. The installation's key has the name of its setting. */
export function whoOf(visit: Visit, { actor }: LogEntry): string {
  if (actor.name === "ADMIN_KEY") return visit.t("La clé d’installation", "The installation key");
  if (actor.name !== null) return actor.name;
  const kinds = {
    administrator: visit.t("Un administrateur", "An administrator"),
    user: visit.t("Un membre", "A member"),
    reseller: visit.t("Un revendeur", "A reseller"),
    application: visit.t("Une application", "An application"),
    visitor: visit.t("Un visiteur", "A visitor"),
  };
  return kinds[actor.kind];
}

function listOfKind(visit: Visit, kind: string): Parameters<typeof namesOf>[0] | undefined {
  switch (kind) {
    case "sender":
      return (wanted) => visit.callAsAdmin("/v1/admin/sender/list", wanted);
    case "application":
      return (wanted) => visit.callAsAdmin("/v1/admin/third-party-app/list", wanted);
    case "operator":
      return (wanted) => visit.callAsAdmin("/v1/admin/operator/list", wanted);
    case "administrator":
    case "second-factor":
      return (wanted) => visit.callAsAdmin("/v1/admin/user/list", wanted);
    case "administrator-key":
      return (wanted) => visit.callAsAdmin("/v1/admin/key/list", wanted);
    case "topup-offer":
      return (wanted) => visit.callAsAdmin("/v1/admin/offer/list", wanted);
    default:
      return undefined;
  }
}

/**
 * Returns the names of the companies and things in these entries, by id. An entry has only the members that a change
 * made different, and the name is seldom one of them.
 */
export async function namesIn(
  visit: Visit,
  entries: readonly LogEntry[],
): Promise<ReadonlyMap<string, string>> {
  const kinds = [...new Set(entries.map(({ on }) => on.kind))];
  const calling = kinds.map(async (kind) => {
    const list = listOfKind(visit, kind);
    const ids = entries.filter(({ on }) => on.kind === kind).map(({ on }) => on.id);
    try {
      return list ? await namesOf(list, ids) : [];
    } catch (error) {
      // A role that may read the log may not read every list.
      if (error instanceof Refused && error.code === "not-authorized") return [];
      throw error;
    }
  });
  const companies = companyNames(
    visit,
    entries.map(({ companyId }) => companyId),
  );
  const found = await Promise.all([companies, ...calling]);
  return new Map(found.flatMap((names) => [...names]));
}
