// Addresses of webhooks: what follows the path is sealed in the database and masked wherever it is shown, and deliveries
// use it whole.
import assert from "node:assert/strict";
import { test } from "node:test";
import { applicationOf, dataOf } from "../../../test/applications.ts";
import { startReceiver } from "../../../test/receiver.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, type TestService, testService, until } from "../../../test/testservice.ts";
import { traces } from "../../../test/twins.ts";
import { applicationAddresses } from "../../commerce/apps/sql.ts";
import { maskedAddress } from "../../platform/http/addresses.ts";
import { endpointAddresses } from "./address.sql.ts";
import { sealOldAddresses } from "./address.ts";

const HERE = { config: { webhookAllowCidrs: ["127.0.0.0/8"] } };
const SECRET = "kofi-et-ama-4711";
const OTHER = "yaa-et-kwame-0815";

test("the values of a query are masked, its names are not", () => {
  for (const [address, masked] of [
    ["https://host.ci/path", "https://host.ci/path"],
    ["https://host.ci/path?token=s", "https://host.ci/path?token=••••"],
    ["https://host.ci/?a=1&b=2=3&c", "https://host.ci/?a=••••&b=••••&••••"],
    ["https://host.ci/p?s", "https://host.ci/p?••••"],
    ["https://host.ci/p#s", "https://host.ci/p#••••"],
    ["https://host.ci/p?a=b?c=d#e=f", "https://host.ci/p?a=••••#e=••••"],
    ["https://host.ci/p?", "https://host.ci/p?••••"],
    ["https://host.ci/p?&#", "https://host.ci/p?••••&••••#••••"],
    ["https://host.ci/p?U0VDUkVU==", "https://host.ci/p?••••"],
    ["https://host.ci/p?SECRET=", "https://host.ci/p?••••"],
  ])
    assert.equal(maskedAddress(address!), masked);
  const long = `https://host.ci/p?${"a=1&".repeat(400)}`;
  assert.equal(maskedAddress(long), "https://host.ci/p?••••", "short enough to be given back");
});

/** The last request that a test event of a webhook makes. */
async function pathAfter(company: Company, id: string, receiver: Awaited<ReturnType<typeof startReceiver>>) {
  const before = receiver.received.length;
  await dataOf(company.call(`/v1/company/webhook/${id}/test`));
  await until(() => receiver.received.length > before);
  return receiver.received.at(-1)!.path;
}

test("B.2: the query of a company's webhook is in no row and no answer, is sent whole, and stays when its masked form is given back", async (t) => {
  const here = await testService(t, HERE);
  const company = await here.company();
  const receiver = await startReceiver(t);
  const base = receiver.url.split("?")[0]!;
  const whole = `${base}?token=${SECRET}&v=2`;
  const masked = `${base}?token=••••&v=••••`;
  const made = await dataOf(
    company.call("/v1/company/webhook/create", { url: whole, events: ["message.delivered"] }),
  );
  assert.equal(made.url, masked);
  const [listed] = await dataOf(company.call("/v1/company/webhook/list"));
  const read = await dataOf(company.call(`/v1/company/webhook/${made.id}`));
  assert.deepEqual([listed.url, read.url], [masked, masked]);
  assert.deepEqual(await traces(here, [SECRET]), []);
  const query = new URL(whole).search;
  assert.ok((await pathAfter(company, made.id, receiver)).endsWith(query));

  const update = (change: object) => company.call(`/v1/company/webhook/${made.id}/update`, change);
  // As it was read, and as a library of URLs writes it.
  for (const url of [masked, new URL(masked).href]) {
    assert.equal((await dataOf(update({ url, name: "Caisse" }))).url, masked);
    assert.ok((await pathAfter(company, made.id, receiver)).endsWith(query));
  }
  for (const url of [`${base}/other?token=••••`, `${base}?token=••••`]) {
    const { error, details } = await update({ url });
    assert.deepEqual([error, details?.map(({ field }) => field)], ["invalid-request", ["url"]]);
  }
  const create = await company.call("/v1/company/webhook/create", {
    url: masked,
    events: ["message.delivered"],
  });
  assert.equal(create.error, "invalid-request");

  assert.equal((await dataOf(update({ url: `${base}?token=${OTHER}` }))).url, `${base}?token=••••`);
  assert.ok((await pathAfter(company, made.id, receiver)).endsWith(`?token=${OTHER}`));
  assert.equal((await dataOf(update({ url: base }))).url, base);
  assert.ok(!(await pathAfter(company, made.id, receiver)).includes("?"));
  const kept = await rows(here.app, "SELECT url, sealed_query FROM webhook_endpoints WHERE id = $1", [
    made.id,
  ]);
  assert.deepEqual(kept, [{ url: base, sealed_query: null }]);
  assert.deepEqual(await traces(here, [SECRET, OTHER]), []);
});

