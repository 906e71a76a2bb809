// The URLs of /v1/admin/topup.

import { Type } from "typebox";
import { TOPUP_STATUSES, TopupSold } from "../../commerce/topups/shapes.ts";
import * as topups from "../../commerce/topups/topups.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";

export const listSold = listRoute("/v1/admin/topup/list", {
  title: { fr: "Lister les recharges de toutes les entreprises", en: "List the top-ups of all companies" },
  says: { fr: "Liste les recharges de toutes les entreprises.", en: "Lists the top-ups of all companies." },
  body: {
    ...inOrder("desc"),
    status: Type.Optional(Type.Enum([...TOPUP_STATUSES])),
    companyId: Type.Optional(idOf("company")),
  },
  caller: adminWho("read"),
  rows: TopupSold,
  list: (app, _caller, { status, companyId, ...page }) =>
    topups.listSold(app.database, app, { status, companyId }, page),
});
