// Registrations of sender names at operators: their states and what a table shows of them.
import type { Data } from "../apiclient.ts";
import type { Visit } from "../visit.ts";
import { countryName } from "./countries.ts";
import type { Column } from "./lists.ts";
import { type State, stateBadge } from "./parts.ts";

type Registration = Data<"/v1/sender/{id}">["registrations"][number];

export const REGISTRATION_STATES: Readonly<Record<Registration["state"], State>> = {
  REQUESTED: ["wait", "Demandé", "Requested"],
  REGISTERED: ["good", "Enregistré", "Registered"],
  REFUSED: ["wrong", "Refusé", "Refused"],
  EXPIRED: ["calm", "Expiré", "Expired"],
};

/** The columns of a registration: its operator, its country, its state and its last day. */
export function registrationColumns(visit: Visit): Column<Registration>[] {
  const dayOf = (day: string | null) => (day === null ? "–" : visit.formats.date(day));
  return [
    [visit.t("Opérateur", "Operator"), ({ operatorName }) => operatorName],
    [visit.t("Pays", "Country"), ({ country }) => countryName(visit, country)],
    [visit.t("État", "State"), ({ state }) => stateBadge(visit, REGISTRATION_STATES[state])],
    [visit.t("Valable jusqu’au", "Valid until"), ({ expiresOn }) => dayOf(expiresOn)],
  ];
}
