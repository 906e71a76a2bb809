// What the links of a process still wait for: a receipt that names no message may be about that.
import type { OperatorAccount } from "../operators/operators.ts";

/** The phones, by their ends, of an account's messages whose answers are owed or not committed yet. */
export type Awaited = {
  ends: ReadonlySet<string>;
  /** How old a receipt must be to be about none of them: 0, unless another process may be owed answers too. */
  waitMs: number;
};

/** A link of this process. */
export type Owed = {
  readonly operatorId: string;
  readonly bindKey: string;
  unsettledEnds(): ReadonlySet<string>;
};

/**
 * What the links of an account await, those of this process all together. `over`: a bind whose last session is over, so
 * that nothing is owed over it.
 */
export function awaitedIn(account: OperatorAccount, links: Iterable<Owed>, over?: string): Awaited {
  const ends = new Set<string>();
  const linked = new Set([over]);
  for (const link of links) {
    if (!account.operatorIds.includes(link.operatorId)) continue;
    linked.add(link.bindKey);
    for (const end of link.unsettledEnds()) ends.add(end);
  }
  const isWhole = account.writers.every((bindKey) => linked.has(bindKey));
  return { ends, waitMs: isWhole ? 0 : account.answeredWithinMs };
}

/** What a link awaits (`own`), and what the others of its account do. */
export function awaitedWith(
  link: Owed & { account(): OperatorAccount },
  own: ReadonlySet<string>,
  links: Iterable<Owed>,
): Awaited {
  const account = link.account();
  if (account.writers.length <= 1) return { ends: own, waitMs: 0 };
  const others = awaitedIn(
    account,
    [...links].filter((other) => other !== link),
    link.bindKey,
  );
  return { ...others, ends: new Set([...own, ...others.ends]) };
}
