// Answered: who wants to hear of each request that was answered, so that the listener knows nothing of its log.
import type { Sealed } from "./envelope.ts";
import type { RequestId } from "./requestids.ts";
import type { Request } from "./routes.ts";
import { perRuntime, type Runtime } from "./runtime.ts";

/** A request that was answered: after how many milliseconds, and with how many bytes in its body. */
export type Answered = {
  request: Request;
  requestId: RequestId;
  sealed: Sealed;
  ms: number;
  bytes: number;
};

type Hear = (answered: Answered) => void;

const hearer = perRuntime<{ hear: Hear | undefined }>(() => ({ hear: undefined }));

/** Calls `hear` for every request from now on. It must be quick, and must not throw. */
export function hearAnswers(app: Runtime, hear: Hear | undefined): void {
  hearer(app).hear = hear;
}

/** Tells of an answer. */
export function tellAnswered(app: Runtime, answered: Answered): void {
  hearer(app).hear?.(answered);
}
