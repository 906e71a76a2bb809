// The operator for the measurement of one-time passwords: our simulator with receipts. It tells when a message came.
import { createInterface } from "node:readline";
import { startSimulator } from "../src/delivery/simulator/simulator.ts";
import { Program } from "./program.ts";
import { now } from "./sink.ts";

/** When the message to the phone came, and how many messages the operator had accepted by then, this one included. */
export type Arrival = { at: number; accepted: number };

export type Handsets = {
  readonly program: Program;
  readonly port: number;
  /** Resolves when the phone has its message. The phone must have this bench's prefix. */
  arrival(phone: string): Promise<Arrival>;
  /** The number of messages accepted so far. */
  accepted(): Promise<number>;
};

type Question = { phone?: string };

/** Starts the operator. It remembers when messages to phones with this prefix came. */
export async function startHandsets(prefix: string): Promise<Handsets> {
  const program = new Program("operator", process.execPath, [import.meta.filename, prefix]);
  const port = Number(await program.read());
  const ask = (question: Question) => program.ask<Arrival>(question);
  return {
    program,
    port,
    arrival: (phone) => ask({ phone }),
    accepted: async () => (await ask({})).accepted,
  };
}

/** The child process. It answers each question once the event of the question has happened. */
async function serve(prefix: string): Promise<void> {
  const arrivals = new Map<string, Arrival>();
  let accepted = 0;
  let onArrival = () => {};
  const simulator = await startSimulator({
    inbox: false,
    onAccepted(to) {
      accepted++;
      if (!to.startsWith(prefix)) return;
      arrivals.set(to, { at: now(), accepted });
      onArrival();
    },
  });
  console.log(simulator.port);
  for await (const line of createInterface({ input: process.stdin })) {
    const { phone } = JSON.parse(line) as Question;
    while (phone !== undefined && !arrivals.has(phone))
      await new Promise<void>((resolve) => {
        onArrival = resolve;
      });
    console.log(JSON.stringify(phone === undefined ? { at: now(), accepted } : arrivals.get(phone)));
  }
  await simulator.stop();
}

if (import.meta.main) await serve(process.argv[2]!);
