// Checks the rules of a declaration: outcomes, receipts and incoming messages, with their sources and conditions.
import type { Sentence } from "../../platform/http/refusals.ts";
import { authPath, authsOf } from "./authenticity.ts";
import type { Condition, Connector, InboundOctets, OutcomeRule, Source } from "./connector.ts";
import { stepsOf } from "./picking.ts";
import type { Report } from "./requestcheck.ts";

/** Where sources and conditions read: in an answer to a request, or in a callback. */
type Side = "answer" | "callback";

const NO_POINTER: Sentence = {
  fr: "n’est pas un pointeur JSON (/membre/0/autre, avec un seul * au plus)",
  en: "is not a JSON pointer (/member/0/other, with at most one *)",
};

function checkPointer(path: string, pointer: string | undefined, report: Report): void {
  if (pointer !== undefined && stepsOf(pointer) === undefined) report(path, NO_POINTER);
}

function checkSubject(path: string, subject: Source | Condition, side: Side, report: Report): void {
  const status = "status" in subject ? subject.status : undefined;
  const given = [status, subject.json, subject.header, subject.query, subject.text];
  if (given.filter((one) => one !== undefined).length !== 1)
    report(path, {
      fr: "doit lire exactement une chose : json, header, query, text ou, pour une condition, status",
      en: "must read exactly one thing: json, header, query, text or, for a condition, status",
    });
  if (side === "answer" && subject.query !== undefined)
    report(`${path}.query`, { fr: "n’existe que dans un rappel", en: "exists in callbacks only" });
  if (side === "callback" && status !== undefined)
    report(`${path}.status`, { fr: "n’existe que dans une réponse", en: "exists in answers only" });
  if (typeof subject.json === "string") checkPointer(`${path}.json`, subject.json, report);
  else
    for (const [at, one] of (subject.json ?? []).entries()) checkPointer(`${path}.json[${at}]`, one, report);
}

function checkSource(path: string, source: Source | undefined, side: Side, report: Report): void {
  if (source !== undefined) checkSubject(path, source, side, report);
}

function checkConditions(
  path: string,
  conditions: readonly Condition[] | undefined,
  side: Side,
  report: Report,
): void {
  for (const [at, condition] of (conditions ?? []).entries()) {
    const { status, is, startsWith, contains, present } = condition;
    checkSubject(`${path}[${at}]`, condition, side, report);
    const isCompared = [is, startsWith, contains, present].some((one) => one !== undefined);
    if (isCompared === (status !== undefined))
      report(`${path}[${at}]`, {
        fr: "doit avoir is, startsWith, contains ou present, sauf pour status",
        en: "must have is, startsWith, contains or present, except for status",
      });
    if (status?.some((one) => typeof one !== "number" && one[0] > one[1]))
      report(`${path}[${at}].status`, { fr: "a une plage à l’envers", en: "has a range from high to low" });
  }
}

/** Checks the ordered rules that say what became of a request. */
export function checkOutcomes({ fields, outcomes, receipts }: Connector, report: Report): void {
  if (!outcomes.some(({ is }) => is === "accepted"))
    report("outcomes", {
      fr: "doit avoir une règle « accepted »",
      en: "must have a rule “accepted”",
    });
  for (const [at, rule] of outcomes.entries()) {
    const path = `outcomes[${at}]`;
    checkOnly(`${path}.only`, rule.only, fields, report);
    checkConditions(`${path}.when`, rule.when, "answer", report);
    checkSource(`${path}.code`, rule.code, "answer", report);
    checkSource(`${path}.id`, typeof rule.id === "object" ? rule.id : undefined, "answer", report);
    checkSource(`${path}.waitS`, typeof rule.waitS === "object" ? rule.waitS : undefined, "answer", report);
    checkFitting(path, rule, report);
    if (rule.is === "accepted" && rule.id === undefined && receipts !== undefined)
      report(`${path}.id`, {
        fr: "est obligatoire, car les accusés sont rapprochés par cet identifiant",
        en: "is required, because receipts are matched by this id",
      });
  }
}

