// The HTTP load, the same for both sides: keep-alive connections in a closed loop, in its own process.
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { phoneOf } from "./messages.ts";
import { Program } from "./program.ts";
import { now } from "./sink.ts";

/** `count` requests to the phones from `first` on. Each phone is written between the two halves of `request`. */
export type Load = {
  port: number;
  request: readonly [string, string];
  /** The text that the body of an accepting answer contains. */
  accepted: string;
  first: number;
  count: number;
  connections: number;
};

/** The result of a load. It ends early with the first refused message. */
export type Loaded = { startedAt: number; refusal?: string };

/**
 * Starts the load. It makes 50,000 to 110,000 requests/s against a server that does nothing, 9 µs of CPU each (2 cores,
 * 2026-11-21).
 */
export function startLoad(): Program {
  return new Program("load", process.execPath, [import.meta.filename]);
}

/** Sends the load and resolves with the time of the first request. Throws if a message is refused. */
export async function send(program: Program, load: Load): Promise<number> {
  const { startedAt, refusal } = await program.ask<Loaded>(load);
  if (refusal !== undefined) throw new Error(`a message was refused: ${refusal}`);
  return startedAt;
}

async function generate(load: Load): Promise<Loaded> {
  const loaded: Loaded = { startedAt: now() };
  let sent = 0;
  const next = () => {
    if (sent === load.count || loaded.refusal !== undefined) return undefined;
    return load.request.join(phoneOf(load.first + sent++));
  };
  const onAnswer = (answer: string) => {
    if (!answer.includes(load.accepted)) loaded.refusal ??= answer;
  };
  await Promise.all(Array.from({ length: load.connections }, () => drive(load.port, next, onAnswer)));
  return loaded;
}

/** Drives one connection: it writes a request and waits for its whole answer, until there is no next request. */
function drive(
  port: number,
  next: () => string | undefined,
  onAnswer: (answer: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    let request: string | undefined;
    const writeNext = () => {
      request = next();
      if (request === undefined) socket.end();
      else socket.write(request, "latin1");
    };
    socket.setNoDelay(true).setEncoding("latin1");
    socket.on("connect", writeNext);
    socket.on("data", (text: string) => {
      received += text;
      if (received.length < lengthOf(received)) return;
      onAnswer(received);
      received = "";
      writeNext();
    });
    socket.on("error", reject);
    socket.on("close", () => (request ? reject(new Error("the server closed a connection")) : resolve()));
  });
}

/** The length of the answer that begins so, head and body. */
function lengthOf(answer: string): number {
  const body = answer.indexOf("\r\n\r\n") + 4;
  if (body < 4) return Number.POSITIVE_INFINITY;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, body)) ?? [];
  if (length === undefined) throw new Error(`an answer without a length: ${answer.slice(0, body)}`);
  return body + Number(length);
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await generate(JSON.parse(line) as Load)));
  }
}
