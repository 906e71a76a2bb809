// Every URL of the API: one file for each noun of its path, in folders that follow the path.
import type { Route } from "../platform/http/routes.ts";
import * as adminAudit from "./admin/audit.ts";
import * as adminCampaign from "./admin/campaign.ts";
import * as adminCarrier from "./admin/carrier.ts";
import * as adminCompany from "./admin/company.ts";
import * as adminConnector from "./admin/connector.ts";
import * as adminCredit from "./admin/credit.ts";
import * as adminInbound from "./admin/inbound.ts";
import * as adminKey from "./admin/key.ts";
import * as adminMessage from "./admin/message.ts";
import * as adminNode from "./admin/node.ts";
import * as adminOffer from "./admin/offer.ts";
import * as adminOperator from "./admin/operator.ts";
import * as adminOtp from "./admin/otp.ts";
import * as adminPartner from "./admin/partner.ts";
import * as adminPayment from "./admin/payment.ts";
import * as adminPerson from "./admin/person.ts";
import * as adminPhone from "./admin/phone.ts";
import * as adminPorted from "./admin/ported.ts";
import * as adminProbe from "./admin/probe.ts";
import * as adminRecovery from "./admin/recovery.ts";
import * as adminSender from "./admin/sender.ts";
import * as adminSession from "./admin/session.ts";
import * as adminSimulator from "./admin/simulator.ts";
import * as adminStatistics from "./admin/statistics.ts";
import * as adminThirdPartyApp from "./admin/third-party-app.ts";
import * as adminTopup from "./admin/topup.ts";
import * as adminUser from "./admin/user.ts";
import * as auth from "./auth.ts";
import * as campaignApproval from "./campaign/approval.ts";
import * as campaignDraft from "./campaign/draft.ts";
import * as campaignExport from "./campaign/export.ts";
import * as campaignTemplate from "./campaign/template.ts";
import * as campaign from "./campaign.ts";
import * as companyCountries from "./company/countries.ts";
import * as companyKey from "./company/key.ts";
import * as companyMember from "./company/member.ts";
import * as companyWebhook from "./company/webhook.ts";
import * as company from "./company.ts";
import * as contactImport from "./contact/import.ts";
import * as contact from "./contact.ts";
import * as credit from "./credit.ts";
import * as group from "./group.ts";
import * as inbound from "./inbound.ts";
import * as message from "./message.ts";
import * as optout from "./optout.ts";
import * as partner from "./partner.ts";
import * as payment from "./payment.ts";
import * as sender from "./sender.ts";
import * as session from "./session.ts";
import * as signup from "./signup.ts";
import * as statistics from "./statistics.ts";
import * as thirdPartyAppConnection from "./third-party-app/connection.ts";
import * as thirdPartyAppMy from "./third-party-app/my.ts";
import * as thirdPartyAppPairing from "./third-party-app/pairing.ts";
import * as thirdPartyApp from "./third-party-app.ts";
import * as topup from "./topup.ts";
import * as transaction from "./transaction.ts";
import * as user from "./user.ts";

const nouns = [
  auth,
  campaign,
  campaignDraft,
  campaignApproval,
  campaignTemplate,
  campaignExport,
  company,
  companyKey,
  companyMember,
  companyCountries,
  companyWebhook,
  contact,
  contactImport,
  credit,
  group,
  inbound,
  message,
  optout,
  partner,
  payment,
  sender,
  session,
  signup,
  statistics,
  thirdPartyApp,
  thirdPartyAppMy,
  thirdPartyAppPairing,
  thirdPartyAppConnection,
  topup,
  transaction,
  user,
  adminAudit,
  adminCampaign,
  adminCarrier,
  adminPhone,
  adminCompany,
  adminConnector,
  adminCredit,
  adminInbound,
  adminKey,
  adminMessage,
  adminNode,
  adminOffer,
  adminOperator,
  adminOtp,
  adminPartner,
  adminPayment,
  adminPerson,
  adminPorted,
  adminProbe,
  adminRecovery,
  adminSender,
  adminSession,
  adminSimulator,
  adminStatistics,
  adminThirdPartyApp,
  adminTopup,
  adminUser,
] as const satisfies readonly Readonly<Record<string, Route>>[];

/** All routes, each noun's in the order of their declaration. Every export of a file in this folder is a route. */
export const routes: readonly Route[] = nouns.flatMap((noun) =>
  Object.values<Route>(noun).sort((a, b) => a.order - b.order),
);

type ValueOf<Noun> = Noun[keyof Noun];
type Every<Nouns extends readonly unknown[]> = { [At in keyof Nouns]: ValueOf<Nouns[At]> }[number];

/** The API by URL, with the input and response of each, for a caller in this process. */
export type Interface = { [One in Every<typeof nouns> as One["path"]]: One };
