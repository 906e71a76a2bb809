// The countries that a company reaches: numbers elsewhere are blocked, and neither charged nor sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, connected, dataOf } from "../../../test/applications.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { runDueCampaigns } from "../../messaging/campaigns/due.ts";

const HERE = "2250700310001";
const SENEGAL = "221771234567";
const FRANCE = "33612345678";

const blockedOf = ({ blockedContacts }: { blockedContacts: { phone: string; code: string }[] }) =>
  blockedContacts.map(({ phone, code }) => `${phone} ${code}`);

const campaignOf = (company: Company, more: object = {}) =>
  company.call("/v1/campaign/create", { contacts: [HERE, SENEGAL, FRANCE], text: "Bonjour", ...more });

test("countries that companies open", async (t) => {
  const here = await testService(t, { config: { countries: [] } });
  const company = await here.company({ credits: 1_000 });
  const open = (change: object, of = company) => of.call("/v1/company/countries/update", change);

  await t.test(
    "H65 by default a company reaches its own country, where the installation says so",
    async () => {
      assert.deepEqual(await dataOf(company.call("/v1/company/countries")), {
        all: false,
        countries: ["CI"],
        isDefault: true,
      });
      const { creditUsed, contactCount, ...campaign } = await dataOf(campaignOf(company));
      assert.deepEqual([creditUsed, contactCount], [1, 1]);
      assert.deepEqual(blockedOf(campaign), [
        `${SENEGAL} country-not-allowed`,
        `${FRANCE} country-not-allowed`,
      ]);
      assert.match(campaign.blockedContacts[0].reason, /pays/);
      const nobody = await company.call("/v1/campaign/create", { contacts: [FRANCE], text: "Bonjour" });
      assert.deepEqual([nobody.error, nobody.details?.[0]?.field], ["no-recipient", "contacts[0].phone"]);
    },
  );

  await t.test(
    "H65 an opened country is reached by campaigns, groups, quotes and schedules alike",
    async () => {
      assert.deepEqual(await dataOf(open({ countries: ["SN", "SN"] })), {
        all: false,
        countries: ["CI", "SN"],
        isDefault: false,
      });
      assert.deepEqual(blockedOf(await dataOf(campaignOf(company))), [`${FRANCE} country-not-allowed`]);
      const quoted = await company.call("/v1/campaign/quote", { contacts: [HERE, FRANCE], text: "Bonjour" });
      assert.deepEqual(blockedOf(quoted.data), [`${FRANCE} country-not-allowed`]);
      const made = await dataOf(
        company.call("/v1/contact/create", { contacts: [{ phone: SENEGAL }, { phone: FRANCE }] }),
      );
      const contactIds = made.map(({ id }: { id: string }) => id);
      const group = await dataOf(company.call("/v1/group/create", { name: "Amis", contactIds }));
      const sent = await dataOf(
        company.call("/v1/campaign/create", { groupsIds: [group.id], text: "Bonjour" }),
      );
      assert.deepEqual([sent.contactCount, ...blockedOf(sent)], [1, `${FRANCE} country-not-allowed`]);
    },
  );

  await t.test("H65 a scheduled campaign reaches the countries that are open when it runs", async () => {
    const at = new Date((Math.floor(Date.now() / 900_000) + 2) * 900_000);
    const schedule = { type: "SCHEDULED", scheduledDate: at.toISOString() };
    const { id } = await dataOf(campaignOf(company, schedule));
    await dataOf(open({ countries: [] }));
    await runDueCampaigns(here.app, at);
    const { contactCount, stats } = await dataOf(company.call(`/v1/campaign/${id}`));
    assert.deepEqual([contactCount, stats.blocked], [1, 2]);
  });

  await t.test("H65 an application's sends and cached connections follow a change at once", async () => {
    const sending = await here.company({ credits: 100 });
    const connection = await connected(here, await application(here), sending, "PAYS");
    const send = () =>
      dataOf(
        connection.call("/v1/third-party-app/sms/send", { message: "Bonjour", contacts: [HERE, FRANCE] }),
      );
    const sendOne = () =>
      connection.call("/v1/third-party-app/sms/send", { message: "Bonjour", contacts: [FRANCE] });
    assert.deepEqual(blockedOf(await send()), [`${FRANCE} country-not-allowed`]);
    assert.equal((await sendOne()).error, "no-recipient");
    await dataOf(open({ countries: ["FR"] }, sending));
    assert.equal((await sendOne()).success, true);
    await dataOf(open({ countries: ["SN"] }, sending));
    assert.equal((await sendOne()).error, "no-recipient");
  });

  await t.test("an administrator opens countries too, and all of them", async () => {
    const change = (of: object, companyId = company.companyId) =>
      here.admin(`/v1/admin/company/${companyId}/countries/update`, of);
    assert.deepEqual(await dataOf(change({ all: true })), { all: true, countries: [], isDefault: false });
    assert.deepEqual(blockedOf(await dataOf(campaignOf(company))), []);
    assert.equal((await change({ all: true }, "0".repeat(24))).error, "not-found");
    const read = await dataOf(here.admin(`/v1/admin/company/${company.companyId}/countries`));
    assert.deepEqual(read, { all: true, countries: [], isDefault: false });
    const entries = await dataOf(here.admin("/v1/admin/audit/list", { companyId: company.companyId }));
    const { before, after } = entries.find(
      ({ action }: { action: string }) => action === "admin/company/{id}/countries/update",
    );
    assert.deepEqual([before.all, after.all], [false, true]);
  });

  await t.test("one-time passwords keep their own limits", async () => {
    await dataOf(open({ countries: [] }));
    const { success } = await company.call("/v1/auth/otp/get", { phoneNumber: `+${FRANCE}` });
    assert.equal(success, true);
  });

  await t.test("H66 what is no country is refused with a sentence, and changes nothing", async () => {
    const wrong: [object, string][] = [
      [{}, "countries"],
      [{ countries: ["SN"], all: true }, "countries"],
      [{ countries: ["XX"] }, "countries[0]"],
      [{ countries: ["SN", "sn"] }, "countries[1]"],
      [{ countries: "SN" }, "countries"],
      [{ countries: Array(251).fill("SN") }, "countries"],
      [{ all: false }, "countries"],
    ];
    for (const [change, field] of wrong) {
      const { error, details } = await open(change);
      assert.deepEqual([error, details?.[0]?.field], ["invalid-request", field], JSON.stringify(change));
    }
    assert.deepEqual((await dataOf(company.call("/v1/company/countries"))).countries, ["CI"]);
  });
});

test("without the setting a company reaches all countries, as the tariff for abroad expects", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  assert.equal((await dataOf(company.call("/v1/company/countries"))).all, true);
  const { creditUsed, blockedContacts } = await dataOf(campaignOf(company));
  assert.deepEqual([creditUsed, blockedContacts], [11, []]);
});
