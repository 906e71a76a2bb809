// Sender names at operators: where a name is registered, and what an operator does with other names.
import { refuseField } from "../../platform/http/fielderrors.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import { callingCodeOf } from "../../protocol/sms/plans.ts";
import { isSenderName } from "../../protocol/sms/sendernames.ts";

/**
 * What happens to a message whose sender name is not registered at an operator: `any` sends it as it is, `next` leaves
 * it to the next operator, `default` sends it under the operator's own name, `refuse` blocks the recipient.
 */
export const SENDER_POLICIES = ["any", "next", "default", "refuse"] as const;
export type SenderPolicy = (typeof SENDER_POLICIES)[number];

/** The rule of an operator; `defaultSender` counts as registered there. */
export type SenderRule = { id: string; senderPolicy: SenderPolicy; defaultSender: string | null };

/** The rule of an operator for which nothing is set. */
export const ANY_SENDER: Omit<SenderRule, "id"> = { senderPolicy: "any", defaultSender: null };

/** The sender of a message; `registered` lists `operatorId callingCode`. */
export type RoutedSender = { name: string; registered: readonly string[] };

/** Begins, in a routing prefix, the operators at which the sender is registered: `22507+<id>+<id>`. */
const MARK = "+";
/** Begins, at its end, each operator that does not serve the recipient: `22507+<id>~<id>`. */
const UNSERVED = "~";

/** The parts of a routing prefix. `registered`: undefined if it names no operators of its sender. */
type PrefixParts = {
  base: string;
  registered: readonly string[] | undefined;
  unserved: readonly string[];
};

/** Splits a routing prefix. */
export function splitPrefix(prefix: string): PrefixParts {
  const [start = prefix, ...unserved] = prefix.split(UNSERVED);
  const [base = start, ...registered] = start.split(MARK);
  const isMarked = start.includes(MARK);
  return { base, registered: isMarked ? registered.filter((id) => id !== "") : undefined, unserved };
}

/** Returns the routing prefix of a message whose recipient an operator does not serve. */
export function prefixWithout(prefix: string, operatorId: string): string {
  return prefix + UNSERVED + operatorId;
}

/**
 * Returns the routing prefix of a sender's message to a phone, of which `rules` are the operators. It stays as it is
 * where every operator takes any name and the sender is registered at none of them.
 */
export function prefixWithSender(
  prefix: string,
  phone: string,
  { name, registered }: RoutedSender,
  rules: readonly SenderRule[],
): string {
  const ending = ` ${callingCodeOf(phone)}`;
  const ids = rules
    .filter((rule) => rule.defaultSender === name || registered.includes(rule.id + ending))
    .map(({ id }) => id);
  const isFree = ids.length === 0 && rules.every(({ senderPolicy }) => senderPolicy === "any");
  return isFree ? prefix : prefix + MARK + ids.sort().join(MARK);
}

/**
 * Returns the steps for a message whose sender is registered at some operators: these come first, then the operators
 * that send other names too.
 */
export function stepsOfSender<Rule extends SenderRule>(
  steps: readonly (readonly Rule[])[],
  registered: readonly string[],
): Rule[][] {
  const isRegistered = ({ id }: Rule) => registered.includes(id);
  const takes = ({ senderPolicy }: Rule) => senderPolicy === "any" || senderPolicy === "default";
  return [
    ...steps.map((step) => step.filter(isRegistered)),
    ...steps.map((step) => step.filter((rule) => !isRegistered(rule) && takes(rule))),
  ].filter((step) => step.length > 0);
}

/** Whether the operators of these steps refuse a sender that is registered at none of them. */
export function isRefusedBy(
  steps: readonly (readonly SenderRule[])[],
  registered: readonly string[],
): boolean {
  const rules = steps.map((step) => step.filter(({ senderPolicy }) => senderPolicy !== "next"));
  const first = rules.find((step) => step.length > 0) ?? [];
  const isSomewhere = steps.flat().some(({ id }) => registered.includes(id));
  return !isSomewhere && first.every(({ senderPolicy }) => senderPolicy === "refuse");
}

const NO_NAME: Sentence = {
  fr: "doit avoir 1 à 11 caractères affichables par les téléphones, ou 15 chiffres au plus",
  en: "must have 1 to 11 characters that phones can display, or at most 15 digits",
};
const NO_DEFAULT: Sentence = {
  fr: "est requis pour remplacer les expéditeurs non enregistrés",
  en: "is required to replace unregistered senders",
};

/** Refuses `invalid-request` for a rule that cannot work. */
export function requireSenderRule({
  senderPolicy,
  defaultSender,
}: {
  senderPolicy?: SenderPolicy | null;
  defaultSender?: string | null;
}): void {
  if (defaultSender && !isSenderName(defaultSender) && !/^\d{1,15}$/.test(defaultSender))
    refuseField("defaultSender", NO_NAME);
  if (senderPolicy === "default" && !defaultSender) refuseField("defaultSender", NO_DEFAULT);
}
