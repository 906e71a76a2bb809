// The URLs of /v1/admin/otp.

import { Type } from "typebox";
import { adminWho } from "../../identity/admins/callers.ts";
import { changing } from "../../identity/audit/audit.ts";
import { listOtpRefusals } from "../../messaging/otp/guard.ts";
import { OtpAllowed, OtpRefusal, otpMeanings } from "../../messaging/otp/shapes.ts";
import { allowAccount } from "../../messaging/otp/shares.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";

export const guard = listRoute("/v1/admin/otp/guard", {
  title: { fr: "Lire les alertes de la garde des codes", en: "Read code guard alerts" },
  says: {
    fr: "Liste les envois de mots de passe à usage unique que la garde des codes a refusés ou signalés, avec la règle appliquée.",
    en: "Lists the one-time passwords that the code guard refused or flagged, with the rule that applied.",
  },
  body: { companyId: Type.Optional(idOf("company")), ...inOrder("desc") },
  caller: adminWho("read"),
  rows: OtpRefusal,
  list: (app, _caller, { companyId, ...page }) => listOtpRefusals(app.database, companyId, page),
});

export const allow = route("/v1/admin/otp/allow", {
  title: { fr: "Réautoriser les codes d’un compte", en: "Allow an account’s codes again" },
  says: {
    fr: "Réautorise tous les mots de passe à usage unique d’un compte. La garde des codes ne tient compte que de ses prochains envois.",
    en: "Allows all one-time passwords of an account again. The code guard considers only those sent from now on.",
  },
  body: Type.Object({ accountId: member(idOf("company"), otpMeanings.accountId) }),
  caller: adminWho("govern"),
  answers: OtpAllowed,
  refuses: ["not-found"],
  example: { accountId: "<companyId>" },
  audit: { fr: "a levé le blocage des codes", en: "unblocked one-time passwords" },
  run(app, caller, { accountId }) {
    const noting = { on: { kind: "account", id: accountId }, companyId: accountId };
    return changing(app, caller, noting, (tx) => allowAccount(tx, accountId));
  },
});
