// The URLs of /v1/admin/otp.
import { Type } from "typebox";
import { adminWho } from "../../admins/admins.ts";
import { changing } from "../../audit/audit.ts";
import { inOrder, listRoute } from "../../kernel/lists.ts";
import { route } from "../../kernel/routes.ts";
import { Id } from "../../kernel/schemas.ts";
import { allowAccount, listOtpRefusals } from "../../otp/otp.ts";
import { OtpAllowed, OtpRefusal } from "../../otp/shapes.ts";

export const guard = listRoute("/v1/admin/otp/guard", {
  title: { fr: "Lire les alertes de fraude sur les codes", en: "Read fraud alerts on one-time passwords" },
  says: {
    fr: "Liste les mots de passe à usage unique que la protection contre la fraude a refusés ou signalés, avec la règle appliquée.",
    en: "Lists what the fraud protection of one-time passwords refused or reported, with the rule that applied.",
  },
  body: { companyId: Type.Optional(Id), ...inOrder("desc") },
  caller: adminWho("read"),
  rows: OtpRefusal,
  list: (app, _caller, { companyId, ...page }) => listOtpRefusals(app.database, companyId, page),
});

export const allow = route("/v1/admin/otp/allow", {
  title: { fr: "Rétablir les codes d’un compte", en: "Allow an account’s one-time passwords again" },
  says: {
    fr: "Rétablit l’envoi de tous les mots de passe à usage unique d’un compte. La protection contre la fraude ne tient plus compte que des envois à venir.",
    en: "Allows all one-time passwords of an account again. The fraud protection then considers only those sent from now on.",
  },
  body: Type.Object({ accountId: Id }),
  caller: adminWho("govern"),
  answers: OtpAllowed,
  refuses: ["not-found"],
  example: { accountId: "<companyId>" },
  run(app, caller, { accountId }) {
    const noting = { on: { kind: "account", id: accountId }, companyId: accountId };
    return changing(app, caller, noting, (tx) => allowAccount(tx, accountId));
  },
});
