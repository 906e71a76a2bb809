// Routing: the prefix that serves a number, and the operators that may take the messages of a prefix now.
import { NOBODY_SUSPENDED, type Suspended } from "../../identity/accounts/suspensions.ts";
import {
  isRefusedBy,
  prefixWithout,
  prefixWithSender,
  type RoutedSender,
  type SenderRule,
  splitPrefix,
  stepsOfSender,
} from "./senderrules.ts";
import { type StoredSettings, settingsOf } from "./settings.ts";
import type { OperatorRow } from "./sql.ts";

/** The name of the simulated operator. */
export const SIMULATED = "simulator";

/** An operator as routing sees it. */
export type OperatorRoute = SenderRule & {
  prefixes: readonly string[];
  priority: number;
  /** It is bound, and it reads and answers. */
  able: boolean;
  /** How long messages wait for it before the next operator may take them; null: forever. */
  overflowMs: number | null;
  /** It takes only what no other operator serves, since it reaches no real phone. */
  isSimulated: boolean;
};

/** Messages of a prefix that an operator may take: those that waited for at least `fromMs`, and less than `toMs`. */
export type WaitRange = { prefix: string; fromMs: number; toMs: number };

/**
 * Further input of a routing; by default nothing is ported, suspended or held. `held`: operators that an administrator
 * holds. They are not able, and their own links take and write nothing.
 */
export type RoutingExtra = { hasPorted?: boolean; suspended?: Suspended; held?: ReadonlySet<string> };

const LONGEST_PREFIX = 15;
/**
 * After messages of the next operator have waited this much longer, the one before it may take them too, since both are
 * behind. Links search the queue once a second.
 */
export const LEFT_AFTER_MS = 5_000;
const KNOWN_AT_MOST = 10_000;
const FOR_ONE = "=";

/**
 * Returns the value used instead of a prefix in messages for one operator, whatever the routing. No phone begins so.
 * Links find such messages, those to ported numbers, and those of a prefix that no operator serves, within a second.
 */
export function prefixOfOperator(operatorId: string): string {
  return `${FOR_ONE}${operatorId}`;
}

/** Ported numbers: the operators' ids by phone. */
export type Ported = ReadonlyMap<string, string>;

/** A ported number as `prefixOf` writes it: its operator, and the prefix that serves it otherwise (empty: none). */
const PORTED_PREFIX = /^=([^:]*):(.*)$/;

/**
 * The operators of one moment. For a prefix they form steps: the longest match first, then the lowest priority value;
 * equals share a step. The first step with an able operator takes the messages, so those of a prefix that is no longer
 * served go to an operator of a shorter one. Messages that waited for this step longer than its operators allow belong
 * to the next able step, and to all if that leaves them. A ported number's operator is a step before those of its
 * prefix.
 */
export class Routing {
  readonly #routes: ReadonlyMap<string, OperatorRoute>;
  readonly #steps = new Map<string, OperatorRoute[][]>();
  readonly #ranges = new Map<string, readonly WaitRange[]>();
  /** Cached ranges by operator and prefix: each message of a single send needs one. */
  readonly #known = new Map<string, WaitRange | undefined>();
  /** Cached rules of the operators of a prefix, and whether they refuse a prefix with senders. */
  readonly #rules = new Map<string, readonly SenderRule[]>();
  readonly #refused = new Map<string, boolean>();
  /** Whether any operator has a rule for sender names. */
  readonly hasSenderRules: boolean;
  /** Whether any number is ported at all: if not, none is looked up. */
  readonly hasPorted: boolean;
  readonly #suspended: Suspended["accountIds"];
  readonly #held: ReadonlySet<string>;
  /** The prefix of messages of companies on trial, whatever their phone; null: no simulated operator runs. */
  readonly trialPrefix: string | null;

  constructor(
    routes: readonly OperatorRoute[],
    { hasPorted = false, suspended = NOBODY_SUSPENDED, held = new Set() }: RoutingExtra = {},
  ) {
    this.hasPorted = hasPorted;
    this.#suspended = suspended.accountIds;
    this.#held = held;
    this.#routes = new Map(routes.map((route) => [route.id, route]));
    this.hasSenderRules = routes.some(({ senderPolicy }) => senderPolicy !== "any");
    const simulated = routes.find((route) => route.isSimulated);
    this.trialPrefix = simulated ? prefixOfOperator(simulated.id) : null;
    const pairs = routes.flatMap((route) => route.prefixes.map((prefix) => ({ prefix, route })));
    for (const [prefix, served] of Map.groupBy(pairs, (pair) => pair.prefix)) {
      const sorted = served.map((pair) => pair.route).sort((a, b) => a.priority - b.priority);
      this.#steps.set(prefix, [...Map.groupBy(sorted, (route) => route.priority).values()]);
    }
  }

