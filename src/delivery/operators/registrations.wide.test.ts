// Registrations of sender names: where a registered name goes, and what operators do with the names of others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedSender, application, connected, dataOf } from "../../../test/applications.ts";
import { receivedBy, simulate, testServiceWith } from "../../../test/operators.ts";
import { allAre, rows } from "../../../test/sending.ts";
import { type Company, until } from "../../../test/testservice.ts";
import { expireRegistrations } from "./registrations.ts";

const PHONE = "2250701020";
let made = 0;
const newNumber = () => `${PHONE}${String(++made).padStart(3, "7")}`;

test("registered senders", async (t) => {
  const [first, second] = [await simulate(t), await simulate(t)];
  const { here, ids } = await testServiceWith(t, [{ port: first.port }, { port: second.port }]);
  const [firstId, secondId] = ids as [string, string];
  const company = await here.company({ credits: 1_000 });
  const id = await acceptedSender(here, company, "PAGNES");
  const set = (more: object, senderId = id) =>
    here.admin(`/v1/admin/sender/${senderId}/registration/set`, {
      ...{ operatorId: secondId, country: "CI", state: "REGISTERED" },
      ...more,
    });
  const drop = (operatorId: string, country = "CI") =>
    dataOf(here.admin(`/v1/admin/sender/${id}/registration/delete`, { operatorId, country }));
  const rule = (operatorId: string, senderPolicy: string, defaultSender = "INFO") =>
    dataOf(here.admin(`/v1/admin/operator/${operatorId}/update`, { senderPolicy, defaultSender }));
  /** Sends to a new number, and returns the operator that got it and the name that it showed. */
  const send = async (more: object = {}, of: Company = company) => {
    const to = newNumber();
    const campaign = { contacts: [to], text: "Bonjour", senderId: "PAGNES", ...more };
    const { id: campaignId } = await dataOf(of.call("/v1/campaign/create", campaign));
    await allAre("DELIVERED", of, campaignId);
    return shownAt(to);
  };
  /** Links follow the operators and their rules within half a second. */
  const comesAs = (shown: string) => until(async () => (await send()) === shown);
  const shownAt = (to: string) => {
    const all = [first, second].flatMap((simulator, i) =>
      simulator.inbox({ phone: to }).map(({ from }) => `${i + 1} ${from}`),
    );
    return all.join(", ");
  };

  await t.test(
    "H62 a name goes to the operator where it is registered, whatever the order of operators",
    async () => {
      assert.equal(await send(), "1 PAGNES");
      const { registrations } = await dataOf(
        set({ reference: "D-118", document: "Lettre du 3 mars", expiresOn: "2099-12-31" }),
      );
      assert.equal(registrations.length, 1);
      await comesAs("2 PAGNES");
      const own = (await dataOf(company.call(`/v1/sender/${id}`))).registrations;
      assert.deepEqual(own, [
        {
          operatorName: "operator 2",
          country: "CI",
          state: "REGISTERED",
          expiresOn: "2099-12-31",
          updatedAt: own[0].updatedAt,
        },
      ]);
      const [seen] = (await dataOf(here.admin(`/v1/admin/sender/${id}`))).registrations;
      assert.deepEqual(
        [seen.reference, seen.document, seen.operatorId],
        ["D-118", "Lettre du 3 mars", secondId],
      );
      await dataOf(set({ state: "REFUSED" }));
      const [kept] = (await dataOf(here.admin(`/v1/admin/sender/${id}`))).registrations;
      assert.deepEqual([kept.state, kept.reference, kept.expiresOn], ["REFUSED", "D-118", "2099-12-31"]);
      assert.equal(await send(), "1 PAGNES");
      assert.deepEqual((await drop(secondId)).registrations, []);
    },
  );

  await t.test("H62 applications and one-time passwords of a registered name follow it too", async () => {
    const sending = await here.company({ credits: 100 });
    const connection = await connected(here, await application(here), sending, "PAGNE2");
    const [sender] = await dataOf(sending.call("/v1/sender/list"));
    const [one, other, code] = [newNumber(), newNumber(), newNumber()];
    const sendTo = (phone: string) =>
      dataOf(connection.call("/v1/third-party-app/sms/send", { message: "Bonjour", contacts: [phone] }));
    await allAre("DELIVERED", sending, (await sendTo(one)).campaignId);
    await dataOf(set({}, sender.id));
    await allAre("DELIVERED", sending, (await sendTo(other)).campaignId);
    assert.deepEqual([shownAt(one), shownAt(other)], ["1 PAGNE2", "2 PAGNE2"]);
    await dataOf(sending.call("/v1/auth/otp/get", { phoneNumber: `+${code}`, senderId: "PAGNE2" }));
    await until(async () => shownAt(code) === "2 PAGNE2");
  });

  await t.test("H63 an operator that takes only registered names leaves others to the next one", async () => {
    await rule(firstId, "next");
    await comesAs("2 PAGNES");
    await dataOf(set({ operatorId: firstId }));
    assert.equal(await send(), "1 PAGNES");
    await dataOf(set({ operatorId: firstId, country: "SN" }));
    await drop(firstId);
    assert.equal(await send(), "2 PAGNES", "registered for another country only");
    await drop(firstId, "SN");
  });

  await t.test("H63 an operator sends other names under its own, and the quote says for whom", async () => {
    await rule(firstId, "default");
    await comesAs("1 INFO");
    const quote = async () => {
      const { data } = await company.call("/v1/campaign/quote", {
        ...{ contacts: [newNumber(), newNumber()], text: "Bonjour", senderId: "PAGNES" },
      });
      return data.replacedSenders;
    };
    assert.deepEqual(await quote(), [{ sender: "INFO", prefix: "225", messages: 2 }]);
    await dataOf(set({ operatorId: firstId }));
    assert.equal(await quote(), undefined);
    assert.equal(await send(), "1 PAGNES");
    await drop(firstId);
  });

  await t.test("H63 an operator that refuses other names blocks the recipient, at no charge", async () => {
    await rule(firstId, "refuse");
    const to = newNumber();
    const refused = await company.call("/v1/campaign/create", {
      ...{ contacts: [to], text: "Bonjour", senderId: "PAGNES" },
    });
    assert.equal(refused.error, "no-recipient");
    assert.match(refused.details![0]!.message, /n’est pas enregistré/);
    const code = await company.call("/v1/auth/otp/get", { phoneNumber: `+${to}`, senderId: "PAGNES" });
    assert.deepEqual([code.error, code.details?.[0]?.field], ["sender-not-accepted", "senderId"]);
    assert.deepEqual([first, second].flatMap(receivedBy).includes(to), false);
    await dataOf(set({ operatorId: firstId }));
    assert.equal(await send(), "1 PAGNES");
  });

  await t.test("H62 a registration ends after its last day, and the name is as any other", async () => {
    assert.equal(await send(), "1 PAGNES");
    await rows(here.app, "UPDATE sender_registrations SET expires_on = '2020-01-31'");
    await expireRegistrations(here.app, new AbortController().signal);
    const { data } = await here.admin("/v1/admin/sender/registration/list", { state: "EXPIRED" });
    assert.ok(data.some(({ senderId }: { senderId: string }) => senderId === id));
    const { error } = await company.call("/v1/campaign/create", {
      ...{ contacts: [newNumber()], text: "Bonjour", senderId: "PAGNES" },
    });
    assert.equal(error, "no-recipient");
    await rule(firstId, "any");
    await comesAs("1 PAGNES");
  });

  await t.test("H64 what cannot be a registration is refused with a sentence", async () => {
    const wrong: [more: object, error: string, field?: string][] = [
      [{ country: "XX" }, "invalid-request", "country"],
      [{ country: "ci" }, "invalid-request", "country"],
      [{ state: "DONE" }, "invalid-request", "state"],
      [{ expiresOn: "2027-02-30" }, "invalid-request", "expiresOn"],
      [{ expiresOn: "31/03/2027" }, "invalid-request", "expiresOn"],
      [{ expiresOn: "2020-01-01" }, "invalid-request", "expiresOn"],
      [{ operatorId: "0".repeat(24) }, "not-found"],
    ];
    for (const [more, error, field] of wrong) {
      const refused = await set(more);
      assert.deepEqual([refused.error, refused.details?.[0]?.field], [error, field], JSON.stringify(more));
    }
    assert.equal((await set({}, "0".repeat(24))).error, "sender-not-found");
    const lost = await here.admin(`/v1/admin/sender/${id}/registration/delete`, {
      ...{ operatorId: firstId, country: "ML" },
    });
    assert.equal(lost.error, "not-found");
    const update = (body: object) => here.admin(`/v1/admin/operator/${secondId}/update`, body);
    for (const body of [{ senderPolicy: "default" }, { defaultSender: "Un nom trop long" }]) {
      const { error, details } = await update(body);
      assert.deepEqual(
        [error, details?.[0]?.field],
        ["invalid-request", "defaultSender"],
        JSON.stringify(body),
      );
    }
    assert.equal((await update({ senderPolicy: "default", defaultSender: "98000" })).success, true);
    assert.equal((await update({ defaultSender: "" })).error, "invalid-request", "the rule needs the name");
  });
});