test("B.2: the query of an application's webhook is sealed from the submission on, and used from the approval on", async (t) => {
  const here = await testService(t, HERE);
  const owner = await here.company();
  const receiver = await startReceiver(t);
  const base = receiver.url.split("?")[0]!;
  const app = await applicationOf(here, owner, { webhookUrl: `${base}?token=${SECRET}` });
  const shown = async () => (await dataOf(owner.call("/v1/third-party-app/my/list")))[0].webhookUrl;
  assert.equal(await shown(), `${base}?token=••••`);
  const [forAdministrators] = await dataOf(here.admin("/v1/admin/third-party-app/list"));
  assert.equal(forAdministrators.webhookUrl, `${base}?token=••••`);
  await until(() => receiver.received.length > 0);
  assert.ok(receiver.received[0]!.path.endsWith(`?token=${SECRET}`));
  const moved = (webhookUrl: string) =>
    owner.call(`/v1/third-party-app/my/${app.id}/webhook/update`, { webhookUrl });
  const tried = async () => {
    const before = receiver.received.length;
    await dataOf(owner.call(`/v1/third-party-app/my/${app.id}/webhook/test`));
    await until(() => receiver.received.length > before);
    return receiver.received.at(-1)!.path;
  };
  await dataOf(moved(`${base}?token=••••`));
  assert.ok((await tried()).endsWith(`?token=${SECRET}`));
  assert.equal((await moved(`${base}/x?token=••••`)).error, "invalid-request");
  await dataOf(moved(`${base}?token=${OTHER}`));
  assert.equal(await shown(), `${base}?token=••••`);
  assert.ok((await tried()).endsWith(`?token=${OTHER}`));
  assert.deepEqual(await traces(here, [SECRET, OTHER]), []);
});

test("B.2: addresses from before are sealed by a worker, and still reach their receivers", async (t) => {
  const here: TestService = await testService(t, HERE);
  const company = await here.company();
  const receiver = await startReceiver(t);
  const base = receiver.url.split("?")[0]!;
  const { id } = await dataOf(
    company.call("/v1/company/webhook/create", { url: base, events: ["message.delivered"] }),
  );
  const others = await startReceiver(t);
  const app = await applicationOf(here, company, { webhookUrl: others.url });
  await rows(here.app, "UPDATE webhook_endpoints SET url = $2 WHERE id = $1", [
    id,
    `${base}?token=${SECRET}`,
  ]);
  await rows(here.app, "UPDATE apps SET webhook_url = $2 WHERE id = $1", [app.id, `${base}?token=${OTHER}`]);
  assert.ok((await pathAfter(company, id, receiver)).endsWith(`?token=${SECRET}`));
  const { signal } = new AbortController();
  await sealOldAddresses(here.app, [endpointAddresses, applicationAddresses], signal);
  assert.deepEqual(await traces(here, [SECRET, OTHER]), []);
  assert.equal((await dataOf(company.call(`/v1/company/webhook/${id}`))).url, `${base}?token=••••`);
  assert.ok((await pathAfter(company, id, receiver)).endsWith(`?token=${SECRET}`));
});
