// The results of a campaign's messages: figures, and the same by operator, by reason and over time.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { lineChart } from "../parts/charts.ts";
import { type Column, table } from "../parts/lists.ts";
import { figure, figures, section } from "../parts/parts.ts";
import type { MessageStatus } from "../parts/states.ts";
import type { Visit } from "../visit.ts";

type Report = Data<"/v1/campaign/{id}">;
type Statistics = Data<"/v1/campaign/{id}/statistics">;

/** Returns the messages that did not arrive or were never sent, by status; of a recurring campaign its newest run's. */
export function countsOf({ byReason }: Statistics): ReadonlyMap<MessageStatus, number> {
  const counts = new Map<MessageStatus, number>();
  for (const { status, count } of byReason) counts.set(status, (counts.get(status) ?? 0) + count);
  return counts;
}

/** How many of the messages that the API counts as failed were cancelled. */
function canceledOf({ status, type, stats }: Report, counts: ReadonlyMap<MessageStatus, number>): number {
  const counted = [...counts.values()].reduce((sum, count) => sum + count, 0);
  // A campaign that was cancelled before its time never queued messages, so no statistics include them.
  const neverQueued = status === "CANCELED" && type !== "RECURRING" ? Math.max(0, stats.failed - counted) : 0;
  return (counts.get("CANCELED") ?? 0) + neverQueued;
}

/** Renders the figures of a campaign. They add up: each message is in exactly one of them. */
export function figuresPart(visit: Visit, campaign: Report, statistics: Statistics): Html {
  const { formats } = visit;
  const { total, sent, queued, delivered, failed } = campaign.stats;
  const counts = countsOf(statistics);
  const canceled = canceledOf(campaign, counts);
  const lost = Math.max(0, failed - canceled);
  const isRecurring = campaign.type === "RECURRING";
  return figures([
    isRecurring
      ? figure(
          visit.t("Messages", "Messages"),
          formats.number(total),
          visit.t("toutes occurrences", "all occurrences"),
        )
      : figure(visit.t("Destinataires", "Recipients"), formats.number(total)),
    ...(queued > 0 ? [figure(visit.t("En file d’attente", "Queued"), formats.number(queued))] : []),
    figure(visit.t("Remis", "Delivered"), formats.number(delivered), formats.share(delivered, total)),
    figure(visit.t("En attente d’accusé", "Awaiting receipt"), formats.number(sent)),
    figure(
      visit.t("Échecs", "Failed"),
      formats.number(lost),
      html`${formats.share(lost, total)}${!isRecurring && lost > 0 && lostPart(visit, campaign.id, counts)}`,
    ),
    ...(canceled > 0 ? [figure(visit.t("Annulés", "Canceled"), formats.number(canceled))] : []),
    figure(visit.t("Crédits", "Credits"), formats.number(campaign.creditUsed), refundWords(visit, campaign)),
  ]);
}

const LOST = ["UNDELIVERED", "EXPIRED", "REJECTED", "UNKNOWN"] as const;

/** The statuses of messages that did not arrive: each count links to its messages. */
function lostPart(visit: Visit, id: string, counts: ReadonlyMap<MessageStatus, number>): Html[] {
  const words: Record<(typeof LOST)[number], readonly [one: string, many: string]> = {
    UNDELIVERED: visit.t(["non remis", "non remis"], ["not delivered", "not delivered"]),
    EXPIRED: visit.t(["expiré", "expirés"], ["expired", "expired"]),
    REJECTED: visit.t(["refusé", "refusés"], ["rejected", "rejected"]),
    UNKNOWN: visit.t(
      ["au résultat inconnu", "au résultat inconnu"],
      ["of unknown outcome", "of unknown outcome"],
    ),
  };
  return LOST.filter((status) => counts.has(status)).map(
    (status) =>
      html` <a class="line" href="/campaigns/${id}?status=${status}#messages">${visit.formats.count(counts.get(status) ?? 0, ...words[status])}</a>`,
  );
}