/** Checks the field on which the existence of a rule depends. */
export function checkOnly(
  path: string,
  only: string | undefined,
  fields: Connector["fields"],
  report: Report,
): void {
  if (only !== undefined && !fields.some(({ name }) => name === only.replace("!", "")))
    report(path, {
      fr: "n’est pas un champ du connecteur",
      en: "is not a field of the connector",
    });
}

const FITTING = { id: "accepted", failure: "permanent", trouble: "account", waitS: "throttled" } as const;

function checkFitting(path: string, rule: OutcomeRule, report: Report): void {
  for (const member of ["id", "failure", "trouble", "waitS"] as const) {
    if (rule[member] === undefined || rule.is === FITTING[member]) continue;
    report(`${path}.${member}`, {
      fr: `n’a de sens qu’avec « ${FITTING[member]} »`,
      en: `makes sense with “${FITTING[member]}” only`,
    });
  }
}

/** Checks how callbacks are read and proven. */
export function checkCallbacks({ receipts, inbound, callbackAuth }: Connector, report: Report): void {
  if (receipts) {
    checkPointer("receipts.list", receipts.list, report);
    checkConditions("receipts.when", receipts.when, "callback", report);
    for (const [at, source] of receipts.id.entries())
      checkSource(`receipts.id[${at}]`, source, "callback", report);
    for (const member of ["ownId", "phone", "sender", "state", "error"] as const)
      checkSource(`receipts.${member}`, receipts[member], "callback", report);
    checkSource("receipts.at.source", receipts.at?.source, "callback", report);
  }
  if (inbound) {
    checkPointer("inbound.list", inbound.list, report);
    checkConditions("inbound.when", inbound.when, "callback", report);
    for (const member of ["from", "to", "text", "id"] as const)
      checkSource(`inbound.${member}`, inbound[member], "callback", report);
    checkOctets(inbound.octets, report);
  }
  if (receipts && inbound && (receipts.format !== inbound.format || receipts.list !== inbound.list))
    report("inbound", {
      fr: "doit avoir les mêmes format et list que receipts : les deux arrivent à la même adresse",
      en: "must have the same format and list as receipts: both arrive at the same URL",
    });
  for (const [at, auth] of authsOf(callbackAuth).entries())
    if (auth.kind === "hmac" && /timestamp/.test(auth.over) && !auth.timestampHeader)
      report(`${authPath(callbackAuth, at)}.timestampHeader`, { fr: "est obligatoire", en: "is required" });
}

function checkOctets(octets: readonly InboundOctets[] = [], report: Report): void {
  for (const [at, { source, written, when }] of octets.entries()) {
    const path = `inbound.octets[${at}]`;
    checkSource(`${path}.source`, source, "callback", report);
    checkConditions(`${path}.when`, when, "callback", report);
    const { query, ...others } = source;
    if (written === "percent" && (query === undefined || Object.keys(others).length > 0))
      report(`${path}.source`, {
        fr: "doit être un paramètre de l’URL (query) : seuls ses octets sont conservés",
        en: "must be a parameter of the URL (query): only its octets are kept",
      });
  }
}

/** Checks the queries for the state of a message and for the balance of the account. */
export function checkQueries({ status, balance }: Connector, report: Report): void {
  if (status) {
    checkConditions("status.when", status.when, "answer", report);
    checkConditions("status.unknownHere", status.unknownHere, "answer", report);
    checkSource("status.id", status.id, "answer", report);
    checkSource("status.state", status.state, "answer", report);
    checkSource("status.error", status.error, "answer", report);
    checkSource("status.at.source", status.at?.source, "answer", report);
  }
  if (balance) {
    checkSource("balance.units", balance.units, "answer", report);
    if (typeof balance.unit !== "string") checkSource("balance.unit", balance.unit, "answer", report);
  }
}
