// The connectors that Atumpan brings along.
import type { Connector } from "./connector.ts";

/** The built-in connectors by name. */
export const connectors: ReadonlyMap<string, Connector> = new Map<string, Connector>();
