// Every sample of the reference, run against a service: what it sends, and what it prints.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { routes } from "../../src/api/api.ts";
import { chaptersOf, commonRefusals, type Operation } from "../../src/web/docs/operations.ts";
import { type SampleLanguage, samplesOf } from "../../src/web/docs/samples.ts";
import { ofThisRun } from "../process.ts";
import type { Answered, TestService } from "../testservice.ts";
import type { Client } from "./clients.ts";

type Json = Record<string, unknown>;
type Seen = { path: string; body: Json; answer: Answered };

/** How the samples of a language are run: each program stands in a file, and one process runs all of them. */
export type Shell = {
  language: SampleLanguage;
  extension: string;
  command: Client["command"];
  folder: string;
  environment: Record<string, string>;
};

const EXTENSIONS = { typescript: "mjs", php: "php", python: "py" };

/** The process that runs the samples of a client. */
export function shellOf({ language, command, folder, environment }: Client): Shell {
  const extension = EXTENSIONS[language];
  const runner = join(import.meta.dirname, `samples.${extension}`);
  return { language, extension, command: [...command, runner], folder, environment };
}

/** The process that runs the samples of curl. */
export function curlShell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-sdk-"));
  const command: Client["command"] = ["sh", join(import.meta.dirname, "samples.sh")];
  return { language: "curl", extension: "sh", command, folder, environment: {} };
}

/**
 * Runs the sample of one of `every` so many operations, and checks that it sends the request of the example and prints the
 * answer. A program whose marks nobody has filled in is refused, as documented.
 */
export async function runSamples(
  here: TestService,
  shell: Shell,
  { every }: { every: number },
): Promise<void> {
  const { apiKey, companyId, userId } = await here.company({ credits: 100 });
  const filled: Record<string, string> = {
    ...{ apiKey, companyId, userId, adminKey: here.adminKey },
    webhookUrl: "https://192.88.100.1/atumpan",
  };
  const fill = (given: string) => given.replace(/<([a-z]\w*)>/g, (_, name) => filled[name] ?? NOTHING);
  const subscribed = await subscription(here.url);
  const [program, ...words] = shell.command;
  const child = spawn(program, words, {
    cwd: shell.folder,
    env: { ...ofThisRun(), ...shell.environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    const operations = chaptersOf(routes).flatMap((chapter) => chapter.operations);
    for (const operation of operations.filter((_, at) => at % every === 0)) {
      const sample = samplesOf(operation, subscribed.url).find(
        ({ language }) => language === shell.language,
      )!;
      const path = join(shell.folder, `${operation.id}.${shell.extension}`);
      writeFileSync(path, fill(sample.text));
      const expected = {
        path: fill(operation.example.path),
        body: JSON.parse(fill(JSON.stringify(operation.example.body))),
      };
      child.stdin.write(`${path}\n`);
      const { value = assert.fail(`${operation.id} ended its process`) } = await lines.next();
      const seen = subscribed.takeSeen();
      assert.ok(seen.length > 0, `${operation.id} sent nothing: ${value}`);
      for (const { path, body } of seen) assert.deepEqual({ path, body }, expected, operation.id);
      const { answer } = seen.at(-1)!;
      checkPrinted(shell.language, operation, JSON.parse(value), answer);
      if (answer.success) keep(filled, operation.path, answer);
    }
  } finally {
    child.stdin.end();
    subscribed.close();
  }
  await once(child, "close");
}

const NOTHING = "66f0c0ffee00000000000001";

/** A front of the service that notes what is asked and answered. */
async function subscription(target: string): Promise<{ url: string; takeSeen(): Seen[]; close(): void }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
    const answered = await fetch(target + request.url, {
      method: "POST",
      headers: headers as Record<string, string>,
      body: sent,
    });
    const answer = await answered.text();
    seen.push({ path: request.url!, body: JSON.parse(sent), answer: JSON.parse(answer) });
    for (const name of ["content-type", "retry-after", "atumpan-outcome", "atumpan-error-id"]) {
      const value = answered.headers.get(name);
      if (value) response.setHeader(name, value);
    }
    response.end(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeSeen: () => seen.splice(0),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What curl prints is the answer; what a client's program prints is its data, or it ends with the refusal. */
function checkPrinted(
  language: SampleLanguage,
  { id, refusals }: Operation,
  value: Json,
  answer: Answered,
): void {
  if (language === "curl") assert.deepEqual(value, answer, id);
  else if (answer.success) {
    assert.equal(value.code, null, `${id}: ${value.code}`);
    assert.ok((value.printed as string).length > 0, `${id} printed nothing`);
  } else {
    assert.equal(value.code, answer.error, id);
  }
  if (answer.success) return;
  assert.notEqual(answer.error, "invalid-request", id);
  assert.ok([...commonRefusals, ...refusals].includes(answer.error!), `${id} answered ${answer.error}`);
}

/** Fills in what an answer created for the next programs. A new key replaces the old one. */
function keep(filled: Record<string, string>, path: string, { data }: Answered): void {
  const noun = path.match(/([\w-]+?)s?\/create$/)?.[1];
  const [first = data] = Array.isArray(data) ? data : [];
  if (noun && first?.id) filled[`${noun}Id`] = first.id;
  if (path === "/v1/user/key/regenerate") filled.apiKey = data.apiKey;
  if (path === "/v1/third-party-app/submit") filled.thirdPartyAppId = filled.appId = data.id;
  for (const name of KEPT) if (first?.[name]) filled[name] = first[name];
}

const KEPT = ["purchaseId", "serverApiKey", "apiSecret", "pairingCode", "connectionToken", "connectionId"];
