// Origins: the addresses and ranges from which a key may be used.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { Type } from "typebox";
import { refuseField } from "./fielderrors.ts";

const NETWORKS_AT_MOST = 20;
const NETWORK_CHARACTERS_AT_MOST = 64;

/**
 * The addresses and ranges of a key in a body, like `["41.202.10.7", "2001:db8::/32"]`. `readNetworks` parses them. An
 * empty list is refused: it could mean every address or none.
 */
export const KeyNetworks = Type.Array(Type.String({ minLength: 1, maxLength: NETWORK_CHARACTERS_AT_MOST }), {
  minItems: 1,
  maxItems: NETWORKS_AT_MOST,
});

/**
 * Returns the ranges of a list in a body, each once and in one form: `41.202.10.7/32`, `2001:db8::/32`. The bits after
 * the length of a range are ignored, and an IPv4 range in its IPv6 form becomes one of IPv4. Refuses `invalid-request`,
 * with the entry that is neither an address nor a range.
 */
export function readNetworks(given: readonly string[], field = "networks"): string[] {
  return [
    ...new Set(given.map((text, i) => rangeOf(text.trim()) ?? refuseField(`${field}[${i}]`, NO_RANGE))),
  ];
}

const NO_RANGE = {
  fr: "doit être une adresse IP ou une plage comme 41.202.10.0/24",
  en: "must be an IP address or a range such as 41.202.10.0/24",
};

const BITS = { ipv4: 32, ipv6: 128 } as const;
/** The bits before an IPv4 address in its IPv6 form (RFC 4291, 2.5.5.2). */
const BITS_OF_MAPPED = 96;

function rangeOf(text: string): string | undefined {
  const [address = "", length, ...more] = text.split("/");
  // `isIP` accepts only the usual form of an address; the library also accepts 0x7f.1. A zone is local to a machine.
  if (isIP(address) === 0 || address.includes("%") || more.length > 0) return undefined;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const parsed = ipaddr.parse(address);
  const bits = length === undefined ? BITS[parsed.kind()] : Number(length);
  if (bits > BITS[parsed.kind()]) return undefined;
  if (parsed instanceof ipaddr.IPv4)
    return `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
  if (parsed.isIPv4MappedAddress() && bits >= BITS_OF_MAPPED)
    return rangeOf(`${parsed.toIPv4Address()}/${bits - BITS_OF_MAPPED}`);
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
}

/**
 * True if an address is in one of the ranges that `readNetworks` returned, or if there are none, which allows any. An
 * unknown address, as behind a proxy that hides it, is in none.
 */
export function isWithin(networks: readonly string[], ip: string): boolean {
  if (networks.length === 0) return true;
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return range.kind() === address.kind() && address.match(range, bits);
  });
}
