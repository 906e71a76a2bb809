// The pages of the reference: one language at a time, whole, found by any browser, and without anything from elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pagesOf, plainOf, readPage, requestsIn, wholeReference } from "../../../test/reference.ts";
import { testService } from "../../../test/testservice.ts";
import { routes } from "../../api/api.ts";
import { outcomes } from "../../platform/http/refusals.ts";
import { codes } from "./codes.ts";
import { chaptersOf, partsOf } from "./operations.ts";

const FILES = [
  ...["/docs/page.css", "/docs/page.js", "/docs/counter.js"],
  ...["culprits", "encoding", "segments"].map((name) => `/docs/sms/${name}.ts`),
];

test("the pages need no other host, and every address in them is there", async (t) => {
  const here = await testService(t);
  const pages = await pagesOf(here);
  const texts = await Promise.all([...pages, ...FILES].map((path) => readPage(here, path)));
  // A file that cannot be read is an answer with status 200 too.
  for (const path of FILES) {
    const { headers } = await fetch(here.url + path);
    assert.match(headers.get("content-type")!, /^text\/(css|javascript); charset=utf-8$/, path);
  }
  const [own] = new URL(here.url).host.split(":");
  const hosts = [...texts.join("\n").matchAll(/(?:src|href|from|url)[="'( ]+(?:https?:)?\/\/([\w.-]+)/g)];
  assert.deepEqual(
    hosts.map(([, host]) => host).filter((host) => host !== own),
    [],
  );
  const ids = new Map(
    pages.map((path, at) => [path, new Set([...texts[at]!.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!))]),
  );
  const faults = new Set<string>();
  const seen = new Map<string, number>();
  for (const [at, path] of pages.entries()) {
    for (const [, target] of texts[at]!.matchAll(/(?:src|href)="([^"]+)"/g)) {
      if (target === "data:,") continue;
      const { pathname, search, hash } = new URL(plainOf(target!), here.url + path);
      const url = pathname + search;
      if (!seen.has(url)) seen.set(url, (await fetch(here.url + url)).status);
      if (seen.get(url) !== 200) faults.add(`${path} leads to ${url}: ${seen.get(url)}`);
      const known = ids.get(pathname);
      if (hash && known && !known.has(decodeURIComponent(hash.slice(1))))
        faults.add(`${path} leads to nothing at ${pathname}${hash}`);
    }
  }
  assert.deepEqual([...faults], []);
});

test("an id stands once on a page", async (t) => {
  const here = await testService(t);
  for (const path of await pagesOf(here)) {
    const ids = [...(await readPage(here, path)).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
      path,
    );
  }
});

test("every path is on one page, and every address of the time of one page leads on from the first", async (t) => {
  const here = await testService(t);
  const shown = requestsIn(await wholeReference(here)).map(({ id }) => id);
  const operations = chaptersOf(routes).flatMap((chapter) => chapter.operations);
  assert.deepEqual(shown.toSorted(), operations.map(({ id }) => id).toSorted());
  const home = await readPage(here, "/docs");
  for (const id of [...shown, ...Object.keys(outcomes), "webhooks", "failures", "codes"])
    assert.ok(home.includes(` id="${id}"`), `/docs#${id} leads nowhere`);
});

test("no two pages have one address, and administrators’ operations are on pages of their own", () => {
  const parts = partsOf(chaptersOf(routes));
  const slugs = [...parts.map(({ slug }) => slug), "guide", "search", "conventions", "events", "failures"];
  assert.deepEqual([...new Set(slugs)], slugs);
  for (const { isService, operations } of parts)
    for (const { path } of operations) assert.equal(path.startsWith("/v1/admin/"), isService, path);
});

test("each operation has a short title in both languages, and those that send are marked", () => {
  const operations = chaptersOf(routes).flatMap((chapter) => chapter.operations);
  const long = operations.filter(({ title }) => title.fr.length > 64 || title.en.length > 64);
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  );
  const spending = operations.filter(({ spends }) => spends).map(({ path }) => path);
  for (const path of ["/v1/campaign/create", "/v1/auth/otp/get", "/v1/third-party-app/sms/send"])
    assert.ok(spending.includes(path), path);
});

test("a page speaks one language: the one of the address, of the browser’s choice, of its settings, else French", async (t) => {
  const here = await testService(t);
  const languageOf = async (query: string, headers: Record<string, string>) => {
    const response = await fetch(`${here.url}/docs/contacts${query}`, { headers });
    const [, language] = /<html lang="(\w+)">/.exec(await response.text())!;
    return [language, response.headers.get("set-cookie")?.split(";")[0]];
  };
  const english = { "Accept-Language": "en-GB,en;q=0.9" };
  assert.deepEqual(await languageOf("", {}), ["fr", undefined]);
  assert.deepEqual(await languageOf("", english), ["en", undefined]);
  assert.deepEqual(await languageOf("?lang=fr", english), ["fr", "atumpan_docs_lang=fr"]);
  assert.deepEqual(await languageOf("", { ...english, Cookie: "a=b; atumpan_docs_lang=fr" }), [
    "fr",
    undefined,
  ]);
  assert.deepEqual(await languageOf("?lang=xx", { Cookie: "atumpan_docs_lang=xx" }), ["fr", undefined]);

  const [french, other] = [
    await readPage(here, "/docs/contacts?lang=fr"),
    await readPage(here, "/docs/contacts?lang=en"),
  ];
  assert.match(french, /Crée des contacts/);
  assert.doesNotMatch(french, /Creates contacts/);
  assert.match(other, /Creates contacts/);
  assert.doesNotMatch(other, /Crée des contacts/);
  assert.match(french, /<link rel="alternate" hreflang="en" href="\/docs\/contacts\?lang=en">/);
});

test("the guide on errors says of every code what to do, in both languages", async (t) => {
  const here = await testService(t);
  for (const language of ["fr", "en"] as const) {
    const page = await readPage(here, `/docs/guide/errors?lang=${language}`);
    for (const [code, { action }] of Object.entries(codes)) {
      const [, row] = new RegExp(`<tr id="${code}">([\\s\\S]*?)</tr>`).exec(page) ?? assert.fail(code);
      const said = plainOf(row!).replaceAll("\u00a0", " ");
      assert.ok(said.includes(action[language].replaceAll("`", "")), code);
    }
  }
});

test("a search finds operations, members, codes, events and guides, without accents and with faults", async (t) => {
  const here = await testService(t);
  const found = async (asked: string, language = "fr") => {
    const page = await readPage(here, `/docs/search?lang=${language}&q=${encodeURIComponent(asked)}`);
    return [
      ...page
        .split('class="results"')[1]!
        .split("</ol>")[0]!
        .matchAll(/<li><a href="([^"]+)"/g),
    ].map(([, address]) => address);
  };
  assert.equal((await found("desinscrire"))[0], "/docs/opt-outs#optout-create");
  assert.ok((await found("idempotencyKey")).includes("/docs/campaigns#campaign-create"));
  assert.ok((await found("campaign/create")).includes("/docs/campaigns#campaign-create"));
  assert.equal((await found("wrong-otp"))[0], "/docs/guide/errors#wrong-otp");
  assert.ok((await found("message.delivered")).includes("/docs/events#event-message-delivered"));
  assert.ok((await found("campagn")).length > 0);
  assert.ok(
    (await found("verfier code")).some((address) => address!.includes("guide") || address!.includes("otp")),
  );
  assert.equal((await found("balance", "en"))[0], "/docs/credits-and-account#credit-balance");
  assert.deepEqual(await found(""), []);
  assert.deepEqual(await found("zzzzqqq"), []);
});

