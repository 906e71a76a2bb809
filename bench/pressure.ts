// Asks the same again and again over many connections, in a thread of its own: what it sends and gets in megabytes must not
// delay the clock of the other requests.
import { parentPort, workerData } from "node:worker_threads";
import { drive } from "./http.ts";

/** What a thread is started with, and what it tells at the end. */
export type Pressure = { port: number; connections: number; request: string; forMs: number };
export type Pressed = { done: number; refused: number };

const { port, connections, request, forMs } = workerData as Pressure;
const endsAt = performance.now() + forMs;
const pressed: Pressed = { done: 0, refused: 0 };
const asking = Array.from({ length: connections }, () =>
  drive(port, {
    next: () => (performance.now() < endsAt ? request : undefined),
    onAnswer(answer) {
      if (answer.includes('"success":true')) pressed.done++;
      else pressed.refused++;
      return 0;
    },
  }),
);
await Promise.all(asking);
parentPort!.postMessage(pressed);
