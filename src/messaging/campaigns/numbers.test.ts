// Numbers as people write them, through the URLs: read in the company's country, with a warning where that is not certain.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, connected, dataOf } from "../../../test/applications.ts";
import { testService } from "../../../test/testservice.ts";

const UNKNOWN = "qui ne ressemble au numéro d’aucun pays : vérifiez l’indicatif et le nombre de chiffres";

test("C11: every URL reads a number in the country of the company", async (t) => {
  const w = await testService(t);
  const senegal = await w.company({ country: "SN", credits: 100 });
  const phone = "221771234567";

  const contact = await senegal.call("/v1/contact/create", { phone: "77 123 45 67" });
  assert.deepEqual([contact.data[0].phone, contact.warnings], [phone, undefined]);
  const again = await dataOf(senegal.call("/v1/contact/create", { contacts: ["tel:+221-77-123-45-67"] }));
  assert.equal(again[0].id, contact.data[0].id);
  const contacts = ["77 123 45 67", "\u202a+221 77 123 45 67\u202c", "771234567.0"];
  const quote = await dataOf(senegal.call("/v1/campaign/quote", { contacts, text: "Bonjour" }));
  assert.deepEqual([quote.contactCount, quote.creditUsed, quote.blockedCount], [1, 5, 2]);
  const optout = await dataOf(senegal.call("/v1/optout/create", { phone: "77/123/45/68" }));
  assert.equal(optout.phone, "221771234568");
  const code = await dataOf(senegal.call("/v1/auth/otp/get", { phoneNumber: "77–123–45–69" }));
  assert.equal(code.phoneNumber, "221771234569");
});

test("C11: a number that is not certain is sent as it was read, with a warning at create and quote", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 100 });
  const contacts = ["0701020304", "707070707", "331234567", "47 07 07 07"];
  const warnings = [
    { field: "contacts[1].phone", message: "lu comme +2250707070707 : le 0 initial manquait" },
    { field: "contacts[2].phone", message: `lu comme +331234567, ${UNKNOWN}` },
    {
      field: "contacts[3].phone",
      message:
        "les numéros de Côte d’Ivoire ont 10 chiffres depuis le 31/01/2021 : celui-ci est devenu 2250747070707, mais le SMS est envoyé à l’ancien numéro",
    },
  ];
  const campaign = { contacts, text: "Bonjour" };
  assert.deepEqual((await company.call("/v1/campaign/quote", campaign)).warnings, warnings);
  const created = await company.call("/v1/campaign/create", campaign);
  assert.deepEqual(created.warnings, warnings);
  const { data } = await company.call(`/v1/campaign/${created.data.id}/messages`);
  const sent = data.map(({ phone }: { phone: string }) => phone).sort();
  assert.deepEqual(sent, ["2250701020304", "2250707070707", "331234567", "47070707"]);

  const one = [{ field: "phone", message: `lu comme +331234568, ${UNKNOWN}` }];
  assert.deepEqual((await company.call("/v1/contact/create", { phone: "331234568" })).warnings, one);
  assert.deepEqual((await company.call("/v1/optout/create", { phone: "331234568" })).warnings, one);
  const code = await company.call("/v1/auth/otp/get", { phoneNumber: "331234569" });
  assert.deepEqual(code.warnings, [{ field: "phoneNumber", message: `lu comme +331234569, ${UNKNOWN}` }]);
});

test("C11: an application's send warns of the same numbers, the first time and by the fast path", async (t) => {
  const w = await testService(t);
  const company = await w.company({ credits: 100 });
  const shop = await connected(w, await application(w), company);
  for (let i = 0; i < 2; i++) {
    const sent = await shop.call("/v1/third-party-app/sms/send", {
      message: "Bonjour",
      contacts: ["707070707"],
    });
    assert.equal(sent.data.contactCount, 1);
    assert.deepEqual(sent.warnings, [
      { field: "contacts[0].phone", message: "lu comme +2250707070707 : le 0 initial manquait" },
    ]);
  }
});
