// Networks: what the addresses of one network have open and under way here, and how much of what they sent was refused.
import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Config } from "./config.ts";
import { Rates } from "./rates.ts";
import { perRuntime } from "./runtime.ts";

/** `undefined` is nobody's network: many people may stand behind the address that we see. */
export type Network = string | undefined;

/** Something of which there is only so much: `inAll`, and for each network. */
class Budget {
  readonly #inAll: number;
  readonly #perNetwork: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  constructor(limits: { inAll: number; perNetwork: number }) {
    this.#inAll = limits.inAll;
    this.#perNetwork = limits.perNetwork;
  }

  /** Takes so much, unless more than this share would be taken then: the limit that stands against it is named. */
  take(network: Network, amount: number, share = 1): "in-all" | "network" | undefined {
    const by = this.#by(network) + amount;
    if (network !== undefined && by > this.#perNetwork * share) return "network";
    if (this.#taken + amount > this.#inAll * share) return "in-all";
    this.#taken += amount;
    if (network !== undefined) this.#takenBy.set(network, by);
    return undefined;
  }

  giveBack(network: Network, amount: number): void {
    this.#taken -= amount;
    if (network === undefined) return;
    const left = this.#by(network) - amount;
    if (left > 0) this.#takenBy.set(network, left);
    else this.#takenBy.delete(network);
  }

  #by(network: Network): number {
    return (network !== undefined && this.#takenBy.get(network)) || 0;
  }
}

/** The accounts of all networks in one process. */
export class Networks {
  readonly sockets: Budget;
  /** Bytes of bodies that come in or are worked at. */
  readonly bodies: Budget;
  /** Bytes of bodies that were read and then refused. */
  readonly refused: Rates;
  readonly #unlimited: BlockList;

  constructor({ limits, trustProxy = [] }: Pick<Config, "limits" | "trustProxy">) {
    this.sockets = new Budget({ inAll: limits.sockets, perNetwork: limits.socketsPerNetwork });
    this.bodies = new Budget({
      inAll: limits.bodyBytesInFlight,
      perNetwork: limits.bodyBytesInFlightPerNetwork,
    });
    this.refused = new Rates({ perSecond: limits.refusedBytesPerSecond, burst: limits.refusedBytesAtOnce });
    this.#unlimited = rangesOf([...limits.networksWithoutLimits, ...trustProxy]);
  }

  /**
   * The network of an address: 256 addresses of IPv4, 2^80 of IPv6 (a /48, what a provider gives to one customer at most).
   * Our own machine and the proxies that we trust are nobody's: others ask through them.
   */
  of(ip: string): Network {
    if (!ipaddr.isValid(ip)) return "unknown";
    const address = ipaddr.process(ip);
    const family = address.kind();
    if (this.#unlimited.check(address.toString(), family)) return undefined;
    return address
      .toByteArray()
      .slice(0, family === "ipv4" ? 3 : 6)
      .join(".");
  }
}

/** The networks of this process. */
export const networksOf = perRuntime(({ config }) => new Networks(config));

/** The addresses and ranges of a list like `10.0.0.0/8, ::1`. */
export function rangesOf(list: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const range of list) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    ranges.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return ranges;
}
