// What many values are like: their median, and the value that a share of them does not exceed.

/** The median of an odd number of values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) / 2]!;
}

/** The p50 and the p99 of at least one value, and the most. */
export function spreadOf(values: readonly number[]): { p50: number; p99: number; most: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}
