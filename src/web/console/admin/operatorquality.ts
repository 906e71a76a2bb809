// The quality of an operator's routes: figures, charts and prefixes of the last day or month, and what is suspect.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { barChart, lineChart } from "../parts/charts.ts";
import { table, tabs } from "../parts/lists.ts";
import { facts, notice, section } from "../parts/parts.ts";
import type { Visit } from "../visit.ts";

type Quality = Data<"/v1/admin/operator/{id}/quality">;
type Point = Quality["points"][number];
type Prefix = Quality["prefixes"][number];

const UNIT_MS = { hour: 3_600_000, day: 24 * 3_600_000 } as const;

/** Renders the quality of an operator, by hour or by day as the page's URL says. */
export async function qualitySection(visit: Visit, id: string): Promise<Html> {
  const by = visit.field("by") === "day" ? "day" : "hour";
  const { data } = await visit.callAsAdmin("/v1/admin/operator/{id}/quality", { id, by });
  const url = `/admin/operators/${id}`;
  const choice = tabs(visit.t("Période", "Period"), by === "day" ? `${url}?by=day` : url, [
    [url, visit.t("24 heures", "24 hours")],
    [`${url}?by=day`, visit.t("30 jours", "30 days")],
  ]);
  const isEmpty = data.points.length === 0;
  return section(visit.t("Qualité", "Quality"), [
    ...data.suspects.map(({ reason }) => notice("wrong", reason, visit.t("Route suspecte", "Suspect route"))),
    choice,
    isEmpty
      ? html`<p>${visit.t("Aucun message n’a été envoyé pendant cette période.", "No messages were sent in this period.")}</p>`
      : html`<p><small>${visit.t("Les messages de test comptent ici, à la différence des autres statistiques.", "Test messages count here, unlike in other statistics.")}</small></p>
${factsPart(visit, data.totals)}
${chartsPart(visit, data)}
${prefixesPart(visit, data.prefixes)}`,
  ]);
}

function factsPart(visit: Visit, totals: Quality["totals"]): Html {
  const { accepted, delivered, p50Ms, p95Ms, otp, probes } = totals;
  const { formats } = visit;
  const shareOf = (part: number, all: number) =>
    all === 0
      ? "–"
      : visit.t(
          `${formats.share(part, all)} (${formats.number(part)} sur ${formats.number(all)})`,
          `${formats.share(part, all)} (${formats.number(part)} of ${formats.number(all)})`,
        );
  return facts([
    [visit.t("Acceptés", "Accepted"), formats.number(accepted)],
    [
      visit.t("Remis d’après les accusés", "Delivered, by receipts"),
      shareOf(Math.min(delivered, accepted), accepted),
    ],
    [
      visit.t("Temps jusqu’à l’accusé", "Time to receipt"),
      visit.t(
        `${durationText(visit, p50Ms)} pour la moitié, ${durationText(visit, p95Ms)} pour 95 %`,
        `${durationText(visit, p50Ms)} for half, ${durationText(visit, p95Ms)} for 95%`,
      ),
    ],
    [visit.t("Codes vérifiés", "Codes verified"), shareOf(otp.verified, otp.sent)],
    [visit.t("Tests confirmés", "Tests confirmed"), shareOf(probes.confirmed, probes.sent)],
  ]);
}

/** Renders a time of milliseconds in seconds or minutes. */
function durationText(visit: Visit, ms: number | null): string {
  if (ms === null) return "–";
  const seconds = ms / 1_000;
  if (seconds < 120) return `${visit.formats.number(Math.round(seconds * 10) / 10)} s`;
  return `${visit.formats.number(Math.round(seconds / 60))} min`;
}

