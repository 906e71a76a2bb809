// What a fixture has that takes more than one call: connections, purchases, codes that are known, runs.
import assert from "node:assert/strict";
import { runDueCampaigns } from "../src/messaging/campaigns/due.ts";
import { digestOtpCode, digestOtpToken } from "../src/messaging/otp/codes.ts";
import { newId } from "../src/platform/ids.ts";
import { newKey } from "../src/platform/secrets/secrets.ts";
import { applicationOf, dataOf, provision } from "./applications.ts";
import { CODE, CODE_PHONE, unique, WEBHOOK_URL } from "./fixtures.ts";
import { resellerOf } from "./reselling.ts";
import { rows as select } from "./sending.ts";
import { type Company, type TestService, until } from "./testservice.ts";

/** A campaign that waits for a second person, as if another member had made it. */
export async function wait(w: TestService, made: Company, campaign: object, member: string): Promise<string> {
  const { id } = await dataOf(made.call("/v1/campaign/create", campaign));
  const text = "INSERT INTO campaign_approvals (company_id, campaign_id, made_by) VALUES ($1, $2, $3)";
  await select(w.app, text, [made.companyId, id, member]);
  return id;
}

/** Two grants that wait, as if another administrator had asked for them. */
export async function askForGrants(w: TestService, { companyId }: Company) {
  const ids = { grant: newId(), unwantedGrant: newId() };
  const text = `INSERT INTO grants (id, asked_by, asked_name, pool_kind, pool_id, credit, reason, status, expires_at)
    SELECT id, 'somebody else', 'Fatou Diop', 'company', $2, 5, 'Recharge', 'WAITING', now() + interval '1 day' FROM unnest($1::text[]) AS id`;
  await select(w.app, text, [Object.values(ids), companyId]);
  return ids;
}

/** Gives the company an application that is connected to it and that waits for its pairing to another account. */
export async function connect(w: TestService, made: Company, senderName: string) {
  const { id: application, apiSecret, call } = await applicationOf(w, made, { webhookUrl: WEBHOOK_URL });
  const submission = { name: "Marché", slug: unique(), description: "Vend du poisson" };
  const { id: submitted } = await dataOf(made.call("/v1/third-party-app/submit", submission));
  const externalAccount = unique();
  const asked = { defaultSenderId: senderName };
  const { connectionId, connectionToken } = await dataOf(provision({ call }, made, externalAccount, asked));
  const waiting = { externalAccountId: unique() };
  const { pairingCode } = await dataOf(call("/v1/third-party-app/pairing/initiate", waiting));
  const { id: applicationDelivery } = await dataOf(
    made.call(`/v1/third-party-app/my/${application}/webhook/test`),
  );
  const chosen = { url: WEBHOOK_URL, events: ["sender.refused"] };
  const { id: webhook } = await dataOf(made.call("/v1/company/webhook/create", chosen));
  const { id: webhookDelivery } = await dataOf(made.call(`/v1/company/webhook/${webhook}/test`));
  const claimToken = newKey("");
  const claimable = "UPDATE apps SET claim_digest = $2, claim_until = now() + interval '1 day' WHERE id = $1";
  await select(w.app, claimable, [application, w.app.secrets.digest("claimToken", claimToken)]);
  return {
    ...{
      apiSecret,
      connectionToken,
      application,
      submitted,
      applicationDelivery,
      webhook,
      webhookDelivery,
      claimToken,
    },
    ...{ connection: connectionId, externalAccount, pairingCode },
  };
}

/** Makes the company a reseller, with a customer that has credits and buys an offer, and grants to it that wait. */
export async function sell(w: TestService, made: Company) {
  const { serverApiKey, grant, ...shop } = await resellerOf(w, made);
  const customer = await shop.customer();
  assert.equal((await grant(customer, 5)).success, true);
  const { purchaseId: purchase, offerId: offer } = await shop.purchase(customer);
  return { serverApiKey, customer, offer, purchase, ...(await askForGrants(w, made)) };
}

/** Sends a one-time password and makes it `CODE`, whether or not a gateway delivers it. Returns its token. */
export async function sendKnownCode(w: TestService, made: Company): Promise<string> {
  const { data } = await made.call("/v1/auth/otp/get", { phoneNumber: CODE_PHONE, length: CODE.length });
  const { token } = data;
  await makeKnown(w, token, CODE_PHONE);
  return token;
}

/** Makes the code of a token `CODE`. */
export async function makeKnown(w: TestService, token: string, phone: string): Promise<void> {
  const digest = digestOtpCode(w.app, { token, phone, code: CODE });
  const known = "UPDATE otp_codes SET code_digest = $2 WHERE token_digest = $1";
  await select(w.app, known, [digestOtpToken(w.app, token), digest]);
}

/** Gives the company a number with a keyword, and a message that its contact wrote to it. */
export async function hear(w: TestService, made: Company, phone: string) {
  const { companyId } = made;
  const given = { number: newNumber(), companyId };
  const { id: number } = await dataOf(w.admin("/v1/admin/inbound/number/create", given));
  const promo = { numberId: number, keyword: "Promo", companyId };
  const { id: keyword } = await dataOf(w.admin("/v1/admin/inbound/keyword/create", promo));
  const inboundMessage = newId();
  const written = `INSERT INTO inbound_messages (company_id, id, phone, address, keyword, body, encoding, segments, is_sought)
    VALUES ($1, $2, $3, $4, 'PROMO', $5, 'GSM-7', 1, true)`;
  await select(w.app, written, [companyId, inboundMessage, phone, given.number, `Promo ${companyId}`]);
  return { number, keyword, inboundMessage };
}

let shortCodes = 0;

/** A short code that nobody has: 99 and 5 digits, which `alike` knows. */
export const newNumber = () => `99${String(++shortCodes).padStart(5, "0")}`;

/** Makes a recurring campaign due now. Returns the id of its run, whichever process runs it. */
export async function runNow(w: TestService, of: Company, campaignId: string): Promise<string> {
  const now = new Date();
  await select(w.app, "UPDATE campaigns SET next_at = $2 WHERE id = $1", [campaignId, now]);
  await runDueCampaigns(w.app, now);
  return until(async () => (await of.call(`/v1/campaign/${campaignId}`)).data.runs[0]?.id);
}

/** Makes a recurring campaign one whose runs have failed again and again. */
export async function pause(w: TestService, campaignId: string): Promise<void> {
  const paused = "UPDATE campaigns SET next_at = NULL, paused_at = now(), failed_runs = 4 WHERE id = $1";
  await select(w.app, paused, [campaignId]);
}
