// Runs test files for `test/run.ts`: it takes the next file that no other runner has, until none is left. Importing all
// that a file needs costs a second of CPU in a process of its own, and next to nothing here (2026-11-22).
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { pathToFileURL } from "node:url";

const LEAK_MS = 60_000;

const folder = process.env.TEST_FILES ?? "";

// node:test keeps our standard input open as long as it lives. When it is gone, this process ends.
process.stdin.once("close", () => process.exit(1)).resume();
(process.stdin as unknown as { unref(): void }).unref();

for (const name of readdirSync(join(folder, "waiting")).sort()) {
  const underWay = join(folder, "under-way", name);
  if (!isTaken(join(folder, "waiting", name), underWay)) continue;
  const file = decodeURIComponent(name.slice(name.indexOf(" ") + 1));
  await suite(file, () =>
    import(pathToFileURL(file).href).catch((error) => {
      test("can be imported", () => Promise.reject(error));
    }),
  );
  rmSync(underWay);
}

// Something that a test left running would keep this process alive for ever. This names it and ends the process.
const leak = setTimeout(() => {
  console.error(`left running by a test: ${process.getActiveResourcesInfo().join(", ")}`);
  process.exit(1);
}, LEAK_MS);
leak.unref();

/** Takes a file for this process. False if another process was faster. */
function isTaken(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return false;
  }
}
