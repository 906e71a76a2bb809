// The console attacked: pages without a sign-in, forms of other sites, markup in whatever people write.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../applications.ts";
import { newPhone } from "../codes.ts";
import type { Company, TestService } from "../testservice.ts";
import { formsOf, signedInOwner, Visitor } from "../visitor.ts";

const CONSOLE = join(import.meta.dirname, "../../src/web/console");
const MARKUP = `"><img src=x onerror=alert(1)>'`;

/** The addresses that the screens declare, as they are written: `page` or `form`. */
function declared(kind: "page" | "form"): string[] {
  const sources = globSync("**/*.ts", { cwd: CONSOLE }).filter((path) => !path.endsWith(".test.ts"));
  const urls = sources.flatMap((path) => {
    const text = readFileSync(join(CONSOLE, path), "utf8");
    const declaring = new RegExp(`screens\\.(?:${kind}|pageAndForm|question)\\(\\s*"([^"]+)"`, "g");
    return [...text.matchAll(declaring)].map(([, url]) => url!);
  });
  // A test that attacks none of them proves nothing.
  assert.ok(urls.length > 80, `${urls.length} of ${kind}`);
  return urls;
}

/** An address with something in place of its parameters. */
const filled = (url: string, id = "0123456789abcdef01234567") => url.replace(/:\w+/g, id);

suite("the console under attack", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let company: Company;
  let owner: Visitor;

  before(async () => {
    const scope = { after: (close: () => Promise<void>) => closing.push(close) };
    ({ w, company, owner } = await signedInOwner(scope, { name: `Boutique ${MARKUP}`, credits: 1_000 }));
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  test("every page wants a sign-in, says so in a policy without exceptions, and is kept by nobody", async () => {
    const unauthenticated = new Visitor(w);
    const open = [
      "/sign-in",
      "/sign-in/code",
      "/sign-up",
      "/language/:language",
      "/console/kit",
      "/demo/:token",
    ];
    for (const url of declared("page")) {
      const { url: at, headers, text } = await unauthenticated.open(filled(url));
      const { pathname } = new URL(at);
      const wanted = url.startsWith("/admin") ? "/admin/sign-in" : "/sign-in";
      if (!open.includes(url)) assert.ok(pathname.startsWith(wanted), `${url} shows ${pathname}`);
      const policy = headers.get("content-security-policy") ?? "";
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'/, url);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/, url);
      assert.equal(headers.get("cache-control"), "no-store", url);
      assert.doesNotMatch(text, /<script(?![^>]* src=)|<style| style="|\son\w+="/, url);
    }
  });

  test("no form does anything without the token of its page, or when another site sends it", async () => {
    const page = await owner.open("/account");
    const { csrf } = formsOf(page.text)[0]!.fields as { csrf: string };
    const guesses = [{}, { csrf: "" }, { csrf: `x.${csrf}` }, { csrf: csrf.split(".")[0]! }];
    for (const url of declared("form")) {
      for (const fields of guesses) {
        const { status } = await owner.open(filled(url), {
          method: "POST",
          body: new URLSearchParams(fields),
        });
        assert.equal(status, 403, url);
      }
      const elsewhere = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
      const init = { method: "POST", body: new URLSearchParams({ csrf }), headers: elsewhere };
      assert.equal((await owner.open(filled(url), init)).status, 403, url);
    }
    assert.equal((await owner.open("/account")).status, 200, "it was not signed out");
  });

  test("what people wrote is text on every page, and never markup", async () => {
    const named = { phone: newPhone(), name: MARKUP, firstName: MARKUP, lastName: MARKUP };
    const { id: group } = await dataOf(company.call("/v1/group/create", { name: MARKUP, contacts: [named] }));
    const campaign = { name: MARKUP, text: `${MARKUP} @name`, groupsIds: [group] };
    const { id } = await dataOf(company.call("/v1/campaign/create", campaign));
    const { id: draft } = await dataOf(company.call("/v1/campaign/draft/save", campaign));
    await dataOf(company.call("/v1/campaign/template/create", { name: MARKUP, text: MARKUP }));
    const { data } = await company.call("/v1/contact/list", { limit: 1 });
    const idOf = (url: string) =>
      /drafts/.test(url) ? draft : /groups/.test(url) ? group : /contacts/.test(url) ? data[0].id : id;
    for (const url of declared("page")) {
      const { text } = await owner.open(filled(url, idOf(url)));
      assert.doesNotMatch(text, /<img src=x/, url);
    }
    const list = await owner.open("/campaigns");
    assert.match(list.text, /&lt;img src=x/);
  });
});
