// The simulated operator: an SMSC on a real socket, with handsets that receive and reply, and a log of its messages.
import { type AddressInfo, createServer } from "node:net";
import { refuse } from "../../platform/http/refusals.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { TextSeal } from "./journal.ts";
import { SimulatedOperator } from "./operator.ts";
import type { Faults } from "./outcomes.ts";
import type { InboxMessage } from "./shapes.ts";

export type WrittenIdForm = "hex" | "decimal";

export interface SimulatorOptions {
  host?: string;
  /** 0: any free one. */
  port?: number;
  /** Any is accepted if left out. */
  systemId?: string;
  password?: string;
  /** Log of every accepted message, JSON lines, read back at start; memory only if left out. */
  logFile?: string;
  /** Seals the texts in the log; plain text if left out. */
  logTexts?: TextSeal;
  /** A log of this size is renamed to `<logFile>.1`, replacing the one before; 64 MiB if left out. */
  logBytes?: number;
  /** Above it submit_sm is answered ESME_RTHROTTLED. */
  ratePerSecond?: number;
  /** Time from a submit_sm to its answer. */
  latencyMs?: number;
  /** Unanswered submit_sm that a session may have; one more is answered ESME_RMSGQFUL. */
  window?: number;
  receipts?: boolean;
  receiptDelayMs?: number;
  messageIdForm?: WrittenIdForm;
  /** The form of ids in receipts, if it differs from the one in answers (D06). */
  receiptIdForm?: WrittenIdForm;
  faults?: Partial<Faults>;
  /** Every PDU ends with one NUL too many (S32). */
  strayNul?: boolean;
  /** False: no inbox (for benches). */
  inbox?: boolean;
  /** The inbox keeps the newest messages: at least so many, and 200,000 at most. */
  inboxMessages?: number;
  /** Called at once for each accepted segment (for benches). */
  onAccepted?: (to: string) => void;
}

export interface SimulatorStats {
  /** submit_sm accepted since the start; each is one segment. */
  accepted: number;
  refused: number;
  throttled: number;
  /** The most submit_sm that any session ever had unanswered. */
  maxOutstanding: number;
  /** Connections now; binds accepted since the start. */
  sessions: number;
  binds: number;
  receiptsAcknowledged: number;
  /** Messages that lack a segment. */
  incomplete: number;
}

export interface Simulator {
  readonly host: string;
  readonly port: number;
  /** May be changed while it runs: n strikes every n-th message, 0 never. */
  readonly faults: Faults;
  stats(): SimulatorStats;
  /** Returns whole messages, the newest first; 100 by default, up to 100,000. */
  inbox(query?: { phone?: string | undefined; limit?: number | undefined }): InboxMessage[];
  /**
   * The handset `from` writes `text` to the sender or short code `to`. Resolves when a bound receiver has acknowledged
   * it; rejects with `NotTaken` if none did.
   */
  reply(message: { from: string; to: string; text: string }): Promise<void>;
  /** Drops all connections at once, as in an operator's crash; the log is complete. */
  stop(): Promise<void>;
}

/** Starts an operator. Rejects if the port is taken or the log cannot be opened. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const operator = new SimulatedOperator(options);
  const server = createServer((socket) => operator.serve(socket));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve);
  await promise;
  const { address, port } = server.address() as AddressInfo;
  return {
    host: address,
    port,
    faults: operator.faults.faults,
    stats: () => operator.stats(),
    inbox: (query) => operator.inbox.list(query),
    reply: (message) => operator.reply(message),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      await operator.stop();
      await closed;
    },
  };
}

/** The simulated operator of this process, if one runs. */
export const simulatorOf = perRuntime<{ running: Simulator | undefined }>(() => ({ running: undefined }));

/** Returns the simulated operator of this process. Refuses `not-found` if none runs. */
export function runningSimulator(app: Runtime): Simulator {
  return simulatorOf(app).running ?? refuse("not-found");
}
