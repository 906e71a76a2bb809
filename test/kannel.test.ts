// Kannel on both sides: as a client of our simulated operator, and as a carrier that takes our messages over HTTP.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Simulator, startSimulator } from "../src/delivery/simulator/simulator.ts";
import { findFreePorts } from "../src/platform/embedded/ports.ts";
import { kannel } from "../src/protocol/carriers/connectors/kannel.ts";
import { callbackOf } from "./httpprovider.ts";
import { numberFor, textsOf } from "./incoming.ts";
import { ableIs } from "./operators.ts";
import { allAre, assertBalanced, balanceOf, phones, send } from "./sending.ts";
import { type TestService, testService, until } from "./testservice.ts";

const PROGRAMS = ["/usr/sbin/bearerbox", "/usr/sbin/smsbox"];

// The system gives ports from 32768 on to whoever asks for any, and the databases of other tests draw theirs below 30000.
const PORTS = { from: 30_000, count: 2_768 };

function configuration(
  folder: string,
  ports: { smsc: number; admin: number; box: number; http: number },
  service: object,
): string {
  const groups = [
    {
      group: "core",
      "admin-port": ports.admin,
      "smsbox-port": ports.box,
      "admin-password": "test",
      "log-file": `"${folder}/core.log"`,
      "log-level": 4,
    },
    {
      group: "smsc",
      smsc: "smpp",
      "smsc-id": "ours",
      host: "127.0.0.1",
      port: ports.smsc,
      "transceiver-mode": true,
      "system-type": '"VMA"',
      "smsc-username": '"kannel"',
      "smsc-password": '"secret"',
      "reconnect-delay": 1,
    },
    {
      group: "smsbox",
      "bearerbox-host": "127.0.0.1",
      "bearerbox-port": ports.box,
      "sendsms-port": ports.http,
      "log-file": `"${folder}/box.log"`,
      "log-level": 4,
    },
    { group: "sendsms-user", username: "test", password: "test", "max-messages": 10, concatenation: true },
    { group: "sms-service", keyword: "default", ...service },
  ];
  return groups
    .map((group) =>
      Object.entries(group)
        .map(([key, value]) => `${key} = ${value}\n`)
        .join(""),
    )
    .join("\n");
}

const skip = PROGRAMS.every((program) => existsSync(program))
  ? false
  : "Kannel is not installed (apt-get install kannel)";

/**
 * Starts Kannel, bound to a simulated operator of its own. Returns the port of its HTTP interface. `serviceOf` says what
 * becomes of incoming messages, before Kannel starts.
 */
