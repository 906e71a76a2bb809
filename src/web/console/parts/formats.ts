// Formats of numbers, credits, days, times and phones, in the reader's language and time zone.
import type { Language } from "../../../platform/http/refusals.ts";
import { aheadMs, instantIn, timeZoneOf } from "../../../platform/zones.ts";
import { readablePhone } from "../../pages/layout.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The formats of one page: one language, one zone. Intl objects are slow to create and are cached. */
export class Formats {
  readonly #language: Language;
  readonly #locale: string;
  readonly zone: string;
  readonly #country: string;

  /** `country` (ISO 3166) determines the zone; if it has several, the first. */
  constructor(language: Language, country: string) {
    this.#language = language;
    this.#locale = language === "fr" ? "fr" : "en-GB";
    this.zone = timeZoneOf(country);
    this.#country = country;
  }

  /** `4 812`, `−13`. */
  number(value: number): string {
    return numbers(this.#locale).format(value).replace("-", "−");
  }

  /** `1 crédit`, `4 812 crédits`. French counts zero and one as singular. */
  count(value: number, one: string, many: string): string {
    const isOne = this.#language === "fr" ? Math.abs(value) < 2 : Math.abs(value) === 1;
    return `${this.number(value)}\u00a0${isOne ? one : many}`;
  }

  /** `98,5 %`. */
  share(part: number, whole: number): string {
    if (whole === 0) return "–";
    return new Intl.NumberFormat(this.#locale, { style: "percent", maximumFractionDigits: 1 }).format(
      part / whole,
    );
  }

  /** `25 000 F CFA`. */
  money(amount: number, currency: string): string {
    const options = { style: "currency", currency, maximumFractionDigits: 0 } as const;
    return new Intl.NumberFormat(this.#locale, options).format(amount);
  }

  /** `lundi 23 novembre 2026`. */
  day(instant: string | Date): string {
    return this.#of(instant, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
  }

  /** `23 nov. 2026`. */
  date(instant: string | Date): string {
    return this.#of(instant, { day: "numeric", month: "short", year: "numeric" });
  }

  /** `lundi`. */
  weekday(instant: Date): string {
    return this.#of(instant, { weekday: "long" });
  }

  /** `23 nov.`, in tables and under charts. */
  shortDay(instant: string | Date): string {
    return this.#of(instant, { day: "numeric", month: "short" });
  }

  /** `14:05`. */
  time(instant: string | Date): string {
    return this.#of(instant, { hour: "2-digit", minute: "2-digit" });
  }

  /** `14:05:09`. */
  seconds(instant: string | Date): string {
    return this.#of(instant, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  }

  /** `23 nov. 2026 à 14:05`. */
  moment(instant: string | Date): string {
    const day = this.#of(instant, { day: "numeric", month: "short", year: "numeric" });
    // In a narrow cell, the time moves to the next line as a whole, and neither day nor time is broken.
    return `${day.replaceAll(" ", "\u00a0")} ${this.#language === "fr" ? "à" : "at"}\u00a0${this.time(instant)}`;
  }

  /** `il y a 5 minutes`, `dans 2 heures`; beyond a week, the date and time. */
  ago(instant: string | Date, nowMs: number): string {
    const awayMs = new Date(instant).getTime() - nowMs;
    const away = Math.abs(awayMs);
    if (away >= 7 * DAY_MS) return this.moment(instant);
    const relative = new Intl.RelativeTimeFormat(this.#locale, { numeric: "auto" });
    if (away < MINUTE_MS) return relative.format(0, "second");
    if (away < HOUR_MS) return relative.format(Math.trunc(awayMs / MINUTE_MS), "minute");
    if (away < DAY_MS) return relative.format(Math.trunc(awayMs / HOUR_MS), "hour");
    return relative.format(Math.trunc(awayMs / DAY_MS), "day");
  }

  /** Returns `2026-11-23`: the value of `<input type="date">`, in the zone. */
  dateValue(instant: string | Date): string {
    return dates("sv", this.zone, { dateStyle: "short" }).format(new Date(instant));
  }

  /** Returns `14:05`: the value of `<input type="time">`, in the zone. */
  timeValue(instant: string | Date): string {
    return dates("sv", this.zone, { timeStyle: "short" }).format(new Date(instant));
  }

  /** `+225 07 00 00 00 01`. */
  phone(phone: string): string {
    return readablePhone(phone);
  }

  /**
   * Returns the instant of a day (`2026-11-23`) and a time (`14:05`) in the zone, in RFC 3339. Texts of another form
   * are returned as they are, and the API refuses them.
   */
  instantOf(day: string, time: string): string {
    const asUtc = Date.parse(`${day}T${time}:00Z`);
    if (Number.isNaN(asUtc)) return `${day}T${time}`;
    return instantIn(this.#country, asUtc).toISOString();
  }

  /** By how many minutes the zone is ahead of UTC. */
  aheadMinutes(instantMs: number): number {
    return aheadMs(this.#country, instantMs) / MINUTE_MS;
  }

  #of(instant: string | Date, options: Intl.DateTimeFormatOptions): string {
    return dates(this.#locale, this.zone, options).format(new Date(instant));
  }
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();

function dates(locale: string, zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${zone} ${JSON.stringify(options)}`;
  const known = dateFormats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  dateFormats.set(key, made);
  return made;
}

const numberFormats = new Map<string, Intl.NumberFormat>();

function numbers(locale: string): Intl.NumberFormat {
  const known = numberFormats.get(locale);
  if (known) return known;
  const made = new Intl.NumberFormat(locale);
  numberFormats.set(locale, made);
  return made;
}
