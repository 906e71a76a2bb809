// Programs that read get the reference as Markdown: an index, each page, and all of it at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type TestService, testService } from "../../../test/testservice.ts";
import { routes } from "../../api/api.ts";
import { sharedMembers } from "../../platform/http/sharedmembers.ts";
import { chaptersOf } from "./operations.ts";

async function read(
  at: TestService,
  path: string,
  type = /^text\/(markdown|plain); charset=utf-8$/,
): Promise<string> {
  const response = await fetch(at.url + path);
  assert.equal(response.status, 200, path);
  assert.match(response.headers.get("content-type")!, type, path);
  return response.text();
}

/** The addresses that a text links to at this service. */
function linksIn(at: TestService, markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)]+)\)/g)]
    .map(([, url]) => url!)
    .filter((url) => url.startsWith(at.url))
    .map((url) => url.slice(at.url.length));
}

test("/llms.txt has the form of llmstxt.org, and everything that it links to is there, in its language", async (t) => {
  const here = await testService(t);
  for (const language of ["fr", "en"]) {
    const text = await read(here, `/llms.txt?lang=${language}`, /^text\/plain/);
    const [title, summary, ...rest] = text.split("\n\n");
    assert.equal(title, "# Atumpan");
    assert.match(summary!, /^> \S/);
    const sections = rest.filter((block) => block.startsWith("## "));
    assert.equal(sections.at(-1), "## Optional");
    for (const heading of sections) {
      const [list] = rest.slice(rest.indexOf(heading) + 1);
      for (const line of list!.trim().split("\n")) assert.match(line, /^- \[[^\]]+\]\(http[^)]+\): \S/);
    }
    const links = linksIn(here, text);
    assert.ok(links.length > 20);
    for (const path of links) {
      const page = await read(here, path, /^(text|application)\//);
      if (!path.includes(".md")) continue;
      assert.match(page, /^# \S/, path);
      assert.equal(new URLSearchParams(path.split("?")[1]).get("lang"), language);
    }
  }
});

test("every operation stands in Markdown with its members, its refusals and its example, and links lead on", async (t) => {
  const here = await testService(t);
  const whole = await read(here, "/llms-full.txt?lang=en");
  const operations = chaptersOf(routes).flatMap((chapter) => chapter.operations);
  for (const { path, title, en, body, refusals } of operations) {
    const [, after] = whole.split(`## ${title.en}\n\n\`POST ${path}\`\n\n`);
    assert.ok(after?.startsWith(en), path);
    const [part = ""] = after!.split("\n## ");
    for (const name of Object.keys(body.properties ?? {}))
      assert.ok(part.includes(`| \`${name}\` |`), `${path} ${name}`);
    for (const code of refusals) assert.ok(part.includes(`\`${code}\``), `${path} ${code}`);
    assert.ok(part.includes(`${here.url}/v1/`), path);
  }
  // A table has as many cells in each row, whatever its texts have in them.
  for (const [table] of whole.matchAll(/(?:^\|.*\|$\n?)+/gm)) {
    const counts = table
      .trim()
      .split("\n")
      .map((row) => row.replaceAll("\\|", "").split("|").length);
    assert.equal(new Set(counts).size, 1, table);
  }
  const links = new Set(linksIn(here, whole).map((path) => path.split("#")[0]!));
  for (const path of links) await read(here, path, /./);
  assert.doesNotMatch(whole, /\]\(\/docs/);
  assert.ok(!whole.includes(sharedMembers.apiKey!.fr));
  // A guide shows two braces, and not the backslash that keeps them.
  assert.match(whole, /`\{\{#name\}\}…\{\{\/name\}\}`/);
  assert.ok(!whole.includes("\\{{"));
});

test("a page of Markdown is sent zipped and once, answers HEAD, and is no page where there is none", async (t) => {
  const { url } = await testService(t);
  const first = await fetch(`${url}/docs/contacts.md?lang=fr`);
  assert.equal(first.headers.get("content-encoding"), "gzip");
  assert.match(await first.text(), /^# Contacts\n/);
  const headers = { "If-None-Match": first.headers.get("etag")! };
  assert.equal((await fetch(`${url}/docs/contacts.md?lang=fr`, { headers })).status, 304);
  for (const path of ["/docs.md", "/docs/openapi.json", "/docs/postman.json", "/llms.txt", "/llms-full.txt"])
    assert.equal((await fetch(url + path, { method: "HEAD" })).status, 200, path);
  assert.equal((await fetch(`${url}/docs/nothing.md`)).status, 404);
});
