// Gateways die at any moment while campaigns go over SMPP, Orange, MTN, a declared carrier and a phone at once, with faults
// on the way. The logs of all operators and the database must agree: nothing lost, nothing charged twice, few duplicates.
import assert from "node:assert/strict";
import { test } from "node:test";
import { expireMessages } from "../src/delivery/sends/settlement/expire.ts";
import type { HttpCarrier } from "../src/delivery/simulator/http/server.ts";
import { SimulatedPhone } from "../src/delivery/simulator/phone.ts";
import { startSimulator } from "../src/delivery/simulator/simulator.ts";
import { findFreePorts } from "../src/platform/embedded/ports.ts";
import {
  callbackOf,
  carrierService,
  createCarrier,
  mtnOperator,
  orangeOperator,
  providerOperator,
  startProvider,
} from "./httpprovider.ts";
import { atLength } from "./length.ts";
import { readMetrics } from "./metrics.ts";
import { type Process, startProcess } from "./process.ts";
import { addOperator, assertBalanced, phones, rows, type Scope, send, stacked } from "./sending.ts";
import { type TestService, until } from "./testservice.ts";

const KILLS = atLength({ short: 2, long: 10 });
/** Messages by each of four carriers, and by the phone, which sends one a second. */
const EACH = atLength({ short: 250, long: 2_500 });
const BY_PHONE = atLength({ short: 8, long: 40 });
const MESSAGES = 4 * EACH + BY_PHONE;
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

test(`H60: after ${KILLS} SIGKILLs of two gateways, ${MESSAGES} messages over SMPP, HTTP and a phone with faults are accounted for and paid once`, async (t) => {
  const scope = stacked(t);
  const smpp = await startSimulator({ latencyMs: LATENCY_MS });
  scope.after(() => smpp.stop());
  // The judge has the interface, to which receipts come, and does not die.
  const here = await carrierService(scope, QUARANTINE_MS, { config: { roles: new Set(["api"]) } });
  await addOperator(here, smpp.port, { window: WINDOW, prefixes: ["225071"] });
  const carriers = await startCarriers(scope, here);
  const phone = await startPhone(scope, here);
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

  const declared = phones(EACH).map((to) => to.replace(/^225071/, "225079"));
  const all = [
    phones(EACH),
    declared,
    phones(EACH, "22501"),
    phones(EACH, "22505"),
    phones(BY_PHONE, "22506"),
  ];
  for (let at = 0; at < EACH; at += PER_CAMPAIGN / 4)
    await send(
      company,
      all.flatMap((some) => some.slice(at, at + PER_CAMPAIGN / 4)),
    );
  const sum = (of: (carrier: HttpCarrier) => number) => carriers.reduce((all, one) => all + of(one), 0);
  const accepted = () =>
    smpp.stats().accepted + sum((carrier) => carrier.stats().accepted) + phone.sent.length;
  const random = randomly(38);
  let counted = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    const at = ((kill - random()) * EACH * 4 * 0.9) / KILLS;
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
  const overHttp = carriers.flatMap((carrier) => carrier.accepted());
  const byPhone = phone.sent.map((sms) => ({ to: sms.to.slice(1) }));
  for (const { to } of [...smpp.inbox({ limit: 100_000 }), ...overHttp, ...byPhone])
    times.set(to, (times.get(to) ?? 0) + 1);
  assert.deepEqual(
    all.flat().filter((to) => !times.has(to) && !lost.has(to)),
    [],
    "lost",
  );
  const extra = [...times.values()].filter((count) => count > 1);
  assert.ok(
    extra.every((count) => count === 2),
    "more than two submissions",
  );
  // What a gateway had written, and what it had committed ahead of that, on each of the five links.
  const bound = KILLS * 5 * 2 * WINDOW;
  assert.ok(extra.length <= bound, `${extra.length} duplicates, the bound is ${bound}`);
  // What a gateway sent again between its last figures and its death is not in the sum.
  assert.ok(extra.length <= counted + KILLS * 5 * WINDOW, `${extra.length} duplicates, ${counted} counted`);
  assert.equal(
    sum((carrier) => carrier.stats().forgedTaken),
    0,
  );
  await assertAgreed(here, { times, lost, companyId: company.companyId });
  t.diagnostic(
    `${extra.length} duplicates (${sum((carrier) => carrier.stats().duplicates)} over HTTP), ${counted} counted, ${lost.size} lost twice`,
  );
});

/** Starts a declared carrier, Orange and MTN, as operators with a prefix each. Receipts go to the service. */
async function startCarriers(scope: Scope, here: TestService): Promise<HttpCarrier[]> {
  const common = {
    latencyMs: LATENCY_MS,
    faults: { cut: 23, silent: 97, late: 41, double: 3, "early-receipt": 4, "cut-early": 89 },
    lateMs: 1_500,
  };
  const terms = { window: WINDOW, submitTimeoutS: 1 };
  const declared = await startProvider(scope, { ...common, signKey: SIGN_KEY });
  const settings = { signKey: SIGN_KEY };
  await createCarrier(here, providerOperator(declared, { ...terms, prefixes: ["225079"], settings }), false);
  const carriers = [declared];
  const ports = await findFreePorts(2);
  for (const [i, kind] of (["orange", "mtn"] as const).entries()) {
    const at = { url: `http://127.0.0.1:${ports[i]}` };
    const more = { ...terms, prefixes: [kind === "orange" ? "22501" : "22505"] };
    const operator = kind === "orange" ? orangeOperator(at, more) : mtnOperator(at, more);
    // The address for receipts is known before the carrier starts.
    const receiptUrl = await callbackOf(here, await createCarrier(here, operator, false));
    const life = { port: ports[i] ?? 0, receiptUrl, tokenLifeMs: 5_000 };
    carriers.push(await startProvider(scope, { ...common, ...life, kind, systemId: kind }));
  }
  return carriers;
}

/** Starts a phone as an operator with a prefix of its own. It fetches every third message once without sending it. */
async function startPhone(scope: Scope, here: TestService): Promise<SimulatedPhone> {
  const terms = { prefixes: ["22506"], secondsPerMessage: 1, submitTimeoutS: 5 };
  const id = await createCarrier(here, { kind: "phone", ...terms }, false);
  const { apiUrl, privateToken } = (await here.admin(`/v1/admin/operator/${id}/pair`)).data;
  const kept = new Set<string>();
  const isKept = (to: string) => Number(to) % 3 === 0 && !kept.has(to) && Boolean(kept.add(to));
  const outcomeOf = (to: string) => (isKept(to) ? "kept" : "delivered");
  const phone = new SimulatedPhone({ apiUrl, privateToken, outcomeOf });
  await phone.register();
  phone.start();
  scope.after(() => phone.stop());
  return phone;
}

type Truth = { times: ReadonlyMap<string, number>; lost: ReadonlySet<string>; companyId: string };

/** Asserts that each charged message reached an operator, and that exactly these were paid. */
async function assertAgreed(here: TestService, { times, lost, companyId }: Truth): Promise<void> {
  // Every carrier reports each message that it accepted.
  const unreported = "SELECT count(*) AS count FROM messages WHERE status = 'SENT'";
  await until(async () => (await rows(here.app, unreported))[0].count === 0, LIMIT_MS);
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
