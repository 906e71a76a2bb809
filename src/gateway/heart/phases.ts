// The phases of a link: what each waits for, and which may follow it.

/**
 * What each waits for, and what comes then.
 *
 * | Phase | What it waits for | Then |
 * |---|---|---|
 * | `idle` | any event | `gathering` |
 * | `gathering` | all that the sockets hold by now | `committing`; `resolving` if a commit is in doubt; `idle` if nothing is due |
 * | `committing` | the end of a turn | `gathering`; `pausing` if it failed |
 * | `resolving` | what became of a lost commit | `gathering`; `pausing` if that could not be read |
 * | `pausing` | a moment after a failure | `gathering` |
 * | `closing` | the last turn: the session is lost | `closed` |
 *
 * When the session is lost, the step under way ends first, then a commit in doubt is resolved, then `closing` comes.
 */
const MAY_FOLLOW = {
  idle: ["gathering", "resolving", "closing"],
  gathering: ["committing", "resolving", "idle", "closing"],
  committing: ["gathering", "pausing", "resolving", "closing"],
  resolving: ["gathering", "pausing", "resolving", "closing", "closed"],
  pausing: ["gathering", "resolving", "closing"],
  closing: ["closed"],
  closed: [],
} as const satisfies Record<string, readonly string[]>;
export type Phase = keyof typeof MAY_FOLLOW;

/** The next phase; throws where it cannot follow, which is a defect. */
export function follow(phase: Phase, next: Phase): Phase {
  if (!(MAY_FOLLOW[phase] as readonly Phase[]).includes(next))
    throw new Error(`${next} cannot follow ${phase}`);
  return next;
}
