// Networks: limits on the connections, the bytes in progress and the refused bytes of each network, per process.
import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Config } from "../config.ts";
import { Rates } from "../limits/rates.ts";
import { perRuntime } from "../runtime.ts";

/** `undefined` has no limits, because many people may be behind the address that we see. */
export type Network = string | undefined;

/** An amount that is limited in all and for each network. */
class Budget {
  readonly #inAll: number;
  readonly #perNetwork: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();

  constructor(limits: { inAll: number; perNetwork: number }) {
    this.#inAll = limits.inAll;
    this.#perNetwork = limits.perNetwork;
  }

  /** Takes `amount`. If that would exceed this share of a limit, it takes nothing and returns which limit. */
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

/** The budgets of all networks in one process. */
export class Networks {
  readonly sockets: Budget;
  /** Bytes of bodies that are being received or processed. */
  readonly bodies: Budget;
  /** Bytes of unanswered requests and of unread answers. */
  readonly answers: Budget;
  /** Bytes of bodies that were read and then refused. */
  readonly refused: Rates;
  readonly #unlimited: BlockList;

  constructor({ limits, trustProxy = [] }: Pick<Config, "limits" | "trustProxy">) {
    this.sockets = new Budget({ inAll: limits.sockets, perNetwork: limits.socketsPerNetwork });
    this.bodies = new Budget({
      inAll: limits.bodyBytesInFlight,
      perNetwork: limits.bodyBytesInFlightPerNetwork,
    });
    this.answers = new Budget({ inAll: limits.answerBytes, perNetwork: limits.answerBytesPerNetwork });
    this.refused = new Rates({ perSecond: limits.refusedBytesPerSecond, burst: limits.refusedBytesAtOnce });
    this.#unlimited = rangesOf([...limits.networksWithoutLimits, ...trustProxy]);
  }

  /**
   * Returns the network of an address: 256 addresses of IPv4, or 2^80 of IPv6 (a /48, the most that a provider gives
   * one customer). It is undefined for our own machine and for trusted proxies, because many clients share their
   * address: a limit would let one of them block all others.
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

/** Whether a text is an address, or a range such as `10.0.0.0/8`. `rangesOf` takes no shorter forms (`10/8`). */
export function isRange(text: string): boolean {
  const [address = "", bits = "0", ...more] = text.split("/");
  const most = isIP(address) === 6 ? 128 : 32;
  return isIP(address) !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
}

/** Parses the addresses and ranges of a list like `10.0.0.0/8, ::1`. */
export function rangesOf(list: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const range of list) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    ranges.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return ranges;
}