function refundWords(visit: Visit, { creditRefunded }: Report): string | undefined {
  if (creditRefunded === 0) return undefined;
  const many = visit.t("remboursés", "refunded");
  return visit.formats.count(creditRefunded, visit.t("remboursé", "refunded"), many);
}

/** Renders the results of the messages, by operator, by reason and over time. */
export function statisticsPart(visit: Visit, { type }: Report, statistics: Statistics): Html {
  const { byOperator, byReason } = statistics;
  const title =
    type === "RECURRING"
      ? visit.t("Résultats de la dernière occurrence", "Results of the latest occurrence")
      : visit.t("Résultats de l’envoi", "Results");
  return section(title, [
    curvePart(visit, statistics),
    byOperator.length > 0 &&
      table(visit.t("Par opérateur", "By operator"), operatorColumns(visit, statistics), byOperator),
    byReason.length > 0 &&
      table(
        visit.t("Motifs d’échec", "Failure reasons"),
        [
          [visit.t("Motif", "Reason"), ({ reason }) => reason],
          [visit.t("Nombre", "Count"), ({ count }) => visit.formats.number(count), "figure"],
        ],
        byReason,
      ),
    byOperator.length === 0 &&
      html`<p>${visit.t("Aucun message envoyé pour le moment.", "No messages sent yet.")}</p>`,
  ]);
}

function curvePart(visit: Visit, { curve }: Statistics): Html | false {
  const labelOf = labelsOf(visit, curve.at(0)?.at ?? "", curve.at(-1)?.at ?? "");
  return lineChart(
    curve.map(({ at, sent, delivered }) => ({
      at: new Date(at),
      label: labelOf(at),
      first: delivered,
      second: sent,
    })),
    {
      title: visit.t("SMS envoyés et remis au fil du temps", "SMS sent and delivered over time"),
      first: visit.t("remis", "delivered"),
      second: visit.t("envoyés", "sent"),
      number: (value) => visit.formats.number(value),
    },
  );
}

/** Labels that distinguish the two ends of a curve: seconds within one minute, days beyond one day. */
function labelsOf({ formats }: Visit, start: string, end: string): (at: string) => string {
  if (start === end) return (at) => formats.time(at);
  if (formats.moment(start) === formats.moment(end)) return (at) => formats.seconds(at);
  const isOneDay = formats.dateValue(start) === formats.dateValue(end);
  return (at) => (isOneDay ? formats.time(at) : formats.moment(at));
}

type ByOperator = Statistics["byOperator"][number];

function operatorColumns(visit: Visit, statistics: Statistics): Column<ByOperator>[] {
  const columnOf = (head: string, of: (row: ByOperator) => number): Column<ByOperator> => [
    head,
    (row) => visit.formats.number(of(row)),
    "figure",
  ];
  const failed = countsOf(statistics).has("CANCELED")
    ? visit.t("Échecs ou annulations", "Failed or canceled")
    : visit.t("Échecs", "Failed");
  return [
    [visit.t("Opérateur", "Operator"), (row) => row.operator ?? noOperatorWords(visit, row)],
    columnOf(visit.t("Messages", "Messages"), ({ total }) => total),
    columnOf(visit.t("Remis", "Delivered"), ({ delivered }) => delivered),
    columnOf(failed, ({ failed }) => failed),
    columnOf(visit.t("En attente", "Pending"), ({ waiting }) => waiting),
  ];
}

/** Messages without an operator are queued, or no operator has accepted them. */
function noOperatorWords(visit: Visit, { waiting, failed }: ByOperator): string {
  if (failed === 0) return visit.t("En file d’attente", "Queued");
  if (waiting === 0) return visit.t("Aucun opérateur", "No operator");
  return visit.t("En file d’attente ou sans opérateur", "Queued or no operator");
}
