// The settings in which operators differ, each by what it changes in the bytes that an operator gets.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { type Dialect, dialect, giveSender, sentBy } from "../../../test/dialects.ts";
import { NEVER, send, statusesOf, waitingMessages } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { STATUS, type SubmitSm } from "../../protocol/smpp/pdu.ts";
import { settingsOf } from "./settings.ts";

const WITHOUT_SIMULATOR = { config: { simulator: false } };

const CHOSEN = {
  interfaceVersion: "5.0",
  addressRange: "^2250[57]",
  addressRangeTonNpi: { ton: 1, npi: 1 },
  nameTonNpi: { ton: 5, npi: 9 },
  shortCodeTonNpi: { ton: 6, npi: 0 },
  nationalTonNpi: { ton: 0, npi: 1 },
  internationalTonNpi: { ton: 1, npi: 8 },
  destinationTonNpi: { ton: 2, npi: 8 },
  serviceType: "CMT",
  validityPeriod: 93_784,
  validityPeriodForm: "relative",
  registeredDelivery: 17,
  partReceipts: 1,
  userMessageReference: false,
  alphabet: "latin-1",
  dataCoding: 0,
  ucs2DataCoding: 24,
  udh16Alternative: "sar",
  country: "BJ",
  repeatWindowS: 0,
  enquireLinkS: 20,
  submitTimeoutS: 25,
  retryableCodes: ["ESME_RSUBMITFAIL", "0x00000400"],
  permanentCodes: ["ESME_RX_T_APPN"],
} as const;

