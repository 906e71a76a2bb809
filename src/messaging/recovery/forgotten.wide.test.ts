// What the database has forgotten: what the service had acknowledged is listed by name, and its companies are notified.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import pg from "pg";
import { application, connected, dataOf, testServiceWithWebhooks } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { copyDatabase } from "../../../test/database.ts";
import { startReceiver } from "../../../test/receiver.ts";
import { addOperator, assertBalanced, rows, send, settled, stacked } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";

const PHONE = "2250700001000";
const OWNER = "2250700001001";

const readOf = async (here: TestService) => (await here.admin("/v1/admin/recovery/read")).data;
const listOf = (here: TestService, kind: string) =>
  dataOf(here.admin("/v1/admin/recovery/forgotten/list", { kind, limit: 100 }));

suite("what the database has forgotten", { concurrency: true }, () => {
  test("M20: what was acknowledged after the copy is listed, and its company and application are notified after a decision", async (t) => {
    const scope = stacked(t);
    const receiver = await startReceiver(scope);
    const here = await testServiceWithWebhooks(scope);
    const company = await here.company({ credits: 100 });
    const phone = newPhone();
    await rows(here.app, "UPDATE users SET phone = $2 WHERE id = $1", [company.userId, phone]);
    const app = await application(here, { webhookUrl: receiver.url });
    const connection = await connected(here, app, company);
    const events = ["campaign.lost", "campaign.completed"];
    await dataOf(company.call("/v1/company/webhook/create", { url: receiver.url, events }));
    await settled(company, await send(company, PHONE));
    const restore = await copyDatabase(here.ownerUrl);
    const lost = await send(company, PHONE);
    const later = await dataOf(
      company.call("/v1/campaign/create", {
        ...{ name: "Rentrée", type: "SCHEDULED", scheduledDate: "2027-01-04T09:00:00Z" },
        ...{ text: "Bonjour", contacts: [{ phone: PHONE }, { phone: OWNER }] },
      }),
    );
    await dataOf(company.call("/v1/auth/otp/get", { phoneNumber: PHONE }));
    await dataOf(here.admin(`/v1/admin/credit/grant`, { companyId: company.companyId, credit: 7 }));
    await settled(company, lost);
    const sent = { message: "Bonjour", contacts: [{ phone: PHONE }] };
    const { campaignId } = await dataOf(connection.call("/v1/third-party-app/sms/send", sent));
    await restore();

    const held = await until(async () => {
      const data = await readOf(here);
      return data?.reports?.length > 0 && data;
    });
    assert.deepEqual([held.state, held.reason], ["HELD", "RESTORED"]);
    const { campaigns, messages, codes, credits } = held.forgotten;
    assert.deepEqual(
      { campaigns, messages, codes, credits },
      { campaigns: 3, messages: 4, codes: 1, credits: 7 },
    );
    assert.equal(held.reports[0].folder, here.app.config.dataDir);
    // Another copy is tried before anybody decides.
    const again = await copyDatabase(here.ownerUrl);
    await again();
    const heldAgain = await until(async () => {
      const data = await readOf(here);
      return data?.incarnation === 3 && data.reports.length > 0 && data;
    });
    assert.deepEqual([heldAgain.state, heldAgain.forgotten], ["HELD", held.forgotten]);
    assert.equal(
      heldAgain.lastSeenAt,
      held.lastSeenAt,
      "beats while sending was held are no sign of life from before",
    );
    const named = await listOf(here, "campaign");
    assert.deepEqual(
      named.map(({ id }: { id: string }) => id),
      [campaignId, later.id, lost],
    );
    const [, { name, accountId, count, notifiedAt }] = named;
    assert.deepEqual(
      { name, accountId, count, notifiedAt },
      { name: "Rentrée", accountId: company.companyId, count: 2, notifiedAt: null },
    );
    const changes = (await listOf(here, "change")).map((change: { name: string }) => change.name);
    assert.ok(changes.includes("admin/credit/grant"), changes.join());
    assert.deepEqual(
      await dataOf(company.call("/v1/campaign/forgotten/list")),
      [],
      "a better copy may still be found",
    );

    await dataOf(here.admin("/v1/admin/recovery/unknown"));
    const told = await until(() => {
      const events = receiver.received.map(({ body }) => JSON.parse(body));
      const lostOnes = events.filter(({ type }) => type === "campaign.lost");
      return lostOnes.length === 4 && lostOnes;
    });
    const { data } = told.find((event) => event.data.connectionId !== undefined);
    const { connectionId, externalAccountId, acceptedAt } = data;
    assert.deepEqual(data, {
      connectionId,
      externalAccountId,
      campaignId,
      status: "LOST",
      total: 1,
      acceptedAt,
    });
    assert.deepEqual([connectionId, externalAccountId], [connection.connectionId, "boutique BOUTIQUE"]);
    const shown = await dataOf(company.call("/v1/campaign/forgotten/list"));
    assert.deepEqual(
      shown.map(({ campaignId }: { campaignId: string }) => campaignId),
      [campaignId, later.id, lost],
    );
    const unauthenticated = await here.company();
    assert.deepEqual(await dataOf(unauthenticated.call("/v1/campaign/forgotten/list")), []);
    // The phone may hear of its approved sender too.
    const aboutLoss = /effacé des campagnes que.*\/campaigns\/forgotten$/;
    const textsOfLoss = () => here.simulator.inbox({ phone }).filter(({ text }) => aboutLoss.test(text));
    await until(() => textsOfLoss().length === 1);
    // What another process reports later goes to the webhook, and no second SMS goes out.
    await rows(
      here.app,
      `INSERT INTO forgotten (kind, id, incarnation, account_id, count, acknowledged_at)
       VALUES ('campaign', 'later', 3, $1, 1, now())`,
      [company.companyId],
    );
    await until(() => receiver.received.filter(({ body }) => body.includes("campaign.lost")).length === 5);
    assert.equal(textsOfLoss().length, 1);
    await assertBalanced(here);
  });

  test("M20: a standby that took over without the last acceptance is held, also where no turn of a gateway is missing", async (t) => {
    const scope = stacked(t);
    const here = await testService(scope, { config: { roles: new Set(["api"] as const), simulator: false } });
    // No process binds to it.
    await addOperator(here, 1);
    const company = await here.company({ credits: 100 });
    // A fixed key may be acknowledged twice, by databases that were set back.
    const twice = { kind: "credits", id: "fixed", accountId: company.companyId, count: 5 } as const;
    here.app.acknowledged.add([twice, twice]);
    const client = new pg.Client({ connectionString: here.ownerUrl });
    await client.connect();
    // No beat is committed after the campaign: a database that has the beat would have the campaign too.
    await client.query("BEGIN; LOCK TABLE incarnations IN EXCLUSIVE MODE");
    const lost = await send(company, PHONE);
    await client.query("UPDATE incarnations SET timeline = 'another'");
    await client.query("DELETE FROM campaigns WHERE id = $1", [lost]);
    await client.query(
      "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await client.query("COMMIT");
    await client.end();
    const held = await until(async () => {
      const data = await readOf(here);
      return data?.reason === "LOST" && data.reports.length > 0 && data;
    });
    const { campaigns, credits } = held.forgotten;
    assert.deepEqual({ state: held.state, campaigns, credits }, { state: "HELD", campaigns: 1, credits: 5 });
    assert.deepEqual(
      (await listOf(here, "campaign")).map(({ id }: { id: string }) => id),
      [lost],
    );
  });
});
