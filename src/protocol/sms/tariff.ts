// The tariff: the credits for one segment, by the beginning of the number; data, so that a new price needs no release.

/** Credits per segment by calling prefix; the longest matching prefix wins, `otherwise` if none matches. */
export type Tariff = {
  readonly prefixes: readonly (readonly [prefix: string, credits: number])[];
  readonly otherwise: number;
};

/** The service's own tariff (interface document, Limits): Côte d'Ivoire 1, anywhere else 5. */
const TARIFF: Tariff = { prefixes: [["225", 1]], otherwise: 5 };

/** The number of a phone's first digits that determine its price. */
export const PRICED_DIGITS = Math.max(...TARIFF.prefixes.map(([prefix]) => prefix.length));

/** Returns the credits for one segment to a normalised phone. */
export function pricePerSegment(phone: string, tariff: Tariff = TARIFF): number {
  let longest = 0;
  let price = tariff.otherwise;
  for (const [prefix, credits] of tariff.prefixes) {
    if (prefix.length <= longest || !phone.startsWith(prefix)) continue;
    longest = prefix.length;
    price = credits;
  }
  return price;
}

/** Returns the credits for a message of this many segments to a normalised phone. */
export function priceOf(phone: string, segments: number, tariff: Tariff = TARIFF): number {
  return segments * pricePerSegment(phone, tariff);
}
