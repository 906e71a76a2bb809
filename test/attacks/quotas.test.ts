// What a company may write for nothing has a limit: the installation's, or the one that an administrator chose for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptedSender,
  application,
  dataOf,
  newSlug,
  provision,
  testServiceWithWebhooks,
} from "../applications.ts";
import { newPhone } from "../codes.ts";
import { reseller as makeReseller } from "../reselling.ts";
import { send } from "../sending.ts";
import { type Company, testService } from "../testservice.ts";

const SMALL = { contacts: 2, groups: 1, groupMembers: 3, optouts: 1, applications: 1 };

test("H18: quotas of a company", async (t) => {
  const here = await testService(t);

  /** A company with small quotas, and how it is refused. */
  async function small(quotas: object = SMALL, credits = 0): Promise<Company> {
    const company = await here.company({ credits });
    await dataOf(here.admin(`/v1/admin/company/${company.companyId}/update`, { quotas }));
    return company;
  }
  const refusedBy = async (company: Company, path: string, body: object) => {
    const { error, details } = await company.call(path, body);
    return [error, details?.[0]?.field];
  };
  const contacts = (count: number) => ({ contacts: Array.from({ length: count }, newPhone) });

  await t.test(
    "contacts: what would exceed it is refused whole, and what is there can be changed",
    async () => {
      const company = await small();
      assert.deepEqual(await refusedBy(company, "/v1/contact/create", contacts(3)), [
        "too-many-contacts",
        "contacts",
      ]);
      const two = contacts(2);
      await dataOf(company.call("/v1/contact/create", two));
      await dataOf(company.call("/v1/contact/create", two));
      const refused = await company.call("/v1/contact/create", contacts(1));
      assert.match(refused.details![0]!.message, /au plus 2 contacts/);
      assert.equal((await company.call("/v1/contact/list")).totalCount, 2);
    },
  );

  await t.test("contacts of a send that is paid are kept all the same", async () => {
    const company = await small({ contacts: 0 }, 10);
    await send(company, newPhone());
    assert.equal((await company.call("/v1/contact/list")).totalCount, 1);
  });

  await t.test("groups and their members, also when many come at once", async () => {
    const company = await small({ groups: 2, groupMembers: 3 });
    const make = (name: string) => company.call("/v1/group/create", { name, ...contacts(1) });
    const made = await Promise.all(["a", "b", "c", "d", "e"].map(make));
    assert.equal(made.filter(({ success }) => success).length, 2);
    assert.deepEqual([...new Set(made.map(({ error }) => error))].sort(), ["conflict", null]);
    const { id } = made.find(({ success }) => success)!.data;
    const add = (count: number) => refusedBy(company, `/v1/group/${id}/contacts/add`, contacts(count));
    assert.deepEqual(await add(2), ["conflict", "contacts"]);
    assert.deepEqual(await add(1), [null, undefined]);
  });

  await t.test("opt-outs of the company, applications, connections", async () => {
    const company = await small({ optouts: 1, applications: 1, connections: 1 });
    const phone = newPhone();
    const optOut = (given: string) => refusedBy(company, "/v1/optout/create", { phone: given });
    assert.deepEqual(await optOut(phone), [null, undefined]);
    assert.deepEqual(await optOut(phone), [null, undefined]);
    assert.deepEqual(await optOut(newPhone()), ["conflict", "phone"]);
    const submit = () =>
      refusedBy(company, "/v1/third-party-app/submit", { name: "B", slug: newSlug(), description: "d" });
    assert.deepEqual(await submit(), [null, undefined]);
    assert.deepEqual(await submit(), ["conflict", "name"]);
    const app = await application(here);
    await acceptedSender(here, company, "BOUTIQUE");
    assert.equal((await provision(app, company, "one")).success, true);
    assert.equal((await provision(app, company, "one")).success, true);
    assert.equal((await provision(app, company, "two")).error, "conflict");
    const [{ id }] = await dataOf(company.call("/v1/third-party-app/connection/list"));
    await dataOf(company.call(`/v1/third-party-app/connection/${id}/revoke`));
    assert.equal((await provision(app, company, "two")).error, "conflict", "it counts for a day");
  });

  await t.test("keys and members, the owner among them", async () => {
    const company = await small({ keys: 1, members: 2 });
    const key = () => refusedBy(company, "/v1/company/key/create", { name: "Caisse" });
    const member = () =>
      refusedBy(company, "/v1/company/member/create", { name: "Yao", phone: newPhone(), role: "reader" });
    assert.deepEqual(
      [await key(), await key()],
      [
        [null, undefined],
        ["conflict", "name"],
      ],
    );
    assert.deepEqual(
      [await member(), await member()],
      [
        [null, undefined],
        ["conflict", "phone"],
      ],
    );
    const [{ id }] = await dataOf(company.call("/v1/company/key/list"));
    await dataOf(company.call(`/v1/company/key/${id}/revoke`));
    assert.deepEqual(await key(), [null, undefined]);
  });

  await t.test("what is used is shown beside each quota", async () => {
    const company = await small();
    await dataOf(company.call("/v1/group/create", { name: "Clients", ...contacts(2) }));
    await dataOf(company.call("/v1/optout/create", { phone: newPhone() }));
    const { requests, ...usage } = await dataOf(company.call("/v1/company/usage"));
    const installation = here.app.config.limits.quotas;
    assert.deepEqual(usage, {
      ...{ contacts: { used: 2, limit: 2 }, groups: { used: 1, limit: 1 } },
      ...{ groupMembers: { used: 2, limit: 3 }, optouts: { used: 1, limit: 1 } },
      schedules: { used: 0, limit: installation.schedules },
      drafts: { used: 0, limit: installation.drafts },
      templates: { used: 0, limit: installation.templates },
      applications: { used: 0, limit: 1 },
      connections: { used: 0, limit: installation.connections },
      customers: { used: 0, limit: installation.customers },
      offers: { used: 0, limit: installation.offers },
      keys: { used: 0, limit: installation.keys },
      members: { used: 1, limit: installation.members },
      imports: { used: 0, limit: installation.imports },
      webhooks: { used: 0, limit: installation.webhooks },
      days: [],
    });
    assert.deepEqual(requests, { perSecond: 50, atOnce: 1_000 });
  });

  await t.test("test events of an application", async (t) => {
    const few = await testServiceWithWebhooks(t, { limits: { webhookTestsPerHour: 2 } });
    const app = await application(few, { webhookUrl: "http://127.0.0.1:9/hook" });
    const path = `/v1/third-party-app/my/${app.id}/webhook/test`;
    for (const error of [null, null, "too-many-requests"])
      assert.equal((await app.owner.call(path)).error, error);
  });

  await t.test("customers and offers of a reseller", async () => {
    const reseller = await makeReseller(here);
    const { companyId } = reseller.company;
    const quotas = { customers: 1, offers: 1 };
    await dataOf(here.admin(`/v1/admin/company/${companyId}/update`, { quotas }));
    const customer = () => reseller.call("/v1/partner/customer/create", { name: "Salon" });
    const offer = () =>
      reseller.company.call("/v1/partner/app/offers/create", { name: "Pack", price: 1, credit: 1 });
    for (const make of [customer, offer]) {
      assert.equal((await make()).success, true);
      assert.equal((await make()).error, "conflict");
    }
  });

  await t.test("an administrator chooses some of them; the others are the installation's", async () => {
    const { companyId } = await here.company();
    const update = (quotas: object) => here.admin(`/v1/admin/company/${companyId}/update`, { quotas });
    const { quotas } = await dataOf(update({ groups: 5 }));
    assert.deepEqual(quotas, { ...here.app.config.limits.quotas, groups: 5 });
    assert.equal((await dataOf(update({ contacts: 7 }))).quotas.groups, 5);
    const strange = await dataOf(update({ planets: 9, toString: 1 }));
    assert.deepEqual(Object.keys(strange.quotas).sort(), Object.keys(here.app.config.limits.quotas).sort());
    for (const wrong of [{ groups: -1 }, { groups: 1.5 }, { groups: "many" }])
      assert.equal((await update(wrong)).error, "invalid-request");
  });
});
