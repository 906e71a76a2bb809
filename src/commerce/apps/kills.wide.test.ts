// Processes that die while people approve pairings: an application is told of each connection, and of nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, dataOf, testServiceWithWebhooks } from "../../../test/applications.ts";
import { inLongRuns } from "../../../test/length.ts";
import { type Process, startProcess } from "../../../test/process.ts";
import { startReceiver } from "../../../test/receiver.ts";
import { rows, stacked } from "../../../test/sending.ts";
import { until } from "../../../test/testservice.ts";

const KILLS = 3;
const PAIRINGS = 50 * KILLS;
const AT_ONCE = 10;

test(
  "W16: a connection that was paired and its event are made together or not at all, whatever dies",
  inLongRuns,
  async (t) => {
    const scope = stacked(t);
    const here = await testServiceWithWebhooks(scope, { config: { roles: new Set(["api", "worker"]) } });
    const receiver = await startReceiver(scope);
    const app = await application(here, { webhookUrl: receiver.url });
    const company = await here.company();
    const environment = {
      DATABASE_URL: here.databaseUrl,
      MASTER_KEY: here.app.config.keys!.masterKey,
      ADMIN_KEY: here.adminKey,
      ROLES: "api",
    };
    let service: Process = await startProcess(environment);
    scope.after(() => service.end("SIGKILL"));

    const acknowledged: string[] = [];
    async function pairOne(externalAccountId: string): Promise<void> {
      const { pairingCode } = await dataOf(
        app.call("/v1/third-party-app/pairing/initiate", { externalAccountId }),
      );
      const { apiKey, companyId } = company;
      const response = await fetch(`${service.url}/v1/third-party-app/pairing/confirm`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ apiKey, companyId, pairingCode }),
      }).catch(() => undefined);
      const answer = (await response?.json().catch(() => undefined)) as { success: boolean } | undefined;
      if (answer?.success) acknowledged.push(externalAccountId);
    }

    let next = 0;
    let up = true;
    const pairing = Array.from({ length: AT_ONCE }, async () => {
      while (next < PAIRINGS) {
        await pairOne(`compte ${next++}`);
        await until(async () => up);
      }
    });
    for (let kill = 1; kill <= KILLS; kill++) {
      await until(async () => next > (kill * PAIRINGS) / (KILLS + 1));
      up = false;
      await service.end("SIGKILL");
      service = await startProcess(environment);
      up = true;
    }
    await Promise.all(pairing);

    const made = await rows(here.app, "SELECT id, external_account_id FROM connections WHERE app_id = $1", [
      app.id,
    ]);
    const told = await rows(
      here.app,
      "SELECT data ->> 'connectionId' AS connection_id FROM webhook_deliveries WHERE endpoint_id = $1 AND type = 'connection.paired'",
      [app.id],
    );
    assert.deepEqual(told.map((row) => row.connection_id).sort(), made.map((row) => row.id).sort());
    const connected = new Set(made.map((row) => row.external_account_id));
    assert.equal(connected.size, made.length);
    assert.ok(acknowledged.length > 0 && acknowledged.every((account) => connected.has(account)));
    // And each arrives, whoever made it.
    await until(async () => {
      const ids = new Set(receiver.received.map(({ body }) => JSON.parse(body).data.connectionId));
      return made.every((row) => ids.has(row.id));
    });
  },
);
