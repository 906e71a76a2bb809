// Sources: a secret comes from its variable, a descriptor or a command, in bounded time, and no error shows it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { BadConfiguration, readConfig } from "../config.ts";
import { readSecret } from "./sources.ts";

const MASTER_KEY = "secret-".repeat(8);
const ADMIN_KEY = "adm_secret-secret-secret";
const DATABASE_URL = "postgres://atumpan:pass@db/atumpan";

/** A descriptor of a file with this content. */
function descriptorOf(t: TestContext, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-sources-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "key"), content);
  return String(openSync(join(folder, "key"), "r"));
}

test("H20: the keys come from variables, descriptors or commands alike, without the line's end", (t) => {
  const expected = { masterKey: MASTER_KEY, adminKey: ADMIN_KEY };
  const keysOf = (environment: Record<string, string>) => readConfig({ DATABASE_URL, ...environment }).keys;
  assert.deepEqual(keysOf({ MASTER_KEY, ADMIN_KEY }), expected);
  const [master, admin] = [descriptorOf(t, `${MASTER_KEY}\n`), descriptorOf(t, ADMIN_KEY)];
  assert.deepEqual(keysOf({ MASTER_KEY_FD: master, ADMIN_KEY_FD: admin }), expected);
  const command = `printf '%s\\r\\n' ${MASTER_KEY}; echo of-no-matter >&2`;
  assert.deepEqual(keysOf({ MASTER_KEY_COMMAND: command, ADMIN_KEY }), expected);
});

test("H20: a descriptor is closed once it was read, and the one of a pipe works too", async (t) => {
  const descriptor = descriptorOf(t, MASTER_KEY);
  assert.equal(readSecret("KEY", { KEY_FD: descriptor }), MASTER_KEY);
  assert.throws(() => fstatSync(Number(descriptor)), /EBADF/);
  const script = `import("${import.meta.dirname}/sources.ts").then((m) => console.log(m.readSecret("KEY", process.env)))`;
  const child = spawn(process.execPath, ["-e", script], {
    env: { ...process.env, KEY_FD: "3" },
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  (child.stdio[3] as NodeJS.WritableStream).end(`${MASTER_KEY}\n`);
  const [printed] = await Promise.all([text(child.stdout!), once(child, "close")]);
  assert.equal(printed, `${MASTER_KEY}\n`);
});

test("H20: what gives no key, too much, too late or twice is one line, without the secret", (t) => {
  const empty = descriptorOf(t, "\n");
  const closed = descriptorOf(t, "");
  closeSync(Number(closed));
  const bad: Record<string, string>[] = [
    { MASTER_KEY, MASTER_KEY_FD: "3" },
    { MASTER_KEY, MASTER_KEY_COMMAND: "true" },
    { MASTER_KEY_FD: "3", MASTER_KEY_COMMAND: "true" },
    ...["three", "-1", "1", "2", "99999", empty, closed].map((MASTER_KEY_FD) => ({ MASTER_KEY_FD })),
    ...[
      "true",
      "exit 3",
      `echo ${MASTER_KEY}; exit 1`,
      "no-such-program-secret",
      "kill -9 $$",
      `echo ${MASTER_KEY}; echo ${MASTER_KEY}`,
      "head -c 5000 /dev/zero",
      "echo secret",
    ].map((MASTER_KEY_COMMAND) => ({ MASTER_KEY_COMMAND })),
    { MASTER_KEY, ADMIN_KEY: "", ADMIN_KEY_COMMAND: "echo secret-without-its-prefix" },
    { MASTER_KEY, ADMIN_KEY: "", ADMIN_KEY_COMMAND: "true" },
    { MASTER_KEY, METRICS_TOKEN: ADMIN_KEY, ADMIN_KEY: "", ADMIN_KEY_COMMAND: `echo ${ADMIN_KEY}` },
  ];
  for (const environment of bad)
    assert.throws(
      () => readConfig({ DATABASE_URL, ADMIN_KEY, ...environment }),
      (error: Error) => error instanceof BadConfiguration && !/secret|\n/.test(error.message),
      JSON.stringify(environment),
    );
});

test("H20: a command that never ends is cut off", () => {
  const never = { KEY_COMMAND: "exec sleep 600" };
  assert.throws(
    () => readSecret("KEY", never, { timeoutMs: 50 }),
    /KEY_COMMAND did not finish within 0.05 s/,
  );
});
