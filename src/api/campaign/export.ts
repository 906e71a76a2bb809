// The URLs of /v1/campaign/{id}/export.

import { Type } from "typebox";
import { CampaignExport, privacyMeanings } from "../../compliance/privacy/shapes.ts";
import { beginSheet, MAY_EXPORT, readSheet } from "../../compliance/privacy/sheets.ts";
import { STATUSES } from "../../delivery/sends/record/shapes.ts";
import { companyMay } from "../../identity/accounts/callers.ts";
import { changing } from "../../identity/audit/audit.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";

export const exportCampaign = route("/v1/campaign/{id}/export", {
  title: { fr: "Exporter les messages d’une campagne", en: "Export the messages of a campaign" },
  says: {
    fr: "Démarre l’export en CSV des messages d’une campagne ou d’une de ses occurrences, avec un filtre par statut si besoin.",
    en: "Starts a CSV export of the messages of a campaign, or of one of its occurrences, optionally of one status.",
  },
  body: Type.Object({
    id: idOf("campaign"),
    runId: member(Type.Optional(idOf("run")), privacyMeanings.runId),
    status: Type.Optional(Type.Enum([...STATUSES])),
  }),
  caller: companyMay(...MAY_EXPORT),
  answers: CampaignExport,
  refuses: ["campaign-not-found", "conflict"],
  audit: { fr: "a exporté les messages d’une campagne", en: "exported the messages of a campaign" },
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

export const readCampaignExport = route("/v1/campaign/export/{exportId}", {
  title: { fr: "Suivre un export de messages", en: "Read the progress of a message export" },
  says: {
    fr: "Renvoie l’avancement d’un export de messages et son lien de téléchargement.",
    en: "Returns the progress of a message export and its download link.",
  },
  body: Type.Object({ exportId: member(idOf("campaignExport"), privacyMeanings.exportId) }),
  reads: true,
  caller: companyMay(...MAY_EXPORT),
  answers: CampaignExport,
  refuses: ["not-found"],
  run: (app, caller, { exportId }) => readSheet(app, caller, exportId),
});
