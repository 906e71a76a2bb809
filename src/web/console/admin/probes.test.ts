// Tests of the pages of test handsets and of the quality of routes, as a browser without a script sees them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { rows } from "../../../../test/sending.ts";
import { testService, until } from "../../../../test/testservice.ts";
import { Visitor } from "../../../../test/visitor.ts";

test("H75: a test handset is added, gets a message and is deleted on its pages; the operator shows its quality", async (t) => {
  const w = await testService(t);
  const visitor = new Visitor(w);
  await visitor.send(await visitor.open("/admin/sign-in/key"), "/admin/sign-in/key", {
    adminKey: w.adminKey,
  });
  const [{ id: operatorId }] = await dataOf(w.admin("/v1/admin/operator/list", {}));
  assert.match((await visitor.open(`/admin/operators/${operatorId}`)).text, /Aucun message n’a été envoyé/);
  const form = await visitor.open("/admin/probes/new");
  const typed = { name: "Awa, Abidjan", phone: "07 07 07 07 07", consent: "" };
  const wrong = await visitor.send(form, "/admin/probes/new", typed);
  assert.match(wrong.text, /id="consent-wrong"/);
  const list = await visitor.send(wrong, "/admin/probes/new", { ...typed, consent: "Awa Koné, le 28/11" });
  const [, id] = /href="\/admin\/probes\/([0-9a-f]{24})">Awa, Abidjan/.exec(list.text) ?? [];
  const at = `/admin/probes/${id}`;
  await until(async () => (await dataOf(w.admin(`/v1/admin/operator/${operatorId}`))).state === "BOUND");
  const sent = await visitor.send(await visitor.open(at), at, { operatorId });
  assert.match(sent.text, /Le SMS est parti/);
  const text = await until(() => w.simulator.inbox({ phone: "2250707070707" })[0]?.text);
  const [marker] = /AT\w{6}/.exec(text) ?? [];
  await w.simulator.reply({ from: "2250707070707", to: "36123", text: `${marker} ok` });
  assert.match((await visitor.open(at)).text, /Confirmée</);
  const suspect = "INSERT INTO suspect_routes VALUES ($1, '2', 'codes', 400, 12, 900, 549, 0.98)";
  await rows(w.app, suspect, [operatorId]);
  await rows(w.app, "UPDATE operators SET suspect = true");
  const quality = (await visitor.open(`/admin/operators/${operatorId}?by=day`)).text;
  assert.match(quality, /Préfixe 2 : les accusés de réception déclarent remis 98 % des messages, mais 3 %/);
  assert.match(quality, /100\s%\s\(1 sur 1\)/);
  assert.match((await visitor.open("/admin/operators")).text, /Ses accusés de réception semblent faux/);
  const gone = await visitor.send(await visitor.open(`${at}/delete`), `${at}/delete`);
  assert.match(gone.text, /Le téléphone de test est supprimé/);
});
