// `npm run trace`, as a program beside the service: whatever somebody quotes leads to the whole life of a message.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { ofThisRun } from "../../../test/process.ts";
import { startReceiver } from "../../../test/receiver.ts";
import { stacked } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { REQUEST_ID } from "../../platform/http/requestids.ts";

const TRACE = join(import.meta.dirname, "command.ts");
const REACHED = "2250700001000";
const OTHER = "2250700001001";

async function traced(environment: Record<string, string>, words: readonly string[], input = "") {
  const child = spawn(process.execPath, [TRACE, ...words], {
    env: { ...ofThisRun(), ...environment },
    stdio: "pipe",
  });
  child.stdin.end(input);
  const outputs = [text(child.stdout), text(child.stderr), once(child, "close")] as const;
  const [said, error, [code]] = await Promise.all(outputs);
  return {
    code,
    said,
    error,
    kinds: said
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[1]),
  };
}

test("a request id, a caller's own, a message id and a phone lead from the answer to the operator's id and the receipt", async (t) => {
  const scope = stacked(t);
  const here = await testService(scope, {
    config: { webhookAllowCidrs: ["127.0.0.0/8"] },
    settings: { requestLogMs: 5 },
  });
  const company = await here.company({ credits: 100 });
  const receiver = await startReceiver(scope);
  const events = ["message.delivered"];
  await dataOf(company.call("/v1/company/webhook/create", { url: receiver.url, events }));
  const campaign = await dataOf(
    company.call(
      "/v1/campaign/create",
      { contacts: [REACHED], text: "Secret du jour" },
      { [REQUEST_ID]: "caisse-7" },
    ),
  );
  const messageId = `${campaign.id}-1`;
  await until(() => receiver.received.some(({ body }) => body.includes(messageId)));
  await until(async () => {
    const noted = await dataOf(company.call("/v1/company/request/list", {}));
    return noted.some(({ requestId }: { requestId: string }) => requestId === "caisse-7");
  });
  const { masterKey: MASTER_KEY, adminKey: ADMIN_KEY } = here.app.config.keys!;
  const folder = await mkdtemp(join(tmpdir(), "atumpan-trace-"));
  scope.after(() => rm(folder, { recursive: true }));
  const environment = { DATABASE_URL: here.databaseUrl, MASTER_KEY, ADMIN_KEY, DATA_DIR: folder };

  const log = join(folder, "api.log");
  const line = JSON.stringify({
    level: 40,
    time: Date.now(),
    requestId: "caisse-7",
    msg: "something was odd",
  });
  await writeFile(
    log,
    `Nov 27 07:00:00 app1 node[1]: ${line}\n{"time":1,"msg":"of another request"}\nno JSON\ncaisse-7 200\n{"requestId":"caisse-7"}\nnull caisse-7\n`,
  );
  const whole = ["campaign", "message", "audit", "request", "message", "message", "webhook", "log"].sort();
  const quoting = ["caisse-7", campaign.id, messageId, "+225 07 00 00 10 00"].map(async (quoted) => {
    const { code, said, kinds } = await traced(environment, [quoted, "--log", log]);
    assert.equal(code, 0, said);
    assert.deepEqual(kinds.toSorted(), whole, `${quoted}:\n${said}`);
    assert.match(said, /submit_sm answered by .* with the id \S+\n/);
    assert.match(said, /receipt: DELIVERED/);
    assert.match(said, /message\.delivered .*: DELIVERED after 1 attempts, 200/);
    for (const hidden of ["Secret", REACHED, company.apiKey]) assert.ok(!said.includes(hidden), hidden);
  });
  await Promise.all(quoting);
  assert.match((await traced(environment, ["caisse-7", "--log", "-"], line)).said, /something was odd/);

  const code = await dataOf(company.call("/v1/auth/otp/get", { phoneNumber: OTHER }));
  assert.ok(code.token);
  const found = await until(async () => {
    const { said } = await traced(environment, [OTHER]);
    return said.includes("receipt: DELIVERED") && said;
  });
  const [id = ""] = /[0-9a-f]{24}-1/.exec(found) ?? [];
  assert.deepEqual(
    (await traced(environment, [id.replace("-1", "")])).said,
    (await traced(environment, [id])).said,
  );

  const refusing = [
    [["unheard-of"], /nothing is known about unheard-of/],
    [["0".repeat(24)], /nothing is known about 0{24}/],
    [[], /npm run trace -- /],
    [["a", "b"], /npm run trace -- /],
    [["a", "--lgo", "x"], /Unknown option '--lgo'/],
    [[" ", "--log", log], /npm run trace -- /],
  ] as const;
  const asked = refusing.map(async ([words, reason]) => {
    const refused = await traced(environment, words);
    assert.deepEqual([refused.code, refused.said], [1, ""], String(words));
    assert.match(refused.error, reason);
    assert.ok(!refused.error.includes("    at "), refused.error);
  });
  await Promise.all(asked);

  const unread = await traced(environment, ["caisse-7", "--log", "/nope"]);
  assert.deepEqual(
    [unread.code, unread.kinds.length],
    [1, whole.length - 1],
    "what is known is printed all the same",
  );
  assert.match(unread.error, /'\/nope'/);

  // Another company gives its request the same name, and one message of a campaign has its own events alone.
  const other = await here.company();
  await dataOf(other.call("/v1/group/create", { name: "Clients" }, { [REQUEST_ID]: "caisse-7" }));
  assert.doesNotMatch((await traced(environment, [messageId])).said, /group\/create/);
  const both = (await traced(environment, ["caisse-7"])).said;
  assert.match(both, new RegExp(`group/create .* of ${other.companyId}`));
  const contacts = [REACHED, OTHER, "2250700001002"];
  const several = await dataOf(company.call("/v1/campaign/create", { contacts, text: "Bonjour" }));
  const second = `${several.id}-2`;
  const all = contacts.map((_, i) => `${several.id}-${i + 1}`);
  await until(() => all.every((id) => receiver.received.some(({ body }) => body.includes(id))));
  const told = await until(async () => {
    const { said } = await traced(environment, [second]);
    return said.includes("DELIVERED after 1 attempts") && said;
  });
  const webhooks = told.split("\n").filter((line) => line.includes(" webhook "));
  assert.deepEqual(
    webhooks.map((line) => /message\.delivered (\S+)/.exec(line)?.[1]),
    [second],
  );
});
