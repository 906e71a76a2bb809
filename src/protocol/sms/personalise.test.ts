// Tests of personalisation: which words are variables, what they become, and that it happens once.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { composed } from "./encoding.ts";
import { variableMeantBy } from "./meant.ts";
import { type Addressee, compileTemplate, strayWords } from "./personalise.ts";

const awa: Addressee = { phone: "2250700000001", name: "Awa Koné", firstName: "Awa", lastName: "Koné" };
const bare: Addressee = { phone: "2250700000002", name: null, firstName: null, lastName: null };

const render = (text: string, contact = awa) => compileTemplate(text).render(contact);

test("each variable becomes the contact's value", () => {
  assert.equal(
    render("@name|@nom_complet|@firstName|@lastName|@phone"),
    "Awa Koné|Awa Koné|Awa|Koné|2250700000001",
  );
  assert.equal(render("Bonjour @firstName, merci @firstName!"), "Bonjour Awa, merci Awa!");
});

test("an unset name is the phone, an unset first or last name leaves nothing", () => {
  assert.equal(render("@name/@nom_complet/@firstName/@lastName.", bare), "2250700000002/2250700000002//.");
  assert.equal(render("@name", { phone: "22500000000", name: "" }), "22500000000");
  assert.equal(render("@firstName", { phone: "22500000000" }), "");
});

test("a variable is a whole word in exact case; other words stay", () => {
  for (const text of [
    "@names",
    "@name2",
    "@name_",
    "@Name",
    "@NAME",
    "@firstname",
    "@first_name",
    "@constructor",
  ]) {
    assert.equal(render(`Bonjour ${text}!`), `Bonjour ${text}!`);
    assert.equal(compileTemplate(text).personal, false, text);
  }
  assert.equal(
    render("@name, @name. (@name) l'@name-@phone"),
    "Awa Koné, Awa Koné. (Awa Koné) l'Awa Koné-2250700000001",
  );
  assert.equal(render("@@name @ name @"), "@Awa Koné @ name @");
});

test("an e-mail address is not a variable", () => {
  for (const text of ["contact@name.com", "a1@phone.ci", "awa_@name.org.", "koné@name.ci", "a@b@name.c"])
    assert.equal(render(text), text);
  assert.equal(render("Bonjour@firstName. Cher@firstName..."), "BonjourAwa. CherAwa...");
  assert.equal(render("x@phone, @names@firstName"), "x2250700000001, @namesAwa");
});

test("a value is put in as it is: never read again, no pattern of a replacement", () => {
  for (const name of ["@phone", "@name @lastName", "$&", "$1$`", "\\1", "@"]) {
    assert.equal(render("<@name>", { ...awa, name }), `<${name}>`);
  }
  assert.equal(render("@firstName@lastName", { ...awa, firstName: "@", lastName: "phone" }), "@phone");
});

test("a text without variables is not personal and renders to itself, composed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const template = compileTemplate(text);
      if (!template.personal) assert.equal(template.render(awa), composed(text));
    }),
    { examples: [["\ua9b3\u4e3d"], ["\ua9b3\uf9a8"]] },
  );
  assert.equal(compileTemplate("Soldes de -20 % @ Abidjan").personal, false);
  assert.equal(compileTemplate("Soldes @name").personal, true);
});

test("any text: compiled once and rendered, or replaced piece by piece, is the same", () => {
  const values: Record<string, string> = {
    "@name": "Awa Koné",
    "@phone": "2250700000001",
    "@firstName": "Awa",
  };
  const piece = fc.constantFrom("@name", "@phone", "@firstName", "@other ", " ", "$&", "€");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const expected = pieces.map((word) => values[word] ?? word).join("");
      assert.equal(render(pieces.join("")), expected);
    }),
  );
});

test("words that look like variables and are none are found once each, with the one that is likely meant", () => {
  const meant = (text: string) => strayWords(text).map((word) => [word, variableMeantBy(word)]);
  assert.deepEqual(meant("Bonjour @prenom @nom, @Name @prenom"), [
    ["prenom", "firstName"],
    ["nom", "name"],
    ["Name", "name"],
  ]);
  assert.deepEqual(meant("@prénom @PRENOM @firstname @LastName @phones @téléphone"), [
    ["prénom", "firstName"],
    ["PRENOM", "firstName"],
    ["firstname", "firstName"],
    ["LastName", "lastName"],
    ["phones", "phone"],
    ["téléphone", "phone"],
  ]);
  assert.deepEqual(meant("Vous devez @montant F, Cher@nom"), [
    ["montant", undefined],
    ["nom", "name"],
  ]);
});

test("variables, addresses and a bare @ are no such words, and a long word is cut", () => {
  for (const text of [
    "@name @nom_complet @firstName@lastName @phone.",
    "Écrivez à contact@boutique.ci ou a.b@ma-boutique.co.ci",
    "à @ 500 F @, @@ @-x",
  ])
    assert.deepEqual(strayWords(text), [], text);
  assert.ok(strayWords(`@${"x".repeat(5_000)}`)[0]!.length < 100);
});

test("a fallback follows its variable, and ends at a bar, punctuation, a line end, another variable or the end", () => {
  const unnamed = { phone: "2250700000001" };
  const long = "une phrase qui continue sans signe et reste donc dans le texte";
  for (const [text, without, filled] of [
    ["Bonjour @firstName|cher client, merci", "Bonjour cher client, merci", "Bonjour Awa, merci"],
    ["Bonjour @firstName|cher client", "Bonjour cher client", "Bonjour Awa"],
    ["@firstName|Client| votre colis", "Client votre colis", "Awa votre colis"],
    ["@firstName|vous\n@name|toi| !", "vous\ntoi !", "Awa\nAwa Koné !"],
    ["@name|Ami@firstName|vous", "Amivous", "Awa KonéAwa"],
    ["@name|@firstName", "2250700000001|", "Awa Koné|Awa"],
    ["@name| client", "2250700000001| client", "Awa Koné| client"],
    [`@name|${long}`, `2250700000001|${long}`, `Awa Koné|${long}`],
    ["@phone|x", "2250700000001", "2250700000001"],
  ] as const) {
    const { render } = compileTemplate(text);
    assert.deepEqual([render(unnamed), render(awa)], [without, filled], text);
  }
  assert.deepEqual([...compileTemplate("@name|a, @name @firstName|b").fallbacks], [["firstName", "b"]]);
});
