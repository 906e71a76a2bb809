// Metrics: one Prometheus registry per running process; every folder adds what it measures.
import { collectDefaultMetrics, Registry } from "prom-client";

export type Metrics = Registry;

/** A registry with the process's own figures: memory, event loop, garbage collection. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
