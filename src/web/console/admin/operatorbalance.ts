// The balance of our account at the provider of an operator over HTTP, asked whenever somebody opens the page.
import type { Html } from "../../../platform/http/html.ts";
import { linkButton } from "../parts/forms.ts";
import { actions, figure, figures, notice, section } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";
import type { OperatorShown } from "./operatorsettings.ts";
import { readOperator } from "./operatorstate.ts";

export function addAdminOperatorBalance(screens: Screens): void {
  screens.page("/admin/operators/:id/balance", showBalance);
}

const title = (visit: Visit) => visit.t("Solde chez le fournisseur", "Balance at the provider");

/** Renders the way to the balance. */
export function balanceSection(visit: Visit, { id }: OperatorShown): Html {
  return section(title(visit), [
    actions([
      linkButton(
        `/admin/operators/${id}/balance`,
        visit.t("Demander le solde", "Ask for the balance"),
        "second",
      ),
    ]),
  ]);
}

async function showBalance(visit: Visit): Promise<View> {
  const { id, name } = await readOperator(visit);
  const answer = await visit.attempt(visit.callAsAdmin("/v1/admin/operator/{id}/balance"));
  return {
    title: title(visit),
    narrow: true,
    back: { href: `/admin/operators/${id}`, text: name },
    body:
      answer instanceof Problem
        ? notice("wrong", answer.sentence)
        : figures([figure(answer.data.unit, answer.data.units)]),
  };
}
