// The URLs of /v1/statistics.
import { Type } from "typebox";
import { companyMay } from "../identity/accounts/callers.ts";
import { StatisticsDay } from "../messaging/statistics/shapes.ts";
import { readCompanyDays } from "../messaging/statistics/statistics.ts";
import { daysOfPeriod } from "../platform/http/periods.ts";
import { route } from "../platform/http/routes.ts";
import { SearchText } from "../platform/http/schemas.ts";

export const days = route("/v1/statistics/days", {
  title: { fr: "Lire les statistiques par jour", en: "Read daily statistics" },
  says: {
    fr: "Renvoie, pour chaque jour, le nombre de messages de l’entreprise par statut.",
    en: "Returns, for each day, the number of the company’s messages by status.",
  },
  body: Type.Object({ ...daysOfPeriod, operator: Type.Optional(SearchText) }),
  reads: true,
  caller: companyMay("read", "send"),
  answers: Type.Array(StatisticsDay),
  example: { operator: "Opérateur 07" },
  run: (app, caller, wanted) => readCompanyDays(app, caller, wanted),
});
