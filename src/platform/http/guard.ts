// The guard: which addresses our own requests may reach. It checks a URL when it is submitted, and again for each
// connection.

import { Resolver } from "node:dns/promises";
import { type BlockList, isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { perRuntime } from "../runtime.ts";
import { hostOf, URL_CHARACTERS_AT_MOST } from "./addresses.ts";
import { refuseField, type ValidationError } from "./fielderrors.ts";
import { rangesOf } from "./networks.ts";
import type { Sentence } from "./refusals.ts";
import { tooLong } from "./validationerrors.ts";

/** Returns all addresses of a host name, IPv4 and IPv6; throws if there are none. */
export type Resolve = (host: string) => Promise<string[]>;

const ADDRESSES_AT_MOST = 64;
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** IPv6 that is routed on the Internet. Other ranges (mapped, NAT64, site-local …) lead to hidden addresses. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Thrown if an address is not allowed; nothing was sent. */
export class AddressNotAllowed extends Error {
  override name = "AddressNotAllowed";
}

/**
 * Queries DNS directly. The system's resolver has four threads for the whole process, so a few names with silent
 * servers would block all others. The hosts file is therefore ignored; `localhost` is this machine (RFC 6761).
 */
/** Asks the name servers of this machine. */
export const askDns = perRuntime<Resolve>(() => {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  return async (host) => {
    if (/(^|\.)localhost\.?$/.test(host)) return ["127.0.0.1"];
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (found.length === 0) throw (answers[0] as PromiseRejectedResult).reason;
    return found;
  };
});

/**
 * What requests of one kind may reach: public addresses by HTTPS, on port 443 unless `anyPort` is set, and the addresses
 * of these ranges by HTTP too, on any port. `setting`: the variable of the ranges, if whoever is refused may know it.
 */
export type Reach = { ranges: BlockList; hasRanges: boolean; anyPort: boolean; setting: string | undefined };

/** Returns the reach of requests of one kind; `cidrs` are addresses and ranges. */
export function reachOf(
  cidrs: readonly string[],
  { anyPort = false, setting }: { anyPort?: boolean; setting?: string } = {},
): Reach {
  return { ranges: rangesOf(cidrs), hasRanges: cidrs.length > 0, anyPort, setting };
}

/**
 * Addresses that look public but lead to services of the machine's own cloud: credentials, settings, internal names.
 * The others (169.254.169.254, 100.100.100.200 of Alibaba, 192.0.0.192 of Oracle, fd00:ec2::254 of AWS, fd20:ce::254 of
 * Google, fd00:42::42 of Scaleway) are in private ranges anyway; they are listed so that none depends on that.
 */
const OF_CLOUDS = rangesOf([
  ...["168.63.129.16", "169.254.0.0/16", "100.100.100.200", "192.0.0.192"],
  ...["fd00:ec2::/32", "fd20:ce::254", "fd00:42::42"],
  // IBM Cloud's network for its services, and Google's addresses for its own networks.
  ...["161.26.0.0/16", "166.8.0.0/14", "199.36.153.4/30", "199.36.153.8/30"],
]);

/** Returns whether an address is of the public Internet, judged by its bytes. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast" || OF_CLOUDS.check(address, parsed.kind())) return false;
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST);
}

/** Returns the fault of the URL itself, before any lookup. */
function urlErrorOf(reach: Reach, url: URL): Sentence | undefined {
  if (url.username !== "" || url.password !== "")
    return {
      fr: "ne doit contenir ni nom d’utilisateur ni mot de passe",
      en: "must not contain a user name or password",
    };
  const mayBeUnsafe = reach.hasRanges && /^https?:$/.test(url.protocol);
  return isSafe(reach, url) || mayBeUnsafe ? undefined : unsafeIn(reach);
}

function unsafeIn({ anyPort, setting }: Reach): Sentence {
  return anyPort
    ? {
        fr: `doit commencer par https://${setting ? `, sauf pour une adresse autorisée par ${setting}` : ""}`,
        en: `must begin with https://${setting ? `, except for an address that ${setting} allows` : ""}`,
      }
    : {
        fr: "doit commencer par https:// et utiliser le port 443",
        en: "must begin with https:// and use port 443",
      };
}

function isSafe({ anyPort }: Reach, url: URL): boolean {
  return url.protocol === "https:" && (anyPort || url.port === "");
}

/** Returns whether this URL may reach all of these addresses. */
function areAllowed(reach: Reach, url: URL, addresses: readonly string[]): boolean {
  const isAllowed = (address: string) =>
    reach.ranges.check(address, isIP(address) === 6 ? "ipv6" : "ipv4") ||
    (isSafe(reach, url) && isPublic(address));
  return addresses.length > 0 && addresses.length <= ADDRESSES_AT_MOST && addresses.every(isAllowed);
}

const NO_URL: ValidationError = {
  rule: "https",
  message: { fr: "n’est pas une URL", en: "is not a URL" },
};

/**
 * Checks a submitted URL. Refuses `invalid-request` on its field for anything outside the reach. A name without an
 * address is accepted, since it may get one before its first request: each connection checks again. With HTTP or an
 * unsafe port the name must resolve now, to an allowed address.
 */
export async function checkReachable(
  text: string,
  { reach, resolve, field }: { reach: Reach; resolve: Resolve; field: string },
): Promise<void> {
  const refuseUrl = (wrong: Sentence | ValidationError): never => refuseField(field, wrong);
  if (text.length > URL_CHARACTERS_AT_MOST) return refuseUrl(tooLong(URL_CHARACTERS_AT_MOST));
  const url = URL.canParse(text) ? new URL(text) : refuseUrl(NO_URL);
  const error = urlErrorOf(reach, url);
  if (error) refuseUrl(error);
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => undefined) : [host];
  if (!addresses && !isSafe(reach, url)) refuseUrl(unsafeIn(reach));
  if (addresses && !areAllowed(reach, url, addresses))
    refuseUrl({
      fr: `mène à une adresse qui n’est pas publique${reach.setting ? ` ; ${reach.setting} peut l’autoriser` : ""}`,
      en: `resolves to an address that is not public${reach.setting ? `; ${reach.setting} can allow it` : ""}`,
    });
}

/**
 * Returns the lookup for a connection to `url`. It resolves the name, fails if any address is not allowed, and returns
 * the checked addresses, so that a second DNS answer changes nothing. Throws `AddressNotAllowed` for a literal address.
 */
export function guardedLookup(url: URL, reach: Reach, resolve: Resolve): LookupFunction {
  const host = hostOf(url);
  if (urlErrorOf(reach, url) || (isIP(host) !== 0 && !areAllowed(reach, url, [host])))
    throw new AddressNotAllowed();
  return (name, options, callback) => {
    resolve(name)
      .then((addresses) => {
        if (!areAllowed(reach, url, addresses)) throw new AddressNotAllowed();
        return addresses.map((address) => ({ address, family: isIP(address) }));
      })
      .then(
        (checked) =>
          options.all ? callback(null, checked) : callback(null, checked[0]!.address, checked[0]!.family),
        (error: Error) => callback(error, []),
      );
  };
}
