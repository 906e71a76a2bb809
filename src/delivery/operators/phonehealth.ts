// What a phone says of itself in its pings: battery and network.
import type { Statements } from "../../platform/database/query.ts";
import { updateHealth } from "./phones.sql.ts";

/** A check in the health of the app: docs.sms-gate.app, "Health". */
type Checks = Readonly<Record<string, { observedValue?: unknown } | undefined>>;

/** Returns the checks in the body of a `system:ping`; undefined if it is something else. */
export function healthIn(body: Buffer): Checks | undefined {
  try {
    const { event, payload } = JSON.parse(body.toString());
    const checks: unknown = event === "system:ping" ? payload?.health?.checks : undefined;
    return typeof checks === "object" && checks !== null ? (checks as Checks) : undefined;
  } catch {
    return undefined; // Other events are read elsewhere, and what is no JSON by nobody.
  }
}

// The bits and the numbers of the app's TransportType and CellularNetworkType.
const TRANSPORT = { cellular: 2, wifi: 4, ethernet: 8 };
const GENERATIONS = ["none", "cellular", "2g", "3g", "4g", "5g"] as const;

/** Stores battery and network of a phone, as its app tells them in a ping. */
export async function recordHealth(db: Statements, operatorId: string, checks: Checks): Promise<void> {
  const numberOf = (name: string) => {
    const value = checks[name]?.observedValue;
    return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
  };
  const level = numberOf("battery:level");
  const charging = numberOf("battery:charging");
  await db.run(updateHealth, {
    operatorId,
    battery: level === undefined ? null : Math.min(100, level),
    charging: charging === undefined ? null : charging > 0,
    network: networkOf(numberOf("connection:transport"), numberOf("connection:cellular")),
  });
}

function networkOf(transport: number | undefined, generation: number | undefined): string | null {
  if (transport === undefined) return null;
  if (transport & TRANSPORT.wifi) return "wifi";
  if (transport & TRANSPORT.ethernet) return "ethernet";
  if (transport & TRANSPORT.cellular) return GENERATIONS[generation ?? 1] ?? "cellular";
  return "none";
}
