// The endpoints of carriers over HTTP: which operator a callback belongs to, and how its connector reads it.
import type { BlockList } from "node:net";
import { nowMs } from "../../platform/clock.ts";
import { rangesOf } from "../../platform/http/networks.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { OpenConnector } from "../../protocol/carriers/exchange.ts";
import { openConnector } from "../../protocol/carriers/opening.ts";
import { callbackSecretOf, connectorFieldsOf, connectorOf } from "./connectors.ts";
import { type OperatorAccount, OperatorAccounts } from "./operatoraccounts.ts";
import { settingsOf } from "./settings.ts";
import { listOperators, type OperatorRow } from "./sql.ts";

/** The callbacks of one operator over HTTP. A deleted one keeps its endpoint for 7 days: receipts arrive late. */
export type CarrierEndpoint = {
  readonly operator: OperatorRow;
  readonly secret: string;
  readonly connector: OpenConnector;
  /** The addresses that callbacks may come from; undefined: any. */
  readonly addresses: BlockList | undefined;
  account(): OperatorAccount;
};

// A change by another process counts within this time; ten thousand receipts at once must not read the rows each time.
const READ_EVERY_MS = 1_000;
/** An operator that was just created may get its first receipt within that second, so an unknown one is looked up sooner. */
const READ_AGAIN_MS = 100;

/** `unusable`: the connector of the operator cannot be opened. */
type Found = CarrierEndpoint | "unusable" | undefined;
type Known = { terms: string; endpoint: Found };

/** All endpoints, read again when they are older than a second. An operator that has not changed stays open. */
class CarrierEndpoints {
  readonly #app: Runtime;
  #accounts = new OperatorAccounts([]);
  #known = new Map<string, Known>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(app: Runtime) {
    this.#app = app;
  }

  async find(operatorId: string): Promise<Found> {
    const age = performance.now() - this.#readAt;
    if (age > READ_EVERY_MS || (age > READ_AGAIN_MS && !this.#known.has(operatorId))) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return this.#known.get(operatorId)?.endpoint;
  }

  async #read(): Promise<void> {
    const rows = await this.#app.database.run(listOperators);
    this.#accounts = new OperatorAccounts(rows);
    const before = this.#known;
    this.#known = new Map();
    for (const row of rows) {
      const { connector, declaration, connector_fields, sealed_fields, sealed_callback, settings } = row;
      const terms = JSON.stringify([
        connector,
        declaration,
        connector_fields,
        sealed_fields,
        sealed_callback,
        settings,
      ]);
      const known = before.get(row.id);
      const endpoint = known?.terms === terms ? renewed(known.endpoint, row) : this.#openOrReport(row);
      this.#known.set(row.id, { terms, endpoint });
    }
    this.#readAt = performance.now();
  }

  /** One operator that cannot be opened must not stop the receipts of the others. It is logged once, until it changes. */
  #openOrReport(operator: OperatorRow): Found {
    try {
      return this.#open(operator);
    } catch (error) {
      this.#app.log.error(
        { err: error, operator: operator.name },
        "the carrier of an operator cannot deliver receipts, since its connector cannot be opened",
      );
      return "unusable";
    }
  }

  #open(operator: OperatorRow): CarrierEndpoint | undefined {
    const secret = callbackSecretOf(this.#app, operator);
    if (operator.kind === "smpp" || secret === undefined) return undefined;
    const connector = openConnector(connectorOf(operator), connectorFieldsOf(this.#app, operator), nowMs);
    const { callbackAddresses } = settingsOf(operator.settings);
    const addresses = callbackAddresses.length > 0 ? rangesOf(callbackAddresses) : undefined;
    return { operator, secret, connector, addresses, account: () => this.#accounts.of(operator.id) };
  }
}

function renewed(endpoint: Found, operator: OperatorRow): Found {
  return typeof endpoint === "object" ? { ...endpoint, operator } : endpoint;
}

const endpointsOf = perRuntime((app) => new CarrierEndpoints(app));

/**
 * Returns the endpoint of an operator over HTTP, at most a second old; undefined: there is no such operator; `unusable`:
 * its connector cannot be opened.
 */
export function findCarrierEndpoint(app: Runtime, operatorId: string): Promise<Found> {
  return endpointsOf(app).find(operatorId);
}
