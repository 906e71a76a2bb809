// The URLs of /v1/user.
import { Type } from "typebox";
import * as accounts from "../identity/accounts/accounts.ts";
import * as keys from "../identity/accounts/apikeys.ts";
import { companyCaller, companyMay } from "../identity/accounts/callers.ts";
import { NewKey } from "../identity/accounts/shapes.ts";
import { audited } from "../identity/audit/audit.ts";
import { readBalance } from "../ledger/credits/credits.ts";
import { Balance } from "../ledger/credits/shapes.ts";
import { route } from "../platform/http/routes.ts";

export const userCredit = route("/v1/user/credit", {
  title: { fr: "Lire le solde (autre adresse)", en: "Read the balance (alternative URL)" },
  says: {
    fr: "Renvoie le même solde que `credit/balance`.",
    en: "Returns the same balance as `credit/balance`.",
  },
  body: Type.Object({}),
  reads: true,
  caller: companyMay("read", "send", "otp"),
  whenClosed: true,
  answers: Balance,
  run: (app, { companyId }) => readBalance(app.database.of(companyId), companyId),
});

export const regenerateKey = route("/v1/user/key/regenerate", {
  title: { fr: "Renouveler sa clé API", en: "Renew one’s API key" },
  says: {
    fr: "Remplace l’apiKey de l’appelant. L’ancienne cesse de fonctionner immédiatement.",
    en: "Replaces the caller’s apiKey. The old one stops working immediately.",
  },
  body: Type.Object({}),
  caller: companyCaller,
  answers: NewKey,
  audit: { fr: "a remplacé sa clé API", en: "replaced their API key" },
  async run(app, caller) {
    const { userId, by } = caller;
    const audit = {
      on: { kind: by.keyId === null ? "user" : "key", id: by.keyId ?? userId },
      after: () => null,
    };
    const apiKey = await audited(app, caller, audit, (tx) => keys.renewKey(tx, app, caller));
    if (by.keyId === null) for (const follow of accounts.keyFollowers(app)) follow(userId, apiKey);
    return { apiKey };
  },
});
