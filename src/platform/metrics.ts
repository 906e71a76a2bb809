// Metrics: one Prometheus registry per running process; every folder adds its own metrics.
import { collectDefaultMetrics, Registry } from "prom-client";

export type Metrics = Registry;

/** Returns a registry with the process's own metrics: memory, event loop, garbage collection. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
