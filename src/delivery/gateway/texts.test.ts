// What texts and their times look like in the settings of each operator, and what they cost.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { dialect, sentBy } from "../../../test/dialects.ts";
import { balanceOf } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import type { SubmitSm } from "../../protocol/smpp/pdu.ts";

const WITHOUT_SIMULATOR = { config: { simulator: false } };

/** The beginning of a user data header: its length, the element, and the element's length. */
const headerOf = (pdu: SubmitSm) => pdu.shortMessage.toString("hex", 0, 3);

suite("dialects of operators", { concurrency: 4 }, () => {
  test("a text that the alphabet lacks goes in UCS-2 whole, and its parts beyond those charged are counted", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const latin = await dialect(here, t, { alphabet: "latin-1" });
    const ia5 = await dialect(here, t, { alphabet: "ia5", concatenation: "payload" });
    const cases = [
      [latin, "[Ça va, à 10 h]", 3, "latin1"],
      [ia5, "{50 %} ^ [ok] ~ | \\ @_$", 1, "latin1"],
      [latin, "10 €", 8, "utf16le"],
      [latin, "Ω", 8, "utf16le"],
      [ia5, "à midi", 8, "utf16le"],
    ] as const;
    for (const [operator, text, coding, as] of cases) {
      const [pdu] = await sentBy(operator, text);
      const octets = as === "latin1" ? pdu.shortMessage : Buffer.from(pdu.shortMessage).swap16();
      assert.deepEqual([pdu.dataCoding, octets.toString(as)], [coding, text]);
    }
    const long = "[é] ".repeat(40);
    const parts = await sentBy(latin, long);
    assert.deepEqual(
      parts.map((pdu) => pdu.shortMessage.subarray(0, 6).toString("hex").slice(0, 6)),
      ["050003", "050003"],
    );
    const joined = parts.map((pdu) => pdu.shortMessage.subarray(6).toString("latin1"));
    // An extension character is two septets on the handset, so the first part has 153 septets in 102 octets.
    assert.deepEqual([joined.join(""), joined[0]!.length], [long, 102]);
    assert.equal(await latin.unpaid(), 0);
    const before = await balanceOf(latin.company);
    assert.equal((await sentBy(latin, `€ ${"x".repeat(150)}`)).length, 3);
    assert.equal(await balanceOf(latin.company), before - 1);
    assert.equal(await latin.unpaid(), 2);
    assert.equal((await sentBy(ia5, "é".repeat(160)))[0].tlvs?.messagePayload?.length, 320);
    assert.equal(await ia5.unpaid(), 2);
  });

  test("a text costs its parts of 153, whatever the form; where udh16 takes one more, another form or the metric has it", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const udh16 = { concatenation: "udh16" };
    const bearing = await dialect(here, t, udh16);
    const byUdh8 = await dialect(here, t, { ...udh16, udh16Alternative: "udh8" });
    const bySar = await dialect(here, t, { ...udh16, udh16Alternative: "sar" });
    for (const [text, charged, inUdh16] of [
      ["x".repeat(306), 2, 3],
      ["ê".repeat(134), 2, 3],
      ["x".repeat(304), 2, 2],
      ["x".repeat(160), 1, 1],
    ] as const) {
      const isSame = charged === inUdh16;
      for (const operator of [bearing, byUdh8, bySar]) {
        const before = await balanceOf(operator.company);
        const parts = await sentBy(operator, text);
        assert.equal(before - (await balanceOf(operator.company)), charged);
        assert.equal(parts.length, operator === bearing ? inUdh16 : charged);
        if (parts.length === 1) continue;
        if (isSame || operator === bearing) assert.equal(headerOf(parts[0]), "060804");
        else if (operator === byUdh8) assert.equal(headerOf(parts[0]), "050003");
        else assert.deepEqual([parts[1]!.esmClass, parts[1]!.tlvs?.sarSegmentSeqnum], [0, 2]);
      }
    }
    assert.deepEqual([await bearing.unpaid(), await byUdh8.unpaid(), await bySar.unpaid()], [2, 0, 0]);
  });

  test("an operator of version 3.3 gets no optional parameters, and long texts with a header", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    for (const settings of [
      { concatenation: "sar" },
      { concatenation: "payload" },
      { concatenation: "udh16", udh16Alternative: "sar" },
    ]) {
      const parts = await sentBy(
        await dialect(here, t, { interfaceVersion: "3.3", ...settings }),
        "x".repeat(306),
      );
      assert.deepEqual(
        parts.map((pdu) => [pdu.esmClass, headerOf(pdu), pdu.tlvs]),
        [
          [0x40, "050003", undefined],
          [0x40, "050003", undefined],
        ],
      );
    }
  });

  test("validity_period has the operator's form; a one-time password has the rest of its own time at most", async (t) => {
    const here = await testService(t, WITHOUT_SIMULATOR);
    const began = Date.now();
    const validityOf = async (settings: object) => {
      const of = await dialect(here, t, settings);
      const [plain] = await sentBy(of, "Bonjour");
      const otp = await of.company.call("/v1/auth/otp/get", { phoneNumber: of.phone });
      assert.equal(otp.success, true);
      const code = await until(() => of.operator.received[1]);
      return [plain.validityPeriod, code.validityPeriod] as const;
    };
    const A_MINUTE = "000000000100000R";
    assert.deepEqual(await validityOf({ validityPeriod: 60 }), [A_MINUTE, A_MINUTE]);
    const [none, rest] = await validityOf({});
    assert.equal(none, "");
    assert.match(rest, /^00000000(0[1-4]..|0500)000R$/, "five minutes at most");
    const day = { validityPeriod: 86_400 };
    assert.deepEqual(await validityOf({ ...day, validityPeriodForm: "none" }), ["", ""]);
    const ends = await validityOf({ ...day, validityPeriodForm: "absolute" });
    for (const [i, lifetimeMs] of [86_400_000, 300_000].entries()) {
      assert.match(ends[i]!, /^\d{12}000\+$/);
      const [year, month, date, hour, minute, second] = ends[i]!.match(/\d\d/g)!.map(Number);
      const writtenAt = Date.UTC(2000 + year!, month! - 1, date, hour, minute, second) - lifetimeMs;
      // The form has whole seconds, and the database's clock decides.
      assert.ok(writtenAt > began - 5_000 && writtenAt < Date.now() + 5_000, ends[i]);
    }
  });
});
