// The rules of time, without a clock: what is a time, what is a quarter, when a week occurs next.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseTimestamp, readExpiry } from "../../platform/http/timestamps.ts";
import { nextOccurrence, readScheduledDate, readWeek, recurringOf, WEEKDAYS } from "./schedule.ts";

const NOW = new Date("2027-01-10T10:00:00Z");
const refusal = { code: "invalid-schedule" };

test("P11: a timestamp is a real date with a zone, or nothing", () => {
  for (const good of [
    "2027-02-28T10:15:00Z",
    "2028-02-29T10:15:00.000Z",
    "2027-01-01T00:00:00+05:45",
    "2027-01-01t00:00:00z",
    "1970-01-01T08:00:00Z",
    "1999-12-31T23:45:00-01:00",
    "9999-12-31T00:00:00Z",
  ]) {
    assert.ok(parseTimestamp(good), good);
  }
  const bad = [
    "2027-02-30T10:00:00Z",
    "2027-02-29T00:00:00Z",
    "2027-01-01T24:00:00Z",
    "2027-01-01T10:00:00",
    "2027-01-01",
    "infinity",
    "epoch",
    "1",
    "",
    "2027-13-01T00:00:00Z",
    "2027-01-01T10:60:00Z",
    "2016-12-31T23:59:60Z",
    "2027-01-01 10:00:00Z",
    "+002027-01-01T00:00:00Z",
    "2027-01-01T10:00Z",
  ];
  for (const text of bad) assert.equal(parseTimestamp(text), null, text);
});

test("a key may end at a timestamp in the future, or never", () => {
  assert.equal(readExpiry(undefined), null);
  assert.equal(readExpiry("9999-12-31T00:00:00+01:00")?.toISOString(), "9999-12-30T23:00:00.000Z");
  for (const text of ["2020-01-01T00:00:00Z", "9999-12-31", "", "never"])
    assert.throws(() => readExpiry(text), { code: "invalid-request" }, text);
});

test("T03: with an offset, the minute in UTC decides", () => {
  const read = (text: string) => readScheduledDate(text, NOW, 180).toISOString();
  assert.equal(read("2027-01-11T10:00:00+05:45"), "2027-01-11T04:15:00.000Z");
  assert.equal(read("2027-01-11T10:15:00-03:30"), "2027-01-11T13:45:00.000Z");
  assert.throws(() => read("2027-01-11T10:15:00+00:20"), refusal);
  assert.equal(read("2027-01-11T10:20:00+00:20"), "2027-01-11T10:00:00.000Z");
});

test("a scheduled date is on a quarter of an hour, in the future, and not too far ahead", () => {
  for (const text of [
    "2027-01-11T10:07:00Z",
    "2027-01-11T10:15:30Z",
    "2027-01-11T10:15:00.500Z",
    "2027-01-10T09:45:00Z",
    "2027-01-10T10:00:00Z",
    "2027-07-10T10:00:00Z",
    "1969-01-10T10:00:00Z",
    "9999-01-10T10:00:00Z",
    undefined,
  ]) {
    assert.throws(() => readScheduledDate(text, NOW, 180), refusal, text);
  }
  assert.ok(readScheduledDate("2027-01-10T10:15:00Z", NOW, 180));
  assert.throws(() => readScheduledDate(undefined, NOW, 180), {
    details: [
      { field: "scheduledDate", rule: "required", message: { fr: "est obligatoire", en: "is required" } },
    ],
  });
});

test("a week takes weekday names and the time of day of its timestamps, whatever their date", () => {
  assert.deepEqual(readWeek({ monday: "2020-05-05T08:30:00Z", friday: "2099-01-01T17:00:00+01:00" }), {
    1: 510,
    5: 960,
  });
  // A time of day is often written on the first day of some epoch.
  for (const day of ["0001-01-01", "1899-12-30", "1970-01-01", "1969-12-31", "9999-12-31"])
    assert.deepEqual(readWeek({ sunday: `${day}T10:15:00Z` }), { 0: 615 }, day);
  // C13: half past eleven on Sunday west of Greenwich is Monday in UTC.
  assert.deepEqual(readWeek({ sunday: "1969-12-31T23:30:00-01:00" }), { 1: 30 });
  assert.deepEqual(readWeek({ sunday: "00:00", saturday: "23:45" }), { 0: 0, 6: 1425 });
  assert.deepEqual(recurringOf({ 0: 0, 6: 1425 }), { sunday: "00:00", saturday: "23:45" });
  assert.deepEqual(readWeek({ monday: "08:30", id: "x", enabled: true, campaignId: 5 }), { 1: 510 });
  for (const bad of [
    undefined,
    {},
    { Monday: "2027-01-01T08:00:00Z" },
    { funday: "2027-01-01T08:00:00Z" },
    { monday: "24:00" },
    { monday: "8:00" },
    { monday: "08:05" },
    { monday: 8 },
    { monday: "2027-01-01T08:05:00Z" },
  ]) {
    assert.throws(() => readWeek(bad as Record<string, unknown>), refusal, JSON.stringify(bad));
  }
});

test("T08: ten years of a week have exactly as many occurrences as the calendar", () => {
  const week = readWeek({ monday: "2027-01-01T08:30:00Z", thursday: "2027-01-01T00:00:00Z" });
  const until = new Date("2037-01-01T00:00:00Z");
  let expected = 0;
  for (let day = new Date("2027-01-01T00:00:00Z"); day < until; day = new Date(day.getTime() + 86_400_000)) {
    if (day.getUTCDay() === 1 || day.getUTCDay() === 4) expected++;
  }
  let seen = 0;
  for (
    let at = nextOccurrence(week, new Date("2026-12-31T23:59:59Z"));
    at < until;
    at = nextOccurrence(week, at)
  )
    seen++;
  assert.equal(seen, expected);
});

test("T04: the next occurrence is the first one strictly after, within eight days", () => {
  const weeks = fc.dictionary(fc.constantFrom(...WEEKDAYS), fc.integer({ min: 0, max: 95 }), { minKeys: 1 });
  const instants = fc.date({ min: new Date("2026-01-01"), max: new Date("2030-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(weeks, instants, (days, after) => {
      const clock = (quarter: number) =>
        `2027-01-01T${String(Math.floor(quarter / 4)).padStart(2, "0")}:${String((quarter % 4) * 15).padStart(2, "0")}:00Z`;
      const week = readWeek(
        Object.fromEntries(Object.entries(days).map(([name, quarter]) => [name, clock(quarter)])),
      );
      const next = nextOccurrence(week, after);
      assert.ok(next > after && next.getTime() - after.getTime() <= 8 * 86_400_000);
      assert.equal(week[next.getUTCDay()], next.getUTCHours() * 60 + next.getUTCMinutes());
      for (
        let at = after.getTime() - (after.getTime() % 900_000) + 900_000;
        at < next.getTime();
        at += 900_000
      ) {
        const date = new Date(at);
        assert.notEqual(week[date.getUTCDay()], date.getUTCHours() * 60 + date.getUTCMinutes());
      }
    }),
    { numRuns: 300 },
  );
});
