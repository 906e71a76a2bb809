// The first door: every URL of the interface, one line each, in the order of the ladder.
import * as accounts from "./accounts/routes.ts";
import * as campaigns from "./campaigns/routes.ts";
import * as contacts from "./contacts/routes.ts";
import * as credits from "./credits/routes.ts";
import * as groups from "./groups/routes.ts";
import { type Door, post } from "./kernel/routes.ts";
import * as messages from "./messages/routes.ts";
import * as operators from "./operators/routes.ts";
import * as optouts from "./optouts/routes.ts";
import * as otp from "./otp/routes.ts";
import * as partners from "./partners/routes.ts";
import * as senders from "./senders/routes.ts";
import * as simulator from "./simulator/routes.ts";

export const doors: Door[] = [
  post("/v1/admin/company/create", accounts.create),
  post("/v1/admin/company/list", accounts.list),
  post("/v1/user/key/regenerate", accounts.regenerateKey),
  post("/v1/admin/credit/grant", credits.grant),
  post("/v1/credit/balance", credits.balance),
  post("/v1/user/credit", credits.balance),
  post("/v1/credit/statement", credits.statement),
  post("/v1/contact/create", contacts.create),
  post("/v1/contact/list", contacts.list),
  post("/v1/contact/delete", contacts.remove),
  post("/v1/contact/{id}", contacts.read),
  post("/v1/contact/{id}/update", contacts.update),
  post("/v1/group/create", groups.create),
  post("/v1/group/list", groups.list),
  post("/v1/group/{id}", groups.read),
  post("/v1/group/{id}/update", groups.update),
  post("/v1/group/{id}/delete", groups.remove),
  post("/v1/group/{id}/contacts/list", groups.listContacts),
  post("/v1/group/{id}/contacts/add", groups.addContacts),
  post("/v1/group/{id}/contacts/remove", groups.removeContacts),
  post("/v1/sender/create", senders.create),
  post("/v1/sender/list", senders.list),
  post("/v1/admin/sender/list", senders.listReviewed),
  post("/v1/admin/sender/{id}/submit", senders.submit),
  post("/v1/admin/sender/{id}/accept", senders.accept),
  post("/v1/admin/sender/{id}/refuse", senders.refuse),
  post("/v1/optout/create", optouts.create),
  post("/v1/optout/list", optouts.list),
  post("/v1/optout/delete", optouts.remove),
  post("/v1/admin/operator/create", operators.create),
  post("/v1/admin/operator/list", operators.list),
  post("/v1/admin/operator/{id}/update", operators.update),
  post("/v1/admin/operator/{id}/delete", operators.remove),
  post("/v1/admin/credit/audit", messages.audit),
  post("/v1/auth/otp/get", otp.get),
  post("/v1/auth/otp/verify", otp.verify),
  post("/v1/admin/otp/guard", otp.guard),
  post("/v1/campaign/create", campaigns.create),
  post("/v1/campaign/list", campaigns.list),
  post("/v1/campaign/quote", campaigns.quote),
  post("/v1/campaign/{id}", campaigns.read),
  post("/v1/campaign/{id}/messages", campaigns.messages),
  post("/v1/sender/{id}/campaign", campaigns.listOfSender),
  post("/v1/campaign/{id}/cancel", campaigns.cancel),
  post("/v1/admin/partner/enable", partners.enable),
  post("/v1/partner/app/server-key", partners.serverKey),
  post("/v1/partner/customer/create", partners.createCustomer),
  post("/v1/partner/customer/list", partners.listCustomers),
  post("/v1/partner/customer/{id}", partners.readCustomer),
  post("/v1/partner/customer/{id}/statement", partners.statement),
  post("/v1/partner/grant-credit", partners.grantCredit),
  post("/v1/partner/app/offers/create", partners.createOffer),
  post("/v1/partner/app/offers/list", partners.listOffers),
  post("/v1/partner/app/offers/{id}/archive", partners.archiveOffer),
  post("/v1/partner/offer/purchase", partners.purchase),
  post("/v1/partner/purchase/{id}", partners.readPurchase),
  post("/v1/payment/webhook/{provider}", partners.payment),
  post("/v1/admin/payment/list", partners.payments),
  post("/v1/admin/simulator/inbox", simulator.inbox),
  post("/v1/admin/simulator/reply", simulator.reply),
];
