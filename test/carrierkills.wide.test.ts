// Gateways die at any moment while a campaign goes over SMPP and over HTTP at once, with faults on the way. The logs of
// both operators and the database must agree: nothing lost, nothing charged twice, few duplicates.
import assert from "node:assert/strict";
import { test } from "node:test";
import { expireMessages } from "../src/delivery/sends/settlement/expire.ts";
import { startSimulator } from "../src/delivery/simulator/simulator.ts";
import { carrierService, createCarrier, providerOperator, startProvider } from "./httpprovider.ts";
import { atLength } from "./length.ts";
import { readMetrics } from "./metrics.ts";
import { type Process, startProcess } from "./process.ts";
import { addOperator, assertBalanced, phones, rows, send, stacked } from "./sending.ts";
import { type TestService, until } from "./testservice.ts";

const KILLS = atLength({ short: 2, long: 10 });
const MESSAGES = atLength({ short: 1_000, long: 10_000 });
const QUARANTINE_MS = atLength({ short: 2_000, long: 5_000 });
const PER_CAMPAIGN = 100;
const WINDOW = 20;
const LATENCY_MS = 20;
const LIMIT_MS = 240_000;
const SIGN_KEY = "kora";

/** Random, but the same in each run, whatever it meets. */
function randomly(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Waits until only messages that were lost twice are left, and gives these up. Returns their phones. */
async function finish(here: TestService): Promise<Set<string>> {
  const rest = `SELECT (SELECT count(*) FROM message_queue WHERE losses < 2 OR unknown_since IS NULL)
    + (SELECT count(*) FROM batches WHERE held > 0) AS count`;
  await until(async () => (await rows(here.app, rest))[0].count === 0, LIMIT_MS);
  const lost = await rows(here.app, "SELECT phone FROM message_queue");
  await rows(here.app, "UPDATE batches SET expires_at = now() WHERE unknown RETURNING id");
  await expireMessages(here.app);
  return new Set(lost.map((row) => row.phone));
}

/** How often messages of unknown fate were sent again, as a gateway counts it. */
async function resentBy(here: TestService, gateway: Process): Promise<number> {
  const metrics = await readMetrics(gateway.url, here.adminKey);
  return [...metrics.matchAll(/^atumpan_unknown_resent_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
}

test(`H60: after ${KILLS} SIGKILLs of two gateways, ${MESSAGES} messages over SMPP and HTTP with faults are accounted for and paid once`, async (t) => {
  const scope = stacked(t);
  const smpp = await startSimulator({ latencyMs: LATENCY_MS });
  scope.after(() => smpp.stop());
  const http = await startProvider(scope, {
    latencyMs: LATENCY_MS,
    signKey: SIGN_KEY,
    faults: { cut: 23, silent: 97, late: 41, double: 3, "early-receipt": 4, "cut-early": 89 },
    lateMs: 1_500,
  });
  // The judge has the interface, to which receipts come, and does not die.
  const here = await carrierService(scope, QUARANTINE_MS, { config: { roles: new Set(["api"]) } });
  await addOperator(here, smpp.port, { window: WINDOW, prefixes: ["22507"] });
  const settings = { signKey: SIGN_KEY };
  const operator = providerOperator(http, {
    prefixes: ["22505"],
    window: WINDOW,
    submitTimeoutS: 1,
    settings,
  });
  await createCarrier(here, operator, false);
  const company = await here.company({ credits: 2 * MESSAGES });
  const startGateway = () =>
    startProcess(
      {
        DATABASE_URL: here.databaseUrl,
        MASTER_KEY: here.app.config.keys?.masterKey ?? "",
        ADMIN_KEY: here.adminKey,
        ROLES: "gateway",
        PUBLIC_URL: here.url,
        CARRIER_ALLOW_CIDRS: "127.0.0.0/8",
      },
      { settings: { quarantineMs: QUARANTINE_MS } },
    );
  const gateways = [await startGateway(), await startGateway()];
  scope.after(async () => {
    for (const gateway of gateways) await gateway.end("SIGKILL");
  });

  const half = MESSAGES / 2;
  const all = [phones(half), phones(half, "22505")];
  for (let at = 0; at < half; at += PER_CAMPAIGN / 2)
    await send(
      company,
      all.flatMap((some) => some.slice(at, at + PER_CAMPAIGN / 2)),
    );
  const accepted = () => smpp.stats().accepted + http.stats().accepted;
  const random = randomly(38);
  let counted = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    const at = ((kill - random()) * MESSAGES * 0.9) / KILLS;
    await until(() => accepted() >= at, LIMIT_MS);
    const which = random() < 0.5 ? 0 : 1;
    const dying = gateways[which] ?? assert.fail();
    counted += await resentBy(here, dying);
    await dying.end("SIGKILL");
    await assertBalanced(here);
    gateways[which] = await startGateway();
  }
  const lost = await finish(here);
  for (const gateway of gateways) counted += await resentBy(here, gateway);

  const times = new Map<string, number>();
  for (const { to } of [...smpp.inbox({ limit: 100_000 }), ...http.accepted()])
    times.set(to, (times.get(to) ?? 0) + 1);
  assert.deepEqual(
    all.flat().filter((phone) => !times.has(phone) && !lost.has(phone)),
    [],
    "lost",
  );
  const extra = [...times.values()].filter((count) => count > 1);
  assert.ok(
    extra.every((count) => count === 2),
    "more than two submissions",
  );
  // What a gateway had written, and what it had committed ahead of that, on each of the two links.
  const bound = KILLS * 2 * 2 * WINDOW;
  assert.ok(extra.length <= bound, `${extra.length} duplicates, the bound is ${bound}`);
  // What a gateway sent again between its last figures and its death is not in the sum.
  assert.ok(extra.length <= counted + KILLS * 2 * WINDOW, `${extra.length} duplicates, ${counted} counted`);
  assert.equal(http.stats().forgedTaken, 0);
  await assertAgreed(here, { times, lost, companyId: company.companyId });
  t.diagnostic(
    `${extra.length} duplicates (${http.stats().duplicates} over HTTP), ${counted} counted, ${lost.size} lost twice`,
  );
});

type Truth = { times: ReadonlyMap<string, number>; lost: ReadonlySet<string>; companyId: string };

/** Asserts that each charged message reached an operator, and that exactly these were paid. */
async function assertAgreed(here: TestService, { times, lost, companyId }: Truth): Promise<void> {
  const messages = await rows(here.app, "SELECT phone, status, price FROM messages");
  assert.equal(messages.length, MESSAGES);
  const charged = messages.filter(({ phone, status }) => {
    const isCharged = status === "SENT" || status === "DELIVERED";
    assert.ok(isCharged ? times.has(phone) : lost.has(phone), `${phone} is ${status}`);
    return isCharged;
  });
  const price = charged.reduce((sum, message) => sum + Number(message.price), 0);
  const [holds] = await rows(
    here.app,
    "SELECT sum(captured) AS captured, sum(total - captured - released) AS open FROM holds",
  );
  const [pool] = await rows(here.app, "SELECT available FROM pools WHERE id = $1", [companyId]);
  assert.deepEqual({ ...holds, ...pool }, { captured: price, open: 0, available: 2 * MESSAGES - price });
  assert.equal((await assertBalanced(here)).held, 0);
}