  /**
   * Returns the prefix under which messages of a sender to a phone are queued: the longest that any operator serves, able
   * or not, for a ported number with its operator, and with the operators at which the sender is registered if that
   * matters. An unknown or disabled operator does not count. Null: unroutable.
   */
  prefixOf(phone: string, ported: Ported, sender: RoutedSender): string | null {
    const prefix = this.#prefixOfPhone(phone, ported);
    if (prefix === null || (!this.hasSenderRules && sender.registered.length === 0)) return prefix;
    return prefixWithSender(prefix, phone, sender, this.#rulesOf(prefix));
  }

  /** Whether the operators of a prefix refuse the sender that it names. */
  refuses(prefix: string): boolean {
    if (!this.hasSenderRules) return false;
    const known = this.#refused.get(prefix);
    if (known !== undefined) return known;
    const { base, registered } = splitPrefix(prefix);
    const isRefused = registered !== undefined && isRefusedBy(this.#stepsOf(base), registered);
    if (this.#refused.size < KNOWN_AT_MOST) this.#refused.set(prefix, isRefused);
    return isRefused;
  }

  /** Returns the name under which an operator sends a message of a prefix: the sender's, or the operator's own. */
  senderAt(operatorId: string, prefix: string, sender: string): string {
    const rule = this.#routes.get(operatorId);
    if (rule?.senderPolicy !== "default") return sender;
    const { registered } = splitPrefix(prefix);
    return !registered || registered.includes(operatorId) ? sender : (rule.defaultSender ?? sender);
  }

  #rulesOf(prefix: string): readonly SenderRule[] {
    const known = this.#rules.get(prefix);
    if (known) return known;
    const rules = this.#stepsOf(prefix).flat();
    if (this.#rules.size < KNOWN_AT_MOST) this.#rules.set(prefix, rules);
    return rules;
  }

  #prefixOfPhone(phone: string, ported: Ported): string | null {
    const served = this.servedPrefixOf(phone);
    const operatorId = ported.get(phone);
    if (operatorId === undefined || !this.#routes.has(operatorId)) return served;
    return `${prefixOfOperator(operatorId)}:${served ?? ""}`;
  }

  /** The number of a phone's first digits that determine its prefix, unless it is ported. */
  get digits(): number {
    let digits = 0;
    for (const prefix of this.#steps.keys()) digits = Math.max(digits, prefix.length);
    return Math.min(digits, LONGEST_PREFIX);
  }

  /** Whether an account is suspended, so that its messages wait whatever operators could take them. */
  isSuspended(accountId: string): boolean {
    return this.#suspended.has(accountId);
  }

  /** Whether an administrator holds an operator. */
  isHeld(operatorId: string): boolean {
    return this.#held.has(operatorId);
  }

  /** Returns the longest prefix of a phone that any operator serves, able or not; null: none. */
  servedPrefixOf(phone: string): string | null {
    for (let length = Math.min(phone.length, LONGEST_PREFIX); length > 0; length--) {
      const prefix = phone.slice(0, length);
      if (this.#steps.has(prefix)) return prefix;
    }
    return null;
  }

  /** Returns the operator that serves a prefix before all others, able or not; undefined: none does. */
  firstOf(prefix: string): string | undefined {
    const first = this.#stepsOf(prefix)[0]?.[0]?.id;
    return first ?? (prefix.startsWith(FOR_ONE) ? prefix.slice(FOR_ONE.length) : undefined);
  }

  /** Returns an operator's own range of a prefix, assuming that it is able; undefined: none. */
  rangeOf(operatorId: string, prefix: string): WaitRange | undefined {
    const key = `${operatorId} ${prefix}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const range = this.#find(operatorId, prefix);
    if (this.#known.size < KNOWN_AT_MOST) this.#known.set(key, range);
    return range;
  }

  #find(operatorId: string, prefix: string): WaitRange | undefined {
    if (prefix === prefixOfOperator(operatorId)) return { prefix, fromMs: 0, toMs: Number.POSITIVE_INFINITY };
    const steps = this.#stepsOf(prefix);
    const mine = steps.findIndex((step) => step.some(({ id }) => id === operatorId));
    if (mine < 0) return undefined;
    const isMine = (route: OperatorRoute) => route.id === operatorId;
    // The caller is able, whatever its row says: the row may be half a second old.
    const fromMs = steps
      .slice(0, mine)
      .reduce((sum, step) => sum + patienceOf(step.filter(({ able }) => able)), 0);
    if (fromMs === Number.POSITIVE_INFINITY) return undefined;
    const hasNext = steps.slice(mine + 1).some((step) => step.some((route) => route.able && !isMine(route)));
    const keepsMs = hasNext
      ? patienceOf(steps[mine]!.filter((route) => route.able || isMine(route)))
      : Number.POSITIVE_INFINITY;
    return { prefix, fromMs, toMs: fromMs + keepsMs };
  }

  /** Whether another operator that is able now serves a prefix after this one, or beside it. */
  hasOther(operatorId: string, prefix: string): boolean {
    const steps = this.#stepsOf(prefix);
    const mine = steps.findIndex((step) => step.some(({ id }) => id === operatorId));
    return steps
      .slice(Math.max(0, mine))
      .some((step) => step.some(({ able, id }) => able && id !== operatorId));
  }

  /**
   * Returns the prefix under which a message waits whose recipient an operator does not serve: all others of its prefix
   * may take it, able or not. Undefined if there are none.
   */
  prefixWithout(operatorId: string, prefix: string): string | undefined {
    const rest = prefixWithout(prefix, operatorId);
    return this.#stepsOf(rest).length > 0 ? rest : undefined;
  }

  /** Returns what an operator may take of a prefix: its own range, and messages that operators after it have left. */
  rangesOf(operatorId: string, prefix: string): readonly WaitRange[] {
    const own = this.rangeOf(operatorId, prefix);
    if (!own) return [];
    if (own.toMs === Number.POSITIVE_INFINITY) return [own];
    return [own, { prefix, fromMs: own.toMs + LEFT_AFTER_MS, toMs: Number.POSITIVE_INFINITY }];
  }

  /** Returns what an operator may take of all prefixes that are served. */
  allRangesOf(operatorId: string): readonly WaitRange[] {
    let ranges = this.#ranges.get(operatorId);
    if (!ranges) {
      ranges = [...this.#steps.keys()].flatMap((prefix) => this.rangesOf(operatorId, prefix));
      this.#ranges.set(operatorId, ranges);
    }
    return ranges;
  }

  /** Returns the steps for a prefix, as its sender has them. */
  #stepsOf(prefix: string): OperatorRoute[][] {
    const { base, registered, unserved } = splitPrefix(prefix);
    const steps = this.#stepsOfPhones(base);
    const ofSender = registered ? stepsOfSender(steps, registered) : steps;
    if (unserved.length === 0) return ofSender;
    return ofSender
      .map((step) => step.filter(({ id }) => !unserved.includes(id)))
      .filter((step) => step.length > 0);
  }

  /** Returns the steps for the phones of a prefix, without the simulated operator if another one serves it. */
  #stepsOfPhones(prefix: string): OperatorRoute[][] {
    const [, portedTo = "", served = prefix] = PORTED_PREFIX.exec(prefix) ?? [];
    const first = this.#routes.get(portedTo);
    const steps: OperatorRoute[][] = first ? [[first]] : [];
    for (let length = served.length; length > 0; length--)
      for (const step of this.#steps.get(served.slice(0, length)) ?? [])
        steps.push(step.filter((route) => route !== first));
    const real = steps
      .map((step) => step.filter(({ isSimulated }) => !isSimulated))
      .filter((step) => step.length > 0);
    return real.length > 0 ? real : steps;
  }
}

/** Returns the routing among these operators. */
export function routingOf(rows: readonly OperatorRow[], extra: Omit<RoutingExtra, "held"> = {}): Routing {
  return new Routing(routesOf(rows), { ...extra, held: new Set(heldOf(rows)) });
}

/** Returns what decides the routing, to tell whether it has changed. */
export function routingKeyOf(rows: readonly OperatorRow[]): string {
  return JSON.stringify([routesOf(rows), heldOf(rows)]);
}

function routesOf(rows: readonly OperatorRow[]): OperatorRoute[] {
  return rows.map(({ id, name, prefixes, priority, able, settings, overflow_after_s: seconds }) => ({
    id,
    prefixes,
    priority,
    able,
    overflowMs: seconds === null ? null : seconds * 1000,
    isSimulated: name === SIMULATED,
    ...senderRuleOf(settings),
  }));
}

function heldOf(rows: readonly OperatorRow[]): string[] {
  return rows.filter((row) => row.held_at !== null).map((row) => row.id);
}

function senderRuleOf(stored: StoredSettings): Omit<SenderRule, "id"> {
  const { senderPolicy, defaultSender } = settingsOf(stored);
  return { senderPolicy, defaultSender };
}

/** Returns how long messages wait for a step: as long as the most patient of its operators allows. */
function patienceOf(step: readonly OperatorRoute[]): number {
  return Math.max(0, ...step.map(({ overflowMs }) => overflowMs ?? Number.POSITIVE_INFINITY));
}
