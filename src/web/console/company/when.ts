// When a campaign is sent: now, once later, or on days of the week. Times are in the zone of the company, never UTC.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { button, choices, field, form } from "../parts/forms.ts";
import { notice } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { ofDraft, readDraft, revisionOf, saveDraft, stepUrl, stepView } from "./drafts.ts";

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Week = Partial<Record<(typeof DAYS)[number], string>>;

const QUARTER_SECONDS = 900;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** So as not to wake people, the console warns of times before and after these hours. */
const DAY_BEGINS = 8;
const DAY_ENDS = 20;
/** The fields of this page, by the fields of a campaign. */
export const TIME_FIELDS = { scheduledDate: "day", recurring: "monday" };
// An arbitrary Monday, to calculate with days of the week.
const MONDAY_MS = Date.UTC(2026, 0, 5);

export function addWhen(screens: Screens): void {
  screens.pageAndForm("/campaigns/drafts/:id/when", ofDraft(when), ofDraft(takeWhen));
}

async function when(visit: Visit): Promise<View> {
  const draft = await readDraft(visit);
  const type = visit.problem ? visit.field("type") : draft.type;
  return stepView(visit, draft, "when", {
    narrow: true,
    body: form(
      visit,
      {
        action: stepUrl(draft.id, "when"),
        members: revisionOf(visit, draft),
        attributes: html`class="when"`,
      },
      [
        choices(visit, "type", visit.t("Quand envoyer ?", "When to send"), {
          chosen: [type],
          choices: [
            [
              "SMS",
              visit.t("Maintenant", "Now"),
              visit.t("Dès votre vérification.", "As soon as you have checked it."),
            ],
            [
              "SCHEDULED",
              visit.t("Plus tard", "Later"),
              visit.t(
                "Une fois, au jour et à l’heure de votre choix.",
                "Once, at a date and time of your choice.",
              ),
            ],
            [
              "RECURRING",
              visit.t("Chaque semaine", "Every week"),
              visit.t("Aux jours et heures de votre choix.", "On the days and at the times of your choice."),
            ],
          ],
        }),
        dateFields(visit, draft.scheduledDate),
        weekFields(visit, draft.recurring),
        button(visit.t("Continuer", "Continue")),
      ],
    ),
  });
}

/** Renders a day and a time of the company. `given` is the chosen value. */
export function dateFields(visit: Visit, given: string | null): Html {
  const chosen = given !== null && !Number.isNaN(Date.parse(given)) ? given : undefined;
  const day = visit.problem ? visit.field("day") : visit.formats.dateValue(chosen ?? new Date(nowMs()));
  const time = visit.problem ? visit.field("time") : chosen && visit.formats.timeValue(chosen);
  const parts = { isOptional: "silent" } as const;
  const label = visit.t("Heure (par quart d’heure)", "Time (15-minute steps)");
  return html`<div class="pair scheduled">
${field(visit, "day", visit.t("Jour", "Day"), { value: day, ...parts, type: "date" })}
${field(visit, "time", label, {
  value: time,
  attributes: html`step="${QUARTER_SECONDS}"`,
  ...parts,
  type: "time",
})}
</div>`;
}

/** Renders a time for each day of the week; none on days without sending. */
export function weekFields(visit: Visit, given: Week | null): Html {
  const local = shifted(given ?? {}, zoneMinutes(visit));
  return html`<fieldset class="field recurring"><legend>${visit.t("Heure pour chaque jour", "Time for each day")}</legend>
<p class="hint">${visit.t("Par quart d’heure. Laissez un jour vide pour ne rien envoyer.", "15-minute steps. Leave a day empty to send nothing.")}</p>
<div class="week">${DAYS.map((day, i) =>
    field(visit, day, weekday(visit, i), {
      value: visit.problem ? visit.field(day) : local[day],
      attributes: html`step="${QUARTER_SECONDS}"`,
      isOptional: "silent",
      type: "time",
    }),
  )}</div></fieldset>`;
}

function weekday(visit: Visit, day: number): string {
  return visit.formats.weekday(new Date(MONDAY_MS + day * DAY_MS));
}

/** `lundi à 08:30, vendredi à 17:00`, in the zone of the company. */
export function weekWords(visit: Visit, week: Week): string {
  const local = shifted(week, zoneMinutes(visit));
  return DAYS.flatMap((day, i) => {
    const [name, time] = [weekday(visit, i), local[day]];
    return time === undefined ? [] : [visit.t(`${name} à ${time}`, `${name} at ${time}`)];
  }).join(", ");
}

