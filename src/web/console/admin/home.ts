// The administration's overview: open reviews, operators that are down, whether balances add up, and the last days.
import { type Html, html } from "../../../platform/http/html.ts";
import { formButton, linkButton } from "../parts/forms.ts";
import { actions, facts, figure, figures, notice, remark, section } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";
import { mayAdminister } from "./admin.ts";
import { bindError } from "./binderrors.ts";
import { daysChart } from "./days.ts";
import { isUntried, operatorState } from "./operatorstate.ts";
import { recoveryNotice } from "./recovery.ts";
import { countWaiting } from "./reviews.ts";

export function addAdminHome(screens: Screens): void {
  screens.page("/admin", home);
  screens.form("/admin/balances", proveBalances);
}

const DAYS_SHOWN = 14;
const OPERATORS_SHOWN = 100;

async function home(visit: Visit): Promise<View> {
  const [held, waiting, { data: operators }, chart] = await Promise.all([
    recoveryNotice(visit),
    countWaiting(visit),
    visit.callAsAdmin("/v1/admin/operator/list", { limit: OPERATORS_SHOWN }),
    daysChart(visit, DAYS_SHOWN),
  ]);
  const down = operators.filter(
    (operator) => operator.state !== "BOUND" && operator.state !== "DISABLED" && !isUntried(operator),
  );
  return {
    title: visit.t("Administration", "Administration"),
    body: html`${held}${operators.length === 0 && firstOperator(visit)}
${down.map((operator) =>
  notice("wrong", [
    html`<p>${operatorState(visit, operator)} ${operator.name}</p>`,
    operator.error !== null && bindError(visit, operator.error),
  ]),
)}
${section(
  visit.t("À valider", "Reviews"),
  figures(
    waiting.map(({ key, text, count }) =>
      figure(text, html`<a href="/admin/reviews?kind=${key}">${visit.formats.number(count)}</a>`),
    ),
  ),
  html`<a href="/admin/reviews">${visit.t("Voir tout", "View all")}</a>`,
)}
${chart}
<div class="columns">
${section(
  visit.t("Opérateurs", "Operators"),
  facts(operators.map((operator) => [operator.name, operatorState(visit, operator)] as const)),
  html`<a href="/admin/operators">${visit.t("Voir en direct", "View live")}</a>`,
)}
${mayAdminister(visit, "account") && balancesPart(visit)}
</div>
<p><a href="/admin/nodes">${visit.t("Processus du service", "Service processes")}</a></p>`,
  };
}

function firstOperator(visit: Visit): Html {
  return notice("wait", [
    html`<p>${visit.t("Aucun opérateur n’est configuré. Aucun SMS ne peut être envoyé.", "No operator is configured. No SMS can be sent.")}</p>`,
    mayAdminister(visit, "govern") &&
      actions([linkButton("/admin/operators/new", visit.t("Ajouter un opérateur", "Add operator"))]),
  ]);
}

/** The check reads every ledger entry, so it runs only when it is requested. */
function balancesPart(visit: Visit): Html {
  return section(visit.t("Soldes", "Balances"), [
    html`<p>${visit.t(
      "Compare chaque solde à ses écritures, et les crédits réservés aux messages en cours.",
      "Compares every balance with its entries, and reserved credits with the messages in flight.",
    )}</p>`,
    formButton(visit, "/admin/balances", visit.t("Vérifier les soldes", "Check balances")),
    html`<p><a href="/admin/grants">${visit.t("Attributions à confirmer", "Grants to confirm")}</a></p>`,
  ]);
}

async function proveBalances(visit: Visit): Promise<View> {
  const proved = await visit.attempt(visit.callAsAdmin("/v1/admin/credit/audit"));
  const view = {
    title: visit.t("Soldes", "Balances"),
    narrow: true,
    back: { href: "/admin", text: visit.t("Administration", "Administration") },
  };
  if (proved instanceof Problem) {
    visit.problem = proved;
    return { ...view, body: html`` };
  }
  const { balanced, pools, entries, held, inFlight, difference, changedDays } = proved.data;
  const { formats } = visit;
  return {
    ...view,
    body: html`${
      balanced
        ? remark(visit, "good", [
            "Les comptes sont exacts. Aucun crédit n’a été perdu ni créé.",
            "The accounts are correct. No credits were lost or created.",
          ])
        : remark(visit, "wrong", [
            `Les comptes ne sont pas exacts. L’écart est de ${formats.number(difference)}. Prévenez l’équipe technique du service.`,
            `The accounts do not add up. The difference is ${formats.number(difference)}. Notify the technical team of the service.`,
          ])
    }${
      changedDays.length > 0 &&
      remark(visit, "wrong", [
        `Les écritures de ces jours (UTC) ont été modifiées dans la base de données : ${changedDays.join(", ")}.`,
        `The entries of these days (UTC) were changed in the database: ${changedDays.join(", ")}.`,
      ])
    }
${figures([
  figure(visit.t("Comptes", "Accounts"), formats.number(pools)),
  figure(visit.t("Écritures", "Entries"), formats.number(entries)),
  figure(visit.t("Crédits réservés", "Reserved credits"), formats.number(held)),
  figure(visit.t("Prix des messages en cours", "Price of messages in flight"), formats.number(inFlight)),
])}
${formButton(visit, "/admin/balances", visit.t("Vérifier de nouveau", "Check again"))}`,
  };
}
