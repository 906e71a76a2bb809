// The dates in receipts: read in the operator's time zone, written in UTC, and used only if they are plausible.

/** Reads YYMMDDhhmm as UTC, or with seconds or a 4-digit year. Without seconds, it is the last one of the minute. */
export function readDate(digits: string): Date | undefined {
  const hasLongYear = digits.length === 14 || (digits.length === 12 && digits.startsWith("20"));
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?$/.exec(hasLongYear ? digits : `20${digits}`);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second = "59"] = parts.slice(1);
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // JavaScript reads 30 February as 2 March.
  return date.getUTCDate() === Number(day) ? date : undefined;
}

/** Writes YYMMDDhhmm in UTC. */
export function writeDate(date: Date): string {
  return date.toISOString().replace(/\D/g, "").slice(2, 12);
}

/** How far an operator's clock may be off. */
const CLOCK_ERROR_MS = 5 * 60_000;
/** Time zones are whole quarter hours, up to 14 hours before and after UTC. */
const ZONE_STEP_MS = 15 * 60_000;
const ZONE_AT_MOST_MS = 14 * 3_600_000;

/**
 * Returns how many milliseconds before its receipt a message was delivered: 0 if the receipt gives no plausible date.
 * The date of appendix B has no zone. With the operator's `timeZone`, it is read there, and a date in the future is
 * ignored. Without it, the date is read as UTC; a date in the future is then the local time of an operator further
 * east, and is moved back by the fewest quarter hours that put it before the receipt.
 */
export function deliveryAgeMs(doneAt: Date | undefined, receivedAt: Date, timeZone?: string | null): number {
  if (doneAt === undefined) return 0;
  const writtenMs = doneAt.getTime() - receivedAt.getTime();
  if (timeZone) {
    const aheadMs = writtenMs - offsetMs(timeZone, doneAt);
    return aheadMs > CLOCK_ERROR_MS ? 0 : Math.max(0, -aheadMs);
  }
  const steps = Math.max(0, Math.ceil((writtenMs - CLOCK_ERROR_MS) / ZONE_STEP_MS));
  if (steps * ZONE_STEP_MS > ZONE_AT_MOST_MS) return 0;
  return Math.max(0, steps * ZONE_STEP_MS - writtenMs);
}

/** Whether a receipt can be read in this zone: a name from IANA's list (`Africa/Lagos`) or an offset (`+01:00`). */
export function isTimeZone(timeZone: string): boolean {
  try {
    clockOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/** Cached, since creating a formatter takes longer than reading 100 receipts; as many as operators' zones. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  clocks.set(timeZone, clock);
  return clock;
}

/** How far a zone is ahead of UTC. In the hours around a change of summer time, it may be the other offset. */
function offsetMs(timeZone: string, at: Date): number {
  // "GMT" without an offset is UTC.
  const [, sign = "+", hours = "0", minutes = "0"] =
    /GMT([+-])(\d\d):(\d\d)/.exec(clockOf(timeZone).format(at)) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
