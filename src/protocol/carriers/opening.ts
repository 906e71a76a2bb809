// Opens a connector with the values of its fields: the pure half of an HTTP carrier.
import type { Connector } from "./connector.ts";
import type { CarrierRequest, OpenConnector } from "./exchange.ts";

/** Opens a connector. The values of fields must have passed `checkFields`. */
export function openConnector(
  _connector: Connector,
  _fields: Readonly<Record<string, string>>,
  _nowMs: () => number,
): OpenConnector {
  throw new Error("The engine of connectors is not written yet.");
}

/** Returns a request with all secrets replaced by `••••`, in any escaping. */
export function masked(
  request: CarrierRequest,
  _connector: Connector,
  _fields: Readonly<Record<string, string>>,
): CarrierRequest {
  return { ...request, headers: {}, url: "", body: undefined };
}
