// The first door: every URL of the interface, one line each, in the order of the ladder.
import * as accounts from "./accounts/routes.ts";
import * as campaigns from "./campaigns/routes.ts";
import * as contacts from "./contacts/routes.ts";
import * as credits from "./credits/routes.ts";
import { type Door, post } from "./kernel/routes.ts";
import * as messages from "./messages/routes.ts";
import * as simulator from "./simulator/routes.ts";

export const doors: Door[] = [
  post("/v1/admin/company/create", accounts.create),
  post("/v1/admin/company/list", accounts.list),
  post("/v1/user/key/regenerate", accounts.regenerateKey),
  post("/v1/admin/credit/grant", credits.grant),
  post("/v1/credit/balance", credits.balance),
  post("/v1/user/credit", credits.balance),
  post("/v1/contact/create", contacts.create),
  post("/v1/contact/list", contacts.list),
  post("/v1/contact/{id}", contacts.read),
  post("/v1/admin/credit/audit", messages.audit),
  post("/v1/campaign/create", campaigns.create),
  post("/v1/campaign/list", campaigns.list),
  post("/v1/campaign/{id}", campaigns.read),
  post("/v1/campaign/{id}/messages", campaigns.messages),
  post("/v1/admin/simulator/inbox", simulator.inbox),
  post("/v1/admin/simulator/reply", simulator.reply),
];
