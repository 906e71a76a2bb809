// Sessions of carriers over HTTP under faults: who takes over, what is sent twice, and what the account pays.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { pino } from "pino";
import { type CarrierScript, reply, startCarrier } from "../../../test/httpcarrier.ts";
import {
  acceptAll,
  carrierService,
  createCarrier,
  PROVIDER,
  providerOperator,
  scriptedCarrier,
  startProvider,
} from "../../../test/httpprovider.ts";
import { readMetrics } from "../../../test/metrics.ts";
import { ableIs } from "../../../test/operators.ts";
import {
  assertBalanced,
  balanceOf,
  phones,
  rows,
  type Scope,
  send,
  settled,
  statusesOf,
} from "../../../test/sending.ts";
import { type TestService, until } from "../../../test/testservice.ts";
import { expireMessages } from "../sends/settlement/expire.ts";

/** So long that nothing of unknown fate is sent again in a test. */
const LONG_MS = 600_000;
const SHORT_MS = 500;
const FAULTY = 200;

const cut: CarrierScript = (_message, response) => void response.socket?.destroy();

/** Lets the messages to a prefix that wait for a retry be tried at once. */
const hasten = (here: TestService, prefix: string) =>
  rows(
    here.app,
    `UPDATE batches SET not_before = now()
     WHERE not_before > now() + interval '5 seconds' AND not_before <> 'infinity' AND prefix = $1
     RETURNING id`,
    [prefix],
  );

/**
 * Waits until the only messages to a prefix that are queued are those of unknown fate that are never sent again, and
 * gives these up. Returns how many there were.
 */
async function finish(here: TestService, prefix: string): Promise<number> {
  const queued = `SELECT count(*) AS count FROM message_queue JOIN batches batch ON batch.id = batch_id
    WHERE batch.prefix = $1 AND`;
  const given = "(batch.unknown AND batch.not_before = 'infinity')";
  await until(async () => {
    await hasten(here, prefix);
    const [packed] = await rows(here.app, "SELECT count(*) FROM batches WHERE held > 0 AND prefix = $1", [
      prefix,
    ]);
    const [open] = await rows(here.app, `${queued} NOT ${given}`, [prefix]);
    return packed.count + open.count === 0;
  });
  const [lost] = await rows(here.app, `${queued} ${given}`, [prefix]);
  await rows(here.app, "UPDATE batches SET expires_at = now() WHERE unknown AND prefix = $1 RETURNING id", [
    prefix,
  ]);
  await expireMessages(here.app);
  return lost.count;
}

/** Two carriers for one prefix: the second accepts what the first leaves. */
async function pair(
  t: Scope,
  here: TestService,
  prefix: string,
  first: CarrierScript,
  declared: object = {},
) {
  const [a, b] = [await startCarrier(t, first), await startCarrier(t, acceptAll)];
  const ids = [
    await createCarrier(here, scriptedCarrier(a.url, prefix, { priority: 0 }, declared)),
    await createCarrier(here, scriptedCarrier(b.url, prefix, { priority: 1 })),
  ];
  return { a, b, ids };
}

const queuedUnknown = (here: TestService, prefix: string) =>
  until(async () => {
    const found = await rows(here.app, "SELECT unknown_since FROM message_queue WHERE phone LIKE $1 || '%'", [
      prefix,
    ]);
    return found.length > 0 && found.every(({ unknown_since: since }) => since !== null);
  }, 20_000);

