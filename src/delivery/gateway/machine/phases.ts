// The phases of a link: what each waits for, and which may follow it.

/**
 * What each waits for, and what comes then.
 *
 * | Phase | What it waits for | Then |
 * |---|---|---|
 * | `idle` | any event | `gathering` |
 * | `gathering` | all that the sockets hold by now | `committing`; `resolving` if a commit is in doubt; `idle` if nothing is due |
 * | `committing` | the end of a cycle, or that it pays to begin another beside those under way | `gathering`; `pausing` if cycles failed |
 * | `resolving` | what became of a lost commit | `gathering`; `pausing` if that could not be read |
 * | `pausing` | a moment after a failure | `gathering` |
 * | `closing` | the last cycle: the session is lost | `ending` |
 * | `ending` | what the operator said is applied | `closed` |
 *
 * When the session is lost, the steps under way end first, then a commit in doubt is resolved, then `closing` comes.
 */
const MAY_FOLLOW = {
  idle: ["gathering", "resolving", "closing"],
  gathering: ["committing", "pausing", "resolving", "idle", "closing"],
  committing: ["gathering", "pausing", "resolving", "closing"],
  resolving: ["gathering", "pausing", "resolving", "closing", "ending"],
  pausing: ["gathering", "resolving", "closing"],
  closing: ["ending"],
  ending: ["closed"],
  closed: [],
} as const satisfies Record<string, readonly string[]>;
export type Phase = keyof typeof MAY_FOLLOW;

/** The next phase; throws where it cannot follow, which is a defect. */
export function follow(phase: Phase, next: Phase): Phase {
  if (!(MAY_FOLLOW[phase] as readonly Phase[]).includes(next))
    throw new Error(`${next} cannot follow ${phase}`);
  return next;
}
