// What a link remembers is limited: the oldest entries go first.

/** Removes the entries that were added first, until at most `atMost` are left. */
export function dropOldest(known: Map<string, unknown> | Set<string>, atMost: number): void {
  for (const key of known.keys()) {
    if (known.size <= atMost) return;
    known.delete(key);
  }
}
