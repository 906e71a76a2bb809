// Status changes of a record, and their refusal.
import { refuseConflict } from "./fielderrors.ts";

/** Refuses `conflict` for an action that requires one of the statuses `from`, if the record has another `status`. */
export function refuseMove(status: string, from: readonly string[]): never {
  refuseConflict("id", {
    fr: `le statut est ${status} ; cette action exige ${from.join(" ou ")}`,
    en: `the status is ${status}; this action requires ${from.join(" or ")}`,
  });
}
