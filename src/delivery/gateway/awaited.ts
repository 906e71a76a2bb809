// The messages whose answers the links of a process await: a receipt without an id may belong to one of these.
import type { OperatorAccount } from "../operators/operatoraccounts.ts";

/** The last digits of the phones of an account's messages whose answers are awaited or not committed yet. */
export type Awaited = {
  ends: ReadonlySet<string>;
  /** A receipt that is older belongs to no answer that another process awaits; 0: no other process awaits any. */
  waitMs: number;
  /**
   * The sessions that await them. If another process has taken over the bind of one, which this process notices up to
   * 15 s later, it awaits answers too, and a receipt without our reference proves nothing.
   */
  sessionIds: readonly string[];
};

/** A link of this process. */
export type Owed = {
  readonly operatorId: string;
  readonly bindKey: string;
  readonly sessionId: string;
  unsettledPhoneEnds(): ReadonlySet<string>;
};

/**
 * Returns what the links of an account in this process await. `over`: a bind that needs no link here, because its last
 * session is over or the caller adds what it awaits.
 */
export function awaitedIn(account: OperatorAccount, links: Iterable<Owed>, over?: string): Awaited {
  const ends = new Set<string>();
  const linked = new Set([over]);
  const sessionIds: string[] = [];
  for (const link of links) {
    if (!account.operatorIds.includes(link.operatorId)) continue;
    linked.add(link.bindKey);
    sessionIds.push(link.sessionId);
    for (const end of link.unsettledPhoneEnds()) ends.add(end);
  }
  const isWhole = account.writers.every((bindKey) => linked.has(bindKey));
  return { ends, waitMs: isWhole ? 0 : account.answeredWithinMs, sessionIds };
}

/** Returns what a link awaits (`own`), together with the other links of its account. */
export function awaitedWith(
  link: Owed & { account(): OperatorAccount },
  own: ReadonlySet<string>,
  links: Iterable<Owed>,
): Awaited {
  const account = link.account();
  const sessionIds = [link.sessionId];
  if (account.writers.length <= 1) return { ends: own, waitMs: 0, sessionIds };
  const others = awaitedIn(
    account,
    [...links].filter((other) => other !== link),
    link.bindKey,
  );
  return {
    ...others,
    ends: new Set([...own, ...others.ends]),
    sessionIds: [...sessionIds, ...others.sessionIds],
  };
}
