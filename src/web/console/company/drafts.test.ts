// Tests of the steps of a draft: nothing that cannot be goes on to the next, and nothing that was typed is lost.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { newPhone } from "../../../../test/codes.ts";
import { OPEN } from "../../../../test/fixtures.ts";
import { type Company, type TestService, testService } from "../../../../test/testservice.ts";
import { formsOf, ownedCompany, type Shown, Visitor } from "../../../../test/visitor.ts";
import { nowMs } from "../../../platform/clock.ts";

const DAY_MS = 24 * 3_600_000;
const dayIn = (days: number) => new Date(nowMs() + days * DAY_MS).toISOString().slice(0, 10);

suite("the steps of a draft", () => {
  const closing: (() => Promise<void>)[] = [];
  let company: Company;
  let visitor: Visitor;

  before(async () => {
    const w: TestService = await testService({ after: (close) => closing.push(close) }, OPEN);
    const phone = newPhone();
    company = await ownedCompany(w, phone);
    visitor = new Visitor(w);
    await visitor.signInToConsole(w, phone);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** The addresses of the steps of a new draft. */
  async function draft(says: object = {}) {
    const body = { text: "Soldes", contacts: [{ phone: newPhone() }], ...says };
    const { id } = await dataOf(company.call("/v1/campaign/draft/save", body));
    return { id, at: (step: string) => `/campaigns/drafts/${id}/${step}` };
  }
  const pathOf = ({ url }: Shown) => new URL(url).pathname;
  const fieldsOf = (page: Shown, action: string) =>
    formsOf(page.text).find((one) => one.action === action)!.fields;
  const save = async (at: (step: string) => string, step: string, typed: Record<string, string>) =>
    visitor.send(await visitor.open(at(step)), at(step), typed);

  test("the message leads to when, where now is chosen, and when leads to the check", async () => {
    const { at } = await draft();
    const when = await save(at, "message", { text: "Soldes de fin d’année" });
    assert.equal(pathOf(when), at("when"));
    assert.equal(fieldsOf(when, at("when")).type, "SMS");
    assert.equal(pathOf(await visitor.send(when, at("when"))), at("check"));
  });

  test("a time that cannot be stays beside its field, with what was typed", async () => {
    const { at } = await draft();
    for (const [day, time] of [
      [dayIn(-2), "10:00"],
      [dayIn(2), "10:07"],
      [dayIn(200), "10:00"],
    ] as const) {
      const refused = await save(at, "when", { type: "SCHEDULED", day, time });
      assert.deepEqual([refused.status, pathOf(refused)], [400, at("when")], `${day} ${time}`);
      assert.match(refused.text, /<a href="#day">[\s\S]+id="day-wrong"/);
      const { type, ...fields } = fieldsOf(refused, at("when"));
      assert.deepEqual([type, fields.day, fields.time], ["SCHEDULED", day, time]);
    }
    const weekly = await save(at, "when", { type: "RECURRING", tuesday: "09:10" });
    assert.equal(fieldsOf(weekly, at("when")).tuesday, "09:10");
    assert.match(weekly.text, /role="alert"/);
    const given = await save(at, "when", { type: "SCHEDULED", day: dayIn(2), time: "10:15" });
    assert.equal(pathOf(given), at("check"));
  });

  test("the address of a draft that was sent leads to its campaign", async () => {
    const { id, at } = await draft();
    const checked = await visitor.open(at("check"));
    const sent = await visitor.send(checked, at("send"));
    for (const step of ["recipients", "message", "when", "check"]) {
      const back = await visitor.open(at(step));
      assert.equal(pathOf(back), pathOf(sent), step);
      assert.match(back.text, /Ce brouillon a déjà été envoyé/);
    }
    assert.equal(pathOf(await visitor.open(`/campaigns/drafts/${id}`)), pathOf(sent));
    assert.equal(pathOf(await visitor.send(checked, at("send"))), pathOf(sent), "pressed twice");
    const unknown = await visitor.open(`/campaigns/drafts/${"0".repeat(24)}/message`);
    assert.equal(unknown.status, 404);
    assert.match(unknown.text, /href="\/campaigns"/);
  });

  test("a form that shows an older revision overwrites nothing, and keeps what was typed", async () => {
    const { id, at } = await draft();
    const read = async () => dataOf(company.call(`/v1/campaign/draft/${id}`));
    const older = new Map<string, Shown>();
    for (const step of ["recipients", "message", "when"]) older.set(step, await visitor.open(at(step)));
    await save(at, "message", { text: "De l’autre onglet" });
    const before = await read();
    const typed: Record<string, Record<string, string>> = {
      recipients: { numbers: "0700000009 ; Yao" },
      message: { text: "De cet onglet", name: "Fêtes" },
      when: { type: "RECURRING", friday: "10:15" },
    };
    for (const [step, fields] of Object.entries(typed)) {
      const refused = await visitor.send(older.get(step)!, at(step), fields);
      assert.match(refused.text, /Le brouillon a été modifié/, step);
      assert.deepEqual(await read(), before, step);
      const kept = fieldsOf(refused, at(step));
      for (const [name, value] of Object.entries(fields)) assert.equal(kept[name], value, name);
    }
    // The same again, as where an answer got lost, is no change.
    const same = await visitor.send(older.get("message")!, at("message"), { text: "De l’autre onglet" });
    assert.equal(pathOf(same), at("when"));
    const refused = await visitor.send(older.get("message")!, at("message"), { text: "De cet onglet" });
    const saved = await visitor.send(refused, at("message"));
    assert.equal(pathOf(saved), at("when"), "who was told may save");
    assert.equal((await read()).text, "De cet onglet");
  });

  test("a text of more SMS than may be is told where it is written, and goes no further", async () => {
    const { at } = await draft();
    const text = "a".repeat(153 * 10 + 1);
    const refused = await save(at, "message", { text });
    assert.equal(pathOf(refused), at("message"));
    assert.match(refused.text, /<a href="#text">Le message est trop long\s: 10 SMS au maximum\.</);
    assert.equal(fieldsOf(refused, at("message")).text, text);
    const counted = await visitor.open(at("message"));
    assert.match(counted.text, /11 SMS<\/b> par personne[\s\S]+Le message est trop long/);
    assert.doesNotMatch(counted.text, /11 crédits pour/);
  });
});
