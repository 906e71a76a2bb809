// The simulated operator: an SMSC on a real socket, with handsets that receive and reply, and a log of what it accepted.
import { type AddressInfo, createServer } from "node:net";
import { refuse } from "../../platform/refusals.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { TextSeal } from "./journal.ts";
import { SimulatedOperator } from "./operator.ts";
import type { Faults } from "./outcomes.ts";
import type { InboxMessage } from "./shapes.ts";

export { NotTaken } from "./operator.ts";

export type WrittenIdForm = "hex" | "decimal";

export interface SimulatorOptions {
  host?: string;
  /** 0: any free one. */
  port?: number;
  /** Any is accepted when left out. */
  systemId?: string;
  password?: string;
  /** Log of every accepted message, JSON lines, read back at start; memory only when left out. */
  logFile?: string;
  /** Seals the texts in the log; as they are when left out. */
  logTexts?: TextSeal;
  /** A log of this size becomes `<logFile>.1`, in place of the one before; 64 MiB when left out. */
  logBytes?: number;
  /** Above it submit_sm is answered ESME_RTHROTTLED. */
  ratePerSecond?: number;
  /** Time from a submit_sm to its answer. */
  latencyMs?: number;
  /** Unanswered submit_sm a session may have; one more is answered ESME_RMSGQFUL. */
  window?: number;
  receipts?: boolean;
  receiptDelayMs?: number;
  messageIdForm?: WrittenIdForm;
  /** The form in receipts, where it differs from the one in answers (D06). */
  receiptIdForm?: WrittenIdForm;
  faults?: Partial<Faults>;
  /** Every PDU ends with one NUL too many (S32). */
  strayNul?: boolean;
  /** false: keep no inbox (for benches). */
  inbox?: boolean;
  /** The inbox keeps the newest messages: at least so many, and 200,000 at most. */
  inboxMessages?: number;
  /** Told of each segment that is accepted, at once (for benches). */
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
  /** Messages that still miss a segment. */
  incomplete: number;
}

export interface Simulator {
  readonly host: string;
  readonly port: number;
  /** May be changed while it runs: n strikes every n-th message, 0 never. */
  readonly faults: Faults;
  stats(): SimulatorStats;
  /** Whole messages, newest first; 100 unless `limit` says otherwise, up to 100,000. */
  inbox(query?: { phone?: string | undefined; limit?: number | undefined }): InboxMessage[];
  /**
   * The handset `from` writes `text` to the sender or short code `to`. Resolves when a bound receiver has acknowledged it;
   * rejects with `NotTaken` when none did.
   */
  reply(message: { from: string; to: string; text: string }): Promise<void>;
  /** Connections fall at once, as in an operator's crash; the log is complete. */
  stop(): Promise<void>;
}

/** Starts an operator. Rejects when the port is taken or the log cannot be opened. */
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

/** The simulated operator of this process, where one runs. */
export const simulatorOf = perRuntime<{ running: Simulator | undefined }>(() => ({ running: undefined }));

/** The simulated operator of this process. Refuses `not-found` where none runs. */
export function runningSimulator(app: Runtime): Simulator {
  return simulatorOf(app).running ?? refuse("not-found");
}