suite("settings of operators", { concurrency: 4 }, () => {
  test("every answer shows what was chosen and the defaults of the rest; an empty text brings a default back", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const { id, ...chosen } = (await dialect(here, t, { ...CHOSEN, enabled: false })).shown;
    assert.deepEqual({ ...chosen, ...CHOSEN }, chosen);
    const update = async (changes: object) =>
      (await here.admin(`/v1/admin/operator/${id}/update`, changes)).data;
    const other = { serviceType: "VMA", nameTonNpi: { ton: 0, npi: 0 }, enquireLinkS: 60 };
    assert.deepEqual(await update(other), { id, ...chosen, ...other });
    const emptied = await update(Object.fromEntries(Object.keys(CHOSEN).map((name) => [name, ""])));
    assert.deepEqual({ ...emptied, ...settingsOf({}) }, emptied);
    assert.equal((await update({ alphabet: "ia5" })).dataCoding, 1);
    const { data: list } = await here.admin("/v1/admin/operator/list");
    assert.deepEqual(list, [{ ...emptied, alphabet: "ia5", dataCoding: 1 }]);
  });

  test("a member that a TON and NPI do not have is ignored, as its warning says", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const { shown, update } = await dialect(here, t, { enabled: false });
    const answer = await update({ nameTonNpi: { ton: 1, npi: 9, plan: "x".repeat(1_000) } });
    assert.deepEqual(
      answer.warnings?.map(({ field }) => field),
      ["nameTonNpi.plan"],
    );
    assert.deepEqual(answer.data, { ...shown, nameTonNpi: { ton: 1, npi: 9 } });
  });

  test("a value that cannot be is refused by its field, in a new operator and in a change, and changes nothing", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const { shown, update } = await dialect(here, t, { enabled: false });
    const tonNpi = [{}, { ton: 7, npi: 0 }, { ton: 1, npi: 19 }, { ton: 1 }, [1, 1], 1];
    const codes = ["ESME_RSYSERR", ["ESME_NONE"], ["ESME_ROK"], ["0x0"], [8], ["0x123456789"], ["8"]];
    const wrong: Record<keyof typeof CHOSEN, unknown[]> = {
      interfaceVersion: ["3.5", 3.4],
      addressRange: ["x".repeat(41), "é"],
      addressRangeTonNpi: tonNpi,
      nameTonNpi: tonNpi,
      shortCodeTonNpi: tonNpi,
      nationalTonNpi: tonNpi,
      internationalTonNpi: tonNpi,
      destinationTonNpi: tonNpi,
      serviceType: ["x".repeat(6), 5],
      validityPeriod: [59, 2_592_001, "60"],
      validityPeriodForm: ["utc"],
      registeredDelivery: [-1, 32, true],
      partReceipts: [0, 31, "2"],
      userMessageReference: [1],
      alphabet: ["utf-8"],
      dataCoding: [-1, 256],
      ucs2DataCoding: [256, "8"],
      udh16Alternative: ["payload", "udh16"],
      country: ["ZZ", "ci", "BEN"],
      repeatWindowS: [-1, 601, 1.5],
      enquireLinkS: [0, 601],
      submitTimeoutS: [0, 121, 1.5],
      retryableCodes: [...codes, Array(101).fill("0x1")],
      permanentCodes: codes,
    };
    for (const [field, values] of Object.entries(wrong))
      for (const value of values) {
        const { host, port, prefixes } = shown;
        const made = { name: "other", host, port, prefixes, systemId: "a", password: "b", [field]: value };
        for (const answer of [
          await update({ [field]: value }),
          await here.admin("/v1/admin/operator/create", made),
        ]) {
          assert.equal(answer.error, "invalid-request", `${field}: ${JSON.stringify(value)}`);
          assert.ok(answer.details!.every((detail) => detail.field.startsWith(field)));
        }
      }
    assert.deepEqual((await here.admin("/v1/admin/operator/list")).data, [shown]);
  });

  test("version and address range are in the bind, and a change of any setting binds anew", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const plain = await dialect(here, t, {});
    const chosen = await dialect(here, t, CHOSEN);
    await until(() => plain.operator.binds.length === 1 && chosen.operator.binds.length === 1);
    const seen = ({ operator: { binds } }: Dialect) =>
      binds.map((bind) => [bind.interfaceVersion, bind.addrTon, bind.addrNpi, bind.addressRange]);
    assert.deepEqual(seen(plain), [[0x34, 0, 0, ""]]);
    assert.deepEqual(seen(chosen), [[0x50, 1, 1, "^2250[57]"]]);
    await plain.update({ interfaceVersion: "3.3" });
    await until(() => plain.operator.binds.length === 2);
    assert.deepEqual(seen(plain)[1], [0x33, 0, 0, ""]);
    await chosen.update({ permanentCodes: [] });
    await until(() => chosen.operator.binds.length === 2);
    assert.equal(plain.operator.mostBound, 1);
  });

  test("what is chosen is in every submit_sm, and by default it is as it always was", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const plain = await dialect(here, t, {});
    const chosen = await dialect(here, t, CHOSEN);
    const about = (pdu: SubmitSm) => ({
      source: [pdu.sourceAddrTon, pdu.sourceAddrNpi, pdu.sourceAddr],
      destination: [pdu.destAddrTon, pdu.destAddrNpi],
      service: pdu.serviceType,
      validity: pdu.validityPeriod,
      receipt: pdu.registeredDelivery,
      coding: pdu.dataCoding,
      text: pdu.shortMessage.toString("hex"),
      reference: pdu.tlvs?.userMessageReference,
    });
    const [byDefault] = await sentBy(plain, "Éva à 10 h");
    const { reference, ...rest } = about(byDefault);
    assert.ok(reference! >= 0);
    assert.deepEqual(rest, {
      source: [5, 0, "ATUMPAN"],
      destination: [1, 1],
      service: "",
      validity: "",
      receipt: 1,
      coding: 0,
      text: "1f7661207f2031302068",
    });
    const [one] = await sentBy(chosen, "Éva à 10 h");
    assert.deepEqual(about(one), {
      source: [5, 9, "ATUMPAN"],
      destination: [2, 8],
      service: "CMT",
      validity: "000001020304000R",
      receipt: 17,
      coding: 0,
      text: Buffer.from("Éva à 10 h", "latin1").toString("hex"),
      reference: undefined,
    });
    const long = await sentBy(chosen, "Fête ".repeat(20));
    assert.deepEqual(
      long.map((pdu) => [pdu.dataCoding, pdu.registeredDelivery, pdu.serviceType]),
      [
        [24, 0, "CMT"],
        [24, 17, "CMT"],
      ],
    );
  });

  test("a sender has the TON and NPI of its kind: a name, a short code, a national and an international number", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    for (const [settings, expected] of [
      [{}, ["5 0", "3 0", "3 0", "2 1", "2 1", "2 1", "1 1"]],
      [CHOSEN, ["5 9", "6 0", "6 0", "0 1", "0 1", "0 1", "1 8"]],
    ] as const) {
      const operator = await dialect(here, t, settings);
      const kinds: string[] = [];
      for (const name of [
        "Chez Awa",
        "7788",
        "80012345",
        "771234567",
        "0700001000",
        "01970000001",
        "22890123456",
      ]) {
        const [pdu] = await sentBy(operator, "Bonjour", await giveSender(here, operator.company, name));
        assert.equal(pdu.sourceAddr, name);
        kinds.push(`${pdu.sourceAddrTon} ${pdu.sourceAddrNpi}`);
      }
      assert.deepEqual(kinds, expected);
    }
  });

  test("an operator's own book of codes decides what is tried again and what is final, before ours", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const book = {
      retryableCodes: ["ESME_RSUBMITFAIL", "0x400", "ESME_RSYSERR", "ESME_RMSGQFUL"],
      permanentCodes: ["ESME_RSYSERR", "ESME_RTHROTTLED", "0x401"],
    };
    const statuses = {
      [STATUS.ESME_RSUBMITFAIL]: "retry",
      1024: "retry",
      [STATUS.ESME_RMSGQFUL]: "retry",
      [STATUS.ESME_RX_T_APPN]: "retry",
      [STATUS.ESME_RSYSERR]: "REJECTED",
      [STATUS.ESME_RTHROTTLED]: "REJECTED",
      1025: "REJECTED",
    };
    const codes = Object.keys(statuses).map(Number);
    const { company, phone, shown } = await dialect(here, t, book, ({ destinationAddr }) => ({
      status: codes[Number(destinationAddr.slice(-4)) - 1000]!,
      messageId: "",
    }));
    assert.deepEqual(shown.retryableCodes[1], "0x00000400");
    for (const [i, expected] of Object.values(statuses).entries()) {
      const to = `${phone.slice(0, -4)}${1000 + i}`;
      const id = await send(company, to);
      if (expected === "REJECTED")
        await until(async () => (await statusesOf(company, id)).join() === expected);
      else
        await until(async () =>
          (await waitingMessages(here.app)).some((message) => message.phone === to && message.retries === 1),
        );
    }
  });

  test("an answer is awaited for as long as the operator's settings say", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const hasty = await dialect(here, t, { submitTimeoutS: 1 }, () => NEVER);
    const patient = await dialect(here, t, { submitTimeoutS: 120 }, () => NEVER);
    const late = await send(patient.company, patient.phone);
    await until(() => patient.operator.received.length === 1);
    const id = await send(hasty.company, hasty.phone);
    await until(async () => (await statusesOf(hasty.company, id)).join() === "UNKNOWN");
    assert.deepEqual(await statusesOf(patient.company, late), ["SENDING"]);
    assert.equal(hasty.operator.sessions[0]!.ready, true, "the session lives on");
    // A bind would wait for these answers before it unbinds.
    for (const { operator } of [hasty, patient]) await operator.stop();
  });

  test("enquire_link comes after as much silence as the operator's settings say", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const asked = new Set<string>();
    const listening = ["quick", "slow"].map(async (name, i) => {
      const { operator } = await dialect(here, t, { enquireLinkS: i === 0 ? 1 : 600 });
      await until(() => operator.sessions.length === 1);
      // SMPP 3.4, section 4.11.1: a header alone, with command_id 0x15.
      operator.socketOf(operator.sessions[0]!).on("data", (bytes: Buffer) => {
        if (bytes.length === 16 && bytes.readUInt32BE(4) === 0x15) asked.add(name);
      });
    });
    await Promise.all(listening);
    await until(() => asked.has("quick"));
    assert.deepEqual([...asked], ["quick"]);
  });
});
