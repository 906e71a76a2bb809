// The shared columns of lists of offers, those of the service and those of resellers.
import type { Html } from "../../../platform/http/html.ts";
import type { Visit } from "../visit.ts";
import { badge } from "./parts.ts";

type Offer = { name: string; archivedAt: string | null; credit: number; bonusCredit: number };

export function offerColumns(visit: Visit) {
  const { formats } = visit;
  return {
    name: { head: visit.t("Offre", "Offer"), cell: ({ name }: Offer) => name },
    state: {
      head: visit.t("Statut", "Status"),
      cell: ({ archivedAt }: Offer): Html =>
        archivedAt === null
          ? badge("good", visit.t("En vente", "On sale"))
          : badge("calm", visit.t("Archivée", "Archived")),
    },
    credit: {
      head: visit.t("Crédits", "Credits"),
      cell: ({ credit }: Offer) => formats.number(credit),
      isFigure: true,
    },
    bonus: {
      head: visit.t("Bonus", "Bonus"),
      cell: ({ bonusCredit }: Offer) => formats.number(bonusCredit),
      isFigure: true,
    },
  } as const;
}
