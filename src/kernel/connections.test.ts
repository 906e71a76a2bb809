// Connections: one that asks for more than it waits for is read no further, and still gets every answer.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { ADMIN_KEY, serve } from "../../test/listener.ts";
import { readConfig } from "./config.ts";

const ASKED = 20_000;

test("P07: who asks and asks on one connection is read no further, and every request is answered", async (t) => {
  const { limits } = readConfig({});
  const { url } = await serve(t, { limits: { ...limits, requestTimeoutMs: 2_000 } });
  const { hostname, port } = new URL(url);
  const ask = (path: string, more = "") =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}Content-Length: 2\r\n\r\n{}`;
  let said = "";
  const socket = connect(Number(port), hostname).on("data", (bytes) => (said += bytes));
  const closed = once(socket, "close");
  // The first is answered after 2 s, and the others behind it.
  socket.write(ask("/v1/slow") + ask("/v1/echo").repeat(ASKED) + ask("/v1/echo", "Connection: close\r\n"));
  let most = 0;
  while (said === "") {
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    const [, worked = 0] = /path="\/v1\/echo",outcome="success"\} (\d+)/.exec(await metrics.text()) ?? [];
    if (said === "") most = Math.max(most, Number(worked));
  }
  assert.ok(most > 0 && most < 2_000, `${most} requests worked at`);
  await closed;
  assert.equal(said.split('"success":true').length - 1, ASKED + 1);
});
