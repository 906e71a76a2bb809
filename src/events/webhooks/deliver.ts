// The deliverer: takes due deliveries, fairly between endpoints, tries them, and records the outcomes, in batches.
import { setTimeout as wait } from "node:timers/promises";
import { Counter, Gauge } from "prom-client";
import { nowMs } from "../../platform/clock.ts";
import { listenHere } from "../../platform/database/notify.ts";
import { reportFailure } from "../../platform/database/outages.ts";
import { AddressNotAllowed, type Resolve } from "../../platform/http/guard.ts";
import { REQUEST_ID } from "../../platform/http/requestids.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { queryPlace, wholeAddress } from "./address.ts";
import * as sql from "./deliver.sql.ts";
import { webhookLookup } from "./guard.ts";
import { type DeliveryOutcome, deliveryOutcomeOf, recordDeliveries } from "./outcomes.ts";
import { Peers } from "./peers.ts";
import { post, type ReceiverAnswer } from "./post.ts";
import { oldSecretPlace, secretPlace, signatureHeaders } from "./sign.ts";
import type { DisabledReason } from "./sql.ts";

/** The channel that announces new events within one process. */
export const NEWS = "webhooks";

/** An event as it was emitted. */
export type WebhookEvent = { endpointId: string; id: string; type: string; data: unknown };

export type DeliverOptions = {
  /** Returns the data to send, with secrets that no row stores; null cancels the delivery. By default, `data`. */
  fill?: (app: Runtime, event: WebhookEvent) => Promise<unknown>;
  /** Notifies the owner that an endpoint was disabled. If it throws, it is called again after a minute. */
  onDisabled?: (app: Runtime, endpointId: string, reason: DisabledReason) => Promise<void>;
  /** Resolves a host name; tests replace it. */
  resolve?: Resolve;
};

// How often the database is scanned without news, and the minimum time between two scans.
const LOOK_AGAIN_MS = 500;
const LOOK_AT_MOST_EVERY_MS = 20;
/** Scans may take this share of the time. */
const LOOKING_SHARE = 0.1;
const ENDPOINTS_PER_LOOK = 1_000;
const ENDPOINTS_PER_TURN = 500;
/** Added to the time of a try. A delivery not reported by then is taken by another process: the first one died. */
const LEASE_SLACK_MS = 15_000;
const FAILURE_PAUSE_MS = 500;
const TELL_AGAIN_MS = 60_000;
const TELL_EVERY_MS = 10_000;
const TOLD_AT_ONCE = 10;
const STOP_MS = 3_000;

const measures = perRuntime((app) => ({
  tries: new Counter({
    name: "atumpan_webhook_tries_total",
    help: "Tries to deliver a webhook, by what became of the delivery.",
    labelNames: ["status"],
    registers: [app.metrics],
  }),
  inFlight: new Gauge({
    name: "atumpan_webhooks_in_flight",
    help: "Webhooks under way in this process.",
    registers: [app.metrics],
  }),
}));

/**
 * Delivers until `signal` aborts, in any number of processes side by side. It then waits at most 3 s for the tries
 * under way and returns the other deliveries.
 * 2,300 to 2,800/s to one endpoint, 3,700 to 4,800/s to 100, with or without a million deliveries stored (`npm run
 * bench:webhooks`: receiver, PostgreSQL with fsync and one deliverer of 0.2 ms each on 2 cores, 2026-11-21).
 */
export async function deliverWebhooks(
  app: Runtime,
  signal: AbortSignal,
  options: DeliverOptions = {},
): Promise<void> {
  await new Deliverer(app, options).run(signal);
}

/**
 * Runs one cycle at a time: a transaction that records outcomes and takes as many deliveries as there is room for.
 * Cycles follow each other without timers while there is work, so they grow with the load. No database connection is
 * held while a receiver answers.
 */
class Deliverer {
  readonly #app: Runtime;
  readonly #options: DeliverOptions;
  readonly #peers: Peers;
  /** Endpoints that may have a due delivery; those served last are last. */
  readonly #due = new Set<string>();
  readonly #hangUp = new AbortController();
  #outcomes: DeliveryOutcome[] = [];
  #open = 0;
  #telling: Promise<void> | undefined;
  /** The endpoint at which the next page of the current scan begins. */
  #cursor = "";
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The minimum time from one scan to the next. */
  #restMs = 0;
  #tellAt = 0;
  #news = false;
  #woken = false;
  #resume: (() => void) | undefined;

  constructor(app: Runtime, options: DeliverOptions) {
    this.#app = app;
    this.#options = options;
    this.#peers = new Peers(app.config.limits);
  }

