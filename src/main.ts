// The entry point of the program: it listens for signals, then loads the service and starts it.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";

// A SIGTERM before its listener ends the process with 143, and loading the service takes long, so these lines come
// first. The same signal may arrive twice: from the terminal or the process group, and again from npm.
const ending = new AbortController();
process.on("SIGTERM", () => ending.abort());
process.on("SIGINT", () => ending.abort());

// Loading takes 0.5 s of processor time with the cache, 1.0 s without (2 cores, 2026-11-22). Node runs without the
// cache if it cannot write it.
enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "node"));

const { runProgram } = await import("./program.ts");
// Node reports a signal that arrived during loading in the next iteration of the event loop, so this waits for it.
await setImmediate();
await runProgram(process.env, ending.signal);
