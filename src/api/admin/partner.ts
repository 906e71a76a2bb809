// The URLs of /v1/admin/partner.
import { Type } from "typebox";
import { adminWho } from "../../admins/admins.ts";
import { changing, companyNoted } from "../../audit/audit.ts";
import { route } from "../../kernel/routes.ts";
import { Id, OneId } from "../../kernel/schemas.ts";
import { disablePartner, enablePartner } from "../../partners/partners.ts";
import { Partner } from "../../partners/shapes.ts";

export const enable = route("/v1/admin/partner/enable", {
  title: { fr: "Activer l’accès revendeur", en: "Enable reseller access" },
  says: { fr: "Donne à une entreprise l’accès revendeur.", en: "Gives a company reseller access." },
  body: Type.Object({ companyId: Id }),
  caller: adminWho("account"),
  answers: Partner,
  refuses: ["not-found", "conflict"],
  example: { companyId: "<companyId>" },
  run: (app, caller, { companyId }) =>
    changing(app, caller, companyNoted(companyId), (tx) => enablePartner(tx, app, companyId)),
});

export const disable = route("/v1/admin/partner/{id}/disable", {
  title: { fr: "Désactiver l’accès revendeur", en: "Disable reseller access" },
  says: {
    fr: "Retire à une entreprise l’accès revendeur. Sa clé de serveur cesse de fonctionner immédiatement.",
    en: "Removes reseller access from a company. Its server key stops working immediately.",
  },
  body: OneId,
  caller: adminWho("account"),
  answers: Partner,
  refuses: ["not-found"],
  run: (app, caller, { id }) => changing(app, caller, companyNoted(id), (tx) => disablePartner(tx, id)),
});
