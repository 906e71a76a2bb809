// The messages of the last days, of all companies or of one: a chart, and the same as a table.
import { nowMs } from "../kernel/clock.ts";
import { type Html, html } from "../kernel/html.ts";
import type { Data } from "./ask.ts";
import { barChart } from "./charts.ts";
import { section, table } from "./parts.ts";
import type { Visit } from "./visit.ts";

const DAY_MS = 24 * 3_600_000;

type Days = Data<"/v1/admin/statistics/days">;

/** The days up to today. */
export async function askDays(visit: Visit, days: number, companyId?: string): Promise<Days> {
  const today = nowMs();
  const { data } = await visit.askAsAdministrator("/v1/admin/statistics/days", {
    from: visit.formats.dateValue(new Date(today - (days - 1) * DAY_MS)),
    to: visit.formats.dateValue(new Date(today)),
    ...(companyId !== undefined && { companyId }),
  });
  return data;
}

export async function daysChart(visit: Visit, count: number, companyId?: string): Promise<Html> {
  const days = await askDays(visit, count, companyId);
  const { formats } = visit;
  const lost = (day: Days[number]) => day.undelivered + day.failed;
  const dayOf = ({ day }: Days[number]) => formats.shortDay(`${day}T12:00:00Z`);
  const [first, second] = [visit.t("remis", "delivered"), visit.t("non remis", "not delivered")];
  const title = visit.t(
    `SMS remis et non remis, ${count} derniers jours`,
    `SMS delivered and not, last ${count} days`,
  );
  const columns = [
    [visit.t("Partis", "Gone"), (day: Days[number]) => day.sent],
    [visit.t("Remis", "Delivered"), (day: Days[number]) => day.delivered],
    [visit.t("Non remis", "Not delivered"), lost],
    [visit.t("Crédits", "Credits"), (day: Days[number]) => day.credits],
  ] as const;
  return section(visit.t("Les derniers jours", "The last days"), [
    barChart(
      days.map((day) => ({ label: dayOf(day), first: day.delivered, second: lost(day) })),
      { title, first, second, number: (value) => formats.number(value) },
    ),
    html`<details><summary>${visit.t("Les chiffres", "The figures")}</summary>${table(
      title,
      [
        { head: visit.t("Jour", "Day"), cell: dayOf },
        ...columns.map(([head, of]) => ({
          head,
          cell: (day: Days[number]) => formats.number(of(day)),
          isFigure: true,
        })),
      ],
      days.toReversed(),
    )}</details>`,
  ]);
}
