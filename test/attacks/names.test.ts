// An attack by names: applications and senders that look like the brands people trust.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../src/platform/config.ts";
import { brandFinder } from "../../src/protocol/sms/brands.ts";
import { dataOf, newSlug } from "../applications.ts";
import { cheapest } from "../cost.ts";
import { type Company, type TestService, testService } from "../testservice.ts";

/** Names, and the brand that each looks like. */
const LOOKALIKES: Record<string, readonly string[]> = {
  "Orange Money": [
    "Orange Money",
    "0range M0ney",
    "ORANGE-MONEY CI",
    "OrangeMoney",
    "Service client Orange Money",
    "Оrаnge Mоney",
    "Ｏｒａｎｇｅ Ｍｏｎｅｙ",
    "𝐎𝐫𝐚𝐧𝐠𝐞 𝐌𝐨𝐧𝐞𝐲",
    "Ⓞⓡⓐⓝⓖⓔ Money",
    "Orange Monney",
    "O.r.a.n.g.e M_o_n_e_y",
    "Örängé Möney",
  ],
  Atumpan: ["ATUMPAN Sécurité", "Atumpan", "A7UMPAN", "atumpan2026", "ΑΤUΜΡΑΝ", "Аtumраn"],
  Wave: ["Wаve", "Wave Mobile", "WAVEINFO", "Wave24", "W4VE", "Waνe", "VVave"],
  MTN: ["M T N", "MTN-CI", "MTN Alerte", "МТN"],
  "Moov Africa": ["Moov-Africa", "MOOVAFRICA", "M00V AFRICA"],
  Moov: ["Moov", "rnoov"],
  BCEAO: ["BCEAO", "B.C.E.A.O.", "BCEA0 Info"],
  Ecobank: ["Ecobank", "ECO BANK", "Ecobannk", "Ecobánk Côte d’Ivoire", "ΕCΟΒΑΝΚ", "MonEcobank"],
  SODECI: ["S.O.D.E.C.I.", "S0DECl"],
};

const HONEST = [
  ...["Boutique Awa", "Orangerie du Lac", "Les Moovies", "Waves and Sand", "Clinique Sainte Marie"],
  ...["Pharmacie de la Paix", "École Les Orangers", "Marché", "Société Ivoire Bois", "Garage Koné et Fils"],
  ...["Momoko Sushi", "Airtelier", "Clé d’Or", "Gio Coiffure", "Restaurant Le Baobab", "一二三"],
];

test("H16 a name that looks like a brand is recognised, whatever letters it is written with", () => {
  const find = brandFinder([]);
  for (const [brand, names] of Object.entries(LOOKALIKES))
    for (const name of names) assert.equal(find(name), brand, name);
  for (const name of HONEST) assert.equal(find(name), undefined, name);
});

test("H16 a name of any length and form costs little to look at", () => {
  const find = brandFinder([]);
  const costly = [
    "o ".repeat(100),
    "Orange Mone ".repeat(16),
    "a1".repeat(100),
    "rn".repeat(100),
    "vv ".repeat(66),
  ];
  // A page of the reviewer's list has 100 names at most. Measured: 3 to 55 ms of CPU a page (2 cores, 2026-11-23).
  for (const name of costly) {
    const page = () => {
      for (let row = 0; row < 100; row++) find(name.slice(0, 200));
    };
    const costMs = cheapest(page, 2);
    assert.ok(costMs < 400, `${name.slice(0, 20)}: ${costMs} ms`);
  }
});

test("H16 an installation adds its own brands with BRANDS", () => {
  const config = readConfig({ BRANDS: " Banque du Sahel , Yoban'tel " });
  assert.deepEqual(config.brands, ["Banque du Sahel", "Yoban'tel"]);
  const find = brandFinder(config.brands);
  assert.equal(find("BANQUE-DU-SAHEL"), "Banque du Sahel");
  assert.equal(find("Y0bantel Infos"), "Yoban'tel");
  assert.equal(find("MTN"), "MTN");
});

const submission = (name: string) => ({ name, slug: newSlug(), description: "Vend des pagnes en ligne" });

async function resembling(here: TestService, path: string): Promise<Map<string, string | undefined>> {
  const rows = await dataOf(here.admin(path, { limit: 100 }));
  return new Map(rows.map(({ name, resembles }: Record<string, string>) => [name, resembles]));
}

test("H16 applications that resemble a brand are taken with the document's answer, and marked for the reviewer", async (t) => {
  const here = await testService(t, { config: { brands: ["Banque du Sahel"] } });
  const company: Company = await here.company();
  const answer = await company.call("/v1/third-party-app/submit", submission("Wаve"));
  assert.equal(answer.data.status, "PENDING_REVIEW");
  assert.ok(!("resembles" in answer.data), "its owner is not told");
  await dataOf(company.call("/v1/third-party-app/submit", submission("Boutique Awa")));
  await dataOf(
    company.call("/v1/third-party-app/submit", { ...submission("Paiements"), slug: "0range-m0ney" }),
  );
  const owner = { ownerPhone: "2250500000001", ownerEmail: "awa@marche.example" };
  const { data } = await here.call("/v1/third-party-app/public-submit", {
    ...{ name: "Banque du $ahel", slug: newSlug(), ...owner },
  });
  assert.equal(data.status, "PENDING_REVIEW");
  const shown = await resembling(here, "/v1/admin/third-party-app/list");
  assert.equal(shown.get("Wаve"), "Wave");
  assert.equal(shown.get("Boutique Awa"), undefined);
  assert.equal(shown.get("Paiements"), "Orange Money", "people see the slug too");
  assert.equal(shown.get("Banque du $ahel"), "Banque du Sahel");
  await dataOf(here.admin(`/v1/admin/third-party-app/${answer.data.id}/approve`));
});

test("H16 senders: reserved names are refused as ever, names like other brands are marked for the reviewer", async (t) => {
  const here = await testService(t);
  const create = async (name: string) => {
    const company = await here.company();
    return (await company.call("/v1/sender/create", { name, description: "Promotions" })).error;
  };
  for (const name of ["ORANGE", "0RANGEM0NEY", "ATUMPAN", "P0L1CE", "M0BILEM0NEY"])
    assert.equal(await create(name), "sender-name-taken", name);
  for (const name of ["ECOBANK", "WAVEINFO", "ATUMPANSECU", "BOUTIQUE"])
    assert.equal(await create(name), null, name);
  const shown = await resembling(here, "/v1/admin/sender/list");
  assert.equal(shown.get("ECOBANK"), "Ecobank");
  assert.equal(shown.get("WAVEINFO"), "Wave");
  assert.equal(shown.get("ATUMPANSECU"), "Atumpan");
  assert.equal(shown.get("BOUTIQUE"), undefined);
});
