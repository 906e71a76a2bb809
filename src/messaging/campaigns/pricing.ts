// The pricing of a requested campaign: renders and prices its text for every recipient, step by step.

import { currentRouting } from "../../delivery/operators/operators.ts";
import type { Subscription } from "../../delivery/sends/queue/subscription.ts";
import { isOnTrial } from "../../identity/accounts/trials.ts";
import { readGroupSizes } from "../../phonebook/groups/groups.ts";
import { erasedKeysOf, holdOptouts } from "../../phonebook/optouts/optouts.ts";
import type { ChosenSender } from "../../phonebook/senders/choice.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { credits } from "../../platform/http/counted.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { refuse, type Sentence } from "../../platform/http/refusals.ts";
import { requestIdGiven } from "../../platform/http/requestids.ts";
import { nextSlice, type Urgency } from "../../platform/limits/slices.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Template } from "../../protocol/sms/personalise.ts";
import { type About, type Audience, readAbout, renderMembers, renderNamed } from "./audience.ts";
import { type CountedPeople, countMembers, nameBlocked, type PricedPeople } from "./counting.ts";
import { type Blocked, detailsOfBlocked, type Rendered, type Rules } from "./recipients.ts";
import type { Week } from "./schedule.ts";
import type { Campaign } from "./shapes.ts";

/** A campaign as requested, before it is priced. */
export type CampaignRequest = Audience & {
  id: string;
  /** Null if an application sends it for a reseller's customer. */
  userId: string | null;
  /** The company's language, for the reasons of blocked contacts. */
  language: "fr" | "en";
  name: string;
  text: string;
  template: Template;
  sender: ChosenSender;
  /** The calling codes that the company reaches; null: all. */
  openCodes: ReadonlySet<string> | null;
  duplicates: readonly Blocked[];
  type: Campaign["type"];
  scheduledDate: Date | null;
  week: Week | null;
  nextAt: Date | null;
  createdAt: Date;
  /** Names of custom fields that this request uses for the first time in its company. */
  newFields?: readonly string[];
  /** The saved draft to delete when it is accepted. */
  draftId?: string;
  /** A higher price than this is refused. */
  creditAtMost?: number;
  /** From this number of recipients on, it awaits approval by a second person of the company. */
  approvalFrom?: number | undefined;
  /** The connection through which an application sends it. */
  connectionId?: string;
  /** The webhook subscriptions for its events: those of the sending application and of the company. */
  subscription?: Subscription;
  /** Returned in the events of its sends, including those of later runs. */
  callbackData?: string;
};

/** Returns the subscription of a company's webhooks to its own campaign. */
export function subscriptionOfCompany(
  { companyId, language }: Pick<CampaignRequest, "companyId" | "language">,
  campaignId: string,
  callbackData: string | undefined,
): Subscription {
  const about = { campaignId, ...(callbackData !== undefined && { callbackData }) };
  return { endpointId: null, listenerId: companyId, language, about, requestId: requestIdGiven() };
}

/**
 * A campaign, rendered and priced for everyone. `recipients` are queued at once; those of later steps, from `cursor`
 * on, are only counted, and `laterPrice` is their part of the price.
 */
export type PricedCampaign = Rendered & {
  request: CampaignRequest;
  count: number;
  blockedCount: number;
  laterPrice: number;
  cursor: string;
  /** Whether it is held for review by an administrator or for approval by a second person of the company. */
  isKept: boolean;
  isFirst: boolean;
  isAwaited: boolean;
};

export type Terms = Omit<Rules, "template" | "tooLong" | "isTrial" | "openCodes" | "sender"> & {
  /** Whether a company is on trial. */
  isOnTrial(db: Statements, companyId: string): Promise<boolean>;
  /** Rendering stops above this price, because the pool cannot pay it. */
  creditsAtMost?: number;
};

/** Receives people by the prices of their messages. */
type OnPriced = (people: PricedPeople) => void;

/** The maximum number of pauses in a background pricing: a million recipients must fit in a request's 30 s. */
const RESTS_AT_MOST = 1_000;

/** Returns the current terms, for one pricing; long lists are rendered in the foreground or background. */
export async function termsOf(app: Runtime, urgency: Urgency = "foreground"): Promise<Terms> {
  let slices = 0;
  return {
    routing: await currentRouting(app),
    isOnTrial: (db, companyId) => isOnTrial(app, db, companyId),
    erased: erasedKeysOf(app),
    segmentsAtMost: app.config.limits.segmentsPerText,
    nextSlice: () => nextSlice(app, ++slices > RESTS_AT_MOST ? "foreground" : urgency),
  };
}

