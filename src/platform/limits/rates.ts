// Rates: token buckets in memory that limit how often one account or address may do something on this process.
import ipaddr from "ipaddr.js";

export type RateOptions = {
  perSecond: number;
  /** How much a key may do at once after it was idle. */
  burst: number;
};

// A bucket takes some 150 bytes. Beyond this many keys the least recently used one is dropped, which only allows it
// more.
const KEYS_AT_MOST = 50_000;

/** What is left of a rate; below 0 it is owed. */
export type TokenBucket = { left: number; atMs: number };

/** Adds to a bucket what has accrued since. */
export function refill(bucket: TokenBucket, { perSecond, burst }: RateOptions, nowMs: number): void {
  bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.atMs) / 1_000) * perSecond);
  bucket.atMs = nowMs;
}

/** Returns the whole seconds until a bucket has one; 0 if it has one now. */
export function waitSecondsOf({ left }: TokenBucket, { perSecond }: RateOptions): number {
  return left < 1 ? Math.ceil((1 - left) / perSecond) : 0;
}

/** Buckets by their keys: the most recently used ones. */
export class Buckets<Kind extends TokenBucket> {
  readonly #byKey = new Map<string, Kind>();

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Returns the bucket of a key, which `make` creates if there is none. */
  get(key: string, make: () => Kind): Kind {
    const bucket = this.#byKey.get(key) ?? make();
    // A map is in order of insertion, so this moves the key to the end.
    this.#byKey.delete(key);
    this.#byKey.set(key, bucket);
    if (this.#byKey.size > KEYS_AT_MOST) this.#byKey.delete(this.#byKey.keys().next().value!);
    return bucket;
  }
}

/**
 * Returns the first 64 bits of an IPv6 address, because a provider's customer gets all addresses that share them for
 * free. An IPv4 address is returned as it is, also from its IPv6 form.
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

/** One bucket per key, to protect this process alone. Limits promised as a number are in `SharedRates`. */
export class Rates {
  readonly #options: RateOptions;
  readonly #buckets = new Buckets();

  constructor(options: RateOptions) {
    this.#options = options;
  }

  /** Takes one and returns 0. If there is none, it returns the whole seconds until there is one. */
  take(key: string, nowMs: number = performance.now()): number {
    const bucket = this.#bucketOf(key, nowMs);
    const waitSeconds = waitSecondsOf(bucket, this.#options);
    if (waitSeconds === 0) bucket.left -= 1;
    return waitSeconds;
  }

  /** Returns the whole seconds until there is one; 0 if there is one now. Takes nothing. */
  waitOf(key: string, nowMs: number = performance.now()): number {
    return this.#buckets.has(key) ? waitSecondsOf(this.#bucketOf(key, nowMs), this.#options) : 0;
  }

  /** Takes `count`, even if there are fewer. The key then owes the rest, up to its burst, and must wait for it. */
  spend(key: string, count: number, nowMs: number = performance.now()): void {
    const bucket = this.#bucketOf(key, nowMs);
    bucket.left = Math.max(bucket.left - count, -this.#options.burst);
  }

  #bucketOf(key: string, nowMs: number): TokenBucket {
    const bucket = this.#buckets.get(key, () => ({ left: this.#options.burst, atMs: nowMs }));
    refill(bucket, this.#options, nowMs);
    return bucket;
  }
}
