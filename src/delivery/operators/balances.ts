// The balance of our account at a carrier over HTTP, asked at this moment.
import { type Static, Type } from "typebox";
import type { Statements } from "../../platform/database/query.ts";
import { detailOf, refuseConflict } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { refuse, requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { shape } from "../../platform/http/responseschemas.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { usable } from "./connectors.ts";
import * as sql from "./sql.ts";

/** Units that the carrier says we have left. */
export const CarrierBalance = shape("CarrierBalance", {
  units: member(Type.String(), {
    fr: "Solde, tel que le fournisseur l’écrit",
    en: "Balance, as the carrier writes it",
    sample: "4820",
  }),
  unit: member(Type.String(), {
    fr: "Unité : SMS ou monnaie",
    en: "Unit: SMS or currency",
    sample: "SMS",
  }),
});
type CarrierBalance = Static<typeof CarrierBalance>;

const NO_BALANCE: Sentence = {
  fr: "le fournisseur de cet opérateur n’indique pas de solde",
  en: "the carrier of this operator has no balance to ask for",
};
const NO_ANSWER: Sentence = {
  fr: "le fournisseur ne répond pas, ou sa réponse ne contient pas de solde",
  en: "the carrier does not answer, or its answer has no balance",
};

/** The queries under way, by operator: whoever asks meanwhile gets the same answer. */
const asking = perRuntime(() => new Map<string, Promise<CarrierBalance>>());

/**
 * Asks the carrier for our balance, once at a time for each operator. Refuses `not-found`, `conflict` if the operator has
 * no balance to ask for, and `service-unavailable` if the carrier gives none.
 */
export function readCarrierBalance(
  app: Runtime,
  db: Statements,
  operatorId: string,
): Promise<CarrierBalance> {
  const underWay = asking(app);
  const known = underWay.get(operatorId);
  if (known) return known;
  const balance = ask(app, db, operatorId).finally(() => underWay.delete(operatorId));
  underWay.set(operatorId, balance);
  return balance;
}

async function ask(app: Runtime, db: Statements, operatorId: string): Promise<CarrierBalance> {
  const known = await requireRow(db.run(sql.findKnown, [operatorId]), "not-found");
  if (known.kind !== "http") refuseConflict("id", NO_BALANCE);
  const [operator] = (await db.run(sql.listOperators)).filter(({ id }) => id === operatorId);
  if (!operator) return refuse("not-found");
  const { CarrierClient } = await import("./carrierclient.ts");
  const client = usable(() => new CarrierClient(app, operator));
  try {
    const { connector } = client;
    if (!connector.balanceRequest(undefined)) refuseConflict("id", NO_BALANCE);
    const response = await client.query((token) => connector.balanceRequest(token));
    return (response && connector.balanceOf(response)) ?? refuseUnanswered();
  } finally {
    await client.destroy();
  }
}

function refuseUnanswered(): never {
  return refuse("service-unavailable", { details: [detailOf("id", NO_ANSWER)] });
}
