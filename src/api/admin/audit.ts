// The URLs of /v1/admin/audit.

import { Type } from "typebox";
import { adminWho } from "../../identity/admins/callers.ts";
import { proveChains } from "../../identity/audit/chains.ts";
import { listAudit as listEntries } from "../../identity/audit/lists.ts";
import { AuditEntry, AuditProof, auditFilter, auditMeanings } from "../../identity/audit/shapes.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";
import { ShortText } from "../../platform/http/schemas.ts";

export const listAudit = listRoute("/v1/admin/audit/list", {
  title: { fr: "Lire le journal d’audit", en: "Read the audit log" },
  says: {
    fr: "Liste les actions des administrateurs, des entreprises et des applications, de la plus récente à la plus ancienne.",
    en: "Lists the actions of administrators, companies and applications, newest first.",
  },
  body: {
    companyId: Type.Optional(idOf("company")),
    actorId: member(Type.Optional(idOf("user")), {
      fr: "Identifiant de l’utilisateur, de la clé, du revendeur ou de l’application",
      en: "ID of the user, key, reseller or application",
    }),
    ...auditFilter,
    ...inOrder("desc"),
  },
  caller: adminWho("read"),
  rows: AuditEntry,
  list: (app, _caller, wanted) => listEntries(app.database, wanted),
});

export const proveAudit = route("/v1/admin/audit/verify", {
  title: { fr: "Vérifier le journal d’audit", en: "Verify the audit log" },
  says: {
    fr: "Vérifie une partie du journal d’audit. next indique où continuer ; null : la vérification est terminée.",
    en: "Verifies a part of the audit log. next says where to continue; null: the verification is complete.",
  },
  body: Type.Object({
    chain: member(Type.Optional(ShortText), auditMeanings.chain),
    next: member(Type.Optional(Type.String({ maxLength: 300 })), auditMeanings.next),
  }),
  reads: true,
  caller: adminWho("read"),
  answers: AuditProof,
  run: (app, _caller, body) => proveChains(app, body),
});
