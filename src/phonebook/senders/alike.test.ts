// Sender names that people take for an accepted one of another company: shown to the reviewer, and accepted for a reason.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import pg from "pg";
import { dataOf } from "../../../test/applications.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { GSM7_CHARACTERS } from "../../protocol/sms/encoding.ts";
import { skeletonOf } from "../../protocol/sms/lookalikes.ts";

const ALIKE: [one: string, other: string][] = [
  ["BNKA552", "8NKA552"],
  ["BNKA552", "bnka5S2"],
  ["BNKA552", "BNKASSZ"],
  ["OLIO", "0L1O"],
  ["ILLI", "1lI1"],
  ["G0LDEN6", "6OLDENG"],
  ["Camion", "Carnion"],
  ["WAVY", "VVAVY"],
  ["Le Café", "LE-CAFE"],
  ["A&B", "AB"],
];

test("names that look alike have one skeleton, and others have not", () => {
  for (const [one, other] of ALIKE) assert.equal(skeletonOf(one), skeletonOf(other), `${one} ${other}`);
  for (const [one, other] of [
    ["BNKA552", "BNKA553"],
    ["AWA", "AWAS"],
    ["KONE", "KOUE"],
  ] as const)
    assert.notEqual(skeletonOf(one), skeletonOf(other), `${one} ${other}`);
});

test("E19 a sender name that can be taken for another company's accepted one", async (t) => {
  const here = await testService(t, { config: { roles: new Set(["api"] as const), simulator: false } });
  const ask = async (company: Company, name: string): Promise<string> =>
    (await dataOf(company.call("/v1/sender/create", { name, description: "Nos clients" }))).id;
  const accept = (id: string, reason?: string) =>
    here.admin(`/v1/admin/sender/${id}/accept`, reason === undefined ? {} : { reason });

  await t.test(
    "is shown with the other company and since when, and takes a reason, which is audited",
    async () => {
      const [bank, impostor] = [
        await here.company({ name: "Banque KA" }),
        await here.company({ name: "Ami" }),
      ];
      const known = await ask(bank, "BNKA552");
      await dataOf(accept(known));
      const id = await ask(impostor, "8NKA552");
      const { createdAt: _, ...listed } = (
        await dataOf(here.admin("/v1/admin/sender/list", { ids: [id] }))
      )[0];
      const [alike] = listed.alike;
      assert.deepEqual(
        { ...alike, acceptedAt: typeof alike.acceptedAt },
        {
          id: known,
          name: "BNKA552",
          companyId: bank.companyId,
          companyName: "Banque KA",
          acceptedAt: "string",
        },
      );
      assert.deepEqual((await dataOf(here.admin(`/v1/admin/sender/${id}`))).alike, [alike]);
      for (const reason of [undefined, " "]) {
        const refused = await accept(id, reason);
        assert.deepEqual([refused.error, refused.details?.[0]?.field], ["invalid-request", "reason"]);
        assert.match(refused.details![0]!.message, /BNKA552.*Banque KA/);
      }
      const accepted = await dataOf(accept(id, "Filiale de la banque, contrat du 3 mars"));
      assert.deepEqual([accepted.status, accepted.alike], ["ACCEPTED", [alike]]);
      const audited = await dataOf(here.admin("/v1/admin/audit/list", { companyId: impostor.companyId }));
      const entry = audited.find(({ action }: { action: string }) => action === "admin/sender/{id}/accept");
      assert.equal(entry.after.acceptedFor, "Filiale de la banque, contrat du 3 mars");
      assert.equal(entry.after.alike[0].companyName, "Banque KA");
      const own = JSON.stringify([
        await impostor.call("/v1/company/audit/list"),
        await impostor.call(`/v1/sender/${id}`),
        await impostor.call("/v1/sender/list"),
      ]);
      assert.doesNotMatch(own, /Banque KA|Filiale/, "its own company is not told of the other one");
    },
  );

  await t.test("of two that are accepted at once, one takes a reason", async () => {
    const companies = await Promise.all([here.company(), here.company(), here.company()]);
    const ids = await Promise.all(
      companies.map((company, i) => ask(company, ["TWINB", "TW1NB", "TWIN8"][i]!)),
    );
    const answers = await Promise.all(ids.map((id) => accept(id)));
    assert.equal(answers.filter(({ success }) => success).length, 1);
  });

  await t.test("is given by an administrator who describes why, and sees the other one", async () => {
    const [bank, other] = [await here.company({ name: "Le Plateau" }), await here.company()];
    const give = ({ companyId }: Company, name: string) =>
      dataOf(here.admin("/v1/admin/sender/create", { companyId, name, description: "Même maison" }));
    await give(bank, "Le Café 7");
    const { alike } = await give(other, "LE-CAFE7");
    assert.deepEqual([alike[0].name, alike[0].companyName], ["Le Café 7", "Le Plateau"]);
    const [entry] = await dataOf(here.admin("/v1/admin/audit/list", { companyId: other.companyId }));
    assert.deepEqual([entry.after.acceptedFor, entry.after.alike[0].name], ["Même maison", "Le Café 7"]);
  });

  await t.test("of the same company, of a refused or a pending one, takes none", async () => {
    const [one, other] = [await here.company(), await here.company()];
    const refused = await ask(one, "SOLOB");
    await dataOf(here.admin(`/v1/admin/sender/${refused}/refuse`, { reason: "Non" }));
    await ask(one, "S0LOB");
    await dataOf(accept(await ask(other, "SOL0B")));
    await dataOf(accept(await ask(other, "SOLO8")));
  });

  await t.test(
    "of a name from before the skeletons is found too: the migration fills them as the service does",
    async () => {
      const { companyId } = await here.company();
      const names = [...GSM7_CHARACTERS]
        .filter((character) => character >= " ")
        .map((character) => `x${character}rnVv`);
      await rows(
        here.app,
        `INSERT INTO senders (company_id, id, name, description, status)
       SELECT $1, 'f' || lpad(n::text, 23, '0'), name, '', 'REFUSED' FROM unnest($2::text[]) WITH ORDINALITY AS given (name, n)`,
        [companyId, names],
      );
      const migration = await readFile(
        new URL("../../../migrations/0137_sender_skeletons.sql", import.meta.url),
        "utf8",
      );
      const [update] = /UPDATE senders[\s\S]*'W'\), ''\);/.exec(migration)!;
      const owner = new pg.Client(here.ownerUrl);
      await owner.connect();
      await owner.query(update);
      await owner.end();
      const filled = await rows(here.app, "SELECT name, skeleton FROM senders WHERE company_id = $1", [
        companyId,
      ]);
      assert.equal(filled.length, names.length);
      for (const { name, skeleton } of filled) assert.equal(skeleton, skeletonOf(name), JSON.stringify(name));
    },
  );
});
