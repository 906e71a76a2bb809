// Why a submit_sm has no answer.
import { NotSent, ResponseTimeout, SessionLost } from "../../protocol/smpp/smpp.ts";
import type { Unanswered } from "./machine/events.ts";

export function whyUnanswered(error: Error): Unanswered["why"] {
  if (error instanceof ResponseTimeout) return "late";
  if (error instanceof NotSent) return "unsent";
  return error instanceof SessionLost ? "lost" : "unfit";
}
