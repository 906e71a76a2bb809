// The second door: everything that runs without a caller, one line each, in the order of the ladder.
import type { Job } from "./kernel/jobs.ts";
import { expireMessages, proveCredits } from "./messages/messages.ts";

export const jobs: Job[] = [
  { name: "messages-expire", cron: "* * * * *", run: expireMessages },
  { name: "credits-audit", cron: "7 * * * *", run: proveCredits },
];
