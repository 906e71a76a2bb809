// The HTTP load, the same for both sides: keep-alive connections in a closed loop, in its own process.
import { createInterface } from "node:readline";
import { drive, type Talk } from "./http.ts";
import { phoneOf } from "./messages.ts";
import { type Mix, Mixing } from "./mix.ts";
import { Program } from "./program.ts";
import { now } from "./sink.ts";

/** `count` requests to the phones from `first` on. */
export type Load = {
  /** The connections go to these ports in turns. */
  ports: readonly number[];
  /** Requests take these in turns, and write the phone between the two halves. */
  requests: readonly (readonly [string, string])[];
  /** The text that the body of an accepting answer contains. */
  accepted: string;
  first: number;
  count: number;
  connections: number;
};

/** The result of a load. It ends early with the first refused message. */
export type Loaded = { startedAt: number; answeredAt: number; refusal?: string };

/**
 * What the load is asked, one line each. A mix goes on after its answer; the report comes when it has ended.
 */
export type Question = { load: Load } | { mix: Mix } | { of: "accepted" | "report" };

/**
 * Starts the load. It makes 50,000 to 110,000 requests/s against a server that does nothing, 9 µs of CPU each (2 cores,
 * 2026-11-21).
 */
export function startLoad(): Program {
  return new Program("load", process.execPath, [import.meta.filename]);
}

/** Sends the load. Resolves with the times of the first request and of the last answer. Throws if one is refused. */
export async function send(program: Program, load: Load): Promise<Loaded> {
  const loaded = await program.ask<Loaded>({ load } satisfies Question);
  if (loaded.refusal !== undefined) throw new Error(`a message was refused: ${loaded.refusal}`);
  return loaded;
}

async function generate(load: Load): Promise<Loaded> {
  const { ports, requests, connections } = load;
  const startedAt = now();
  let sent = 0;
  let refusal: string | undefined;
  const talk: Talk = {
    next() {
      if (sent === load.count || refusal !== undefined) return undefined;
      return requests[sent % requests.length]!.join(phoneOf(load.first + sent++));
    },
    onAnswer(answer) {
      if (!answer.includes(load.accepted)) refusal ??= answer;
      return 0;
    },
  };
  await Promise.all(Array.from({ length: connections }, (_, i) => drive(ports[i % ports.length]!, talk)));
  return { startedAt, answeredAt: now(), ...(refusal !== undefined && { refusal }) };
}

/** The child process. */
async function answerAll(): Promise<void> {
  let mixing: Mixing | undefined;
  for await (const line of createInterface({ input: process.stdin })) {
    const question = JSON.parse(line) as Question;
    if ("mix" in question) mixing = new Mixing(question.mix);
    console.log(JSON.stringify(await answerTo(question, mixing)));
  }
}

function answerTo(question: Question, mixing: Mixing | undefined): object | Promise<object> {
  if ("load" in question) return generate(question.load);
  if ("mix" in question) return { startedAt: mixing!.startedAt };
  return question.of === "report" ? mixing!.report() : { accepted: mixing!.accepted };
}

if (import.meta.main) await answerAll();
