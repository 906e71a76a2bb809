// Helpers for tests of third-party applications: approved applications, accounts with senders, and connections.
import assert from "node:assert/strict";
import { newId } from "../src/platform/ids.ts";
import { type Answered, type Call, type Company, type TestService, testService } from "./testservice.ts";

export type Application = {
  id: string;
  slug: string;
  apiSecret: string;
  webhookSecret?: string;
  /** The company that submitted it. */
  owner: Company;
  /** Calls with the application's secret, unless the body says otherwise. */
  call: Call;
};

/** The data of an answer. Fails if the answer is not a success. */
export async function dataOf(answered: Promise<Answered>) {
  const answer = await answered;
  assert.equal(answer.success, true, JSON.stringify(answer));
  return answer.data;
}

export function newSlug(): string {
  return `boutique-${newId()}`;
}

/** An application that a fresh company submitted and that was approved. */
export async function application(here: TestService, more?: Submission): Promise<Application> {
  return applicationOf(here, await here.company(), more);
}

type Submission = { webhookUrl?: string; name?: string };

/** The first application of this company, submitted and approved. */
export async function applicationOf(
  here: TestService,
  owner: Company,
  more: Submission = {},
): Promise<Application> {
  const body = { name: "Boutique", slug: newSlug(), description: "Vend des pagnes en ligne", ...more };
  const { id, slug } = await dataOf(owner.call("/v1/third-party-app/submit", body));
  await dataOf(here.admin(`/v1/admin/third-party-app/${id}/approve`));
  const [mine] = await dataOf(owner.call("/v1/third-party-app/my/list"));
  const { apiSecret, webhookSecret } = mine;
  const call: Call = (path, given = {}, headers = {}) =>
    here.call(path, { apiSecret, ...(given as object) }, headers);
  return { id, slug, apiSecret, owner, call, ...(webhookSecret && { webhookSecret }) };
}

/** Makes an accepted sender of a company. Returns its id. */
export async function acceptedSender(here: TestService, company: Company, name: string): Promise<string> {
  const body = { name, description: "Pour nos clients" };
  const { id } = await dataOf(company.call("/v1/sender/create", body));
  await dataOf(here.admin(`/v1/admin/sender/${id}/accept`, { reason: "Test" }));
  return id;
}

/** Provisions a connection of an application to a company. */
export function provision(
  app: Pick<Application, "call">,
  company: Company,
  externalAccountId: string,
  more: object = {},
): Promise<Answered> {
  return app.call("/v1/third-party-app/provision", {
    externalAccountId,
    target: "company",
    companyApiKey: company.apiKey,
    companyId: company.companyId,
    ...more,
  });
}

export type Connected = { connectionId: string; connectionToken: string; call: Call };

/** Makes a connection to a company with an accepted sender of this name. */
export async function connected(
  here: TestService,
  app: Application,
  company: Company,
  senderName = "BOUTIQUE",
): Promise<Connected> {
  await acceptedSender(here, company, senderName);
  const made = await dataOf(
    provision(app, company, `boutique ${senderName}`, { defaultSenderId: senderName }),
  );
  assert.equal(made.senderAssigned, true);
  const { connectionId, connectionToken } = made;
  const call: Call = (path, given = {}, headers = {}) =>
    here.call(path, { connectionToken, ...(given as object) }, headers);
  return { connectionId, connectionToken, call };
}

/** A test service whose webhooks may reach loopback. */
export function testServiceWithWebhooks(
  t: Parameters<typeof testService>[0],
  options: Parameters<typeof testService>[1] = {},
) {
  return testService(t, { ...options, config: { ...options.config, webhookAllowCidrs: ["127.0.0.0/8"] } });
}
