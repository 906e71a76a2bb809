// The URLs of /v1/campaign/approval.
import { Type } from "typebox";
import { announceSends } from "../../delivery/sends/queue/announce.ts";
import { companyMay } from "../../identity/accounts/callers.ts";
import { changing } from "../../identity/audit/audit.ts";
import { decideCampaign, listAwaiting } from "../../messaging/campaigns/approvals.ts";
import { cancelCampaign, settleCanceled } from "../../messaging/campaigns/campaigns.ts";
import { AwaitingCampaign, CampaignReport, campaignMeanings } from "../../messaging/campaigns/shapes.ts";
import { readCampaign } from "../../messaging/campaigns/views.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { Instant } from "../../platform/http/periods.ts";
import { route } from "../../platform/http/routes.ts";
import { Reason } from "../../platform/http/schemas.ts";

export const listAwaitingApproval = listRoute("/v1/campaign/approval/list", {
  title: { fr: "Lister les campagnes à approuver", en: "List campaigns pending approval" },
  says: {
    fr: "Liste les campagnes en attente d’approbation par une deuxième personne de l’entreprise.",
    en: "Lists the campaigns pending approval by a second person of the company.",
  },
  body: inOrder("asc"),
  caller: companyMay("read", "send"),
  whenClosed: true,
  rows: AwaitingCampaign,
  list: (app, caller, page) => listAwaiting(app.database.of(caller.companyId), app, caller.companyId, page),
});

export const approve = route("/v1/campaign/{id}/approve", {
  title: { fr: "Approuver une campagne", en: "Approve a campaign" },
  says: {
    fr: "Approuve une campagne créée par une autre personne de l’entreprise. L’envoi commence alors.",
    en: "Approves a campaign that another person of the company created. Sending then starts.",
  },
  body: Type.Object({ id: idOf("campaign"), askedAt: member(Instant, campaignMeanings.askedAt) }),
  caller: companyMay("send"),
  answers: CampaignReport,
  refuses: ["campaign-not-found", "conflict"],
  spends: true,
  audit: { fr: "a approuvé une campagne", en: "approved a campaign" },
  async run(app, caller, { id, askedAt }) {
    const decision = { status: "APPROVED", reason: null, askedAt } as const;
    const noting = { on: { kind: "campaign", id }, after: () => ({ approval: "APPROVED" }) };
    await changing(app, caller, noting, (tx) => decideCampaign(app, tx, caller, id, decision));
    announceSends(app);
    return readCampaign(app.database.of(caller.companyId), caller, id);
  },
});

export const decline = route("/v1/campaign/{id}/decline", {
  title: { fr: "Refuser une campagne", en: "Decline a campaign" },
  says: {
    fr: "Refuse une campagne créée par une autre personne de l’entreprise. Elle est annulée et remboursée. Le remboursement suit la réponse de quelques secondes : `creditRefunded` et `stats` peuvent ne pas encore l’inclure.",
    en: "Declines a campaign that another person of the company created. It is canceled and refunded. The refund follows the response within seconds: `creditRefunded` and `stats` may not include it yet.",
  },
  body: Type.Object({
    id: idOf("campaign"),
    reason: member(Reason, { fr: "Raison de votre refus", en: "Reason why you decline the campaign" }),
    askedAt: member(Instant, campaignMeanings.askedAt),
  }),
  caller: companyMay("send"),
  answers: CampaignReport,
  refuses: ["campaign-not-found", "conflict", "campaign-not-cancelable"],
  example: { reason: "Le prix a changé" },
  audit: { fr: "a refusé une campagne", en: "declined a campaign" },
  async run(app, caller, { id, reason, askedAt }) {
    const decision = { status: "DECLINED", reason, askedAt } as const;
    const after = () => ({ approval: "DECLINED", reason, status: "CANCELED" });
    const noting = { on: { kind: "campaign", id }, after, spansAccounts: true } as const;
    await changing(app, caller, noting, async (tx) => {
      await decideCampaign(app, tx, caller, id, decision);
      await cancelCampaign(app, tx, caller.companyId, id);
    });
    settleCanceled(app);
    return readCampaign(app.database.of(caller.companyId), caller, id);
  },
});