type Times = { type: When["type"]; scheduledDate: string | null; recurring: Week | null };

/** Renders a warning of a message that may wake people. */
export function nightNotice(visit: Visit, times: Times): Html | false {
  const hours = clocksOf(visit, times).map((time) => Number(time.slice(0, "hh".length)));
  if (hours.every((hour) => hour >= DAY_BEGINS && hour < DAY_ENDS)) return false;
  const words =
    times.type === "RECURRING"
      ? visit.t(
          "Certaines heures sont en dehors de la plage de 8 h à 20 h : ces messages pourraient réveiller vos destinataires.",
          "Some times are outside 8:00 to 20:00: these messages may wake your recipients.",
        )
      : visit.t(
          "L’heure choisie est en dehors de la plage de 8 h à 20 h : ce message pourrait réveiller vos destinataires.",
          "The chosen time is outside 8:00 to 20:00: this message may wake your recipients.",
        );
  return notice("wait", words);
}

function clocksOf(visit: Visit, { type, scheduledDate, recurring }: Times): string[] {
  if (type === "RECURRING") return Object.values(shifted(recurring ?? {}, zoneMinutes(visit)));
  return [visit.formats.timeValue(scheduledDate ?? new Date(nowMs()))];
}

async function takeWhen(visit: Visit): Promise<View | Redirect> {
  const draft = await readDraft(visit);
  const given = await possibleWhen(visit);
  if (given instanceof Problem) return when(visit.with(given));
  const saved = await saveDraft(visit, draft, { scheduledDate: undefined, recurring: undefined, ...given });
  return saved instanceof Problem ? when(visit.with(saved)) : new Redirect(stepUrl(draft.id, "check"));
}

type When = { type: "SMS" | "SCHEDULED" | "RECURRING"; scheduledDate?: string; recurring?: Week };

/** The time, if a campaign can be sent then: the API checks it when it prices one to the visitor alone. */
async function possibleWhen(visit: Visit): Promise<When | Problem> {
  const given = whenIn(visit);
  if (given instanceof Problem || given.type === "SMS") return given;
  const message = { contacts: [visit.phone], text: "." };
  const priced = await visit.attempt(visit.call("/v1/campaign/quote", { ...message, ...given }), TIME_FIELDS);
  return priced instanceof Problem && priced.code === "invalid-schedule" ? priced : given;
}

function whenIn(visit: Visit): When | Problem {
  const type = visit.field("type");
  if (type === "SCHEDULED") return dateIn(visit);
  if (type === "RECURRING") return weekIn(visit);
  return { type: "SMS" };
}

export function dateIn(visit: Visit): { type: "SCHEDULED"; scheduledDate: string } | Problem {
  const [day, time] = [visit.field("day"), visit.field("time")];
  if (day === "") return new Problem(visit.t("Choisissez un jour.", "Choose a day."), "day");
  if (time === "") return new Problem(visit.t("Choisissez une heure.", "Choose a time."), "time");
  return { type: "SCHEDULED", scheduledDate: visit.formats.instantOf(day, time) };
}

export function weekIn(visit: Visit): { type: "RECURRING"; recurring: Week } | Problem {
  const local: Week = {};
  for (const day of DAYS) {
    const time = visit.field(day);
    if (time !== "") local[day] = time;
  }
  if (Object.keys(local).length === 0)
    return new Problem(
      visit.t("Indiquez une heure pour au moins un jour.", "Enter a time for at least one day."),
      "monday",
    );
  return { type: "RECURRING", recurring: shifted(local, -zoneMinutes(visit)) };
}

/** A week whose times are shifted by this many minutes: near midnight, a time moves to the day before or after. */
function shifted(week: Week, minutes: number): Week {
  const moved: Week = {};
  for (const [i, day] of DAYS.entries()) {
    const at = Date.parse(`1970-01-01T${week[day] ?? ""}:00Z`);
    if (Number.isNaN(at)) {
      // An invalid time stays where it is, and the API refuses it.
      if (week[day] !== undefined) moved[day] = week[day];
      continue;
    }
    const instant = new Date(MONDAY_MS + i * DAY_MS + at + minutes * MINUTE_MS);
    moved[DAYS[(instant.getUTCDay() + 6) % 7] ?? day] = instant
      .toISOString()
      .slice("yyyy-mm-ddT".length, "yyyy-mm-ddThh:mm".length);
  }
  return moved;
}

/** By how many minutes the company is ahead of UTC. None of the zones that the service covers changes its clocks. */
function zoneMinutes(visit: Visit): number {
  return visit.formats.aheadMinutes(nowMs());
}
