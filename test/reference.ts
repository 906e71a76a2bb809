// For tests of the reference: its pages as a browser gets them, and the requests that they show.
import assert from "node:assert/strict";
import type { TestService } from "./testservice.ts";
import { unescaped } from "./visitor.ts";

/** The text of a page, in French unless its address says otherwise. */
export async function readPage({ url }: TestService, path: string): Promise<string> {
  const response = await fetch(url + path, { headers: { Accept: "text/html" } });
  assert.equal(response.status, 200, path);
  return response.text();
}

/** The addresses of all pages below `/docs`, as the contents of the first one list them. */
export async function pagesOf(here: TestService): Promise<string[]> {
  const [, contents] = (await readPage(here, "/docs")).split('<nav id="contents"');
  const found = [...contents!.matchAll(/href="(\/docs\/[^"#]+)"/g)].map(([, path]) => path!);
  return ["/docs", ...found];
}

/** All pages one after another, in one language. */
export async function wholeReference(here: TestService, language: "fr" | "en" = "fr"): Promise<string> {
  const paths = await pagesOf(here);
  const pages = await Promise.all(paths.map((path) => readPage(here, `${path}?lang=${language}`)));
  return pages.join("\n");
}

export type ShownRequest = { id: string; path: string; body: string };

/** The requests as the pages show them, for a reader to copy. */
export function requestsIn(text: string): ShownRequest[] {
  const shown =
    /<article id="([^"]+)"[^>]*>[\s\S]*?class="path">([\s\S]*?)<\/span>[\s\S]*?class="body"[^>]*>([\s\S]*?)<\/span>/g;
  return [...text.matchAll(shown)].map(([, id, path, body]) => ({
    id: id!,
    path: plainOf(path!),
    body: plainOf(body!),
  }));
}

/** The text of some markup. */
export function plainOf(markup: string): string {
  return unescaped(markup.replace(/<[^>]*>/g, ""));
}

/** By URL, the scopes and the roles that the reference shows, in that order. */
export function rolesShown(page: string): Map<string | undefined, string[]> {
  return new Map(
    [...page.matchAll(/<article id="[^"]+"[^>]*>[\s\S]*?<\/article>/g)].map(([text]) => [
      /<p class="address"><span>POST<\/span> <code>([^<]+)<\/code>/.exec(text)?.[1],
      [...text.matchAll(/<dt>(?:Portée|Rôle)<\/dt><dd>([\s\S]*?)<\/dd>/g)].flatMap(
        ([, said]) => said?.match(/(?<=<code>)[^<]+/g) ?? ["—"],
      ),
    ]),
  );
}
