// The URLs of /v1/transaction.
import { companyMay } from "../identity/accounts/callers.ts";
import { listCreditsOfDays } from "../messaging/statistics/credits.ts";
import { CreditsOfDay } from "../messaging/statistics/shapes.ts";
import { inOrder, listRoute } from "../platform/http/lists.ts";
import { daysOfPeriod } from "../platform/http/periods.ts";

export const credits = listRoute("/v1/transaction/stats", {
  title: { fr: "Lire les crédits par jour", en: "Read credits by day" },
  says: {
    fr: "Renvoie, pour chaque jour, le solde de l’entreprise en fin de journée et les crédits dépensés, du plus récent au plus ancien.",
    en: "Returns, for each day, the company’s balance at the end of the day and the credits spent, newest first.",
  },
  body: { ...daysOfPeriod, ...inOrder("desc") },
  caller: companyMay("read"),
  whenClosed: true,
  rows: CreditsOfDay,
  example: {},
  rowsUnasked: 30,
  list: (app, caller, wanted) => listCreditsOfDays(app, caller, wanted),
});