suite("sessions of carriers over HTTP", { concurrency: 3 }, () => {
  test("nothing of unknown fate is sent twice while it may be proven", { concurrency: 8 }, async (t) => {
    const here = await carrierService(t, LONG_MS);
    const company = await here.company({ credits: 1_000 });

    const refused = t.test(
      "H01: a refused connection has sent nothing: the next operator takes over, and the first returns",
      async () => {
        const { a, b, ids } = await pair(t, here, "22501", acceptAll);
        await a.stop();
        const one = await send(company, phones(20, "22501"));
        await settled(company, one);
        assert.deepEqual([a.taken.length, b.taken.length], [0, 20]);
        const again = await startCarrier(t, acceptAll, Number(new URL(a.url).port));
        await ableIs(here, ids[0] ?? "", true);
        await until(async () => {
          await settled(company, await send(company, phones(1, "22501")));
          return again.taken.length > 0;
        });
      },
    );

    const late = t.test("H04: an answer after the time limit proves the acceptance", async () => {
      const carrier = await startProvider(t, { receipts: false, faults: { late: 1 }, lateMs: 2_000 });
      const id = await createCarrier(
        here,
        providerOperator(carrier, { prefixes: ["22502"], submitTimeoutS: 1 }),
      );
      await ableIs(here, id, true);
      const campaign = await send(company, phones(3, "22502"));
      await settled(company, campaign);
      assert.deepEqual(await statusesOf(company, campaign), Array(3).fill("SENT"));
      assert.deepEqual([carrier.stats().accepted, carrier.stats().duplicates], [3, 0]);
    });

    const idempotent = t.test("H05: a carrier that takes a repeat once is asked again at once", async () => {
      const carrier = await startProvider(t, { receipts: false, faults: { cut: 2 }, duplicates: "same" });
      const connector = { ...PROVIDER, idempotent: true };
      const id = await createCarrier(here, providerOperator(carrier, { prefixes: ["22503"], connector }));
      await ableIs(here, id, true);
      const campaign = await send(company, phones(20, "22503"));
      await settled(company, campaign);
      const { accepted, absorbed, duplicates } = carrier.stats();
      assert.deepEqual([accepted, duplicates], [20, 0]);
      assert.ok(absorbed >= 5, `${absorbed} repeats`);
    });

    const afterwards: [string, string, CarrierScript | "stops"][] = [
      ["refuses the connection", "22504", "stops"],
      ["answers 503", "22505", (_message, response) => reply(response, 503, {})],
      ["answers 429", "22506", (_message, response) => reply(response, 429, {})],
      [
        "has no units",
        "22507",
        (_message, response) => reply(response, 403, { error: "no-units", code: "P1" }),
      ],
    ];
    const inDoubt = afterwards.map(([says, prefix, then]) =>
      t.test(
        `H06: if the repeat of a cut request ${says}, its fate stays unknown, and no other operator gets it`,
        async () => {
          let stop = async () => {};
          const first: CarrierScript = (message, response, n) => {
            if (n > 1 && then !== "stops") then(message, response, n);
            else if (then === "stops") void stop();
            else cut(message, response, n);
          };
          const { a, b } = await pair(t, here, prefix, first, { idempotent: true });
          stop = a.stop;
          const campaign = await send(company, phones(1, prefix));
          await queuedUnknown(here, prefix);
          assert.equal(a.taken.length, then === "stops" ? 1 : 2);
          // A message after it, which the next operator takes, shows that the first one was left alone.
          assert.equal(b.taken.length, 0);
          assert.deepEqual(await statusesOf(company, campaign), ["UNKNOWN"]);
        },
      ),
    );

    await Promise.all([refused, late, idempotent, ...inDoubt]);
    await assertBalanced(here);
  });

  test("what stays unknown is sent once more, except one-time passwords", { concurrency: 8 }, async (t) => {
    const reasons: unknown[] = [];
    const log = pino(
      { level: "warn" },
      { write: (line: string) => void reasons.push(JSON.parse(line).reason) },
    );
    const here = await carrierService(t, SHORT_MS, { log });
    const company = await here.company({ credits: 1_000 });

    const code = t.test(
      "H21: a one-time password of unknown fate is never sent again, and is refunded",
      async () => {
        const carrier = await startCarrier(t, cut);
        await createCarrier(here, scriptedCarrier(carrier.url, "22509"));
        const other = await here.company({ credits: 10 });
        const { data } = await other.call("/v1/auth/otp/get", { phoneNumber: "+2250900001000" });
        assert.equal(data.status, "PENDING");
        await until(() => carrier.taken.length === 1);
        // An ordinary message after it is sent again: the quarantine of the code is over too.
        await send(other, phones(1, "225091"));
        await until(() => carrier.taken.length === 3);
        const to = carrier.taken.map((message) => message.to);
        assert.deepEqual(to.filter((phone) => phone === "+2250900001000").length, 1);
        assert.equal(await finish(here, "22509"), 2);
        await until(async () => (await balanceOf(other)) === 10);
      },
    );

    const split = t.test(
      "H22: of a text that we split, only the parts whose fate is unknown are sent again",
      async () => {
        const carrier = await startCarrier(t, (message, response, n) =>
          n === 2 ? cut(message, response, n) : acceptAll(message, response, n),
        );
        const declared = { text: { split: "us" } };
        await createCarrier(here, scriptedCarrier(carrier.url, "22510", {}, declared));
        const payer = await here.company({ credits: 10 });
        const id = await send(payer, phones(1, "22510"), "Akwaba ! ".repeat(45));
        await settled(payer, id);
        assert.deepEqual(await statusesOf(payer, id), ["SENT"]);
        assert.deepEqual(
          carrier.taken.map((part) => part.id.slice(part.id.lastIndexOf("-") + 1)),
          ["1", "2", "2", "3"],
        );
        assert.equal(
          carrier.taken
            .filter((_, i) => i !== 1)
            .map((part) => part.text)
            .join(""),
          "Akwaba ! ".repeat(45),
        );
        assert.equal(await balanceOf(payer), 7);
      },
    );

    const down = t.test(
      "H23: a carrier that fails twenty times in a row is down: the next operator takes over",
      async () => {
        const { a, b, ids } = await pair(t, here, "22511", (_message, response) => reply(response, 503, {}));
        const id = await send(company, phones(40, "22511"));
        await until(() => b.taken.length > 0);
        assert.ok(a.taken.length >= 20, `${a.taken.length} attempts`);
        assert.ok(reasons.includes("carrier-down"), String(reasons));
        await here.admin(`/v1/admin/operator/${ids[0]}/update`, { enabled: false });
        // The messages that the first refused wait for their next attempt, which may go to the second.
        assert.equal(await finish(here, "22511"), 0);
        assert.deepEqual((await settled(company, id)).stats.sent, 40);
      },
    );

    const all = t.test(
      `H24: ${FAULTY} messages over a carrier with every fault at once: charged once, and duplicates are counted`,
      async () => {
        const faults = {
          cut: 5,
          "cut-early": 9,
          silent: 17,
          late: 13,
          garbage: 7,
          huge: 11,
          "429": 47,
          "503": 31,
          "error-in-200": 29,
        };
        const reports = { double: 3, "early-receipt": 4, "out-of-order": 6, forged: 5, "lost-receipt": 10 };
        const carrier = await startProvider(t, {
          faults: { ...faults, ...reports },
          lateMs: 1_500,
          signKey: "kora",
          numericIds: true,
          latencyMs: 2,
        });
        const settings = { signKey: "kora" };
        const id = await createCarrier(
          here,
          providerOperator(carrier, { prefixes: ["22512"], submitTimeoutS: 1, settings }),
        );
        const payer = await here.company({ credits: FAULTY });
        await send(payer, phones(FAULTY, "22512"));
        const lost = await finish(here, "22512");
        const { name } = (await here.admin(`/v1/admin/operator/${id}`)).data;
        const metrics = await readMetrics(here.url, here.adminKey);
        const resent = Number(
          new RegExp(`^atumpan_unknown_resent_total\\{operator="${name}"\\} (\\d+)`, "m").exec(metrics)?.[1],
        );
        const { duplicates, forged, forgedTaken } = carrier.stats();
        t.diagnostic(
          `${duplicates} duplicates, ${resent} sent again, ${lost} given up, ${forged} forged receipts`,
        );
        assert.ok(duplicates <= resent, `${duplicates} duplicates, ${resent} counted`);
        assert.deepEqual([forged > 0, forgedTaken], [true, 0]);
        const reached = new Set(carrier.accepted().map(({ to }) => to));
        assert.ok(reached.size + lost >= FAULTY, `${reached.size} reached, ${lost} given up`);
        assert.equal(await balanceOf(payer), lost);
      },
    );

    await Promise.all([code, split, down, all]);
    await assertBalanced(here);
  });
});
