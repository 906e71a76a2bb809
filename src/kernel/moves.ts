// Moves of a record from one status to another, and what refuses them.
import { refuseConflict } from "./refusals.ts";

/** Refuses `conflict` for a move that begins in one of the statuses `from`, when the record has another `status`. */
export function refuseMove(status: string, from: readonly string[]): never {
  refuseConflict("id", {
    fr: `l’état est ${status} ; cette action demande ${from.join(" ou ")}`,
    en: `the status is ${status}; this action needs ${from.join(" or ")}`,
  });
}
