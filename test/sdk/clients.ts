// The three clients as their users have them, each in a process of its own that runs tasks for a test.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { pythonNameOf } from "../../src/web/docs/samples.ts";
import { ofThisRun } from "../process.ts";

const SDK = join(import.meta.dirname, "../../sdk");

/** What a client is asked to do: a call, or the verification of a webhook. */
export type Task = {
  options?: { baseUrl: string } & Record<string, unknown>;
  /** By the names of the interface: `thirdPartyApp.sms.send`. */
  operation?: string;
  argument?: Record<string, unknown>;
  /** Goes through all pages of a list. */
  rows?: boolean;
  verify?: {
    body: unknown;
    headers: Record<string, string | string[]>;
    secret: string | string[];
    toleranceSeconds?: number;
  };
};

/** What a task came to. One of the members is there. */
export type Result = {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data?: any;
  warned?: { warnings: object[]; path: string }[];
  refused?: {
    code: string;
    path: string;
    outcome: string;
    details: object[];
    warnings: object[];
    retryAfterSeconds: number | null;
    errorId: string | null;
    requestId: string | null;
  };
  trouble?: { kind: string; path: string; neverSent: boolean; status: number | null };
  unverified?: true;
  failed?: string;
};

/** A client in its language: how its programs are started. */
export type Client = {
  language: "typescript" | "php" | "python";
  /** Where a program stands that uses the client. */
  folder: string;
  /** The command that runs a program of this language. */
  command: [program: string, ...options: string[]];
  environment: Record<string, string>;
  run(tasks: readonly Task[]): Promise<Result[]>;
};

/** Packs the TypeScript client and installs the package in a project of its own, without the network. */
export function typescriptClient(): Client {
  const folder = mkdtempSync(join(tmpdir(), "atumpan-sdk-"));
  const npm = (...words: string[]) =>
    execFileSync("npm", words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  // The build takes types from the tree beside it.
  const packed = npm("pack", join(SDK, "typescript"), "--silent").trim().split("\n").at(-1)!;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  npm("install", "--offline", "--no-audit", "--no-fund", `./${packed}`);
  cpSync(join(import.meta.dirname, "run.mjs"), join(folder, "run.mjs"));
  return typescriptIn(folder, process.execPath);
}

function typescriptIn(folder: string, program: string): Client {
  return clientOf("typescript", folder, [program], join(folder, "run.mjs"), {});
}

/** The same package under the oldest Node that it promises, where the machine has one; undefined elsewhere. */
export function underOldNode({ folder }: Client): Client | undefined {
  const places = (process.env.PATH ?? "").split(delimiter).map((place) => join(place, "node"));
  const old = places.find((place) => {
    const { stdout } = spawnSync(place, ["--version"], { encoding: "utf8" });
    return /^v2[0-2]\./.test(stdout ?? "");
  });
  return old === undefined ? undefined : typescriptIn(folder, old);
}

/** The PHP client; undefined where there is no PHP with curl. */
export function phpClient(): Client | undefined {
  const { status, stdout } = spawnSync("php", ["-m"], { encoding: "utf8" });
  if (status !== 0 || !/^curl$/m.test(stdout)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "atumpan-sdk-"));
  const environment = { ATUMPAN_PHP: join(SDK, "php") };
  mkdirSync(join(folder, "vendor"));
  writeFileSync(join(folder, "vendor/autoload.php"), AUTOLOAD);
  return clientOf("php", folder, ["php"], join(import.meta.dirname, "run.php"), environment);
}

/** What Composer would make. */
const AUTOLOAD = "<?php require_once getenv('ATUMPAN_PHP') . '/autoload.php';\n";

/** The Python client; undefined where there is no Python. */
export function pythonClient(): Client | undefined {
  const { status } = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]);
  if (status !== 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "atumpan-sdk-"));
  const environment = { PYTHONPATH: join(SDK, "python"), PYTHONDONTWRITEBYTECODE: "1" };
  return clientOf("python", folder, ["python3"], join(import.meta.dirname, "run.py"), environment);
}

function clientOf(
  language: Client["language"],
  folder: string,
  command: Client["command"],
  runner: string,
  environment: Record<string, string>,
): Client {
  const [program, ...options] = command;
  return {
    language,
    folder,
    command,
    environment,
    async run(tasks) {
      const child = spawn(program, [...options, runner], {
        cwd: folder,
        env: { ...ofThisRun(), ...environment },
        stdio: ["pipe", "pipe", "inherit"],
      });
      const named = tasks.map((task) => ({ ...task, ...inLanguage(language, task) }));
      child.stdin.end(JSON.stringify(named));
      const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
      assert.notEqual(printed, "", `the ${language} client ended`);
      return JSON.parse(printed) as Result[];
    },
  };
}

function inLanguage(language: Client["language"], { operation }: Task): Pick<Task, "operation"> {
  if (language !== "python" || operation === undefined) return {};
  return { operation: operation.split(".").map(pythonNameOf).join(".") };
}
