// The URLs of /v1/credit.
import { Type } from "typebox";
import { companyMay } from "../identity/accounts/callers.ts";
import { readBalance } from "../ledger/credits/credits.ts";
import { Balance } from "../ledger/credits/shapes.ts";
import { NamedMovement } from "../messaging/messages/shapes.ts";
import { readNamedStatement } from "../messaging/messages/statement.ts";
import { listRoute } from "../platform/http/lists.ts";
import { route } from "../platform/http/routes.ts";

export const balance = route("/v1/credit/balance", {
  synonyms: ["/v1/company/credit"],
  title: { fr: "Lire le solde", en: "Read the balance" },
  says: {
    fr: "Renvoie le solde en crédits. Les crédits réservés pour des envois en sont déjà déduits.",
    en: "Returns the balance in credits. Credits reserved for sends are already deducted.",
  },
  body: Type.Object({}),
  reads: true,
  caller: companyMay("read", "send", "otp"),
  whenClosed: true,
  answers: Balance,
  run: (app, { companyId }) => readBalance(app.database.of(companyId), companyId),
});

/** `messaging/messages` reads it, since it names campaigns, which `ledger/credits` cannot. */
export const statement = listRoute("/v1/credit/statement", {
  title: { fr: "Lire le relevé de crédits", en: "Read the credit statement" },
  says: {
    fr: "Liste les écritures du compte, de la plus récente à la plus ancienne, avec le solde après chacune. Des envois à une personne acceptés au même moment forment une seule écriture.",
    en: "Lists the entries of the account, newest first, with the balance after each. Sends to one person that are accepted at the same moment form a single entry.",
  },
  body: {},
  caller: companyMay("read"),
  whenClosed: true,
  rows: NamedMovement,
  list: (app, caller, page) => readNamedStatement(app.database.of(caller.companyId), caller, page),
});
