// An operator of the field, in its own process: it caps the rate, answers late, and refuses some messages for speed.
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { accept } from "../src/protocol/smpp/connect.ts";
import { STATUS } from "../src/protocol/smpp/pdu.ts";
import { Program } from "./program.ts";

export type Terms = {
  latencyMs: number;
  /** Messages a second, with a burst of a tenth of it; null: as many as come. */
  cap: number | null;
  /** Refuses one message once, out of so many; 0: none. */
  strayIn: number;
  /** Refuses the same recipients each time, one out of so many; 0: none. */
  alwaysIn: number;
};

/** Totals since the start. `servedMs` is the sum of the times from a submit_sm to its answer. */
export type Counts = { accepted: number; refused: number; servedMs: number; most: number; at: number };

export class CappedOperator {
  readonly program: Program;
  readonly port: number;

  private constructor(program: Program, port: number) {
    this.program = program;
    this.port = port;
  }

  static async start(terms: Terms): Promise<CappedOperator> {
    const program = new Program("operator", process.execPath, [import.meta.filename, JSON.stringify(terms)]);
    return new CappedOperator(program, Number(await program.read()));
  }

  counts(): Promise<Counts> {
    return this.program.ask<Counts>("counts");
  }
}

/** The number in the phone of `messages.ts`. */
function numberOf(phone: string): number {
  return Number(phone.slice(5, 12));
}

async function serve({ latencyMs, cap, strayIn, alwaysIn }: Terms): Promise<void> {
  const counts = { accepted: 0, refused: 0, servedMs: 0, most: 0 };
  let outstanding = 0;
  let seen = 0;
  const burst = (cap ?? 0) / 10;
  let bucket = burst;
  let filledAt = performance.now();
  const isTooFast = () => {
    if (cap === null) return false;
    const now = performance.now();
    bucket = Math.min(burst, bucket + ((now - filledAt) * cap) / 1000);
    filledAt = now;
    if (bucket < 1) return true;
    bucket--;
    return false;
  };
  const isRefused = (phone: string) => {
    if (alwaysIn > 0 && numberOf(phone) % alwaysIn === 0) return true;
    const isStray = strayIn > 0 && ++seen % strayIn === Math.floor(strayIn / 2);
    return isStray || isTooFast();
  };
  const server = createServer((socket) => {
    accept(socket, {
      onBind: () => STATUS.ESME_ROK,
      onSubmit: async (pdu) => {
        const startedAt = performance.now();
        counts.most = Math.max(counts.most, ++outstanding);
        const refused = isRefused(pdu.destinationAddr);
        await wait(latencyMs);
        outstanding--;
        counts.servedMs += performance.now() - startedAt;
        if (refused) {
          counts.refused++;
          return { status: STATUS.ESME_RTHROTTLED, messageId: "" };
        }
        return { status: STATUS.ESME_ROK, messageId: String(++counts.accepted) };
      },
    });
  });
  server.listen(0, "127.0.0.1", () => console.log((server.address() as { port: number }).port));
  process.once("SIGTERM", () => process.exit(0));
  for await (const _ of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify({ ...counts, at: performance.now() }));
    counts.most = outstanding;
  }
  process.exit(0); // the bench is gone
}

if (import.meta.main) await serve(JSON.parse(process.argv[2]!) as Terms);
