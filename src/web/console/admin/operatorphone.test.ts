// The pages of a phone: its form, its pairing by a QR code, and its state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testService } from "../../../../test/testservice.ts";
import { Visitor } from "../../../../test/visitor.ts";
import { SimulatedPhone } from "../../../delivery/simulator/phone.ts";

const NEW = "/admin/operators/new/phone";

test("H89: an administrator adds a phone, pairs it by a QR code, and sees how it is", async (t) => {
  const here = await testService(t, { config: { simulator: false } });
  const visitor = new Visitor(here);
  await visitor.send(await visitor.open("/admin/sign-in/key"), "/admin/sign-in/key", {
    adminKey: here.adminKey,
  });
  const typed = { name: "Boutique", prefixes: "225", secondsPerMessage: "5", dailyCap: "50" };
  const made = await visitor.send(await visitor.open(NEW), NEW, typed);
  const [, at = "", id = ""] = /(\/admin\/operators\/([0-9a-f]{24})\/phone)/.exec(made.url) ?? [];
  assert.match(made.text, /Il reste à l’appairer/);
  assert.match(made.text, /0 sur 50/);
  assert.match(made.text, /un SMS toutes les 5\u00a0s/);
  assert.doesNotMatch(made.text, /<svg width="220"/);

  const shown = await visitor.send(made, at);
  assert.match(shown.text, /<svg width="220"/);
  assert.match(shown.text, /adb reverse/);
  const [, apiUrl = ""] = /aria-label="API URL"><code>([^<]+)</.exec(shown.text) ?? [];
  const [, privateToken = ""] = /aria-label="Private Token"><code>([^<]+)</.exec(shown.text) ?? [];
  assert.doesNotMatch((await visitor.open(at)).text, new RegExp(privateToken), "only once");

  const page = await new Visitor(here).open(`/phone/${privateToken}`);
  assert.equal(page.status, 200);
  assert.ok(page.text.includes(apiUrl) && page.text.includes(privateToken));
  assert.equal(page.headers.get("cache-control"), "no-store");
  const phone = new SimulatedPhone({ apiUrl, privateToken, name: "samsung/a14" });
  await phone.register();
  assert.equal((await new Visitor(here).open(`/phone/${privateToken}`)).status, 404);
  await phone.readWebhooks();
  await phone.ping(42);
  const live = await visitor.open(`${at}/live`);
  for (const words of [/samsung\/a14/, /42(&nbsp;|\u00a0| )%/, /Wi-Fi/]) assert.match(live.text, words);
  assert.match((await visitor.open(at)).text, /Appairer un autre téléphone/);

  const edit = `/admin/operators/${id}/edit`;
  const changed = await visitor.send(await visitor.open(edit), edit, { dailyCap: "60", phoneNumber: "abc" });
  assert.match(changed.text, /8 à 15 chiffres/);
  await visitor.send(changed, edit, { dailyCap: "60", phoneNumber: "" });
  assert.match((await visitor.open("/admin/operators")).text, /0 sur 60/);
});
