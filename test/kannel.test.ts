// Kannel as a client of our simulated operator. The messages of a foreign ESME must arrive and be reported.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startSimulator } from "../src/delivery/simulator/simulator.ts";
import { findFreePorts } from "../src/platform/embedded/ports.ts";
import { until } from "./testservice.ts";

const PROGRAMS = ["/usr/sbin/bearerbox", "/usr/sbin/smsbox"];

// The system gives ports from 32768 on to whoever asks for any, and the databases of other tests draw theirs below 30000.
const PORTS = { from: 30_000, count: 2_768 };

function configuration(
  folder: string,
  ports: { smsc: number; admin: number; box: number; http: number },
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
    { group: "sms-service", keyword: "default", text: '"none"' },
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

test("Kannel's bearerbox binds to our simulated operator, and its long message arrives whole", {
  skip,
}, async (t) => {
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
  await writeFile(file, configuration(folder, ports));
  running.push(spawn(PROGRAMS[0]!, ["-v", "4", file], { stdio: "ignore" }));
  await until(() => simulator.stats().sessions === 1);
  running.push(spawn(PROGRAMS[1]!, ["-v", "4", file], { stdio: "ignore" }));

  const text = "Le tambour parle loin. ".repeat(20).trim();
  const query = new URLSearchParams({
    username: "test",
    password: "test",
    from: "KANNEL",
    to: "2250700000111",
    text,
    "dlr-mask": "3",
  });
  const send = () => fetch(`http://127.0.0.1:${ports.http}/cgi-bin/sendsms?${query}`).catch(() => undefined);
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
