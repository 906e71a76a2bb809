// A folder in which processes keep what they have submitted, for tests of those files.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Reporter, SubmittedLog, submittedDigest } from "../src/platform/files/submitted.ts";
import type { Submitted } from "../src/platform/files/submittedlines.ts";
import { openLog } from "../src/platform/log.ts";
import { Secrets } from "../src/platform/secrets/secrets.ts";

const secrets = new Secrets({ masterKey: "m".repeat(32), adminKey: `adm_${"a".repeat(32)}` });

/** A DATA_DIR of its own. `open` makes a process of it, `files` lists what is in it, and `lines` are those of its log. */
export function submittedFolder(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), "atumpan-submitted-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const lines: string[] = [];
  const log = openLog("warn", { write: (line) => void lines.push(line) });
  const files = () => readdirSync(join(dataDir, "submitted")).map((name) => join(dataDir, "submitted", name));
  const open = (node: string) =>
    new SubmittedLog({ dataDir, node, host: "app1", isGateway: true, secrets, log });
  return { dataDir, lines, files, open };
}

/** One of some messages of two sends. */
export const message = (n: number) => ({ sendId: `send${n % 2}`, phone: `22507000000${n}` });
export const digests = (...numbers: number[]) => numbers.map((n) => submittedDigest(secrets, message(n)));

export type ReadFolder = { phones: string[]; known: string[]; reporters: Reporter[] };

/** Reads what the processes of a folder have submitted since a moment. */
export async function readFolder(log: SubmittedLog, sinceMs = 0): Promise<ReadFolder> {
  const submitted: Submitted[] = [];
  const known: string[] = [];
  const reporters = await log.read(sinceMs, async (piece) => {
    submitted.push(...piece.submitted);
    known.push(...piece.known.map(({ node }) => node));
  });
  return { phones: submitted.flatMap(({ phones }) => phones), known, reporters };
}
