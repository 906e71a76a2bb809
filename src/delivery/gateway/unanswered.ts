// Why a submit_sm has no answer.

import { ResponseTimeout } from "../../protocol/smpp/inflight.ts";
import { NotSent, SessionLost } from "../../protocol/smpp/terms.ts";
import type { Unanswered } from "./machine/events.ts";

export function whyUnanswered(error: Error): Unanswered["why"] {
  if (error instanceof ResponseTimeout) return "late";
  if (error instanceof NotSent) return "unsent";
  return error instanceof SessionLost ? "lost" : "unfit";
}
