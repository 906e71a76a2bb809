// The names that campaigns are given, without a clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOfCampaign } from "./names.ts";

const LATE = new Date("2026-11-22T23:17:59Z");

test("a campaign is named after its date and time, in the company's language and its country's time", () => {
  const named = (language: "fr" | "en", country: string) => nameOfCampaign(LATE, { language, country });
  assert.equal(named("fr", "CI"), "SMS du 22/11/2026 à 23:17");
  assert.equal(named("en", "CI"), "SMS of 22/11/2026 at 23:17");
  assert.equal(named("fr", "BJ"), "SMS du 23/11/2026 à 00:17");
  assert.equal(named("fr", "FR"), "SMS du 23/11/2026 à 00:17");
  assert.equal(named("fr", "CD"), "SMS du 23/11/2026 à 00:17", "the first of two zones: Kinshasa's");
  assert.equal(named("fr", "ZZ"), "SMS du 22/11/2026 à 23:17");
});

test("summer time counts", () => {
  const of = (time: string) => nameOfCampaign(new Date(time), { language: "en", country: "FR" });
  assert.equal(of("2026-07-14T08:05:00Z"), "SMS of 14/07/2026 at 10:05");
  assert.equal(of("2026-12-14T08:05:00Z"), "SMS of 14/12/2026 at 09:05");
});
