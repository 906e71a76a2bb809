// Runs the doctor as a program, for tests.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ofThisRun } from "./process.ts";

const DOCTOR = join(import.meta.dirname, "../src/compliance/doctor/command.ts");

type Examination = { code: number | null; lines: string[]; level: (about: string) => string | undefined };

/** Runs it, and resolves to its exit code and its lines. */
export async function examined(environment: Record<string, string>, ...more: string[]): Promise<Examination> {
  const child = spawn(process.execPath, [...more, DOCTOR], {
    env: { ...ofThisRun(), ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  const lines = output.trimEnd().split("\n");
  const level = (about: string) => {
    const found = lines.filter((line) => line.slice(7).startsWith(`${about}: `));
    assert.ok(found.length > 0, `nothing is said of ${about}:\n${output}`);
    const levels = found.map((line) => line.split(" ")[0]);
    return levels.find((one) => one !== "ok") ?? "ok";
  };
  return { code, lines, level };
}