/** The most recipients that are queued in the transaction of the acceptance; of a larger send one step is. */
const AT_ONCE = 10_000;
/** The maximum number of blocked contacts that are listed; all of them are counted. */
const BLOCKED_SHOWN = 10_000;
/** The maximum number of reasons in the refusal of a send that reaches nobody. */
const REASONS_SHOWN = 100;
/** The position before the first member of the groups, in the order of their ids. */
const FIRST_CURSOR = "";
/** People rendered or counted at once. Fewer near the limit of the credits, since each costs at least one credit. */
export const STEP = { atLeast: 100, ofContacts: 1_000, ofMembers: 5_000, counted: 10_000 };

/**
 * Renders and prices a request for its whole audience, in bounded memory. `about` is what is known of all contacts that
 * it names; if absent, it is read step by step. If `onPriced` is given, it receives the people by their prices, and the
 * result does not contain their messages. Refuses `message-too-long`, `insufficient-credits` beyond `creditsAtMost`,
 * `conflict` beyond the request's own `creditAtMost`, and `no-recipient` with the reasons if nobody can be reached.
 */
export async function priceCampaign(
  tx: Tx,
  request: CampaignRequest,
  terms: Terms,
  about?: About,
  onPriced?: OnPriced,
): Promise<PricedCampaign> {
  const priced = nothingPriced(request);
  const isTrial = await terms.isOnTrial(tx, request.companyId);
  const { template, openCodes, sender } = request;
  const rules = { ...terms, isTrial, template, openCodes, sender };
  const stepOf = (most: number) => sizeOfStep(terms, priced.price, most);
  let at = 0;
  do {
    const size = about ? request.contacts.length : stepOf(STEP.ofContacts);
    const part = { ...request, contacts: request.contacts.slice(at, at + size) };
    const known = about ?? (await readAbout(tx, [part], terms));
    addNamed(priced, await renderNamed(part, rules, known), onPriced);
    requirePayable(priced, terms);
    at += size;
  } while (at < request.contacts.length);
  if (request.groupIds.length > 0) await priceMembers(tx, priced, rules, terms, onPriced);
  if (priced.count === 0) {
    const details = detailsOfBlocked(priced.blocked.slice(0, REASONS_SHOWN));
    if (details.length === 0) refuseNobody(request.groupIds);
    refuse("no-recipient", { details });
  }
  requireAsAsked(priced);
  return priced;
}

/**
 * Prices the members of the groups. If they may be more than are queued at once, only the first step that has recipients is
 * queued with the acceptance, and those after it are counted.
 */
async function priceMembers(
  tx: Tx,
  priced: PricedCampaign,
  rules: Rules,
  terms: Terms,
  onPriced?: OnPriced,
): Promise<void> {
  const { request } = priced;
  const { companyId, groupIds, contacts } = request;
  const sizes = await readGroupSizes(tx, companyId, groupIds);
  const isLarge = sizes.reduce((sum, size) => sum + size, contacts.length) > AT_ONCE;
  let heldOut: ReadonlySet<string> | null | undefined;
  let cursor = FIRST_CURSOR;
  do {
    // The first step looks opt-outs up. From the second step on, reading all of the company's opt-outs once is faster.
    if (cursor !== FIRST_CURSOR && heldOut === undefined) heldOut = await holdOptouts(tx, companyId);
    const size = sizeOfStep(terms, priced.price, STEP.ofMembers);
    const step = await renderMembers(tx, request, rules, cursor, size, heldOut);
    if (!step) return;
    cursor = step.cursor;
    addMembers(priced, step, onPriced);
    requirePayable(priced, terms);
  } while (!isLarge || priced.count === 0);
  const { blocked } = priced;
  const known = blocked.length;
  const limit = () => sizeOfStep(terms, priced.price, STEP.counted);
  await countMembers(tx, request, rules, { cursor, limit }, (counted) => {
    addCounted(priced, counted, onPriced);
    requirePayable(priced, terms);
  });
  blocked.push(...(await nameBlocked(tx, companyId, blocked.splice(known))));
}

