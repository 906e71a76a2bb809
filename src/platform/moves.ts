// Moves of a record from one status to another, and what refuses them.
import { refuseConflict } from "./refusals.ts";

/** Refuses `conflict` for a move that begins in one of the statuses `from`, when the record has another `status`. */
export function refuseMove(status: string, from: readonly string[]): never {
  refuseConflict("id", {
    fr: `le statut est ${status} ; cette action exige ${from.join(" ou ")}`,
    en: `the status is ${status}; this action requires ${from.join(" or ")}`,
  });
}
