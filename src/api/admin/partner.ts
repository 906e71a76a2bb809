// The URLs of /v1/admin/partner.

import { Type } from "typebox";
import { disablePartner, enablePartner } from "../../commerce/partners/partners.ts";
import { Partner } from "../../commerce/partners/shapes.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { changing, companyNoted } from "../../identity/audit/audit.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { route } from "../../platform/http/routes.ts";

export const enable = route("/v1/admin/partner/enable", {
  title: { fr: "Activer l’accès revendeur", en: "Enable reseller access" },
  says: { fr: "Donne à une entreprise l’accès revendeur.", en: "Gives a company reseller access." },
  body: Type.Object({ companyId: idOf("company") }),
  caller: adminWho("account"),
  answers: Partner,
  refuses: ["not-found", "conflict"],
  example: { companyId: "<companyId>" },
  audit: { fr: "a activé l’entreprise comme revendeur", en: "made the company a reseller" },
  run: (app, caller, { companyId }) =>
    changing(app, caller, companyNoted(companyId), (tx) => enablePartner(tx, app, companyId)),
});

export const disable = route("/v1/admin/partner/{id}/disable", {
  title: { fr: "Désactiver l’accès revendeur", en: "Disable reseller access" },
  says: {
    fr: "Retire à une entreprise l’accès revendeur. Sa clé de serveur cesse de fonctionner immédiatement.",
    en: "Removes reseller access from a company. Its server key stops working immediately.",
  },
  body: oneId("company"),
  caller: adminWho("account"),
  answers: Partner,
  refuses: ["not-found"],
  audit: { fr: "a retiré à l’entreprise le rôle de revendeur", en: "removed the company’s reseller role" },
  run: (app, caller, { id }) => changing(app, caller, companyNoted(id), (tx) => disablePartner(tx, id)),
});
