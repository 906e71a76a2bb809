// An operator that a page shows: which one, and its state in words.
import { type Html, html } from "../../../platform/http/html.ts";
import { badge, type State, stateBadge } from "../parts/parts.ts";
import type { Visit } from "../visit.ts";
import type { OperatorShown } from "./operatorsettings.ts";

/** Returns the operator in the page's URL. Throws `not-found`. */
export async function readOperator(visit: Visit): Promise<OperatorShown> {
  return (await visit.callAsAdmin("/v1/admin/operator/{id}")).data;
}

const STATES: Readonly<Record<OperatorShown["state"], State>> = {
  BOUND: ["good", "Connecté", "Connected"],
  CONNECTING: ["wait", "Connexion en cours", "Connecting"],
  REFUSED: ["wrong", "Liaison refusée", "Bind refused"],
  DISCONNECTED: ["wrong", "Déconnecté", "Disconnected"],
  DISABLED: ["calm", "Désactivé", "Disabled"],
};

/** Over HTTP there is no session: each message is a request, and the account is what a provider refuses. */
const HTTP_STATES: Readonly<Record<OperatorShown["state"], State>> = {
  BOUND: ["good", "Prêt", "Ready"],
  CONNECTING: ["wait", "Vérification en cours", "Checking"],
  REFUSED: ["wrong", "Compte refusé", "Account refused"],
  DISCONNECTED: ["wrong", "Injoignable", "Unreachable"],
  DISABLED: ["calm", "Désactivé", "Disabled"],
};

/** A phone has no session either, and waits for its pairing or for the next day. */
const PHONE_STATES: Readonly<Record<OperatorShown["state"], State>> = {
  ...HTTP_STATES,
  REFUSED: ["wait", "En attente", "Waiting"],
};
const STATES_OF = { smpp: STATES, http: HTTP_STATES, phone: PHONE_STATES } as const;

/** An operator over HTTP that has just been enabled: no node has tried it yet, so nothing is wrong. */
const UNTRIED: State = ["note", "Connexion en cours…", "Connecting…"];

/** It took no message before, and no message has been sent over it since. */
const TRIED_AGAIN: State = [
  "wait",
  "Sera réessayé avec le prochain message",
  "Tried again with the next message",
];

/** Whether an operator without a session is enabled and not tried yet. */
export function isUntried({ kind, state, error }: OperatorShown): boolean {
  return kind !== "smpp" && state === "DISCONNECTED" && error === null;
}

/** Renders the state of an operator, and whether it is paused or takes no messages right now. */
export function operatorState(visit: Visit, operator: OperatorShown): Html {
  const { kind, state, able, heldAt } = operator;
  const isWaiting = state === "BOUND" && !able && heldAt === null;
  const isTried = kind === "http" && state === "BOUND" && operator.error !== null;
  const shown = isUntried(operator) ? UNTRIED : isTried ? TRIED_AGAIN : STATES_OF[kind][state];
  return html`${stateBadge(visit, shown)} ${heldAt !== null && badge("wait", visit.t("Suspendu", "Paused"))} ${isWaiting && badge("wait", visit.t("N’accepte pas de messages pour l’instant", "Not accepting messages right now"))}`;
}
