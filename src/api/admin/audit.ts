// The URLs of /v1/admin/audit.

import { Type } from "typebox";
import { adminWho } from "../../identity/admins/callers.ts";
import { proveChains } from "../../identity/audit/chains.ts";
import { listAudit as listEntries } from "../../identity/audit/lists.ts";
import { AuditEntry, AuditProof, auditFilter } from "../../identity/audit/shapes.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { route } from "../../platform/http/routes.ts";
import { idOf, ShortText } from "../../platform/http/schemas.ts";

export const listAudit = listRoute("/v1/admin/audit/list", {
  title: { fr: "Lire le journal d’audit", en: "Read the audit log" },
  says: {
    fr: "Liste les actions des administrateurs, des entreprises et des applications, de la plus récente à la plus ancienne.",
    en: "Lists the actions of administrators, companies and applications, newest first.",
  },
  body: {
    companyId: Type.Optional(idOf("company")),
    actorId: Type.Optional(idOf("user")),
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
    chain: Type.Optional(ShortText),
    next: Type.Optional(Type.String({ maxLength: 300 })),
  }),
  reads: true,
  caller: adminWho("read"),
  answers: AuditProof,
  run: (app, _caller, body) => proveChains(app, body),
});
