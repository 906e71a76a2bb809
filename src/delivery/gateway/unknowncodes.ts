// Counts error codes that neither SMPP 3.4 nor the operator's table has, so that an administrator can add them.
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { measuresOf } from "./measures.ts";

/** How many codes of an operator get a label: a metric must not grow with what an operator invents. */
const CODES_AT_MOST = 50;

/** By operator, the codes that were seen. */
const codesOf = perRuntime(() => new Map<string, Set<string>>());

/**
 * Counts an answer with an unknown code, and logs the code the first time. After 50 codes of an operator (by name), the
 * others count as `other`.
 */
export function countUnknownCode(app: Runtime, operator: string, code: string): void {
  const seen = codesOf(app);
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
  measuresOf(app).unknownCodes.inc({ operator, code: known.has(code) ? code : "other" });
}
