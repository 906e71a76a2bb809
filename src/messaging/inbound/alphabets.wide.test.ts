// What operators deliver in octets of their own: alphabets under the wrong data_coding, national numbers, repeats.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { type Dialect, dialect } from "../../../test/dialects.ts";
import { deliver, numberFor, scriptedOperator, segment, textsOf } from "../../../test/incoming.ts";
import { rows, settled } from "../../../test/sending.ts";
import { type Company, until } from "../../../test/testservice.ts";
import { encodeGsm7 } from "../../protocol/sms/encoding.ts";

const outOf = async (company: Company) =>
  (await dataOf(company.call("/v1/optout/list"))).map(({ phone }: { phone: string }) => phone);

/** A campaign of a company to a phone, which an operator has accepted. */
async function writeTo(company: Company, phone: string): Promise<void> {
  const sent = await dataOf(company.call("/v1/campaign/create", { contacts: [phone], text: "Bonjour" }));
  await settled(company, sent.id);
}

test("octets above 0x7F under data_coding 0 are Latin-1, or UTF-8 where they decode, and ARRÊT in them opts out", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  const say = async (shortMessage: Buffer, dataCoding = 0, from = gsm.phone) =>
    assert.equal(await deliver(gsm, from, number, { dataCoding, shortMessage }), 0);
  const texts = ["Où êtes-vous ?", "Déjà reçu @ 10 h", "5 € l’unité, œuf"];
  for (const text of texts) await say(Buffer.from(text));
  await say(Buffer.from("Où est-ce, là-bas ?", "latin1"));
  await say(Buffer.from("C\x92est 5 \x80", "latin1"));
  await say(Buffer.from("Éléphant", "latin1"), 4);
  await say(Buffer.from(encodeGsm7("Ça va à 5 €")));
  assert.deepEqual(await textsOf(company), [
    ...texts,
    ...["Où est-ce, là-bas ?", "C’est 5 €", "Éléphant", "Ça va à 5 €"],
  ]);
  const people = [1, 2].map((digit) => `${gsm.phone.slice(0, -1)}${digit}`);
  await say(Buffer.from("ARRÊT", "latin1"), 0, people[0]);
  await say(Buffer.from("Arrêt"), 0, people[1]);
  assert.deepEqual((await outOf(company)).sort(), people.sort());
});

test("a byte order mark is no part of a text in UCS-2, and tells the order of its octets", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  const text = "Reçu 😀 à 10 h";
  const little = Buffer.from(`\ufeff${text}`, "utf16le");
  const big = Buffer.from(little).swap16();
  for (const shortMessage of [big, little, big.subarray(2)])
    await deliver(gsm, gsm.phone, number, { dataCoding: 8, shortMessage });
  assert.deepEqual(await textsOf(company), [text, text, text]);
});

test("segments in several alphabets are one text: one without an accent is in the alphabet of the others", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  const say = (part: Partial<Parameters<typeof deliver>[3]>) =>
    deliver(gsm, gsm.phone, number, part as object);
  // `@` and `_` have other numbers in GSM-7.
  await say(segment(1, 2, 1, Buffer.from("awa_k@exemple.ci ", "latin1")));
  await say(segment(1, 2, 2, Buffer.from("à bientôt", "latin1")));
  await say(segment(2, 2, 1, encodeGsm7("Prix : 5 € ")));
  await say(segment(2, 2, 2, Buffer.from("merci 😀", "utf16le").swap16(), 8));
  const cut = Buffer.from("déjà");
  await say(segment(3, 2, 1, cut.subarray(0, 2)));
  await say(segment(3, 2, 2, cut.subarray(2)));
  assert.deepEqual(await textsOf(company), ["awa_k@exemple.ci à bientôt", "Prix : 5 € merci 😀", "déjà"]);
});

test("a national number is one of the operator's country: a Beninese's STOP opts no Ivorian out", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company: ivorian } = gsm;
  const benin = await dialect(here, t, { prefixes: ["229"] });
  const abroad = await dialect(here, t, { prefixes: ["228", "227"], country: "TG" });
  await until(() => benin.operator.sessions.length > 0 && abroad.operator.sessions.length > 0);
  const national = "0197004421";
  await dataOf(here.admin(`/v1/admin/operator/${gsm.shown.id}/update`, { prefixes: ["225"] }));
  const writers: [Company, string][] = [
    [ivorian, `225${national}`],
    [benin.company, `229${national}`],
    [abroad.company, "22890123456"],
  ];
  for (const [company, phone] of writers) await until(() => writeTo(company, phone).then(() => true));
  const stop = (operator: Dialect, from: string, sourceAddrTon: number) =>
    deliver(operator, from, "ATUMPAN", { sourceAddrTon, shortMessage: Buffer.from("STOP") });
  await stop(benin, national, 0);
  assert.deepEqual([await outOf(ivorian), await outOf(benin.company)], [[], [`229${national}`]]);
  await stop(abroad, "90123456", 2);
  assert.deepEqual(await outOf(abroad.company), ["22890123456"]);
  await stop(gsm, national, 2);
  assert.deepEqual(await outOf(ivorian), [`225${national}`]);
});

test("equal words are two messages after the operator's window, 10 s by default, and at once where it has none", async (t) => {
  const { here, gsm } = await scriptedOperator(t);
  const { company } = gsm;
  const { number } = await numberFor(here, company);
  const say = () => deliver(gsm, gsm.phone, number, "Oui");
  const passes = (seconds: number) =>
    rows(here.app, "UPDATE inbound_marks SET repeats_until = repeats_until - $1::int * interval '1 second'", [
      seconds,
    ]);
  await say();
  await say();
  assert.deepEqual(await textsOf(company), ["Oui"]);
  await passes(11);
  await say();
  assert.deepEqual(await textsOf(company), ["Oui", "Oui"]);
  const before = gsm.operator.sessions.length;
  await passes(11);
  await gsm.update({ repeatWindowS: 0 });
  await until(() => gsm.operator.sessions.length > before && gsm.operator.sessions.at(-1)!.ready);
  // The session that brought it is over, so the operator may have no answer: with a window that would be a repeat.
  await say();
  await say();
  assert.deepEqual(await textsOf(company), ["Oui", "Oui", "Oui", "Oui"]);
});
