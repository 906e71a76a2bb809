// The moods of a hostile operator: how it behaves for some seconds, by chance.
import type { Chance } from "../simulation/chance.ts";

/** Shares are of the submit_sm that it gets. */
export type Mood = {
  /** Messages a second; beyond them it throttles by this code. */
  cap: number;
  throttledBy: number;
  latencyMs: number;
  dropBefore: number;
  dropAfter: number;
  unbind: number;
  /** Answers after the time for it is over, or never. */
  late: number;
  never: number;
  twice: number;
  /** Codes that say nothing of the message: 0x04 for all of a session, 0xFF for one message. */
  sessionQuestioned: number;
  questioned: number;
  busy: number;
  rejected: number;
  /** Says nothing for so long at the beginning of the mood. */
  silentMs: number;
  /** Seconds until the next mood. */
  lastsS: number;
};

export const CALM: Mood = {
  cap: 1_000,
  throttledBy: 0x58,
  latencyMs: 5,
  dropBefore: 0,
  dropAfter: 0,
  unbind: 0,
  late: 0,
  never: 0,
  twice: 0,
  sessionQuestioned: 0,
  questioned: 0,
  busy: 0,
  rejected: 0,
  silentMs: 0,
  lastsS: 5,
};

/** A mood has some faults, and not the others: so each is met alone and with any other. */
export function moodOf(chance: Chance): Mood {
  const at = (share: number) => (chance.happens(0.3) ? share : 0);
  return {
    cap: chance.of([40, 80, 150, 300, 1_000, 1_000]),
    throttledBy: chance.happens(0.8) ? 0x58 : 0x14,
    latencyMs: chance.of([2, 5, 20, 100, 400]),
    dropBefore: at(0.001),
    dropAfter: at(0.001),
    unbind: at(0.0005),
    late: at(0.005),
    never: at(0.002),
    twice: at(0.01),
    sessionQuestioned: at(0.0003),
    questioned: at(0.002),
    busy: at(0.002),
    rejected: at(0.01),
    silentMs: chance.happens(0.1) ? chance.int(1_000, 9_000) : 0,
    lastsS: chance.int(5, 30),
  };
}
