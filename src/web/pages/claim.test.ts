// Claims and QR codes on their pages: secrets are shown once, to a person; a QR code says what the pairing says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimable } from "../../../test/claims.ts";
import { rows } from "../../../test/sending.ts";
import { testService } from "../../../test/testservice.ts";
import { formsOf, Visitor } from "../../../test/visitor.ts";

test("the page of a claim", async (t) => {
  const here = await testService(t, { limits: { publicSubmitsPerHour: 100 } });

  await t.test("looking uses nothing up; the button shows the secrets, once", async () => {
    const { id, path } = await claimable(here);
    const visitor = new Visitor(here);
    for (let i = 0; i < 3; i++) await new Visitor(here).open(path);
    const page = await visitor.open(path);
    assert.equal(page.status, 200);
    assert.match(page.text, /Secrets de Marché &lt;Central&gt;/);
    assert.doesNotMatch(page.text, /tps_/);
    const shown = await visitor.send(page, path);
    assert.equal(shown.status, 200);
    const apiSecret = shown.text.match(/>(tps_[A-Za-z0-9_-]{32})</)![1]!;
    assert.match(shown.text, /ne seront plus affichés/);
    assert.match(shown.text, /Aucun secret de webhook/);
    assert.equal(shown.headers.get("cache-control"), "no-store");
    assert.equal(shown.headers.get("referrer-policy"), "no-referrer");
    const begun = await here.call("/v1/third-party-app/pairing/initiate", {
      apiSecret,
      externalAccountId: "x",
    });
    assert.equal(begun.error, null);
    for (const late of [
      await visitor.open(path),
      await new Visitor(here).send(page, path, { nonce: "autre" }),
    ]) {
      assert.equal(late.status, 404);
      assert.match(late.text, /Il a déjà servi/);
      assert.doesNotMatch(late.text, /tps_/);
    }
    assert.match((await visitor.open(`${path}?lang=en`)).text, /This link is no longer valid/);
    assert.ok(id);
  });

  await t.test(
    "a button that is pressed twice shows them twice, to the same page and within a minute",
    async (t) => {
      const { path } = await claimable(here);
      const visitor = new Visitor(here);
      const page = await visitor.open(path);
      const shown = await Promise.all([1, 2, 3].map(() => visitor.send(page, path)));
      const secrets = shown.map(({ text }) => text.match(/>(tps_[^<]+)</)?.[1]);
      assert.equal(new Set(secrets).size, 1);
      assert.ok(secrets[0]);
      const strict = await testService(t, { settings: { claimRepeatMs: 0 } });
      const other = await claimable(strict);
      const late = await new Visitor(strict).send(await new Visitor(strict).open(other.path), other.path);
      assert.equal(late.status, 404, "whoever asks after that time");
      assert.doesNotMatch(late.text, /tps_/);
    },
  );

  await t.test("of many who press at once only one sees them", async () => {
    const { path } = await claimable(here);
    const visitors = Array.from({ length: 8 }, () => new Visitor(here));
    const pages = await Promise.all(visitors.map((visitor) => visitor.open(path)));
    const shown = await Promise.all(visitors.map((visitor, i) => visitor.send(pages[i]!, path)));
    assert.equal(shown.filter(({ text }) => text.includes("tps_")).length, 1);
  });

  await t.test(
    "with a webhook both secrets; an unknown or old link, and a form of another site, show none",
    async () => {
      const allowing = await testService(t, { config: { webhookAllowCidrs: ["127.0.0.0/8"] } });
      const { id, path } = await claimable(allowing, { webhookUrl: "http://127.0.0.1:9/" });
      const visitor = new Visitor(allowing);
      const page = await visitor.open(path);
      const elsewhere = await visitor.send(page, path, {}, { "Sec-Fetch-Site": "cross-site" });
      assert.doesNotMatch(elsewhere.text, /tps_/);
      assert.equal(formsOf(elsewhere.text).length, 1);
      const shown = await visitor.send(elsewhere, path);
      assert.match(shown.text, />tps_/);
      assert.match(shown.text, />whsec_/);
      const old = await claimable(allowing);
      await rows(allowing.app, `UPDATE apps SET claim_until = now() WHERE id = $1`, [old.id]);
      assert.ok(id);
      for (const gone of [old.path, "/claim/inconnu", "/claim/%3Cb%3E"]) {
        const answer = await visitor.open(gone);
        assert.equal(answer.status, 404);
        assert.match(answer.text, /Ce lien n’est plus valable/);
      }
    },
  );
});

test("a QR code is drawn for what can be a code, and for nothing else", async (t) => {
  const here = await testService(t);
  const drawn = await fetch(`${here.url}/pair/qr.svg?code=K7PM4QXWDR`);
  assert.equal(drawn.status, 200);
  assert.match(drawn.headers.get("content-type")!, /^image\/svg\+xml/);
  assert.match(drawn.headers.get("cache-control")!, /max-age=300/);
  const svg = await drawn.text();
  assert.match(svg, /^<svg [^>]*aria-label="ATUMPAN_K7PM4QXWDR"/);
  assert.match(svg, /viewBox="0 0 (29|33) \1"/, "version 1 or 2, and four quiet modules on each side");
  for (const code of [
    "",
    "K7PM4QXWD",
    "K7PM4QXWDRR",
    "k7pm4qxwdr",
    "K7PM4QXWD0",
    "ATUMPAN_K7PM4QXWDR",
    "<script>",
  ]) {
    const refused = await fetch(`${here.url}/pair/qr.svg?code=${encodeURIComponent(code)}`);
    assert.equal(refused.status, 404);
    await refused.body?.cancel();
  }
});
