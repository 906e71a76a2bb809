// Processes of this machine: whether one still runs that left its number in a file.
import { readFileSync } from "node:fs";

/** The id of the kernel's start, which Linux has; else an empty text. */
export const BOOT = readText("/proc/sys/kernel/random/boot_id").trim();

/** When a process began, in ticks since the kernel's start; an empty text where that is not known. */
export function startOf(pid: number): string {
  // The name of the program stands in parentheses, and may contain blanks. The start is the 22nd field, the name the second.
  return (
    readText(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ")[19] ?? ""
  );
}

/** Whether the process of this number runs that began then. */
export function isRunning(pid: number, start: string): boolean {
  return startOf(pid) === start && start !== "";
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // No Linux, or no such process.
  }
}
