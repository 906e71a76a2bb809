// What a failure of a cycle means for the session: most are tried again, some end it.
import { isSilent } from "../../platform/line.ts";
import { reportFailure } from "../../platform/outages.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { DATABASE_SILENT, type Link } from "../operators/operators.ts";
import { isMistaken } from "../sends/sends.ts";
import { Disowned } from "./doubt.ts";

/** Gives the session up where what this process knows of it is not so; any other failure is tried again. */
export function reportCycle(app: Runtime, { operator, session }: Link, error: Error): void {
  if (error instanceof Disowned || isMistaken(error)) {
    session.abort(`what this process knows of the bind is not so: ${error.message}`);
    return;
  }
  if (isSilent(error)) session.abort(DATABASE_SILENT);
  const text = "a commit cycle failed; it is tried again";
  reportFailure(app, error, text, { operator: operator.name });
}
