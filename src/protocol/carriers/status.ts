// The status query: asks the carrier about one message, and reads what the answer proves.
import { compileState } from "./callbacks.ts";
import type { Connector, StatusRules } from "./connector.ts";
import type { AskedMessage, CarrierResponse, OpenConnector, StatusAnswer } from "./exchange.ts";
import { retryAfterMs, storableId } from "./outcomes.ts";
import { compileConditions, compileSource } from "./picking.ts";
import { ofStatus } from "./placeholders.ts";
import { type CarrierReading, readResponse } from "./reading.ts";
import { compileRequest, type TemplateScope } from "./requests.ts";
import { isNamedIn } from "./templates.ts";

/** How long a carrier is left alone that answers no query, unless it says how long. */
export const UNAVAILABLE_MS = 10_000;

const NOTHING: StatusAnswer = { is: "nothing" };

type StatusTerms = Pick<TemplateScope<AskedMessage>, "isAddress"> & {
  auth: Connector["auth"];
  values: ReadonlyMap<string, string>;
  nowMs: () => number;
};

type StatusQuery = Pick<OpenConnector, "asksBy" | "statusRequest" | "statusOf">;

/** Compiles the status query of a connector, if it has one. */
export function compileStatus(status: StatusRules | undefined, terms: StatusTerms): StatusQuery {
  if (!status) return { asksBy: undefined, statusRequest: () => undefined, statusOf: () => NOTHING };
  const { auth, values, isAddress, nowMs } = terms;
  const statusRequest = compileRequest(status.request, auth, { resolve: ofStatus(values), isAddress });
  const asksBy = isNamedIn(status.request, "carrierId") ? "carrierId" : "id";
  const answerIn = compileAnswer(status, asksBy, nowMs);
  const statusOf = (response: CarrierResponse, message: AskedMessage): StatusAnswer => {
    const reading = readResponse(response);
    const waitMs = unavailableMs(reading, nowMs());
    return waitMs === undefined ? answerIn(reading, message) : { is: "unavailable", waitMs };
  };
  return { asksBy, statusRequest, statusOf };
}

/** Returns how long the carrier is left alone if it answers no query now. */
function unavailableMs(reading: CarrierReading, nowMs: number): number | undefined {
  const { status = 0 } = reading;
  if (status === 429) return retryAfterMs(reading, nowMs);
  return status >= 500 || status === 401 ? UNAVAILABLE_MS : undefined;
}

/**
 * Compiles what an answer says. A word that is not in the map of states says nothing, since it may mean that the carrier
 * does not have the message; nor does an answer about another id of the carrier than the one asked for.
 */
function compileAnswer(rules: StatusRules, asksBy: "id" | "carrierId", nowMs: () => number) {
  const holds = compileConditions(rules.when);
  const isAbsent = rules.unknownHere ? compileConditions(rules.unknownHere) : () => false;
  const idIn = rules.id && compileSource(rules.id);
  const stateIn = compileState(rules, nowMs);
  return (reading: CarrierReading, message: AskedMessage): StatusAnswer => {
    const { status = 0, json } = reading;
    if (isAbsent(reading, json)) return { is: "absent" };
    if (status < 200 || status > 299 || !holds(reading, json)) return NOTHING;
    const state = stateIn(reading, json);
    const id = idIn ? storableId(idIn(reading, json)) : message[asksBy];
    if (!state?.isKnown || id === undefined) return NOTHING;
    return asksBy === "carrierId" && id !== message.carrierId ? NOTHING : { is: "known", id, ...state };
  };
}
