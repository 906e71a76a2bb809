// Virtual time: what happens, in order, and sleepers that only look now and then.

type Happening = { at: number; order: number; run: () => void };
export type Sleeper = { at: number; run: () => void };

/** Runs what is due, in order of time. `now` is in milliseconds from the beginning. */
export class Timeline {
  now = 0;
  #order = 0;
  /** A binary heap: the next happening comes first. */
  readonly #heap: Happening[] = [];
  readonly #sleepers = new Set<Sleeper>();

  at(at: number, run: () => void): void {
    const happening = { at: Math.max(at, this.now), order: this.#order++, run };
    const heap = this.#heap;
    heap.push(happening);
    for (let i = heap.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!isBefore(happening, heap[parent]!)) break;
      [heap[i], heap[parent]] = [heap[parent]!, happening];
      i = parent;
    }
  }

  after(ms: number, run: () => void): void {
    this.at(this.now + ms, run);
  }

  /** Wakes somebody later who only looks whether there is something to do. */
  sleep(sleeper: Sleeper): void {
    this.#sleepers.add(sleeper);
  }

  rouse(sleeper: Sleeper): void {
    this.#sleepers.delete(sleeper);
  }

  /**
   * Runs until a time. While `quietUntil` says that a look would find nothing, sleepers sleep on: a timer may be late,
   * and 24 hours of looks that find nothing would take most of the run.
   */
  run(until: number, quietUntil: () => number): void {
    for (;;) {
      const next = Math.min(this.#heap[0]?.at ?? Number.POSITIVE_INFINITY, until);
      const sleeper = this.#nextSleeper();
      if (sleeper && sleeper.at < next) {
        const quiet = Math.min(quietUntil(), next);
        if (quiet > sleeper.at) {
          for (const other of this.#sleepers) other.at = Math.max(other.at, quiet);
          continue;
        }
        this.#sleepers.delete(sleeper);
        this.now = Math.max(this.now, sleeper.at);
        sleeper.run();
        continue;
      }
      if (next >= until) break;
      const happening = this.#pop();
      this.now = happening.at;
      happening.run();
    }
    this.now = until;
  }

  #nextSleeper(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) if (!first || sleeper.at < first.at) first = sleeper;
    return first;
  }

  #pop(): Happening {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
