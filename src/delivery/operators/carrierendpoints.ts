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

type Known = { terms: string; endpoint: CarrierEndpoint };

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

  async find(operatorId: string): Promise<CarrierEndpoint | undefined> {
    if (performance.now() - this.#readAt > READ_EVERY_MS) {
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
      const endpoint = known?.terms === terms ? { ...known.endpoint, operator: row } : this.#open(row);
      if (endpoint) this.#known.set(row.id, { terms, endpoint });
    }
    this.#readAt = performance.now();
  }

  #open(operator: OperatorRow): CarrierEndpoint | undefined {
    const secret = callbackSecretOf(this.#app, operator);
    if (operator.kind !== "http" || secret === undefined) return undefined;
    const connector = openConnector(connectorOf(operator), connectorFieldsOf(this.#app, operator), nowMs);
    const { callbackAddresses } = settingsOf(operator.settings);
    const addresses = callbackAddresses.length > 0 ? rangesOf(callbackAddresses) : undefined;
    return { operator, secret, connector, addresses, account: () => this.#accounts.of(operator.id) };
  }
}

const endpointsOf = perRuntime((app) => new CarrierEndpoints(app));

/** Returns the endpoint of an operator over HTTP, at most a second old; undefined: there is no such operator. */
export function findCarrierEndpoint(app: Runtime, operatorId: string): Promise<CarrierEndpoint | undefined> {
  return endpointsOf(app).find(operatorId);
}
