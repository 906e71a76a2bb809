// The phases of a link: what each waits for, and which phases may follow it.

/**
 * The event that ends each phase, and the phase that follows.
 *
 * | Phase | Ends with | Next |
 * |---|---|---|
 * | `idle` | an event that asks for a cycle | `gathering` |
 * | `gathering` | all sockets are read | `committing`; `resolving` if a commit is in doubt; `idle` if nothing is due |
 * | `gathering` | a cycle under way fails before that | `pausing` |
 * | `committing` | a cycle ends, or another one beside it pays off | `gathering`; `pausing` if cycles failed |
 * | `resolving` | the fate of the lost commits is known | `gathering`; `pausing` if it could not be read |
 * | `pausing` | 200 ms after a failure | `gathering` |
 * | `closing` | the last cycle ends | `ending` |
 * | `ending` | all incoming receipts are applied | `closed` |
 *
 * When the session is lost, the cycles under way end first. Then `closing` follows; if a commit is in doubt, `resolving`
 * does, and `gathering` or, if the database could not be read, `ending` after it.
 */
const MAY_FOLLOW = {
  idle: ["gathering", "resolving", "closing"],
  gathering: ["committing", "pausing", "resolving", "idle", "closing"],
  committing: ["gathering", "resolving", "pausing", "closing"],
  resolving: ["gathering", "pausing", "ending"],
  pausing: ["gathering", "resolving", "closing"],
  closing: ["ending"],
  ending: ["closed"],
  closed: [],
} as const satisfies Record<string, readonly string[]>;
export type Phase = keyof typeof MAY_FOLLOW;

/** Whether `next` may follow `phase` at once. */
export function mayFollow(phase: Phase, next: Phase): boolean {
  return (MAY_FOLLOW[phase] as readonly Phase[]).includes(next);
}

/** Returns `next`. Throws if it may not follow `phase`, which is a defect. */
export function follow(phase: Phase, next: Phase): Phase {
  if (!mayFollow(phase, next)) throw new Error(`${next} cannot follow ${phase}`);
  return next;
}
