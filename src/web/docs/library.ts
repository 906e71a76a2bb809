// The library: all pages of the reference of one service, by URL, and their search.
import { html } from "../../platform/http/html.ts";
import type { Language } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Hooks } from "./events.ts";
import { type Files, frameOf } from "./frame.ts";
import { guidesOf } from "./guides.ts";
import { homeLeaf } from "./homepage.ts";
import { llmsFullOf, llmsOf } from "./llms.ts";
import { Locale } from "./locale.ts";
import { HOME, type Leaf, type Manual } from "./manual.ts";
import { markdownAt } from "./markdown.ts";
import { type Chapter, partsOf } from "./operations.ts";
import { eventsLeaf, failuresLeaf, guideLeaf, rulesLeaf } from "./otherpages.ts";
import { partLeaf } from "./partpage.ts";
import { indexOf, searchLeaf } from "./search.ts";

export class Library {
  readonly #manual: Manual;
  readonly #files: Files;
  readonly #leaves: ReadonlyMap<string, Leaf>;
  readonly #indexes = new Map<Language, ReturnType<typeof indexOf>>();

  constructor(app: Runtime, chapters: readonly Chapter[], hooks: Hooks, files: Files) {
    const manual = { parts: partsOf(chapters), guides: guidesOf(app), hooks, origin: app.publicUrl };
    const leaves = [
      homeLeaf(manual),
      ...manual.guides.map(guideLeaf),
      ...manual.parts.map((part) => partLeaf(manual, part)),
      rulesLeaf,
      eventsLeaf(manual),
      failuresLeaf,
    ];
    this.#manual = manual;
    this.#files = files;
    this.#leaves = new Map(leaves.map((leaf) => [leaf.path, leaf]));
  }

  find(path: string): Leaf | undefined {
    return this.#leaves.get(path);
  }

  show(leaf: Leaf, language: Language): string {
    return frameOf(new Locale(language), this.#manual, leaf, this.#files);
  }

  /** Returns the page of search results. The first search in a language builds its index. */
  search(asked: string, language: Language): string {
    const index = this.#indexes.get(language) ?? indexOf(this.#manual, language);
    this.#indexes.set(language, index);
    const leaf = searchLeaf(index, asked);
    return frameOf(new Locale(language), this.#manual, leaf, this.#files, asked);
  }

  /** Returns the page at a URL as Markdown; undefined if there is none. */
  markdown(path: string, language: Language): string | undefined {
    const locale = new Locale(language);
    return path === HOME ? llmsOf(this.#manual, locale) : markdownAt(this.#manual, path, locale);
  }

  /** Returns all pages as one text. */
  whole(language: Language): string {
    return llmsFullOf(this.#manual, new Locale(language));
  }

  /** Returns the page for a URL that has none. */
  missing(language: Language): string {
    return this.show(missingLeaf, language);
  }
}

const missingLeaf: Leaf = {
  path: `${HOME}/*`,
  title: { fr: "Introuvable", en: "Not found" },
  isPassing: true,
  body: (locale) => html`<h1>${locale.t("Introuvable", "Not found")}</h1>
<p class="lead">${locale.t(
    "Cette page n’existe pas ou a été déplacée. Utilisez la recherche ci-dessus ou le sommaire.",
    "This page does not exist or has moved. Use the search above or the table of contents.",
  )}</p>
<p><a href="${HOME}">${locale.t("Accueil de la documentation", "Documentation home")}</a></p>`,
};
