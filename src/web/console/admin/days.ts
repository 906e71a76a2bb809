// The messages of the last days, of all companies, of one, or of one operator: a chart and the same as a table.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { barChart } from "../parts/charts.ts";
import { type Sent, sentOf } from "../parts/days.ts";
import { type Column, table } from "../parts/lists.ts";
import { section } from "../parts/parts.ts";
import type { Visit } from "../visit.ts";

const DAY_MS = 24 * 3_600_000;

type Days = Data<"/v1/admin/statistics/days">;

/** Returns the days up to today. */
export async function readDays(visit: Visit, days: number, companyId?: string): Promise<Days> {
  const today = nowMs();
  const { data } = await visit.callAsAdmin("/v1/admin/statistics/days", {
    from: visit.formats.dateValue(new Date(today - (days - 1) * DAY_MS)),
    to: visit.formats.dateValue(new Date(today)),
    ...(companyId !== undefined && { companyId }),
  });
  return data;
}

/** The company or operator of the messages; neither means the whole service. */
type Whose = { companyId?: string; operatorId?: string };

/** One day in a chart. Operators take no credits, so theirs has none. */
type Counted = Sent & { day: string; credits?: number };

export async function daysChart(
  visit: Visit,
  count: number,
  { companyId, operatorId }: Whose = {},
): Promise<Html> {
  const days = (await readDays(visit, count, companyId)).map((day) => countsOf(day, operatorId));
  const { formats } = visit;
  const dayOf = ({ day }: Counted) => formats.shortDay(`${day}T12:00:00Z`);
  const [first, second] = [visit.t("remis", "delivered"), visit.t("non remis", "not delivered")];
  const title = visit.t(
    `SMS remis et non remis, ${count} derniers jours`,
    `SMS delivered and not delivered, last ${count} days`,
  );
  const columns = [
    [visit.t("Envoyés", "Sent"), ({ sent }: Counted) => sent],
    [visit.t("Remis", "Delivered"), ({ delivered }: Counted) => delivered],
    [visit.t("Non remis", "Not delivered"), ({ lost }: Counted) => lost],
    ...(operatorId === undefined
      ? ([[visit.t("Crédits", "Credits"), ({ credits = 0 }: Counted) => credits]] as const)
      : []),
  ] as const;
  return section(visit.t("Derniers jours", "Last days"), [
    barChart(
      days.map((day) => ({ label: dayOf(day), first: day.delivered, second: day.lost })),
      { title, first, second, number: (value) => formats.number(value) },
    ),
    html`<details><summary>${visit.t("Chiffres par jour", "Figures by day")}</summary>${table(
      title,
      [
        [visit.t("Jour", "Day"), dayOf],
        ...columns.map(([head, of]): Column<Counted> => [head, (day) => formats.number(of(day)), "figure"]),
      ],
      days.toReversed(),
    )}</details>`,
  ]);
}

function countsOf({ day, credits, byOperator, ...all }: Days[number], operatorId?: string): Counted {
  if (operatorId === undefined) return { day, credits, ...sentOf(all) };
  const none = { sent: 0, delivered: 0, undelivered: 0, failed: 0 };
  const ofOperator = byOperator.find((row) => row.operatorId === operatorId) ?? none;
  // A cancelled message had no operator.
  return { day, ...sentOf({ ...ofOperator, canceled: 0 }) };
}
