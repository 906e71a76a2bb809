// A08: secrets that were replaced are dead on every process, from the answer on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, dataOf } from "../../../test/applications.ts";
import { atLength } from "../../../test/length.ts";
import { startProcess } from "../../../test/process.ts";
import { stacked } from "../../../test/sending.ts";
import { testService } from "../../../test/testservice.ts";

const PROCESSES_BESIDE = atLength({ short: 2, night: 3 });
const CLIENTS_PER_PROCESS = atLength({ short: 2, night: 3 });
const SECRETS = atLength({ short: 12, night: 50 });

test("A08: once regenerate-secret has answered, no process takes the old secret, under load", async (t) => {
  const scope = stacked(t);
  const limits = { requestsPerSecond: 1_000_000, requestBurst: 1_000_000, pairingPollsAtOnce: 1_000_000 };
  const here = await testService(scope, {
    limits,
    config: { roles: new Set(["api"] as const), simulator: false },
  });
  const environment = {
    DATABASE_URL: here.databaseUrl,
    MASTER_KEY: here.app.config.keys!.masterKey,
    ADMIN_KEY: here.adminKey,
    ROLES: "api",
  };
  const beside = await Promise.all(
    Array.from({ length: PROCESSES_BESIDE }, () => startProcess(environment, { limits })),
  );
  for (const one of beside) scope.after(() => one.end("SIGKILL"));
  const urls = [here.url, ...beside.map(({ url }) => url)];
  const app = await application(here);
  /** In order; the last one is alive, the one before it may be until the next is known. */
  const secrets = [app.apiSecret];
  let isReplacing = false;
  let isOver = false;

  const ask = async (url: string, apiSecret: string) => {
    const response = await fetch(`${url}/v1/third-party-app/pairing/status`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ apiSecret, externalAccountId: "client" }),
    });
    return ((await response.json()) as { error: string }).error;
  };
  const effects = { dead: 0, alive: 0, between: 0 };
  /** Asks with the newest secret and with one that is dead by now, and sees that each is what it must be. */
  const client = async (url: string) => {
    while (!isOver) {
      const newest = secrets.at(-1)!;
      const dead = secrets.at(-2);
      const [ofNewest, ofDead] = await Promise.all([ask(url, newest), dead && ask(url, dead)]);
      if (dead) {
        assert.equal(ofDead, "not-authenticated");
        effects.dead++;
      }
      // Being replaced meanwhile, it may be either.
      const isAlive = newest === secrets.at(-1) && !isReplacing;
      effects[isAlive ? "alive" : "between"]++;
      const allowed = isAlive ? ["not-found"] : ["not-found", "not-authenticated"];
      assert.ok(allowed.includes(ofNewest), ofNewest);
    }
  };
  const clients = urls.flatMap((url) => Array.from({ length: CLIENTS_PER_PROCESS }, () => client(url)));
  const replace = async () => {
    for (let i = 0; i < SECRETS; i++) {
      isReplacing = true;
      const url = urls[i % urls.length]!;
      const path = `/v1/third-party-app/my/${app.id}/regenerate-secret`;
      const { apiKey, companyId } = app.owner;
      const response = await fetch(url + path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ apiKey, companyId }),
      });
      const { data } = (await response.json()) as { data: { apiSecret: string } };
      secrets.push(data.apiSecret);
      isReplacing = false;
      const [old, fresh] = secrets.slice(-2) as [string, string];
      const answers = await Promise.all(urls.flatMap((each) => [ask(each, old), ask(each, fresh)]));
      assert.deepEqual(
        answers,
        urls.flatMap(() => ["not-authenticated", "not-found"]),
      );
    }
  };
  const replacing = replace().finally(() => {
    isOver = true;
  });
  await Promise.all([replacing, ...clients]);
  assert.ok(effects.dead > SECRETS, JSON.stringify(effects));
  const [mine] = await dataOf(app.owner.call("/v1/third-party-app/my/list"));
  assert.equal(mine.apiSecret, secrets.at(-1));
});
