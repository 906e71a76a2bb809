// The URLs of /v1/admin/statistics.
import { Type } from "typebox";
import { adminWho } from "../../identity/admins/callers.ts";
import { StatisticsDayOfAll } from "../../messaging/statistics/shapes.ts";
import { readAllDays } from "../../messaging/statistics/statistics.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { daysOfPeriod } from "../../platform/http/periods.ts";
import { route } from "../../platform/http/routes.ts";

export const daysOfAll = route("/v1/admin/statistics/days", {
  title: {
    fr: "Lire les statistiques par jour de toutes les entreprises",
    en: "Read daily statistics of all companies",
  },
  says: {
    fr: "Renvoie, pour chaque jour, le nombre de messages par statut, de toutes les entreprises ou d’une seule.",
    en: "Returns, for each day, the number of messages by status, of all companies or of one.",
  },
  body: Type.Object({
    ...daysOfPeriod,
    companyId: Type.Optional(idOf("company")),
    operatorId: Type.Optional(idOf("operator")),
  }),
  reads: true,
  caller: adminWho("read"),
  answers: Type.Array(StatisticsDayOfAll),
  refuses: ["not-found"],
  example: {},
  run: (app, _caller, wanted) => readAllDays(app, wanted),
});
