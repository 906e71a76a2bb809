// The guard: which addresses webhooks may reach. It is asked when a URL is submitted, and again for each connection.
import { Resolver } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { refuseField } from "../kernel/refusals.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";

/** All addresses of a host name, IPv4 and IPv6; throws when there are none. */
export type Resolve = (host: string) => Promise<string[]>;

const URL_CHARACTERS_AT_MOST = 2_048;
const ADDRESSES_AT_MOST = 64;
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** IPv6 that is routed on the Internet. All else (mapped, NAT64, site-local …) leads somewhere else than it says. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** The connection is not allowed: nothing was sent anywhere. */
export class AddressNotAllowed extends Error {
  override name = "AddressNotAllowed";
}

/**
 * Asks DNS itself, not the system's resolver: that one has four threads for the whole process, and a few names whose
 * servers are silent would hold up all others. So the hosts file does not count; `localhost` is this machine (RFC 6761).
 */
const askDns = perRuntime<Resolve>(() => {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  return async (host) => {
    if (/(^|\.)localhost\.?$/.test(host)) return ["127.0.0.1"];
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (found.length === 0) throw (answers[0] as PromiseRejectedResult).reason;
    return found;
  };
});

const allowedRanges = perRuntime((app) => {
  const ranges = new BlockList();
  for (const range of app.config.webhookAllowCidrs) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    ranges.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return ranges;
});

/** True for an address of the public Internet, judged by its bytes. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST);
}

/** The host of a URL as it is connected to: an IPv6 address without its brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** What is wrong with a URL before anything is asked of the network. */
function faultOf(app: Runtime, url: URL): string | undefined {
  if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
  const mayBeUnsafe = app.config.webhookAllowCidrs.length > 0 && /^https?:$/.test(url.protocol);
  return isSafe(url) || mayBeUnsafe ? undefined : UNSAFE;
}

const UNSAFE = "must begin with https:// and use port 443";

function isSafe(url: URL): boolean {
  return url.protocol === "https:" && url.port === "";
}

/**
 * True if every one of these addresses may be reached by this URL: the public ones by HTTPS on port 443, those of
 * `WEBHOOK_ALLOW_CIDRS` by HTTP and on any port too.
 */
function areAllowed(app: Runtime, url: URL, addresses: readonly string[]): boolean {
  const isAllowed = (address: string) =>
    allowedRanges(app).check(address, isIP(address) === 6 ? "ipv6" : "ipv4") ||
    (isSafe(url) && isPublic(address));
  return addresses.length > 0 && addresses.length <= ADDRESSES_AT_MOST && addresses.every(isAllowed);
}

/**
 * Checks an address for webhooks as it is submitted. Refuses `invalid-request` on `webhookUrl` for anything but HTTPS on
 * port 443, and for a host of which any address is not public. A name that has no address now may get one before its
 * first event: it is judged at each connection, and deliveries say that it does not resolve. For HTTP or another port it
 * must have one now, which is allowed.
 */
export async function checkWebhookUrl(app: Runtime, text: string, resolve = askDns(app)): Promise<void> {
  if (text.length > URL_CHARACTERS_AT_MOST)
    return refuseUrl(`has more than ${URL_CHARACTERS_AT_MOST} characters`);
  const url = URL.canParse(text) ? new URL(text) : refuseUrl("is not a URL");
  const fault = faultOf(app, url);
  if (fault) refuseUrl(fault);
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => undefined) : [host];
  if (!addresses && !isSafe(url)) refuseUrl(UNSAFE);
  if (addresses && !areAllowed(app, url, addresses)) refuseUrl("leads to an address that is not public");
}

function refuseUrl(message: string): never {
  refuseField("webhookUrl", message);
}

/**
 * The look-up for a connection to `url`: resolves, fails if any address may not be reached, and gives what it checked to
 * be connected to, so that no second answer counts. Throws `AddressNotAllowed` where no name is looked up at all.
 */
export function guardedLookup(app: Runtime, url: URL, resolve = askDns(app)): LookupFunction {
  const host = hostOf(url);
  if (faultOf(app, url) || (isIP(host) !== 0 && !areAllowed(app, url, [host]))) throw new AddressNotAllowed();
  return (name, options, callback) => {
    resolve(name)
      .then((addresses) => {
        if (!areAllowed(app, url, addresses)) throw new AddressNotAllowed();
        return addresses.map((address) => ({ address, family: isIP(address) }));
      })
      .then(
        (checked) =>
          options.all ? callback(null, checked) : callback(null, checked[0]!.address, checked[0]!.family),
        (error: Error) => callback(error, []),
      );
  };
}
