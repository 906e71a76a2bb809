// What campaigns and quotes are warned of: words that may mean an own field, and values that make messages dearer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Company, testService } from "../../../test/testservice.ts";

const warningsOf = async (company: Company, path: string, body: object) => {
  const { success, warnings = [] } = await company.call(path, body);
  assert.equal(success, true, path);
  return (warnings as { message: string }[]).map(({ message }) => message);
};

test("a word that is no variable is compared with the own fields of contacts too", async (t) => {
  const company = await (await testService(t)).company({ credits: 10, language: "en" });
  const phone = "2250700020011";
  await company.call("/v1/contact/create", { phone, fields: { city: "Bouaké", numero: "7" } });
  const paths = ["/v1/campaign/quote", "/v1/campaign/create", "/v1/campaign/template/create"] as const;
  for (const [i, path] of paths.entries())
    for (const [word, said] of [
      ["citi", /did you mean `@city`\?$/],
      ["City", /did you mean `@city`\?$/],
      ["numéro", /did you mean `@numero`\?$/],
      ["prenom", /did you mean `@firstName`\?$/],
      ["xyz", /the variables are `@name`, .*`@phone` and your custom fields `@city`, `@numero`$/],
    ] as const) {
      const body = { name: `${word} ${i}`, text: `Hi @${word}`, ...(i < 2 && { contacts: [phone] }) };
      const [first, ...others] = await warningsOf(company, path, body);
      assert.match(first ?? "", said, `${path} ${word}`);
      assert.deepEqual(others, []);
    }
});

test("a quote counts the contacts whose names or fields force UCS-2 though the text is GSM-7", async (t) => {
  const company = await (await testService(t)).company({ credits: 10 });
  const named = (name: string, i: number) => ({ phone: `225070003001${i}`, name });
  const quote = (text: string, ...names: string[]) =>
    warningsOf(company, "/v1/campaign/quote", { text, contacts: names.map(named) });
  const [two, ...others] = await quote("Bonjour @name", "Aïcha", "Zoe", "Ɔ Kofi", "Mou\u0301ssa");
  assert.match(two ?? "", /^les noms ou champs de 3 contacts contiennent des caractères hors .* UCS-2/);
  assert.deepEqual(others, []);
  const [one] = await quote("Bonjour @name", "Zoe", "Ama Ɔ");
  assert.match(one ?? "", /^le nom ou un champ d’un contact contient des caractères/);
  assert.deepEqual(await quote("Bonjour @name", "Zoé"), []);
  assert.deepEqual(await quote("Bonjour", "Aïcha"), []);
  assert.deepEqual(await quote("Bientôt @name", "Aïcha"), [], "the text itself names its characters");
});
