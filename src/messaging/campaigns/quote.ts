// Quotes: what a campaign would cost and why, without sending anything.
import type { Routing } from "../../delivery/operators/routing.ts";
import type { Approval, CompanyCaller, Reaching } from "../../identity/accounts/callers.ts";
import { readBalance } from "../../ledger/credits/credits.ts";
import { requireGroups } from "../../phonebook/groups/groups.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { unicodeCulprits } from "../../protocol/sms/culprits.ts";
import { composed } from "../../protocol/sms/encoding.ts";
import { callingCodeOf, countryOfCode } from "../../protocol/sms/plans.ts";
import { needsApproval } from "./approvals.ts";
import { type CampaignInput, requestOf } from "./campaigns.ts";
import type { PricedPeople } from "./counting.ts";
import { priceCampaign, termsOf } from "./pricing.ts";
import type { Quote } from "./quoteshapes.ts";
import { explainBlocked } from "./recipients.ts";
import { variablesOf } from "./variables.ts";
import { doWork, settleWork, takeWork, type Work } from "./work.ts";

/**
 * Prices a campaign as `campaign/create` would. Returns messages, segments and credits by encoding, the number of
 * messages by segments, the cost of each country's messages, the balance afterwards (below zero if it cannot be paid),
 * the blocked contacts, the characters that force UCS-2 with a GSM-7 replacement, the number of recipients without a
 * value for each custom field, and whether it would await approval. Refuses as creation does, except for the credits
 * and the number of pending campaigns, and `too-many-requests` beyond the account's render budget.
 */
export async function quoteCampaign(
  app: Runtime,
  caller: CompanyCaller & Reaching & Approval,
  input: CampaignInput,
): Promise<Quote> {
  const { approvalFrom } = caller;
  const work = await takeWork(app, { ...(await requestOf(app, caller, input)), approvalFrom });
  const quote = await doWork(app, work, () => quoteDraft(app, work));
  settleWork(app, work, quote.sufficient ? "paid" : "unpaid");
  return quote;
}

async function quoteDraft(app: Runtime, { request, urgency }: Work): Promise<Quote> {
  const terms = await termsOf(app, urgency);
  return app.database.of(request.companyId).snapshot(async (tx) => {
    await requireGroups(tx, request.companyId, request.groupIds);
    const byEncoding: Quote["encodings"] = {
      "GSM-7": { messages: 0, segments: 0, credits: 0 },
      "UCS-2": { messages: 0, segments: 0, credits: 0 },
    };
    const bySegments = new Map<number, number>();
    const breakdown = new Breakdown();
    const replaced = new ReplacedSenders(terms.routing, request.sender.name);
    const priced = await priceCampaign(tx, request, terms, undefined, (priced) => {
      const { encoding, segments, price, people } = priced;
      const counts = byEncoding[encoding];
      counts.messages += people;
      counts.segments += people * segments;
      counts.credits += people * price;
      bySegments.set(segments, (bySegments.get(segments) ?? 0) + people);
      breakdown.add(priced);
      replaced.add(priced);
    });
    const balance = await readBalance(tx, request.companyId);
    return {
      contactCount: priced.count,
      segments: byEncoding["GSM-7"].segments + byEncoding["UCS-2"].segments,
      creditUsed: priced.price,
      encodings: byEncoding,
      bySegments: Array.from(bySegments, ([segments, messages]) => ({ segments, messages })).sort(
        (a, b) => a.segments - b.segments,
      ),
      breakdown: breakdown.rows(),
      balance,
      balanceAfter: balance - priced.price,
      sufficient: balance >= priced.price,
      blockedContacts: explainBlocked(priced.blocked, request.language),
      blockedCount: priced.blockedCount,
      ...(replaced.rows.length > 0 && { replacedSenders: replaced.rows }),
      variables: variablesOf(priced),
      unicodeCharacters: unicodeCulprits(composed(request.text)),
      ...(needsApproval(priced) && { awaitsApproval: true }),
    };
  });
}

/** The messages that an operator sends under its own name, by that name and the beginning of their numbers. */
class ReplacedSenders {
  readonly rows: NonNullable<Quote["replacedSenders"]> = [];
  readonly #routing: Routing;
  readonly #name: string;
  /** The names shown, by prefix: many people have the same one. */
  readonly #shown = new Map<string, string>();

  constructor(routing: Routing, name: string) {
    this.#routing = routing;
    this.#name = name;
  }

  add({ phone, prefix, people }: PricedPeople): void {
    if (!this.#routing.hasSenderRules) return;
    const sender = this.#shown.get(prefix) ?? this.#find(prefix);
    if (sender === this.#name) return;
    const start = this.#routing.servedPrefixOf(phone) ?? "";
    let row = this.rows.find((one) => one.sender === sender && one.prefix === start);
    if (!row) {
      row = { sender, prefix: start, messages: 0 };
      this.rows.push(row);
    }
    row.messages += people;
  }

  #find(prefix: string): string {
    const operatorId = this.#routing.firstOf(prefix) ?? "";
    const sender = this.#routing.senderAt(operatorId, prefix, this.#name);
    this.#shown.set(prefix, sender);
    return sender;
  }
}

type PriceRow = Quote["breakdown"][number];

/** A quote's messages by calling code, encoding, segments and price: 60 ns per recipient (2 cores, 2026-11-26). */
class Breakdown {
  readonly #rows = new Map<string, PriceRow[]>();

  add({ phone, encoding, segments, price, people }: PricedPeople): void {
    const callingCode = callingCodeOf(phone);
    const rows = this.#rows.get(callingCode) ?? [];
    const creditsPerSegment = price / segments;
    let row = rows.find(
      (one) =>
        one.segments === segments && one.encoding === encoding && one.creditsPerSegment === creditsPerSegment,
    );
    if (row === undefined) {
      const country = countryOfCode(callingCode);
      row = { callingCode, country, encoding, segments, creditsPerSegment, messages: 0, credits: 0 };
      rows.push(row);
      this.#rows.set(callingCode, rows);
    }
    row.messages += people;
    row.credits += people * price;
  }

  /** The rows, in descending order of credits. */
  rows(): PriceRow[] {
    return [...this.#rows.values()].flat().sort((a, b) => b.credits - a.credits || b.messages - a.messages);
  }
}
