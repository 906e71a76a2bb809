// The URLs of erasing.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import { route } from "../kernel/routes.ts";
import { Id, Phone } from "../kernel/schemas.ts";
import { STATUSES } from "../sends/sends.ts";
import { closeCompany, reopenCompany } from "./closing.ts";
import { beginErasure, readErasure as findErasure } from "./erasures.ts";
import { beginExport, readExport as findExport } from "./exports.ts";
import { CampaignExport, Closing, Erasure, Export } from "./shapes.ts";
import { beginSheet, MAY_EXPORT, readSheet } from "./sheets.ts";

const erasureOf = ({ id }: Erasure) => ({ kind: "erasure", id });
/** With a reseller its customers close and open. */
const companyOf = ({ companyId }: { companyId: string }) =>
  ({ on: { kind: "company", id: companyId }, spansAccounts: true }) as const;

export const erase = route({
  summary: "Takes a person out of everything that the company has of them; an opt-out stays in force",
  body: Type.Object({ phone: Phone }),
  caller: companyMay("manage"),
  answers: Erasure,
  run: (app, caller, { phone }) =>
    changing(app, caller, { on: erasureOf }, (tx) => beginErasure(app, tx, caller, phone)),
});

export const readErasure = route({
  summary: "Says how far an erasure is, and what was erased",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("manage"),
  answers: Erasure,
  run: (app, { companyId }, { id }) => findErasure(app.database.of(companyId), companyId, id),
});

export const erasePerson = route({
  summary: "Takes a person out of all accounts; opt-outs stay in force",
  body: Type.Object({ phone: Phone }),
  caller: adminWho("govern"),
  answers: Erasure,
  run: (app, caller, { phone }) =>
    changing(app, caller, { on: erasureOf }, (tx) => beginErasure(app, tx, null, phone)),
});

export const readErasureOfPerson = route({
  summary: "Says how far an erasure from all accounts is, and what was erased",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: adminWho("govern"),
  answers: Erasure,
  run: (app, _caller, { id }) => findErasure(app.database, null, id),
});

export const close = route({
  summary: "Closes the company: it sends nothing more, and is emptied in 30 days unless it is opened again",
  body: Type.Object({ confirm: Type.String({ minLength: 1, maxLength: 200 }) }),
  caller: companyMay("manage"),
  answers: Closing,
  run: (app, caller, { confirm }) =>
    changing(app, caller, companyOf(caller), (tx) => closeCompany(app, tx, caller, confirm)),
});

export const reopen = route({
  summary: "Opens the company again that was closed; what it has queued goes on",
  body: Type.Object({}),
  caller: companyMay("manage"),
  answers: Closing,
  run: (app, caller) => changing(app, caller, companyOf(caller), (tx) => reopenCompany(app, tx, caller)),
});

export const exportCompany = route({
  summary: "Begins an archive of what the company has, as CSV and JSON",
  body: Type.Object({}),
  caller: companyMay("manage"),
  answers: Export,
  run: (app, caller) =>
    changing(app, caller, { on: ({ id }: Export) => ({ kind: "export", id }) }, (tx) =>
      beginExport(app, tx, caller),
    ),
});

export const readExport = route({
  summary: "Says how far an archive is, and where it can be fetched",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("manage"),
  answers: Export,
  run: (app, caller, { id }) => findExport(app, caller, id),
});

export const exportCampaign = route({
  summary: "Begins a CSV of the messages of a campaign, or of one run of it; of all, or of one status",
  body: Type.Object({
    id: Id,
    runId: Type.Optional(Id),
    status: Type.Optional(Type.Enum([...STATUSES])),
  }),
  caller: companyMay(...MAY_EXPORT),
  answers: CampaignExport,
  run: (app, caller, body) => {
    const noting = {
      on: ({ exportId }: CampaignExport) => ({ kind: "export", id: exportId }),
      after: ({ campaignId, runId, messageStatus }: CampaignExport) => ({
        ...{ campaignId, runId, messageStatus },
      }),
    };
    return changing(app, caller, noting, (tx) => beginSheet(app, tx, caller, body));
  },
});

export const readCampaignExport = route({
  summary: "Says how far a CSV of a campaign is, and where it can be fetched",
  body: Type.Object({ exportId: Id }),
  reads: true,
  caller: companyMay(...MAY_EXPORT),
  answers: CampaignExport,
  run: (app, caller, { exportId }) => readSheet(app, caller, exportId),
});
