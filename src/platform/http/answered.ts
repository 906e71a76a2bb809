// Answered requests: notifies the request log of each one, so that the listener need not import it.

import { perRuntime, type Runtime } from "../runtime.ts";
import type { Sealed } from "./envelope.ts";
import type { RequestId } from "./requestids.ts";
import type { Request } from "./routes.ts";

/** An answered request: `ms` is the time until its answer, `bytes` the size of its body. */
export type Answered = {
  request: Request;
  requestId: RequestId;
  sealed: Sealed;
  ms: number;
  bytes: number;
};

type Hear = (answered: Answered) => void;

const hearer = perRuntime<{ hear: Hear | undefined }>(() => ({ hear: undefined }));

/** Calls `hear` for every request from now on. It must be fast, and must not throw. */
export function hearAnswers(app: Runtime, hear: Hear | undefined): void {
  hearer(app).hear = hear;
}

/** Reports an answered request. */
export function tellAnswered(app: Runtime, answered: Answered): void {
  hearer(app).hear?.(answered);
}
