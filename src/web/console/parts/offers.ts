// The shared columns of lists of offers, those of the service and those of resellers.
import type { Html } from "../../../platform/http/html.ts";
import type { Visit } from "../visit.ts";
import { badge } from "./parts.ts";

type Offer = { name: string; archivedAt: string | null; credit: number; bonusCredit: number };

export function offerColumns(visit: Visit) {
  const { formats } = visit;
  return {
    name: [visit.t("Offre", "Offer"), ({ name }: Offer) => name],
    state: [
      visit.t("Statut", "Status"),
      ({ archivedAt }: Offer): Html =>
        archivedAt === null
          ? badge("good", visit.t("En vente", "On sale"))
          : badge("calm", visit.t("Archivée", "Archived")),
    ],
    credit: [visit.t("Crédits", "Credits"), ({ credit }: Offer) => formats.number(credit), "figure"],
    bonus: [visit.t("Bonus", "Bonus"), ({ bonusCredit }: Offer) => formats.number(bonusCredit), "figure"],
  } as const;
}
