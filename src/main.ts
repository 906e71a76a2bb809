// The first module of the program: it hears signals from its first line on, then loads the service and starts it.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";

// Loading the service takes long, and a signal that nobody hears meanwhile ends the process with 143: so nothing of ours is
// loaded before these lines. The same signal may come twice: from the terminal or the group, and again from npm.
const ending = new AbortController();
process.on("SIGTERM", () => ending.abort());
process.on("SIGINT", () => ending.abort());

// Loading takes 0.5 s of processor time with the cache, 1.0 s without (2 cores, 2026-11-22). Where it cannot be written,
// node goes without it.
enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "node"));

const { runProgram } = await import("./program.ts");
// A signal that came while it was loaded is told with the next turn of the event loop: then nothing has to be begun.
await setImmediate();
await runProgram(process.env, ending.signal);