async function startKannel(
  t: TestContext,
  serviceOf: (port: number) => Promise<object> = async () => ({ text: '"none"' }),
): Promise<{ simulator: Simulator; port: number }> {
  const folder = await mkdtemp(join(tmpdir(), "atumpan-kannel-"));
  const simulator = await startSimulator({ systemId: "kannel", password: "secret" });
  const running: ChildProcess[] = [];
  t.after(async () => {
    for (const child of running) child.kill("SIGKILL");
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const [admin, box, http] = await findFreePorts(3, PORTS);
  const ports = { smsc: simulator.port, admin: admin!, box: box!, http: http! };
  const file = join(folder, "kannel.conf");
  await writeFile(file, configuration(folder, ports, await serviceOf(ports.http)));
  running.push(spawn(PROGRAMS[0]!, ["-v", "4", file], { stdio: "ignore" }));
  await until(() => simulator.stats().sessions === 1);
  running.push(spawn(PROGRAMS[1]!, ["-v", "4", file], { stdio: "ignore" }));
  await until(() => fetch(`http://127.0.0.1:${ports.http}/`).catch(() => undefined));
  return { simulator, port: ports.http };
}

test("Kannel's bearerbox binds to our simulated operator, and its long message arrives whole", {
  skip,
}, async (t) => {
  const { simulator, port } = await startKannel(t);
  const text = "Le tambour parle loin. ".repeat(20).trim();
  const query = new URLSearchParams({
    username: "test",
    password: "test",
    from: "KANNEL",
    to: "2250700000111",
    text,
    "dlr-mask": "3",
  });
  const send = () => fetch(`http://127.0.0.1:${port}/cgi-bin/sendsms?${query}`).catch(() => undefined);
  const answer = await until(async () => {
    const response = await send();
    return response?.status === 202 && response.text();
  });
  assert.match(answer, /^(0: Accepted|3: Queued)/);
  const [message] = await until(() => {
    const inbox = simulator.inbox({ phone: "2250700000111" });
    return inbox.length > 0 && inbox;
  });
  assert.equal(message!.text, text);
  assert.equal(message!.from, "KANNEL");
  assert.equal(message!.segments, 3);
  await until(() => simulator.stats().receiptsAcknowledged >= 1);
});

const OVER_HTTP = { config: { simulator: false, carrierAllowCidrs: ["127.0.0.0/8"] } };

/** Creates an operator for the HTTP interface of Kannel. Returns its id. */
async function createKannel(here: TestService, port: number): Promise<string> {
  const { data } = await here.admin("/v1/admin/operator/create", {
    name: "Kannel",
    kind: "http",
    connector: "kannel",
    connectorSettings: { baseUrl: `http://127.0.0.1:${port}`, username: "test", password: "test" },
    prefixes: ["225"],
  });
  return data.id;
}

test("Kannel takes our messages over HTTP by the connector kannel, and its reports settle them", {
  skip,
}, async (t) => {
  const { simulator, port } = await startKannel(t);
  const here = await testService(t, OVER_HTTP);
  await ableIs(here, await createKannel(here, port), true);
  const company = await here.company({ credits: 100 });
  const texts = [
    "Bonjour é@€ & «Kôrô» 100% +1",
    "Akwaba 🎉 à tous",
    "Le tambour parle loin. ".repeat(20).trim(),
  ];
  for (const [i, text] of texts.entries()) {
    const [phone = ""] = phones(1, `2250${i + 1}`);
    const id = await send(company, phone, text);
    await allAre("DELIVERED", company, id);
    assert.equal(simulator.inbox({ phone })[0]?.text, text);
  }
  const refused = await send(
    company,
    phones(1, "22509").map((phone) => `${phone.slice(0, -4)}0002`),
  );
  await allAre("UNDELIVERED", company, refused);
  // One credit for each segment: 1, 1, 3 and 1.
  assert.equal(await balanceOf(company), 94);
  await assertBalanced(here);
});

/** The parameters after the address in the guide of the connector. */
const GUIDE = kannel.guide?.en.match(/\?id=%I\S+/)?.[0] ?? "";

for (const [name, parameters] of [
  ["as the guide of the connector says", GUIDE],
  ["without %c, as the guide once said", GUIDE.replace("&coding=%c", "")],
] as const)
  test(`what handsets write arrives through Kannel in every alphabet, and STOP opts out: ${name}`, {
    skip,
  }, async (t) => {
    const here = await testService(t, OVER_HTTP);
    const { simulator } = await startKannel(t, async (port) => {
      const url = await callbackOf(here, await createKannel(here, port));
      return { "max-messages": 0, "get-url": `"${url}${parameters}"` };
    });
    const company = await here.company();
    const { number } = await numberFor(here, company);
    const [from = "", other = ""] = phones(2, "22507");
    const texts = ["Déjà à 5 € @home & +1 é", "Être là, 100% «oui» +1 😀", `ê${"long ".repeat(30)}fin`];
    for (const [i, text] of texts.entries()) {
      await simulator.reply({ from, to: number, text });
      await until(async () => (await textsOf(company)).length === i + 1);
    }
    assert.deepEqual(await textsOf(company), texts);
    for (const [phone, text] of [
      [from, "STOP"],
      [other, "ARRÊT"],
    ] as const)
      await simulator.reply({ from: phone, to: number, text });
    await until(async () => (await company.call("/v1/optout/list")).data.length === 2);
    // Kannel sends no answer of ours to the handset.
    assert.deepEqual(simulator.inbox(), []);
  });
