// The URLs of /v1/admin/audit.
import { Type } from "typebox";
import { adminWho } from "../../identity/admins/admins.ts";
import * as audit from "../../identity/audit/audit.ts";
import { auditFilter, auditMeanings } from "../../identity/audit/shapes.ts";
import { inOrder, listRoute } from "../../platform/lists.ts";
import { route } from "../../platform/routes.ts";
import { Id, member } from "../../platform/schemas.ts";

export const listAudit = listRoute("/v1/admin/audit/list", {
  title: { fr: "Lire le journal d’audit", en: "Read the audit log" },
  says: {
    fr: "Liste les actions des administrateurs, des entreprises et des applications, de la plus récente à la plus ancienne.",
    en: "Lists the actions of administrators, companies and applications, newest first.",
  },
  body: {
    companyId: Type.Optional(Id),
    actorId: member(Type.Optional(Id), {
      fr: "Identifiant de l’utilisateur, de la clé, du revendeur ou de l’application",
      en: "ID of the user, key, reseller or application",
    }),
    ...auditFilter,
    ...inOrder("desc"),
  },
  caller: adminWho("read"),
  rows: audit.AuditEntry,
  list: (app, _caller, wanted) => audit.listAudit(app.database, wanted),
});

export const proveAudit = route("/v1/admin/audit/verify", {
  title: { fr: "Vérifier le journal d’audit", en: "Verify the audit log" },
  says: {
    fr: "Vérifie une partie du journal d’audit. next indique où continuer ; null : la vérification est terminée.",
    en: "Verifies a part of the audit log. next says where to continue; null: the verification is complete.",
  },
  body: Type.Object({
    chain: member(Type.Optional(Id), auditMeanings.chain),
    next: member(Type.Optional(Type.String({ maxLength: 300 })), auditMeanings.next),
  }),
  reads: true,
  caller: adminWho("read"),
  answers: audit.AuditProof,
  run: (app, _caller, body) => audit.proveChains(app, body),
});
