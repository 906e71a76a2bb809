// Notices: a listener hears what was committed, also after its connection was lost or fell silent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startProxy } from "../../../test/proxy.ts";
import { asOwner } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { announce, listen, listenHere } from "./notify.ts";
import { notify as notifyAs } from "./sql.ts";

const END_LISTENERS =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'atumpan-notices' AND datname = current_database()";

test("news is heard here at once, by other processes soon, and again after a lost connection", async (t) => {
  const { app, databaseUrl } = await testService(t);
  let here = 0;
  let there = 0;
  const local = listenHere(app, "Odd name", () => here++);
  const remote = await listen({ url: databaseUrl, channel: "Odd name" }, () => there++);
  let others = 0;
  const channel = { url: databaseUrl, channel: "Odd name", butOf: app.database.node };
  const deaf = await listen(channel, () => others++);
  try {
    announce(app, "another");
    announce(app, "Odd name");
    assert.equal(here, 1);
    await until(() => there === 1);
    await asOwner(app, END_LISTENERS);
    await until(() => there === 2 && others === 1);
    for (let i = 0; i < 100; i++) announce(app, "Odd name");
    assert.equal(here, 101);
    await until(() => there >= 3);
    assert.ok(there <= 4, "a hundred pieces of news at once are one or two notices");
    await app.database.run(notifyAs, ["Odd name", "another node"]);
    await until(() => others === 2);
    assert.equal(others, 2, "once anew, and once from another node: never its own");
    local.stop();
    announce(app, "Odd name");
    assert.equal(here, 101);
  } finally {
    await Promise.all([remote.stop(), deaf.stop()]);
  }
  await assert.rejects(listen({ url: "postgres://nobody@127.0.0.1:1/x", channel: "x" }, () => {}));
});

test("M17: a listener whose connection falls silent finds out, connects anew, and looks for what it missed", async (t) => {
  const { databaseUrl } = await testService(t, { config: { roles: new Set(["api"]) } });
  const proxy = await startProxy(t, databaseUrl);
  let heard = 0;
  const remote = await listen({ url: proxy.url, channel: "silence" }, () => heard++);
  proxy.fallSilent();
  await until(() => heard === 1);
  assert.equal(proxy.speaking, 1);
  proxy.fallSilent({ alsoNew: true });
  await remote.stop();
});
