// Which permissions open each door of a company: the one table of what roles and scopes may do.
import type { Permission } from "../src/accounts/accounts.ts";

/** Any key of any member opens it. */
const ANY_KEY: readonly Permission[] = [];
const READ: readonly Permission[] = ["read"];
const PHONE_BOOK: readonly Permission[] = ["read", "contacts"];
const CAMPAIGNS: readonly Permission[] = ["read", "send"];
const CONTACTS: readonly Permission[] = ["contacts"];
const SEND: readonly Permission[] = ["send"];
const OTP: readonly Permission[] = ["otp"];
const MANAGE: readonly Permission[] = ["manage"];

/** By door, the permissions of which a caller needs one. A door of a company that has no line here fails its test. */
export const opens: Readonly<Record<string, readonly Permission[]>> = {
  "/v1/user/key/regenerate": ANY_KEY,
  "/v1/company/key/create": MANAGE,
  "/v1/company/key/list": MANAGE,
  "/v1/company/key/{id}/update": MANAGE,
  "/v1/company/key/{id}/revoke": MANAGE,
  "/v1/company/member/create": MANAGE,
  "/v1/company/member/list": MANAGE,
  "/v1/company/member/{id}/update": MANAGE,
  "/v1/company/member/{id}/remove": MANAGE,
  "/v1/company/audit/list": MANAGE,
  "/v1/company/export": MANAGE,
  "/v1/company/export/{id}": MANAGE,
  "/v1/company/close": MANAGE,
  "/v1/company/reopen": MANAGE,
  "/v1/contact/erase": MANAGE,
  "/v1/contact/erase/{id}": MANAGE,
  "/v1/credit/balance": ["read", "send", "otp"],
  "/v1/user/credit": ["read", "send", "otp"],
  "/v1/credit/statement": READ,
  "/v1/company/usage": READ,
  "/v1/contact/create": CONTACTS,
  "/v1/contact/list": PHONE_BOOK,
  "/v1/contact/delete": CONTACTS,
  "/v1/contact/{id}": PHONE_BOOK,
  "/v1/contact/{id}/update": CONTACTS,
  "/v1/group/create": CONTACTS,
  "/v1/group/list": ["read", "contacts", "send"],
  "/v1/group/{id}": PHONE_BOOK,
  "/v1/group/{id}/update": CONTACTS,
  "/v1/group/{id}/delete": CONTACTS,
  "/v1/group/{id}/contacts/list": PHONE_BOOK,
  "/v1/group/{id}/contacts/add": CONTACTS,
  "/v1/group/{id}/contacts/remove": CONTACTS,
  "/v1/sender/create": MANAGE,
  "/v1/sender/list": ["read", "send", "otp"],
  "/v1/sender/{id}/campaign": CAMPAIGNS,
  "/v1/optout/create": CONTACTS,
  "/v1/optout/list": PHONE_BOOK,
  "/v1/optout/delete": CONTACTS,
  "/v1/auth/otp/get": OTP,
  "/v1/auth/otp/verify": OTP,
  "/v1/campaign/create": SEND,
  "/v1/campaign/list": CAMPAIGNS,
  "/v1/campaign/quote": ["contacts", "send"],
  "/v1/campaign/{id}": CAMPAIGNS,
  "/v1/campaign/{id}/messages": CAMPAIGNS,
  "/v1/campaign/{id}/cancel": SEND,
  "/v1/campaign/{id}/resume": SEND,
  "/v1/partner/app/server-key": MANAGE,
  "/v1/partner/app/offers/create": MANAGE,
  "/v1/partner/app/offers/list": READ,
  "/v1/partner/app/offers/{id}/archive": MANAGE,
  "/v1/third-party-app/submit": MANAGE,
  "/v1/third-party-app/my/list": MANAGE,
  "/v1/third-party-app/my/{appId}/regenerate-secret": MANAGE,
  "/v1/third-party-app/my/{appId}/webhook/update": MANAGE,
  "/v1/third-party-app/my/{appId}/webhook/rotate-secret": MANAGE,
  "/v1/third-party-app/my/{appId}/webhook/deliveries": READ,
  "/v1/third-party-app/my/{appId}/webhook/test": MANAGE,
  "/v1/third-party-app/my/{appId}/webhook/{deliveryId}/replay": MANAGE,
  "/v1/third-party-app/pairing/details": MANAGE,
  "/v1/third-party-app/pairing/confirm": MANAGE,
  "/v1/third-party-app/pairing/deny": MANAGE,
  "/v1/third-party-app/connection/list": READ,
  "/v1/third-party-app/connection/{id}/revoke": MANAGE,
  "/v1/third-party-app/connection/{id}/sender": MANAGE,
};
