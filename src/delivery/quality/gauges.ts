// The quality of routes in metrics: of the last hours by operator, and the suspect routes. Every worker shows the same.
import { Gauge } from "prom-client";
import { readerOf } from "../../platform/database/scrapes.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { percentileOf } from "./latencies.ts";
import * as sql from "./sql.ts";

/** The hour that runs and the one before it. */
const SHOWN_HOURS = 2;
const OPERATORS_AT_MOST = 100;
const SUSPECTS_AT_MOST = 300;
const QUANTILES = [0.5, 0.95];

/** Adds the quality of routes to the metrics of this process. Call it once. */
export function showQuality(app: Runtime): void {
  const read = readerOf(app, "the quality of routes", async (db) => {
    const [operators, suspects] = await Promise.all([
      db.run(sql.sumOperators, [SHOWN_HOURS, OPERATORS_AT_MOST]),
      db.run(sql.listNamedSuspects, [SUSPECTS_AT_MOST]),
    ]);
    return { operators, suspects };
  });
  type Found = NonNullable<Awaited<ReturnType<typeof read>>>;
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    show: (found: Found, set: (labels: Record<Label, string>, value: number | null) => void) => void,
  ) =>
    new Gauge({
      name: `atumpan_${name}`,
      help,
      labelNames,
      registers: [app.metrics],
      async collect() {
        this.reset();
        const found = await read();
        if (found) show(found, (labels, value) => value !== null && this.set(labels, value));
      },
    });
  gauge(
    "receipt_seconds",
    "Time from acceptance to a receipt that says DELIVERED, of messages accepted in the hour that runs and the one before.",
    ["operator", "quantile"],
    ({ operators }, set) => {
      for (const { name, latencies } of operators)
        for (const quantile of QUANTILES) {
          const ms = percentileOf(latencies.map(Number), quantile);
          set({ operator: name, quantile: `${quantile}` }, ms === null ? null : ms / 1_000);
        }
    },
  );
  const ratio = (
    name: string,
    help: string,
    figureOf: (row: sql.OperatorSums) => [part: number, all: number],
  ) =>
    gauge(name, help, ["operator"], ({ operators }, set) => {
      for (const row of operators) {
        const [part, all] = figureOf(row);
        set({ operator: row.name }, all > 0 ? part / all : null);
      }
    });
  ratio(
    "otp_verified_ratio",
    "Share of the one-time passwords of those hours that was verified; absent without any that has expired.",
    ({ codesVerified, codesSent }) => [codesVerified, codesSent],
  );
  ratio(
    "probe_confirmed_ratio",
    "Share of the test messages of those hours that was confirmed; absent without any that counts yet.",
    ({ probesConfirmed, probesSent }) => [probesConfirmed, probesSent],
  );
  gauge(
    "suspect_routes",
    "Routes whose messages arrive far less often than their receipts say, by what proves it; 300 at most.",
    ["operator", "prefix", "proof"],
    ({ suspects }, set) => {
      for (const { name, prefix, proof } of suspects) set({ operator: name, prefix, proof }, 1);
    },
  );
}
