// M18: a process whose machine has a wrong clock works by the database's time, and says that its own clock is off.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { killIfThere } from "../src/platform/embedded/cluster.ts";
import { inLongRuns } from "./length.ts";
import { rows, type Scope, stacked } from "./sending.ts";
import { type Call, type Company, caller, type TestService, testService, until } from "./testservice.ts";

const ROOT = join(import.meta.dirname, "..");
const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
// The time that a process may take to start, whatever else this machine does.
const START_MS = 60_000;
const OFF_MS = 3 * 60 * MINUTE_MS;

type Line = { msg: string; url?: string; aheadMs?: number };

type Program = { url: string; lines: () => Line[]; jump: () => void };

/**
 * Starts the program on the database of a test service, with every role and the simulated operator. Its clock is off from the
 * start, or from a jump on.
 */
async function startOff(
  scope: Scope,
  here: TestService,
  offMs: number,
  isOffAtStart: boolean,
): Promise<Program> {
  const dataDir = await mkdtemp(join(tmpdir(), "atumpan-clock-"));
  const child = spawn(
    process.execPath,
    ["--import", join(ROOT, "test", "wrong-clock.ts"), join(ROOT, "src", "main.ts")],
    {
      env: {
        PATH: process.env.PATH,
        CLOCK_OFF_BY_MS: String(offMs),
        CLOCK_IS_OFF_AT_START: isOffAtStart ? "yes" : "no",
        PORT: "0",
        DATA_DIR: dataDir,
        DATABASE_URL: here.databaseUrl,
        MASTER_KEY: here.app.config.keys!.masterKey,
        ADMIN_KEY: here.adminKey,
        SIMULATOR: "on",
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  scope.after(async () => {
    killIfThere(child.pid!, "SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await rm(dataDir, { recursive: true, force: true });
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const lines = () =>
    output
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const started = await until(() => lines().find((line) => line.msg === "started"), START_MS);
  return { url: started.url!, lines, jump: () => void child.kill("SIGUSR2") };
}

/** Waits until /readyz has this status. If it is not ready, the clock must be the reason. */
async function readiness(url: string, status: 200 | 503): Promise<void> {
  await until(async () => {
    const response = await fetch(`${url}/readyz`);
    const { reasons } = (await response.json()) as { reasons?: string[] };
    return response.status === status && (status === 200 || reasons?.includes("the clock is off"));
  });
}

/** Makes a campaign for later, and then moves its time to so many minutes from now. */
async function schedule(here: TestService, company: Company, call: Call, inMinutes: number): Promise<string> {
  const { apiKey, companyId } = company;
  const answer = await call("/v1/campaign/create", {
    ...{ apiKey, companyId, text: "Bonjour", contacts: [{ phone: "2250102030405" }], type: "SCHEDULED" },
    scheduledDate: new Date(Math.ceil(Date.now() / QUARTER_MS + 4) * QUARTER_MS).toISOString(),
  });
  assert.equal(answer.success, true, JSON.stringify(answer));
  const madeAgoMs = Date.now() - Date.parse(answer.data.createdAt);
  assert.ok(Math.abs(madeAgoMs) < 10 * MINUTE_MS, answer.data.createdAt);
  const move = "UPDATE campaigns SET next_at = now() + $2::int * interval '1 minute' WHERE id = $1";
  await rows(here.app, move, [answer.data.id, inMinutes]);
  return answer.data.id;
}

for (const [name, offMs, isOffAtStart, length] of [
  ["M18: a process whose clock is 3 h ahead", OFF_MS, true, inLongRuns],
  ["M18, T07: a process whose clock jumps back 3 h", -OFF_MS, false, {}],
] as const) {
  test(`${name} does everything at its time, and is not ready`, length, async (t) => {
    const scope = stacked(t);
    const here = await testService(scope, { config: { roles: new Set(["api"]), simulator: false } });
    const { url, lines, jump } = await startOff(scope, here, offMs, isOffAtStart);
    if (!isOffAtStart) jump();
    await readiness(url, 503);
    const there = caller(url, {});
    const company = await here.company({ credits: 100 });
    const runsOf = (id: string) =>
      rows(here.app, "SELECT failure FROM campaign_runs WHERE campaign_id = $1", [id]);

    // Its schedules: once the last one has run, the others are decided too.
    const [early, late, missed] = [
      await schedule(here, company, there, 30),
      await schedule(here, company, here.call, -30),
      await schedule(here, company, there, -90),
    ];
    await until(async () => (await runsOf(late)).length + (await runsOf(missed)).length === 2);
    const last = await schedule(here, company, there, -1);
    await until(async () => (await runsOf(last)).length === 1);
    const failures = await Promise.all([early, late, missed, last].map(runsOf));
    assert.deepEqual(failures, [[], [{ failure: null }], [{ failure: "missed" }], [{ failure: null }]]);

    // Its gateway: a code that lives for minutes and was accepted elsewhere reaches the phone.
    const { apiKey, companyId } = company;
    const phoneNumber = "2250102039999";
    assert.equal((await here.call("/v1/auth/otp/get", { apiKey, companyId, phoneNumber })).success, true);
    await until(async () => {
      const inbox = await there("/v1/admin/simulator/inbox", { adminKey: here.adminKey });
      return inbox.data.some((message: { to: string }) => message.to === phoneNumber);
    });

    // Its ids: a list shows later campaigns first, whichever process made them.
    const made = [];
    for (const call of [here.call, there, here.call, there])
      made.push(await schedule(here, company, call, 60));
    const listed = await company.call("/v1/campaign/list", { limit: 4 });
    assert.deepEqual(
      listed.data.map((campaign: { id: string }) => campaign.id),
      made.reverse(),
    );

    const said = lines().filter((line) => line.aheadMs !== undefined);
    assert.equal(said.length, 1, "said once");
    assert.ok(Math.abs(said[0]!.aheadMs! - offMs) < MINUTE_MS, JSON.stringify(said));
    await readiness(here.url, 200);
    jump();
    await readiness(url, 200);
  });
}
