// The order of rows in an index of several columns.

/** Below 0: `a` comes first. Above 0: `b` does. */
export function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [i, value] of a.entries()) {
    if (value < b[i]!) return -1;
    if (value > b[i]!) return 1;
  }
  return 0;
}