/** Refuses `no-recipient` for a request without recipients, or with nothing but empty groups. */
export function refuseNobody(groupIds: readonly string[]): never {
  const detail =
    groupIds.length === 0
      ? { field: "contacts", message: NOBODY_NAMED }
      : { field: "groupsIds", message: groupIds.length === 1 ? EMPTY_GROUP : EMPTY_GROUPS };
  refuse("no-recipient", { details: [detail] });
}

const NOBODY_NAMED: Sentence = {
  fr: "la requête n’indique aucun destinataire",
  en: "the request has no recipients",
};
const EMPTY_GROUP: Sentence = {
  fr: "le groupe ne contient aucun contact ; ajoutez-en ou choisissez un autre groupe",
  en: "the group has no contacts; add some or choose another group",
};
const EMPTY_GROUPS: Sentence = {
  fr: "les groupes ne contiennent aucun contact ; ajoutez-en ou choisissez d’autres groupes",
  en: "the groups have no contacts; add some or choose other groups",
};

/** Called once the whole campaign is priced, so that the refusal can state the price. */
function requireAsAsked({
  price,
  request: { creditAtMost = Number.POSITIVE_INFINITY },
}: PricedCampaign): void {
  if (price <= creditAtMost) return;
  const { fr, en } = credits(price);
  const message = {
    fr: `le prix total est de ${fr}, au-dessus du plafond de ${creditAtMost}`,
    en: `the total price is ${en}, above the limit of ${creditAtMost}`,
  };
  refuseConflict("creditAtMost", message);
}

function nothingPriced(request: CampaignRequest): PricedCampaign {
  return {
    request,
    count: 0,
    price: 0,
    recipients: [],
    contacts: [],
    blocked: [...request.duplicates],
    blockedCount: request.duplicates.length,
    missing: request.template.names.map(() => 0),
    laterPrice: 0,
    cursor: FIRST_CURSOR,
    isKept: false,
    isFirst: false,
    isAwaited: false,
  };
}

function sizeOfStep(
  { creditsAtMost = Number.POSITIVE_INFINITY }: Terms,
  price: number,
  most: number,
): number {
  return Math.min(most, Math.max(STEP.atLeast, creditsAtMost - price + 1));
}

function requirePayable(
  { price }: PricedCampaign,
  { creditsAtMost = Number.POSITIVE_INFINITY }: Terms,
): void {
  if (price > creditsAtMost) refuse("insufficient-credits");
}

function addNamed(priced: PricedCampaign, step: Rendered, onPriced?: OnPriced): void {
  if (onPriced) for (const recipient of step.recipients) onPriced({ ...recipient, people: 1 });
  else {
    priced.recipients.push(...step.recipients);
    priced.contacts.push(...step.contacts);
  }
  priced.blocked.push(...step.blocked);
  addMissing(priced, step);
  priced.count += step.recipients.length;
  priced.price += step.price;
  priced.blockedCount += step.blocked.length;
}

function addMembers(priced: PricedCampaign, step: Rendered & { cursor: string }, onPriced?: OnPriced): void {
  const isAtOnce = priced.laterPrice === 0 && priced.recipients.length + step.recipients.length <= AT_ONCE;
  if (onPriced) for (const recipient of step.recipients) onPriced({ ...recipient, people: 1 });
  else if (isAtOnce) priced.recipients.push(...step.recipients);
  else priced.laterPrice += step.price;
  if (isAtOnce) priced.cursor = step.cursor;
  addMissing(priced, step);
  priced.count += step.recipients.length;
  priced.price += step.price;
  addBlocked(priced, step.blocked);
}

function addCounted(priced: PricedCampaign, counted: CountedPeople, onPriced?: OnPriced): void {
  for (const people of counted.priced) {
    const price = people.people * people.price;
    onPriced?.(people);
    priced.count += people.people;
    priced.price += price;
    priced.laterPrice += price;
  }
  addMissing(priced, counted);
  addBlocked(priced, counted.blocked);
}

function addBlocked(priced: PricedCampaign, blocked: readonly Blocked[]): void {
  priced.blockedCount += blocked.length;
  priced.blocked.push(...blocked.slice(0, Math.max(0, BLOCKED_SHOWN - priced.blocked.length)));
}

function addMissing(priced: PricedCampaign, { missing }: Pick<CountedPeople, "missing">): void {
  priced.missing = priced.missing.map((sum, i) => sum + (missing[i] ?? 0));
}
