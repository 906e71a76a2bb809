// The URLs of /v1/admin/campaign.

import { Type } from "typebox";
import { announceSends } from "../../delivery/sends/queue/announce.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { changing } from "../../identity/audit/audit.ts";
import { QUEUE_LIFETIME_MS } from "../../messaging/campaigns/accept.ts";
import { cancelCampaign, settleCanceled } from "../../messaging/campaigns/campaigns.ts";
import { listKeptCampaigns, readKeptCampaign, releaseCampaign } from "../../messaging/campaigns/firsts.ts";
import { CampaignReport, KeptCampaign } from "../../messaging/campaigns/shapes.ts";
import { readCampaign } from "../../messaging/campaigns/views.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { route } from "../../platform/http/routes.ts";

export const cancelAny = route("/v1/admin/campaign/{id}/cancel", {
  title: { fr: "Annuler la campagne d’une entreprise", en: "Cancel a company’s campaign" },
  says: {
    fr: "Annule une campagne de n’importe quelle entreprise ou d’un client de revendeur. Le remboursement suit la réponse de quelques secondes.",
    en: "Cancels a campaign of any company or reseller’s customer. The refund follows the response within seconds.",
  },
  body: Type.Object({ id: idOf("campaign"), companyId: idOf("company") }),
  caller: adminWho("review"),
  answers: CampaignReport,
  refuses: ["campaign-not-found", "campaign-not-cancelable"],
  example: { companyId: "<companyId>" },
  audit: { fr: "a annulé une campagne", en: "canceled a campaign" },
  async run(app, caller, { id, companyId }) {
    const noting = { on: { kind: "campaign", id }, companyId, after: () => ({ status: "CANCELED" }) };
    await changing(app, caller, noting, (tx) => cancelCampaign(app, tx, companyId, id));
    settleCanceled(app);
    return readCampaign(app.database, { companyId }, id);
  },
});

export const listHeld = listRoute("/v1/admin/campaign/held/list", {
  title: { fr: "Lister les campagnes retenues", en: "List held campaigns" },
  says: {
    fr: "Liste les campagnes de nouvelles entreprises retenues pour examen.",
    en: "Lists the campaigns of new companies that are held for review.",
  },
  body: inOrder("asc"),
  caller: adminWho("read"),
  rows: KeptCampaign,
  list: (app, _caller, page) => listKeptCampaigns(app.database, QUEUE_LIFETIME_MS, page),
});

export const readHeld = route("/v1/admin/campaign/held/{id}", {
  title: { fr: "Lire une campagne retenue", en: "Read a held campaign" },
  says: {
    fr: "Renvoie une campagne d’une nouvelle entreprise retenue pour examen.",
    en: "Returns a campaign of a new company that is held for review.",
  },
  body: oneId("campaign"),
  reads: true,
  caller: adminWho("read"),
  answers: KeptCampaign,
  refuses: ["campaign-not-found"],
  run: (app, _caller, { id }) => readKeptCampaign(app.database, QUEUE_LIFETIME_MS, id),
});

export const release = route("/v1/admin/campaign/{id}/release", {
  title: { fr: "Libérer une campagne retenue", en: "Release a held campaign" },
  says: {
    fr: "Libère une campagne retenue pour examen. L’envoi commence alors.",
    en: "Releases a campaign that is held for review. Sending then starts.",
  },
  body: Type.Object({ id: idOf("campaign"), companyId: idOf("company") }),
  caller: adminWho("review"),
  answers: CampaignReport,
  refuses: ["campaign-not-found", "conflict"],
  example: { companyId: "<companyId>" },
  audit: { fr: "a libéré une campagne retenue pour examen", en: "released a campaign held for review" },
  async run(app, caller, { id, companyId }) {
    const noting = { on: { kind: "campaign", id }, companyId, after: () => ({ released: true }) };
    await changing(app, caller, noting, (tx) => releaseCampaign(tx, companyId, id));
    announceSends(app);
    return readCampaign(app.database, { companyId }, id);
  },
});
