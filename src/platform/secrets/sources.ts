// Sources of a secret setting: the variable itself, a file descriptor, or the output of a command.
import { spawnSync } from "node:child_process";
import { closeSync, fstatSync } from "node:fs";

/** The time limit of reading a secret: less than the 10 s within which the process promises to end. */
const SECRET_MS = 5_000;
const SECRET_BYTES_AT_MOST = 4_096;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the secret from `NAME`, `NAME_FD` or `NAME_COMMAND`, trimmed; undefined if none is set. A descriptor is read
 * to its end and closed, so that no program that we start inherits it. A command is one for the shell, such as a call
 * to a KMS; its input is empty. Throws one line that never contains what was read.
 */
export function readSecret(
  name: string,
  environment: Environment,
  { timeoutMs = SECRET_MS } = {},
): string | undefined {
  const [plain, descriptor, command] = ["", "_FD", "_COMMAND"].map((end) => environment[name + end]?.trim());
  if ([plain, descriptor, command].filter(Boolean).length > 1)
    throw new Error(`set one of ${name}, ${name}_FD and ${name}_COMMAND, not several`);
  if (descriptor) return readDescriptor(`${name}_FD`, descriptor, timeoutMs);
  if (command) return outputOf(`${name}_COMMAND`, ["sh", "-c", command], "ignore", timeoutMs);
  return plain || undefined;
}

function readDescriptor(name: string, text: string, timeoutMs: number): string {
  const descriptor = Number(text);
  // 1 and 2 are our output. 0 is the only descriptor that `npm start` passes on.
  if (!/^\d{1,4}$/.test(text) || descriptor === 1 || descriptor === 2)
    throw new Error(`${name}=${text} is not a file descriptor number, like 3`);
  if (!canBeRead(descriptor)) throw new Error(`${name}=${text} is not open as a file, a pipe or a socket`);
  // Another process reads, because a pipe whose writer neither writes nor closes would block this one forever.
  const secret = outputOf(name, ["cat"], descriptor, timeoutMs);
  closeSync(descriptor);
  return secret;
}

/** False for descriptors of Node itself, which takes the lowest free numbers. */
function canBeRead(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() || stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}

/** Returns what a program prints. Its standard error is dropped: it may contain the secret, and we may be logged. */
function outputOf(
  name: string,
  [program = "", ...words]: string[],
  input: number | "ignore",
  timeoutMs: number,
): string {
  const { error, status, stdout } = spawnSync(program, words, {
    stdio: [input, "pipe", "ignore"],
    encoding: "utf8",
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    maxBuffer: SECRET_BYTES_AT_MOST,
  });
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "ETIMEDOUT") throw new Error(`${name} did not finish within ${timeoutMs / 1_000} s`);
  if (code === "ENOBUFS") throw new Error(`${name} returned more than ${SECRET_BYTES_AT_MOST} bytes`);
  if (error) throw new Error(`${name} could not be run (${code})`);
  if (status !== 0) throw new Error(`${name} failed (exit ${status ?? "by a signal"})`);
  const secret = stdout.trim();
  if (secret === "") throw new Error(`${name} returned nothing`);
  if (/[\r\n]/.test(secret)) throw new Error(`${name} returned more than one line`);
  return secret;
}
