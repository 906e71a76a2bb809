// Routing: which prefix a number is served by, and which operator may take what waits for a prefix now.

/** What routing knows of an operator. `able`: it is bound, and its operator does not throttle it at this moment. */
export type Route = { id: string; prefixes: readonly string[]; priority: number; able: boolean };

const LONGEST_PREFIX = 15;

/**
 * The operators of one moment. For a prefix they stand in steps: who serves the longest match comes first, lower
 * priority values before higher ones; equals stand on one step and share. What waits is taken by the first step on
 * which anyone is able, so a prefix that nobody serves any more falls to whoever serves a shorter one.
 */
export class Routing {
  readonly #steps = new Map<string, Route[][]>();
  readonly #taken = new Map<string, string[]>();

  constructor(routes: readonly Route[]) {
    const pairs = routes.flatMap((route) => route.prefixes.map((prefix) => ({ prefix, route })));
    for (const [prefix, served] of Map.groupBy(pairs, (pair) => pair.prefix)) {
      const sorted = served.map((pair) => pair.route).sort((a, b) => a.priority - b.priority);
      this.#steps.set(prefix, [...Map.groupBy(sorted, (route) => route.priority).values()]);
    }
  }

  /** The longest prefix of a phone that any operator serves, able or not; null: unroutable. */
  prefixOf(phone: string): string | null {
    for (let length = Math.min(phone.length, LONGEST_PREFIX); length > 0; length--) {
      const prefix = phone.slice(0, length);
      if (this.#steps.has(prefix)) return prefix;
    }
    return null;
  }

  /** Whether an operator, which is able itself, may take what waits for a prefix: nobody before it is able. */
  mayTake(operatorId: string, prefix: string): boolean {
    for (let length = prefix.length; length > 0; length--) {
      for (const step of this.#steps.get(prefix.slice(0, length)) ?? []) {
        if (step.some((route) => route.id === operatorId)) return true;
        if (step.some((route) => route.able)) return false;
      }
    }
    return false;
  }

  /** All served prefixes of which an operator may take what waits. */
  takenBy(operatorId: string): readonly string[] {
    let taken = this.#taken.get(operatorId);
    if (!taken) {
      taken = [...this.#steps.keys()].filter((prefix) => this.mayTake(operatorId, prefix));
      this.#taken.set(operatorId, taken);
    }
    return taken;
  }
}
