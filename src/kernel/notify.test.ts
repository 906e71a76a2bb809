// Notices: a listener hears what was committed, also after its connection was lost or fell silent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startProxy } from "../../test/proxy.ts";
import { until, world } from "../../test/world.ts";
import { query } from "./database.ts";
import { announce, listen, listenHere } from "./notify.ts";

const endListeners = query(
  "test.endListeners",
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atumpan-notices' AND datname = current_database()",
);

test("news is heard here at once, by other processes soon, and again after a lost connection", async (t) => {
  const { app, databaseUrl } = await world(t);
  let here = 0;
  let there = 0;
  const local = listenHere(app, "Odd name", () => here++);
  const remote = await listen(databaseUrl, "Odd name", () => there++);
  try {
    announce(app, "another");
    announce(app, "Odd name");
    assert.equal(here, 1);
    await until(() => there === 1);
    await app.database.run(endListeners);
    await until(() => there === 2);
    for (let i = 0; i < 100; i++) announce(app, "Odd name");
    assert.equal(here, 101);
    await until(() => there >= 3);
    assert.ok(there <= 4, "a hundred pieces of news at once are one or two notices");
    local.stop();
    announce(app, "Odd name");
    assert.equal(here, 101);
  } finally {
    await remote.stop();
  }
  await assert.rejects(listen("postgres://nobody@127.0.0.1:1/x", "x", () => {}));
});

test("M17: a listener whose connection falls silent finds out, connects anew, and looks for what it missed", async (t) => {
  const { databaseUrl } = await world(t, { config: { roles: new Set(["api"]) } });
  const proxy = await startProxy(t, databaseUrl);
  let heard = 0;
  const remote = await listen(proxy.url, "silence", () => heard++);
  proxy.fallSilent();
  await until(() => heard === 1);
  assert.equal(proxy.speaking, 1);
  proxy.fallSilent({ alsoNew: true });
  await remote.stop();
});