test("what is searched for is shown as text, and is never too much to look for", async (t) => {
  const here = await testService(t);
  const page = await readPage(here, `/docs/search?q=${encodeURIComponent('<script>"x')}`);
  assert.ok(!page.includes('<script>"x'));
  assert.match(page, /value="&lt;script&gt;&quot;x"/);
  const long = await readPage(here, `/docs/search?q=${"a".repeat(5_000)}`);
  assert.ok(!long.includes("a".repeat(101)));
  assert.equal((await fetch(`${here.url}/docs/search?q=a&q=b`)).status, 200);
});

test("a page is sent zipped, once, and only by a process with the role api", async (t) => {
  const here = await testService(t);
  const first = await fetch(`${here.url}/docs`);
  assert.equal(first.headers.get("content-encoding"), "gzip");
  assert.match(first.headers.get("content-security-policy")!, /^default-src 'none';/);
  const again = await fetch(`${here.url}/docs`, { headers: { "If-None-Match": first.headers.get("etag")! } });
  assert.equal(again.status, 304);
  const plain = await fetch(`${here.url}/docs`, { headers: { "Accept-Encoding": "identity" } });
  assert.equal(plain.headers.get("content-encoding"), null);
  const text = await plain.text();
  assert.equal(text, await first.text());

  // Files by their tag may be kept for good, others are asked for again.
  const [, stylesheet] = /href="(\/docs\/page\.css\?v=[^"]+)"/.exec(text)!;
  assert.match((await fetch(here.url + stylesheet!)).headers.get("cache-control")!, /immutable/);
  for (const url of ["/docs/page.css", "/docs/page.css?v=old"])
    assert.equal((await fetch(here.url + url)).headers.get("cache-control"), "no-cache", url);

  const elsewhere = await testService(t, { config: { roles: new Set(["worker"]) } });
  for (const path of ["/docs", "/docs/contacts", "/docs/openapi.json", "/docs/page.css"])
    assert.equal((await fetch(elsewhere.url + path)).status, 404, path);
});

test("HEAD and a slash at the end work, and an unknown address is a page for a browser alone", async (t) => {
  const here = await testService(t);
  const head = await fetch(`${here.url}/docs`, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  const slashed = await fetch(`${here.url}/docs/?lang=en`, { redirect: "manual" });
  assert.deepEqual([slashed.status, slashed.headers.get("location")], [308, "/docs?lang=en"]);
  assert.equal((await fetch(`${here.url}/docs/contacts/`)).status, 200);
  const asBrowser = await fetch(`${here.url}/docs/nowhere/at/all`, { headers: { Accept: "text/html" } });
  assert.equal(asBrowser.status, 404);
  assert.match(asBrowser.headers.get("content-type")!, /^text\/html/);
  assert.match(await asBrowser.text(), /Introuvable/);
  const asClient = await fetch(`${here.url}/docs/nowhere`);
  assert.equal(((await asClient.json()) as { error: string }).error, "not-found");
  for (const path of ["/docs//evil.example/", "/docs/..%2f..%2fetc/", "/docs/%00"]) {
    const response = await fetch(here.url + path, { redirect: "manual", headers: { Accept: "text/html" } });
    assert.doesNotMatch(response.headers.get("location") ?? "", /^\/\//);
    assert.ok(response.status < 500, path);
  }
});

test("an example names this service, so that a reader without a script can copy it", async (t) => {
  const here = await testService(t);
  const text = await wholeReference(here);
  const origins = [...text.matchAll(/data-fill="origin">([^<]*)</g)].map(([, origin]) => origin);
  assert.equal(origins.length, routes.length);
  assert.deepEqual([...new Set(origins)], [here.url]);
  // The guide on connectors shows placeholders of its own.
  assert.doesNotMatch(text, /\{\{(origin|limits|settings|otp|list|price|webhooks)\b/);
});
