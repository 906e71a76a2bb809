// Counts error codes that neither SMPP 3.4 nor the book of their operator has, so that somebody looks them up.
import { Counter } from "prom-client";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";

/** So many codes of an operator get a label of their own; a metric must not grow with what an operator invents. */
const CODES_AT_MOST = 50;

const codes = perRuntime((app) => ({
  /** By operator. */
  seen: new Map<string, Set<string>>(),
  counter: new Counter({
    name: "atumpan_unknown_codes_total",
    help: "Answers to messages with an error code that neither SMPP 3.4 nor the operator's book has.",
    labelNames: ["operator", "code"],
    registers: [app.metrics],
  }),
}));

/**
 * Counts an answer with a code that nobody knows, and says so in the log the first time. Beyond 50 codes of an operator,
 * by its name, the others count as `other`.
 */
export function countUnknownCode(app: Runtime, operator: string, code: string): void {
  const { seen, counter } = codes(app);
  const known = seen.get(operator) ?? new Set();
  seen.set(operator, known);
  const isNew = !known.has(code) && known.size < CODES_AT_MOST;
  if (isNew) {
    known.add(code);
    app.log.warn(
      { operator, code },
      "the operator answers messages with a code that nobody knows: name it in retryableCodes or permanentCodes",
    );
  }
  counter.inc({ operator, code: known.has(code) ? code : "other" });
}
