// Shows the state of links and queue at the moment of a scrape. Nothing is stored between scrapes.
import { Gauge } from "prom-client";
import type { Statements } from "../../platform/database/query.ts";
import { readerOf } from "../../platform/database/scrapes.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { BindState } from "../operators/bind.ts";
import type { OperatorKeeper } from "../operators/keeper.ts";
import type { Pace } from "../operators/pace.ts";
import type { QueueDepth } from "../sends/queue/depths.sql.ts";
import { readOperatorsOfUnknown, readQueueDepths } from "../sends/queue/depths.ts";
import { LANE } from "../sends/queue/enqueue.ts";
import type { LinkMachine } from "./machine/linkmachine.ts";
import * as sql from "./sql.ts";

/** A link as metrics show it. */
export type ShownLink = Pick<LinkMachine, "slotsInUse" | "depths"> & {
  inFlight(): number;
  operator: { name: string; send_window: number };
  pace: Pick<Pace, "perSecond" | "learned">;
};

/** The sources of the gauges of a process; wired in `gateway.ts`. */
export type Shown = {
  links: Iterable<ShownLink>;
  operators: Pick<OperatorKeeper, "routing" | "nameOf" | "states">;
};

const STATES: BindState[] = ["BOUND", "CONNECTING", "REFUSED", "DISCONNECTED", "STANDBY"];
const LANES = Object.entries(LANE);
const ORPHANS_AT_MOST = 100_000;
/** No operator serves the prefix any more, or the operator is deleted. */
const NOBODY = "(none)";
const UP_TO = `${ORPHANS_AT_MOST} at most in all`;
const QUEUE_HELP =
  "Messages that no link has taken, by the operator that serves their prefix first; 50,000 batches at most are counted. Every process shows the same.";

/** Adds to the value of a series. */
type Add = (labels: Record<string, string>, value: number) => void;

/** Adds the gauges of a gateway to the metrics of its process. Call it once. */
export function showGauges(app: Runtime, shown: Shown): void {
  const gauge = (name: string, help: string, labels: string[], show: (add: Add) => void | Promise<void>) =>
    new Gauge({
      name: `atumpan_${name}`,
      help,
      labelNames: ["operator", ...labels],
      registers: [app.metrics],
      async collect() {
        this.reset();
        await show((series, value) => this.inc(series, value));
      },
    });
  showLinks(gauge, shown);
  showDatabase(gauge, app, shown.operators);
}

type MakeGauge = (
  name: string,
  help: string,
  labels: string[],
  show: (add: Add) => void | Promise<void>,
) => Gauge;

function showLinks(gauge: MakeGauge, { links, operators }: Shown): void {
  gauge("binds", "Binds by state. STANDBY: another process has it.", ["state"], (add) => {
    for (const { operator, state } of operators.states())
      for (const each of STATES) add({ operator, state: each }, Number(each === state));
  });
  const ofEach = (name: string, help: string, figureOf: (link: ShownLink) => number | null) =>
    gauge(name, help, [], (add) => {
      for (const link of links) {
        const value = figureOf(link);
        if (value !== null) add({ operator: link.operator.name }, value);
      }
    });
  // The links of an operator share one pace.
  const ofPaces = (name: string, help: string, figureOf: (pace: ShownLink["pace"]) => number | null) =>
    gauge(name, help, [], (add) => {
      for (const [pace, operator] of new Map([...links].map((link) => [link.pace, link.operator.name]))) {
        const value = figureOf(pace);
        if (value !== null) add({ operator }, value);
      }
    });
  const slots =
    "Slots in use, from intent to committed outcome: a killed process leaves so many of unknown fate.";
  const learned =
    "Rate that the operator was found to take; absent where nothing but its limit holds a link back.";
  ofEach("window_size", "submit_sm without an answer that are allowed.", (link) => link.operator.send_window);
  ofEach("window_on_wire", "submit_sm that are written and not answered.", (link) => link.inFlight());
  ofEach("window_slots", slots, (link) => link.slotsInUse);
  ofPaces("rate_per_second", "submit_sm accepted in the last second.", (pace) => pace.perSecond());
  ofPaces("rate_learned_per_second", learned, (pace) => pace.learned());
  gauge(
    "shelf_messages",
    "Messages that links took from the queue and did not write yet.",
    ["lane"],
    (add) => {
      for (const { operator, depths } of shelvesOf(links))
        for (const { lane, messages } of depths) add({ operator, lane: nameOfLane(lane) }, messages);
    },
  );
  gauge("shelf_age_seconds", "How long the oldest of them waits.", ["lane"], (add) => {
    for (const { operator, depths } of shelvesOf(links))
      for (const { lane, since } of depths)
        add({ operator, lane: nameOfLane(lane) }, Math.max(0, performance.now() - since) / 1_000);
  });
}