  async run(signal: AbortSignal): Promise<void> {
    const here = listenHere(this.#app, NEWS, () => {
      this.#news = true;
      this.#wake();
    });
    const stop = () => this.#wake();
    signal.addEventListener("abort", stop);
    try {
      while (!signal.aborted) {
        this.#woken = false;
        const pauseMs = await this.#step().catch((error: Error) => {
          reportFailure(this.#app, error, "a turn of the webhooks failed; it is tried again");
          return FAILURE_PAUSE_MS;
        });
        if (!signal.aborted) await this.#pause(pauseMs);
      }
      await this.#drain();
    } finally {
      here.stop();
      signal.removeEventListener("abort", stop);
      this.#peers.close();
    }
  }

  /** Scans if it is time, and runs a cycle if there is work. Returns how long there is nothing to do. */
  async #step(): Promise<number> {
    const now = performance.now();
    this.#peers.sweep(now);
    if (this.#lookInMs(now) === 0) await this.#look();
    const wanted = this.#wanted();
    if (this.#outcomes.length + wanted.length > 0) await this.#turn(wanted);
    const isBusy = this.#outcomes.length > 0 || this.#wanted().length > 0;
    return isBusy ? 0 : this.#lookInMs(performance.now());
  }

  #lookInMs(now: number): number {
    if (this.#cursor !== "") return 0;
    const gapMs = this.#news ? this.#restMs : LOOK_AGAIN_MS;
    return Math.max(0, this.#lookedAt + gapMs - now);
  }

  /** Finds endpoints with due deliveries, one page; the next page follows at once. */
  async #look(): Promise<void> {
    const startedAt = performance.now();
    if (this.#cursor === "") this.#news = false;
    const rows = await this.#app.database.run(sql.listWaiting, [this.#cursor, ENDPOINTS_PER_LOOK]);
    for (const { endpoint_id, due } of rows) if (due) this.#due.add(endpoint_id);
    this.#cursor = rows[ENDPOINTS_PER_LOOK - 1]?.endpoint_id ?? "";
    this.#lookedAt = performance.now();
    const restMs = (this.#lookedAt - startedAt) / LOOKING_SHARE;
    this.#restMs = Math.min(Math.max(restMs, LOOK_AT_MOST_EVERY_MS), LOOK_AGAIN_MS);
    if (this.#options.onDisabled && this.#lookedAt >= this.#tellAt) this.#telling ??= this.#tellOwners();
  }

  /** Chooses the endpoints to serve next, and how many deliveries of each. */
  #wanted(): { endpointId: string; room: number }[] {
    const wanted: { endpointId: string; room: number }[] = [];
    const rooms = this.#peers.rooms();
    for (const endpointId of this.#due) {
      if (rooms.full || wanted.length === ENDPOINTS_PER_TURN) break;
      const room = rooms.take(endpointId);
      if (room > 0) wanted.push({ endpointId, room });
    }
    return wanted;
  }

  async #turn(wanted: { endpointId: string; room: number }[]): Promise<void> {
    const outcomes = this.#outcomes.splice(0);
    const { settings } = this.#app.config;
    const leaseMs = settings.webhookTimeoutMs + LEASE_SLACK_MS;
    let taken: sql.TakenDelivery[];
    let disabled: string[];
    try {
      [disabled, taken] = await this.#app.database.transaction((tx) =>
        Promise.all([
          recordDeliveries(tx, outcomes, settings.webhookFailingLifetimeMs),
          wanted.length > 0 ? tx.run(sql.takeDeliveries, { wanted, leaseMs }) : [],
        ]),
      );
    } catch (error) {
      // The commit may have happened: recording twice is harmless, and a delivery taken twice waits for its lease.
      this.#outcomes.unshift(...outcomes);
      throw error;
    }
    for (const { status } of outcomes) measures(this.#app).tries.inc({ status });
    if (disabled.length > 0) {
      this.#app.log.warn({ endpoints: disabled }, "webhook endpoints were disabled");
      this.#tellAt = 0;
    }
    const counts = new Map<string, number>();
    for (const { endpoint_id } of taken) counts.set(endpoint_id, (counts.get(endpoint_id) ?? 0) + 1);
    for (const { endpointId, room } of wanted) {
      this.#due.delete(endpointId);
      if (counts.get(endpointId) === room) this.#due.add(endpointId);
    }
    for (const delivery of taken) void this.#deliver(delivery);
  }

  /** Handles one delivery from taking it to its outcome. Never rejects. */
  async #deliver(delivery: sql.TakenDelivery): Promise<void> {
    const peer = this.#peers.begin(delivery.endpoint_id);
    this.#count(1);
    try {
      const data = delivery.canceled ? null : await this.#fill(delivery);
      if (data === null) this.#report(deliveryOutcomeOf(delivery, "canceled"));
      else
        await this.#send(delivery, data, (answer) => {
          const outcome = deliveryOutcomeOf(delivery, answer);
          peer.learn(outcome.status === "DELIVERED");
          this.#report(outcome);
        });
    } catch (error) {
      // The receiver did not fail, so the try does not count. The delivery is taken again when its lease ends.
      const about = { level: "error", delivery: delivery.id } as const;
      reportFailure(this.#app, error, "a webhook could not be prepared", about);
    } finally {
      peer.end();
      this.#count(-1);
      this.#wake();
    }
  }

  async #fill({ endpoint_id, id, type, data }: sql.TakenDelivery): Promise<unknown> {
    const { fill } = this.#options;
    return fill ? fill(this.#app, { endpointId: endpoint_id, id, type, data }) : data;
  }

  async #send(
    delivery: sql.TakenDelivery,
    data: unknown,
    onAnswer: (answer: ReceiverAnswer) => void,
  ): Promise<void> {
    const { secrets, config } = this.#app;
    const { endpoint_id, id, type, created_at, sealed_secret, sealed_old_secret, sealed_query } = delivery;
    const { request_id } = delivery;
    const keys = [secrets.unseal(secretPlace(endpoint_id), sealed_secret)];
    if (sealed_old_secret !== null) keys.push(secrets.unseal(oldSecretPlace(endpoint_id), sealed_old_secret));
    const body = JSON.stringify({ id, type, timestamp: created_at.toISOString(), data });
    const headers = signatureHeaders(keys, { id, seconds: Math.floor(nowMs() / 1_000), body });
    try {
      const stored = { url: delivery.url, sealedQuery: sealed_query };
      const address = wholeAddress(secrets, queryPlace("webhook_endpoints", endpoint_id), stored);
      const line = this.#peers.line(endpoint_id, address, (url) =>
        webhookLookup(this.#app, url, this.#options.resolve),
      );
      await post(line, {
        headers: { ...headers, ...(request_id !== null && { [REQUEST_ID]: request_id }) },
        body,
        timeoutMs: config.settings.webhookTimeoutMs,
        signal: this.#hangUp.signal,
        onAnswer,
      });
    } catch (error) {
      if (!(error instanceof AddressNotAllowed)) throw error;
      onAnswer({ error: "address-not-allowed" });
    }
  }

  #report(outcome: DeliveryOutcome): void {
    this.#outcomes.push(outcome);
    this.#wake();
  }

  #count(change: 1 | -1): void {
    this.#open += change;
    measures(this.#app).inFlight.inc(change);
  }

  #wake(): void {
    this.#woken = true;
    this.#resume?.();
  }

  /** Waits for news, an outcome, or this much time. All outcomes that have arrived by then share one cycle. */
  async #pause(ms: number): Promise<void> {
    if (ms > 0 && !this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#resume = undefined;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Waits for the tries under way, aborts those that take too long, and records all outcomes. */
  async #drain(): Promise<void> {
    const deadline = performance.now() + 2 * STOP_MS;
    const timer = setTimeout(() => this.#hangUp.abort(), STOP_MS);
    while (this.#open > 0 && performance.now() < deadline) {
      this.#woken = false;
      await this.#pause(STOP_MS);
    }
    clearTimeout(timer);
    await Promise.race([this.#telling, wait(STOP_MS, undefined, { ref: false })]);
    if (this.#outcomes.length === 0) return;
    await this.#turn([]).catch((error: Error) =>
      this.#app.log.warn({ err: error }, "the last webhooks could not be recorded; they will be sent again"),
    );
  }

  /** Notifies owners of disabled endpoints, again after a minute until it succeeds. */
  async #tellOwners(): Promise<void> {
    const { database } = this.#app;
    const { onDisabled } = this.#options;
    this.#tellAt = performance.now() + TELL_EVERY_MS;
    try {
      const untold = await database.run(sql.takeUntold, [TOLD_AT_ONCE, TELL_AGAIN_MS]);
      for (const { id, disabled_reason } of untold) {
        await onDisabled?.(this.#app, id, disabled_reason)
          .then(() => database.run(sql.markTold, [id]))
          .catch((error: Error) =>
            reportFailure(this.#app, error, "an owner could not be told of a webhook", {
              level: "error",
              endpoint: id,
            }),
          );
      }
    } catch (error) {
      reportFailure(this.#app, error, "owners of disabled webhooks could not be looked up");
    } finally {
      this.#telling = undefined;
    }
  }
}
