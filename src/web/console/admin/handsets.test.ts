// Tests of the simulated handsets: what is answered from them is kept in the cookie, which a browser has to take.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newPhone } from "../../../../test/codes.ts";
import { testService } from "../../../../test/testservice.ts";
import { type Shown, Visitor } from "../../../../test/visitor.ts";

/** The name and the value of a cookie have so many bytes at most, or browsers drop it (RFC 6265, 6.1). */
const COOKIE_BYTES = 4_096;
const REPLIES = 8;

test("the newest answers of a handset stay, and the cookie fits, also while a sign-in waits", async (t) => {
  const here = await testService(t);
  const visitor = new Visitor(here);
  const fits = () => assert.ok(visitor.cookie!.length <= COOKIE_BYTES, `${visitor.cookie!.length} bytes`);
  const form = await visitor.open("/admin/sign-in/key");
  await visitor.send(form, "/admin/sign-in/key", { adminKey: here.adminKey });
  const url = `/admin/handsets/${newPhone()}`;
  const answered = (i: number) => `${"€".repeat(158)} ${i}`;
  let shown: Shown = await visitor.open(url);
  for (let i = 1; i <= REPLIES; i++) {
    shown = await visitor.send(shown, url, { to: "ATUMPAN", text: answered(i) });
    assert.ok(shown.text.includes(answered(i)), `answer ${i} is shown`);
    fits();
  }
  assert.ok(shown.text.includes(answered(REPLIES - 1)), "the one before it too");
  assert.ok(!shown.text.includes(answered(1)));

  const next = `/admin/companies?search=${"x".repeat(1_000)}`;
  const signIn = await visitor.open(`/admin/sign-in?${new URLSearchParams({ next })}`);
  const waiting = await visitor.send(signIn, "/admin/sign-in", { phone: `+${newPhone()}` });
  assert.match(waiting.url, /\/admin\/sign-in\/code$/);
  fits();
});
