// The consequence of a failed cycle: most are retried, some end the session.
import { isSilent } from "../../platform/database/connection.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { DATABASE_SILENT } from "../operators/bind.ts";
import type { Link } from "../operators/link.ts";
import { isMistaken } from "../sends/settlement/settle.ts";
import { Disowned } from "./indoubt.ts";

/** Aborts the session if this process and the database disagree about it; any other failure is retried. */
export function reportCycle(app: Runtime, { operator, session }: Link, error: Error): void {
  if (error instanceof Disowned || isMistaken(error)) {
    session.abort(`what this process knows of the bind is not so: ${error.message}`);
    return;
  }
  if (isSilent(error)) session.abort(DATABASE_SILENT);
  const text = "a commit cycle failed; it is tried again";
  reportFailure(app, error, text, { operator: operator.name });
}