/** The backlogs by operator. Of several links, the oldest message counts for `since`. */
function shelvesOf(links: Iterable<ShownLink>) {
  const byOperator = Map.groupBy(links, (link) => link.operator.name);
  return [...byOperator].map(([operator, its]) => {
    const all = its.flatMap((link) => link.depths());
    const depths = [...Map.groupBy(all, ({ lane }) => lane)].map(([lane, some]) => ({
      lane,
      messages: some.reduce((sum, { messages }) => sum + messages, 0),
      since: Math.min(performance.now(), ...some.map(({ since }) => since)),
    }));
    return { operator, depths };
  });
}

function showDatabase(gauge: MakeGauge, app: Runtime, operators: Shown["operators"]): void {
  const read = readerOf(app, "the queue", readAll);
  // An operator without queued messages has zeros.
  const operatorNames = () => new Set(operators.states().map(({ operator }) => operator));
  const byOperator = (name: string, help: string, countsOf: (found: Found) => ReadonlyMap<string, number>) =>
    gauge(name, help, [], async (add) => {
      const found = await read();
      if (!found) return;
      for (const operator of operatorNames()) add({ operator }, 0);
      for (const [id, count] of countsOf(found)) add({ operator: operators.nameOf(id) ?? NOBODY }, count);
    });
  byOperator(
    "unknown_messages",
    `Messages of unknown fate that wait for receipts; ${UP_TO}.`,
    (found) => found.unknown,
  );
  byOperator("orphan_receipts", `Receipts that fit no message; ${UP_TO}.`, (found) => found.orphans);
  const ofDepths = (name: string, help: string, figureOf: (depths: readonly QueueDepth[]) => number) =>
    gauge(name, help, ["lane"], async (add) => {
      const found = await read();
      if (!found) return;
      for (const operator of operatorNames()) for (const [lane] of LANES) add({ operator, lane }, 0);
      for (const { depths, ...labels } of placesOf(found.depths, operators)) add(labels, figureOf(depths));
    });
  ofDepths("queue_messages", QUEUE_HELP, (depths) => depths.reduce((sum, { messages }) => sum + messages, 0));
  ofDepths("queue_age_seconds", "How long the oldest of them that is due waits.", (depths) =>
    Math.max(0, ...depths.map(({ age_ms: ageMs }) => (ageMs ?? 0) / 1_000)),
  );
}

/** The queue depths, by lane and operator. */
function placesOf(all: readonly QueueDepth[], operators: Shown["operators"]) {
  const routing = operators.routing();
  const operatorOf = (prefix: string) => operators.nameOf(routing.firstOf(prefix) ?? "") ?? NOBODY;
  const byLane = Map.groupBy(all, ({ lane }) => nameOfLane(lane));
  return [...byLane].flatMap(([lane, some]) =>
    [...Map.groupBy(some, ({ prefix }) => operatorOf(prefix))].map(([operator, depths]) => ({
      operator,
      lane,
      depths,
    })),
  );
}

function nameOfLane(lane: number): string {
  return LANES.find(([, number]) => number === lane)![0];
}

type Found = {
  depths: readonly QueueDepth[];
  /** By the ids of operators. */
  unknown: ReadonlyMap<string, number>;
  orphans: ReadonlyMap<string, number>;
};

async function readAll(db: Statements): Promise<Found> {
  const [depths, unknown, orphans] = await Promise.all([
    readQueueDepths(db),
    readOperatorsOfUnknown(db),
    db.run(sql.countOrphansByOperator, [ORPHANS_AT_MOST]),
  ]);
  return { depths, unknown, orphans: new Map(orphans.map((row) => [row.operator_id, row.count])) };
}
