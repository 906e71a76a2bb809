// Suspect routes: what proves that messages arrive says much less than the receipts of a route.

import type { Tx } from "../../platform/database/transaction.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { callingCodeOf } from "../../protocol/sms/plans.ts";
import { markSuspects } from "../operators/operators.ts";
import { OTHER_PREFIX } from "./counting.ts";
import * as sql from "./sql.ts";

const JUDGED_HOURS = 7 * 24;
/** Below this share of delivered messages, receipts claim nothing that could be untrue. */
const CLAIMED_AT_LEAST = 0.5;
/** A route is suspect below this part of the share that is expected of it. */
const PART_OF_EXPECTED = 0.5;
/** Of the normal distribution, for an interval that has the true share 19 times in 20. */
const Z = 1.96;

/**
 * What proves that messages arrive: the counts of a route, and how many it takes to judge one. `alone`: the share that is
 * expected of a route that cannot be compared with any other. People do not type every code, so that of codes is unknown.
 */
const PROOFS = {
  codes: { sent: "codesSent", confirmed: "codesVerified", atLeast: 50, alone: null },
  probes: { sent: "probesSent", confirmed: "probesConfirmed", atLeast: 5, alone: 1 },
} as const;
type Proof = keyof typeof PROOFS;

type Sample = { sent: number; confirmed: number };

/**
 * Judges all routes by their last 7 days, and marks the operators that have a suspect one. A job runs it. A route is
 * suspect if its receipts report at least half of its messages as delivered, and the share of its one-time passwords
 * that is verified, or of its test messages that is confirmed, is below half of that of the other operators' routes to
 * the same prefix, or else to the same country. Both shares count by the end of their interval of 95 % that speaks for
 * the route. Test messages of a route without others are expected to be confirmed.
 */
export async function judgeRoutes(app: Runtime): Promise<void> {
  const routes = (await app.database.run(sql.sumRoutes, [JUDGED_HOURS])).filter(
    ({ prefix }) => prefix !== OTHER_PREFIX,
  );
  const suspects = (Object.keys(PROOFS) as Proof[]).flatMap((proof) => suspectsBy(proof, routes));
  const added = await app.database.transaction((tx) => storeSuspects(tx, suspects));
  for (const route of added)
    app.log.warn(route, "the messages of a route arrive far less often than its receipts say");
}

async function storeSuspects(tx: Tx, suspects: readonly sql.SuspectRow[]) {
  const added = await tx.run(sql.upsertSuspects, { suspects });
  await markSuspects(tx, [...new Set(suspects.map(({ operatorId }) => operatorId))]);
  return added;
}

function suspectsBy(proof: Proof, routes: readonly sql.JudgedRow[]): sql.SuspectRow[] {
  const ofPrefix = Map.groupBy(routes, ({ prefix }) => prefix);
  const ofCountry = Map.groupBy(routes, ({ prefix }) => callingCodeOf(prefix));
  const { atLeast, alone } = PROOFS[proof];
  return routes.flatMap((route) => {
    const { operatorId, prefix, accepted, delivered } = route;
    const own = sampleOf(proof, [route]);
    if (own.sent < atLeast || accepted === 0 || delivered / accepted < CLAIMED_AT_LEAST) return [];
    const isOther = (other: sql.JudgedRow) => other.operatorId !== operatorId;
    const [others = { sent: 0, confirmed: 0 }] = [ofPrefix.get(prefix), ofCountry.get(callingCodeOf(prefix))]
      .map((all = []) => sampleOf(proof, all.filter(isOther)))
      .filter(({ sent }) => sent >= atLeast);
    const expected = others.sent > 0 ? boundsOf(others).low : alone;
    if (expected === null || boundsOf(own).high >= expected * PART_OF_EXPECTED) return [];
    return {
      ...{ operatorId, prefix, proof, ...own, claimed: Math.min(1, delivered / accepted) },
      ...{ othersSent: others.sent, othersConfirmed: others.confirmed },
    };
  });
}

function sampleOf(proof: Proof, routes: readonly sql.JudgedRow[]): Sample {
  const { sent, confirmed } = PROOFS[proof];
  return {
    sent: routes.reduce((sum, route) => sum + route[sent], 0),
    confirmed: routes.reduce((sum, route) => sum + route[confirmed], 0),
  };
}

/** Returns the interval of a share by its sample (E. B. Wilson, 1927), which also holds for few and for none. */
function boundsOf({ sent, confirmed }: Sample): { low: number; high: number } {
  const share = confirmed / sent;
  const weight = Z ** 2 / sent;
  const middle = share + weight / 2;
  const reach = Z * Math.sqrt((share * (1 - share)) / sent + weight / (4 * sent));
  return { low: (middle - reach) / (1 + weight), high: (middle + reach) / (1 + weight) };
}

/** Returns why a route is suspect. */
export function suspicionOf({
  prefix,
  proof,
  sent,
  confirmed,
  othersSent,
  othersConfirmed,
  claimed,
}: sql.SuspectRow): Sentence {
  const [own, others, all] = [confirmed / sent, othersConfirmed / othersSent, claimed].map(percent);
  const isCompared = othersSent > 0;
  const what =
    proof === "codes"
      ? {
          fr: `${own} % de ses mots de passe à usage unique ont été vérifiés (${confirmed} sur ${sent})`,
          en: `${own}% of its one-time passwords were verified (${confirmed} of ${sent})`,
        }
      : {
          fr: `${own} % de ses messages de test ont été confirmés (${confirmed} sur ${sent})`,
          en: `${own}% of its test messages were confirmed (${confirmed} of ${sent})`,
        };
  return {
    fr: `Préfixe ${prefix} : les accusés de réception déclarent remis ${all} % des messages, mais ${what.fr}${isCompared ? `, contre ${others} % par les autres opérateurs` : ""}.`,
    en: `Prefix ${prefix}: delivery receipts report ${all}% of the messages as delivered, but ${what.en}${isCompared ? `, compared with ${others}% over other operators` : ""}.`,
  };
}

function percent(share: number): number {
  return Math.round(share * 100);
}
