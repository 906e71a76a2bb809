// Routing: the prefix that serves a number, and the operators that may take the messages of a prefix now.

/** An operator as routing sees it. `able`: it is bound and not throttled at this moment. */
export type Route = { id: string; prefixes: readonly string[]; priority: number; able: boolean };

const LONGEST_PREFIX = 15;

/**
 * The operators of one moment. For a prefix they form steps: the longest match first, then the lowest priority value;
 * equals share a step. The first step with an able operator takes the messages, so a prefix that nobody serves any more
 * falls to an operator of a shorter one.
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

  /** Whether an able operator may take the messages of a prefix: it may when no operator on an earlier step is able. */
  mayTake(operatorId: string, prefix: string): boolean {
    for (let length = prefix.length; length > 0; length--) {
      for (const step of this.#steps.get(prefix.slice(0, length)) ?? []) {
        if (step.some((route) => route.id === operatorId)) return true;
        if (step.some((route) => route.able)) return false;
      }
    }
    return false;
  }

  /** All served prefixes whose messages an operator may take. */
  takenBy(operatorId: string): readonly string[] {
    let taken = this.#taken.get(operatorId);
    if (!taken) {
      taken = [...this.#steps.keys()].filter((prefix) => this.mayTake(operatorId, prefix));
      this.#taken.set(operatorId, taken);
    }
    return taken;
  }
}
