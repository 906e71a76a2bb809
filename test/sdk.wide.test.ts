// The TypeScript client as its users have it: packed, installed without the network, compiled against, and run.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { generatedFiles } from "../sdk/generate.ts";
import { routes } from "../src/api/api.ts";
import { chaptersOf } from "../src/web/docs/operations.ts";
import { samplesOf } from "../src/web/docs/samples.ts";
import { atLength } from "./length.ts";
import { type Client, typescriptClient, underOldNode } from "./sdk/clients.ts";
import { cases, runCases } from "./sdk/misbehaving.ts";
import { curlShell, runSamples, shellOf } from "./sdk/sampled.ts";
import { verifyAll } from "./sdk/signed.ts";
import { liveStory } from "./sdk/story.ts";
import { testService } from "./testservice.ts";

const ASKED = { every: atLength({ short: 12, long: 1 }) };

const ROOT = join(import.meta.dirname, "..");

test("what the clients of PHP and Python know of the interface is what `npm run sdk` makes now", () => {
  for (const [path, text] of Object.entries(generatedFiles())) {
    if (path.startsWith("typescript/")) continue; // its build makes them
    assert.ok(readFileSync(join(ROOT, "sdk", path), "utf8") === text, `npm run sdk would change sdk/${path}`);
  }
});

suite("the TypeScript client", () => {
  let client: Client;
  before(() => {
    client = typescriptClient();
  });

  test("repeats what it may, and tells what it may not", () => runCases(client, cases));

  test("believes a webhook that is signed, and no other", () => verifyAll(client));

  test("does so under Node 20 too", async (t) => {
    const old = underOldNode(client);
    if (!old) return t.skip("there is no Node 20 to 22 in the path");
    await Promise.all([runCases(old, cases), verifyAll(old)]);
  });

  test("ends a call with the signal of its caller, also while it waits", async (t) => {
    const installed = join(client.folder, "node_modules/@atumpan/client/dist/atumpan.js");
    // Its types are made by the build, so this project does not know them.
    const { Atumpan } = await import(pathToFileURL(installed).href);
    let behave: (response: ServerResponse) => void = () => {};
    const server = createServer((_, response) => behave(response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const atumpan = new Atumpan({ baseUrl: `http://127.0.0.1:${port}` });
    const refusal = JSON.stringify({ success: false, data: null, error: "too-many-requests" });
    const endings: ((ending: AbortController, response: ServerResponse) => void)[] = [
      (ending) => ending.abort(new Error("enough")),
      (ending, response) => {
        response.writeHead(200, { "Retry-After": "60" }).end(refusal);
        response.on("finish", () => setImmediate(() => ending.abort(new Error("enough"))));
      },
    ];
    for (const end of endings) {
      const ending = new AbortController();
      behave = (response) => end(ending, response);
      await assert.rejects(atumpan.credit.balance({}, { signal: ending.signal }), { message: "enough" });
    }
    const signal = AbortSignal.abort(new Error("before"));
    await assert.rejects(atumpan.credit.balance({}, { signal }), { message: "before" });
  });

  test("its README holds", (t) => liveStory(t, client));

  test("its samples run", async (t) => runSamples(await testService(t), shellOf(client), ASKED));

  test("its samples, its README and what else is right compile, and what is wrong does not", () => {
    const samples = chaptersOf(routes).flatMap((chapter) =>
      chapter.operations.map((operation) => {
        const { text } = samplesOf(operation, "https://x.example").find(
          (one) => one.language === "typescript",
        )!;
        return [`${operation.id}.ts`, text] as const;
      }),
    );
    const written = { ...Object.fromEntries(samples), ...programsOfReadme(), "types.ts": TYPES };
    for (const [name, text] of Object.entries(written)) writeFileSync(join(client.folder, name), text);
    writeFileSync(
      join(client.folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: COMPILER, include: ["*.ts"] }),
    );
    const compiler = join(ROOT, "node_modules/.bin/tsc");
    const { stdout } = spawnSync(compiler, ["-p", client.folder, "--noEmit"], { encoding: "utf8" });
    assert.equal(stdout, "");
  });
});

test("the samples of curl run", async (t) => runSamples(await testService(t), curlShell(), ASKED));

const COMPILER = {
  target: "es2024",
  module: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  typeRoots: [join(ROOT, "node_modules/@types")],
  types: ["node"],
};

function programsOfReadme(): Record<string, string> {
  const readme = readFileSync(join(ROOT, "sdk/typescript/README.md"), "utf8");
  const found = [...readme.matchAll(/```ts\n\/\/ (\w+)\.mjs\n([\s\S]*?)```/g)];
  return Object.fromEntries(found.map(([, name, text]) => [`readme-${name}.ts`, text!]));
}

/** What a user relies on. Each line with `@ts-expect-error` has to be refused. */
const TYPES = `
import { Atumpan, AtumpanError, type Contact, type WebhookEvent } from "@atumpan/client";

const client = new Atumpan({ baseUrl: "https://x.example", apiKey: "a", companyId: "b", maxRetries: 0 });
const contact: Contact = await client.contact.read({ id: "1" }, { signal: AbortSignal.timeout(1_000) });
const phone: string = contact.phone;
const created: Contact[] = await client.contact.create({ contacts: [{ phone }] });
const page = await client.campaign.messages({ id: "1", status: "DELIVERED" });
const next: number | null = page.next;
const total: number = page.totalCount;
for await (const row of client.contact.list({ limit: 100 })) row.phone satisfies string;
for await (const row of page) row.phone satisfies string;
await client.campaign.export({ id: "1" });
await client.campaign.export.read({ exportId: "1" });
const balance: number = await client.credit.balance();
await client.thirdPartyApp.sms.send({ connectionToken: "ct_1", message: "Bonjour", contacts: [{ phone }] });

function told(event: WebhookEvent): string {
  if (event.type === "message.delivered") return event.data.phone;
  if (event.type === "campaign.completed") return String(event.data.sent);
  return event.id;
}

try {
  await client.contact.delete({ contactsIds: ["1"] });
} catch (error) {
  if (error instanceof AtumpanError && error.code === "contact-not-found") console.log(error.details);
  // @ts-expect-error: there is no such code
  if (error instanceof AtumpanError && error.code === "contact-not-fund") console.log(error);
}

// @ts-expect-error: it needs an id
await client.contact.read();
// @ts-expect-error: there is no such member
await client.contact.update({ id: "1", nom: "Awa" });
// @ts-expect-error: there is no such operation
await client.contact.remove({ id: "1" });
// @ts-expect-error: it takes no such credential
await client.contact.read({ id: "1", adminKey: "adm_1" });
console.log(next, total, balance, created, told);
`;
