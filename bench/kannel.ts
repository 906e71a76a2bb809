// Kannel 1.4.5 for comparison: bearerbox and smsbox with the settings of its bench, on free ports, in a temporary
// folder.
import { accessSync, constants } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { findFreePorts } from "../src/platform/embedded/ports.ts";
import type { Load } from "./load.ts";
import { phoneOf, SENDER, TEXT } from "./messages.ts";
import { Program } from "./program.ts";

export type Store = "memory" | "spool";

export type Kannel = {
  readonly programs: readonly Program[];
  /** The HTTP request that sends one message. */
  readonly http: Pick<Load, "ports" | "requests" | "accepted">;
  /** Hands messages to bearerbox without HTTP, by `mtbatch`. Resolves when it has taken them all. */
  batch(first: number, count: number): Promise<void>;
  stop(): Promise<void>;
};

const START_MS = 10_000;
const LOOK_MS = 50;
/** The delay of smsbox, which gives up if bearerbox does not listen yet. */
const SMSBOX_LATER_MS = 1_500;
/** The level of Kannel's console log. A lower level is verbose and halves Kannel's speed. */
const QUIET = ["-v", "4"];

/** Starts Kannel against the sink. Undefined if it is not installed (`apt-get install kannel kannel-extras`). */
export async function startKannel(sinkPort: number, store: Store): Promise<Kannel | undefined> {
  const [bearerbox, smsbox, mtbatch] = ["bearerbox", "smsbox", "mtbatch"].map(findProgram);
  if (!bearerbox || !smsbox || !mtbatch) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "atumpan-bench-kannel-"));
  const ports = await freePorts();
  const config = join(folder, "kannel.conf");
  await mkdir(join(folder, "spool"));
  await writeFile(config, settings(folder, sinkPort, ports, store));
  const programs = [new Program("bearerbox", bearerbox, [...QUIET, config])];
  const stop = async () => {
    for (const program of programs.toReversed()) await program.stop();
    await rm(folder, { recursive: true });
  };
  try {
    await wait(SMSBOX_LATER_MS);
    programs.push(new Program("smsbox", smsbox, [...QUIET, config]));
    await untilOnline(ports);
  } catch (error) {
    await stop();
    throw error;
  }
  const http = { ports: [ports.http], requests: [requestOf()], accepted: "0: Accepted for delivery" };
  const batch = (first: number, count: number) => runBatch(mtbatch, folder, ports.box, first, count);
  return { programs, http, batch, stop };
}

function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/bin"];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

type Ports = { admin: number; box: number; http: number };

async function freePorts(): Promise<Ports> {
  const [admin, box, http] = await findFreePorts(3);
  return { admin: admin!, box: box!, http: http! };
}

/** Kannel's settings: window 100 as ours, logs of errors only, and no work except the sending. */
function settings(folder: string, sinkPort: number, ports: Ports, store: Store): string {
  const spool = store === "spool" ? `store-type = spool\nstore-location = ${folder}/spool\n` : "";
  return `group = core
admin-port = ${ports.admin}
smsbox-port = ${ports.box}
admin-password = bench
log-file = "${folder}/bearerbox.log"
log-level = 4
box-deny-ip = "*.*.*.*"
box-allow-ip = "127.0.0.1"
sms-outgoing-queue-limit = 1000000
${spool}
group = smsc
smsc = smpp
smsc-id = sink
host = 127.0.0.1
port = ${sinkPort}
transceiver-mode = true
system-type = "VMA"
smsc-username = "bench"
smsc-password = "bench"
max-pending-submits = 100
enquire-link-interval = 30
reconnect-delay = 1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.http}
global-sender = 123
log-file = "${folder}/smsbox.log"
log-level = 4

group = sendsms-user
username = bench
password = bench
max-messages = 10

group = sms-service
keyword = default
text = "none"
`;
}

/** Waits until bearerbox is bound to the sink and smsbox answers. */
async function untilOnline(ports: Ports): Promise<void> {
  const deadline = performance.now() + START_MS;
  const read = (port: number, path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      (response) => response.text(),
      () => "",
    );
  for (;;) {
    const status = await read(ports.admin, "/status.txt?password=bench");
    const answer = await read(ports.http, "/cgi-bin/sendsms");
    if (/\(online \d+s/.test(status) && answer !== "") return;
    if (performance.now() > deadline) throw new Error(`Kannel does not get online: ${status}`);
    await wait(LOOK_MS);
  }
}

function requestOf(): [string, string] {
  const query = new URLSearchParams({ username: "bench", password: "bench", from: SENDER, text: TEXT });
  return [`GET /cgi-bin/sendsms?${query}&to=`, " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"];
}

async function runBatch(
  mtbatch: string,
  folder: string,
  boxPort: number,
  first: number,
  count: number,
): Promise<void> {
  const [text, receivers] = [join(folder, "text"), join(folder, "receivers")];
  await writeFile(text, TEXT);
  await writeFile(receivers, Array.from({ length: count }, (_, i) => `${phoneOf(first + i)}\n`).join(""));
  const to = ["-b", "127.0.0.1", "-p", String(boxPort), "-f", SENDER];
  await new Program("mtbatch", mtbatch, [...QUIET, ...to, text, receivers]).end();
}
