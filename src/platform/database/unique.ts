// Values that only one row may have.
import { refuseConflict } from "../http/fielderrors.ts";
import type { Sentence } from "../http/refusals.ts";

const UNIQUE_VIOLATION = "23505";

/** Whether a statement failed because another row has a value that must be unique. */
export function isTaken(error: unknown): boolean {
  return (error as { code?: unknown }).code === UNIQUE_VIOLATION;
}

/** Returns what a statement returns. Refuses `conflict` at `field` if another row has a value that must be unique. */
export async function refuseTaken<Result>(
  writing: Promise<Result>,
  field: string,
  message: Sentence,
): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    if (isTaken(error)) refuseConflict(field, message);
    throw error;
  }
}
