// The request log: a developer sees what became of the requests of their company, and nothing of what they said.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { application, dataOf, provision } from "../../../test/applications.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { lowestId } from "../../platform/ids.ts";
import { openLog } from "../../platform/log.ts";
import { forgetRequests } from "./requests.ts";

type Entry = Record<string, unknown> & { path: string; requestCount: number; outcome: string };

test("refusals stand one by one with the names of their fields, successes and what is too much by the hour", async (t) => {
  const here = await testService(t, {
    limits: { requestEntriesPerDay: 3 },
    settings: { requestLogMs: 5 },
    config: { roles: new Set(["api"] as const), simulator: false, webhookAllowCidrs: ["127.0.0.1"] },
  });
  const company = await here.company({ credits: 10 });
  const list = async (by: Company, body: object = {}) =>
    (await dataOf(by.call("/v1/company/request/list", { limit: 100, ...body }))) as Entry[];
  const { apiKey, id: keyId } = await dataOf(company.call("/v1/company/key/create", { name: "Caisse" }));
  const phone = "22507070707071";
  await company.call("/v1/contact/create", { apiKey, contacts: [{ phone, name: 5 }] });
  await company.call("/v1/campaign/create", {
    text: "Secret du jour",
    recurring: { [phone]: "08:00" },
    type: "RECURRING",
  });
  await company.call("/v1/contact/225070707070/update", { name: "Awa" });
  for (let i = 0; i < 4; i++) await company.call(`/v1/contact/${i}`);
  for (let i = 0; i < 5; i++) await dataOf(company.call("/v1/contact/list", {}));
  const refused = await until(async () => {
    const found = (await list(company)).filter(({ outcome }) => outcome !== "success");
    return found.reduce((sum, { requestCount }) => sum + requestCount, 0) === 7 && found;
  });
  assert.equal(refused.length, 4);
  const [first] = refused.filter(({ path }) => path === "/v1/contact/create");
  assert.deepEqual(
    [first!.error, first!.fields, first!.keyId, first!.caller, first!.requestCount, first!.address],
    ["invalid-request", ["contacts[0].name"], keyId, "key", 1, "127.0.0.1"],
  );
  assert.ok(Number(first!.bytes) > 50);
  const counted = refused.find(({ path, requestCount }) => path === "/v1/contact/{id}" && requestCount > 1);
  assert.deepEqual([counted!.error, counted!.requestCount], ["contact-not-found", 4]);
  const ofList = { path: "/v1/contact/list", outcome: "success" };
  const listed = await until(async () => {
    const found = await list(company, ofList);
    return found.reduce((sum, { requestCount }) => sum + requestCount, 0) === 5 && found[0]!;
  });
  assert.deepEqual([listed.error, listed.fields], [null, []]);
  assert.deepEqual(await list(company, { from: "2999-01-01T00:00:00Z" }), []);
  const { error, details } = await company.call("/v1/company/request/list", { from: "hier" });
  assert.deepEqual([error, details![0]!.field], ["invalid-request", "from"]);
  const stored = JSON.stringify(await rows(here.app, "SELECT * FROM requests"));
  for (const secret of [phone, "Secret", "2250707", apiKey, company.apiKey])
    assert.ok(!stored.includes(secret), secret);
  assert.ok(!(await list(await here.company())).some(({ path }) => path.startsWith("/v1/contact")));

  await t.test("an application's requests stand with the application's company", async () => {
    const app = await application(here);
    const { connectionToken } = await dataOf(provision(app, company, "client-1"));
    await here.call("/v1/third-party-app/sms/send", {
      connectionToken,
      message: "Bonjour",
      contacts: [phone],
    });
    await app.call("/v1/third-party-app/pairing/status", { externalAccountId: "nobody" });
    const found = await until(async () => {
      const mine = (await list(app.owner)).filter(({ appId }) => appId === app.id);
      return mine.some(({ caller }) => caller === "connection") && mine.length >= 3 && mine;
    });
    assert.ok(found.some(({ caller, error }) => caller === "connection" && error === "sender-not-assigned"));
    assert.ok(!(await list(company)).some(({ appId }) => appId === app.id));
  });

  await t.test("what is older than 14 days is forgotten", async () => {
    const old = lowestId(Date.now() - 15 * 24 * 3_600_000);
    const { companyId } = company;
    const text =
      "UPDATE requests SET id = $2 WHERE company_id = $1 AND id = (SELECT min(id) FROM requests WHERE company_id = $1)";
    await rows(here.app, text, [companyId, old]);
    await forgetRequests(here.app);
    assert.equal((await rows(here.app, "SELECT FROM requests WHERE id = $1", [old])).length, 0);
    assert.ok((await list(company)).length > 0);
  });
});

test("connections that are reset before they are accepted cost no other company an entry, and crash no handler", async (t) => {
  const lines: string[] = [];
  const here = await testService(t, {
    settings: { requestLogMs: 5 },
    config: { roles: new Set(["api"] as const), simulator: false },
    log: openLog("warn", { write: (line) => void lines.push(line) }),
  });
  const [rude, other] = [await here.company(), await here.company()];
  const { port } = new URL(here.url);
  const { apiKey, companyId } = rude;
  const body = JSON.stringify({ apiKey, companyId, contacts: ["2250700000001"] });
  const request = `POST /v1/contact/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (let round = 0; round < 10; round++) {
    const resets = Array.from({ length: 5 }, async () => {
      const socket = connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      socket.write(request);
      socket.resetAndDestroy();
    });
    await Promise.all([...resets, other.call(`/v1/contact/${round}`)]);
  }
  const entries = async () =>
    ((await dataOf(other.call("/v1/company/request/list", { limit: 100, outcome: "not-found" }))) as Entry[])
      .map(({ requestCount }) => requestCount)
      .reduce((sum, count) => sum + count, 0);
  await until(async () => (await entries()) === 10);
  assert.deepEqual(lines, []);
});
