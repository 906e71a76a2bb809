// The programs of a client's README, run as a new user would run them: send, list, receive, verify a code.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { dataOf, testServiceWithWebhooks } from "../applications.ts";
import { ofThisRun } from "../process.ts";
import { until } from "../testservice.ts";
import type { Client } from "./clients.ts";

const SDK = join(import.meta.dirname, "../../sdk");
const PROGRAM = /```(?:ts|php|python)\n(?:\/\/|#|<\?php \/\/) (\w+)\.(\w+)\n([\s\S]*?)```/g;

/** A program that runs, and what it has printed so far. */
type Running = { child: ChildProcess; printed(): string };

/** Lives the story: each program of the README does what it says, against a service. */
export async function liveStory(t: TestContext, client: Client): Promise<void> {
  const here = await testServiceWithWebhooks(t);
  const company = await here.company({ credits: 100 });
  const port = await freePort();
  const webhook = { url: `http://127.0.0.1:${port}/`, events: ["message.delivered"] };
  const { secret: webhookSecret } = await dataOf(company.call("/v1/company/webhook/create", webhook));
  const marks = { apiKey: company.apiKey, companyId: company.companyId, webhookSecret };
  writePrograms(client, (text) =>
    text
      .replace(/<(\w+)>/g, (mark, name) => marks[name as keyof typeof marks] ?? mark)
      .replaceAll("https://sms.example", here.url)
      .replaceAll("8000", String(port)),
  );

  const receiver = startReceiver(t, client, port);
  const post = (headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body: "{}" }).catch(() => undefined);
  const refused = await until(post);
  assert.equal(refused.status, 400);

  const sent = start(t, client, "send");
  assert.equal(await codeOf(sent), 0);
  assert.match(sent.printed(), /^[0-9a-f]{24} (PENDING|SENDING|SENT)\s*$/);
  await until(() => /message\.delivered 2250102030405/.test(receiver.printed()));

  const listed = start(t, client, "list");
  assert.equal(await codeOf(listed), 0);
  assert.match(listed.printed(), /^1 1\n.+ (PENDING|SENDING|SENT)\s*$/);

  const asking = start(t, client, "code");
  const code = await until(async () => {
    const inbox = await dataOf(here.admin("/v1/admin/simulator/inbox", { phone: "2250102030405" }));
    const texts = (inbox as { text: string }[]).map(({ text }) => text);
    return texts.map((text) => /\b\d{4}\b/.exec(text)?.[0]).find((found) => found !== undefined);
  });
  asking.child.stdin!.end(`${code}\n`);
  assert.equal(await codeOf(asking), 0);
  assert.match(asking.printed(), /VERIFIED/);
}

function writePrograms({ language, folder }: Client, fill: (text: string) => string): void {
  const readme = readFileSync(join(SDK, language, "README.md"), "utf8");
  const programs = [...readme.matchAll(PROGRAM)];
  assert.equal(programs.length, 4);
  for (const [, name, extension, text] of programs) {
    const opening = extension === "php" ? "<?php\n" : "";
    writeFileSync(join(folder, `${name}.${extension}`), opening + fill(text!));
  }
}

function start(t: TestContext, client: Client, name: string, options: string[] = []): Running {
  const { folder, command, environment, language } = client;
  const [program, ...words] = command;
  const extension = { typescript: "mjs", php: "php", python: "py" }[language];
  const child = spawn(program, [...words, ...options, `${name}.${extension}`], {
    cwd: folder,
    env: { ...ofThisRun(), ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let printed = "";
  for (const output of [child.stdout, child.stderr])
    output.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return { child, printed: () => printed };
}

function startReceiver(t: TestContext, client: Client, port: number): Running {
  return start(t, client, "receive", client.language === "php" ? ["-S", `127.0.0.1:${port}`] : []);
}

async function codeOf({ child, printed }: Running): Promise<number | string> {
  const [code] = await once(child, "close");
  return code === 0 ? 0 : `${code}: ${printed()}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
