// Processes of this machine: whether one still runs that wrote its number to a file.
import { readFileSync } from "node:fs";

/** The id of the kernel's start, which Linux has; else an empty text. */
export const BOOT = readText("/proc/sys/kernel/random/boot_id").trim();

/** Returns when a process began, in ticks since the kernel's start; an empty text if that is not known. */
export function startOf(pid: number): string {
  // The program's name is in parentheses, and may contain blanks. The start is the 22nd field, the name the second.
  return (
    readText(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ")[19] ?? ""
  );
}

/** Whether the process with this number and start still runs. */
export function isRunning(pid: number, start: string): boolean {
  return startOf(pid) === start && start !== "";
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // Not Linux, or no such process.
  }
}
