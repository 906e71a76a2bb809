// The clock of this process, for tests that set it.
import { after } from "node:test";
import { setClock } from "../src/platform/clock.ts";

/** Sets the clock back to this machine's when the tests of a file have ended: other files run in this process after them. */
export function resetClockAfterwards(): void {
  after(() => {
    const at = performance.now();
    setClock(Date.now(), at, at);
  });
}