function chartsPart(visit: Visit, quality: Quality): Html {
  const { formats } = visit;
  const labelOf = (at: string) => (quality.by === "day" ? formats.shortDay(at) : formats.time(at));
  const number = (value: number) => formats.number(value);
  const timed = quality.points.filter((point) => point.p50Ms !== null);
  const times = visit.t(
    "Temps jusqu’à l’accusé de réception, en secondes",
    "Time to the delivery receipt, in seconds",
  );
  return html`${barChart(
    everyPoint(quality).map(({ at, delivered, accepted }) => ({
      label: labelOf(at),
      first: delivered,
      second: Math.max(0, accepted - delivered),
    })),
    {
      title: visit.t(
        "Messages remis, et acceptés sans être remis",
        "Messages delivered, and accepted but not delivered",
      ),
      first: visit.t("remis", "delivered"),
      second: visit.t("non remis ou sans accusé", "not delivered or no receipt"),
      number,
    },
  )}
${timed.length > 1 && html`<p><small>${times}</small></p>`}
${lineChart(
  timed.map(({ at, p50Ms, p95Ms }) => ({
    at: new Date(at),
    label: labelOf(at),
    first: (p50Ms ?? 0) / 1_000,
    second: (p95Ms ?? 0) / 1_000,
  })),
  {
    title: times,
    first: visit.t("pour la moitié", "for half"),
    second: visit.t("pour 95 %", "for 95%"),
    number,
  },
)}`;
}

/** Returns a point for each hour or day of the period: those without messages are not in the response. */
function everyPoint({ by, from, to, points }: Quality): Pick<Point, "at" | "delivered" | "accepted">[] {
  const known = new Map(points.map((point) => [Date.parse(point.at), point]));
  const all: Pick<Point, "at" | "delivered" | "accepted">[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += UNIT_MS[by])
    all.push(known.get(at) ?? { at: new Date(at).toISOString(), delivered: 0, accepted: 0 });
  return all;
}

function prefixesPart(visit: Visit, prefixes: readonly Prefix[]): Html {
  const { formats } = visit;
  const refusedOf = ({ refused }: Prefix) =>
    refused.recipient + refused.sender + refused.operator + refused.service;
  return html`<details open><summary>${visit.t("Par préfixe", "By prefix")}</summary>${table<Prefix>(
    visit.t("Qualité par préfixe", "Quality by prefix"),
    [
      [
        visit.t("Préfixe", "Prefix"),
        ({ prefix }) => (prefix === "other" ? visit.t("Autres", "Others") : `+${prefix}`),
      ],
      [visit.t("Acceptés", "Accepted"), ({ accepted }) => formats.number(accepted), "figure"],
      [
        visit.t("Remis", "Delivered"),
        ({ delivered, accepted }) => formats.share(Math.min(delivered, accepted), accepted),
        "figure",
      ],
      [visit.t("Non remis", "Not delivered"), ({ undelivered }) => formats.number(undelivered), "figure"],
      [visit.t("Sans accusé", "No receipt"), ({ unknown }) => formats.number(unknown), "figure"],
      [visit.t("Refusés", "Refused"), (row) => refusedText(visit, row, refusedOf(row)), "figure"],
      [visit.t("Accusé (95 %)", "Receipt (95%)"), ({ p95Ms }) => durationText(visit, p95Ms), "figure"],
      [
        visit.t("Codes vérifiés", "Codes verified"),
        ({ otp }) => formats.share(otp.verified, otp.sent),
        "figure",
      ],
      [
        visit.t("Tests confirmés", "Tests confirmed"),
        ({ probes }) => formats.share(probes.confirmed, probes.sent),
        "figure",
      ],
    ],
    prefixes,
  )}</details>`;
}

/** Returns the number of refused messages, and the most frequent cause. */
function refusedText(visit: Visit, { refused }: Prefix, all: number): string {
  if (all === 0) return visit.formats.number(0);
  const words = {
    recipient: visit.t("numéro", "number"),
    sender: visit.t("texte ou expéditeur", "text or sender"),
    operator: visit.t("opérateur", "operator"),
    service: visit.t("notre liaison", "our session"),
  };
  const [most] = Object.entries(refused).sort(([, one], [, other]) => other - one);
  const cause = most && words[most[0] as keyof typeof words];
  return `${visit.formats.number(all)} (${cause})`;
}
