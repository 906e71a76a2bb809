// The two formats of times in SMPP 3.4, section 7.1.1.

/** Formats a time from now, section 7.1.1.2: YYMMDDhhmmss000R. The days hold everything above a day, up to 99. */
export function relativeTime(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  const pairs = [days, hours, minutes, seconds % 60].map((value) => String(value).padStart(2, "0"));
  return `0000${pairs.join("")}000R`;
}

/** Formats milliseconds since 1970 as section 7.1.1.1 does, YYMMDDhhmmsstnnp, in UTC (`00+`). */
export function absoluteTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(2, 19).replace(/\D/g, "")}000+`;
}
