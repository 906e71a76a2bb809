// Rates: token buckets in memory that bound how often one account or address may do something on this process.
import ipaddr from "ipaddr.js";

export type RateOptions = {
  perSecond: number;
  /** What a key that was quiet may do at once. */
  burst: number;
};

// A bucket takes some 150 bytes. Beyond this many keys the one that was used longest ago is forgotten, which can only
// be too kind.
const KEYS_AT_MOST = 50_000;

type Bucket = { left: number; atMs: number };

/**
 * What an address shares with those that whoever has it can have for nothing: the first 64 bits of an IPv6 address. An
 * IPv4 address stands for itself, also in its IPv6 form.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.IPv6.isValid(ip)) return ip;
  const address = ipaddr.IPv6.parse(ip);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

/** One bucket per key. */
export class Rates {
  readonly #options: RateOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: RateOptions) {
    this.#options = options;
  }

  /** Takes one; 0 if there was one, else the whole seconds after which there will be. */
  take(key: string, nowMs: number = performance.now()): number {
    const bucket = this.#bucketOf(key, nowMs);
    const waitSeconds = this.#waitFor(bucket);
    if (waitSeconds === 0) bucket.left -= 1;
    return waitSeconds;
  }

  /** Whole seconds after which there will be one; 0: now. Takes nothing. */
  waitOf(key: string, nowMs: number = performance.now()): number {
    return this.#buckets.has(key) ? this.#waitFor(this.#bucketOf(key, nowMs)) : 0;
  }

  /** Takes so many, also where they are not there: what a key owes, up to its burst, it has to wait for. */
  spend(key: string, count: number, nowMs: number = performance.now()): void {
    const bucket = this.#bucketOf(key, nowMs);
    bucket.left = Math.max(bucket.left - count, -this.#options.burst);
  }

  #bucketOf(key: string, nowMs: number): Bucket {
    const { perSecond, burst } = this.#options;
    const bucket = this.#buckets.get(key) ?? { left: burst, atMs: nowMs };
    bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.atMs) / 1_000) * perSecond);
    bucket.atMs = nowMs;
    this.#keep(key, bucket);
    return bucket;
  }

  #waitFor({ left }: Bucket): number {
    return left < 1 ? Math.ceil((1 - left) / this.#options.perSecond) : 0;
  }

  #keep(key: string, bucket: Bucket): void {
    // A map is in order of insertion, so the key that was used last moves to the end.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > KEYS_AT_MOST) this.#buckets.delete(this.#buckets.keys().next().value!);
  }
}
