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

/** Over HTTP there is no session: each message is a request, and the account is what a carrier refuses. */
const HTTP_STATES: Readonly<Record<OperatorShown["state"], State>> = {
  BOUND: ["good", "Prêt", "Ready"],
  CONNECTING: ["wait", "Vérification en cours", "Checking"],
  REFUSED: ["wrong", "Compte refusé", "Account refused"],
  DISCONNECTED: ["wrong", "Injoignable", "Unreachable"],
  DISABLED: ["calm", "Désactivé", "Disabled"],
};

export function operatorState(visit: Visit, { kind, state, able, heldAt }: OperatorShown): Html {
  const states = kind === "http" ? HTTP_STATES : STATES;
  const isWaiting = state === "BOUND" && !able && heldAt === null;
  return html`${stateBadge(visit, states[state])} ${heldAt !== null && badge("wait", visit.t("Suspendu", "Paused"))} ${isWaiting && badge("wait", visit.t("N’accepte pas de messages pour l’instant", "Not accepting messages right now"))}`;
}
