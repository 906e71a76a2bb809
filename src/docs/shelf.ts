// The shelf: all pages of the reference of one service, by their addresses, and the search of them.
import { html } from "../kernel/html.ts";
import type { Language } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { type Book, HOME, type Leaf } from "./book.ts";
import type { Hooks } from "./events.ts";
import { type Files, frameOf } from "./frame.ts";
import { guidesOf } from "./guides.ts";
import { homeLeaf } from "./homepage.ts";
import { type Chapter, partsOf } from "./operations.ts";
import { eventsLeaf, failuresLeaf, guideLeaf, rulesLeaf } from "./otherpages.ts";
import { partLeaf } from "./partpage.ts";
import { Reader } from "./reader.ts";
import { indexOf, searchLeaf } from "./search.ts";

export class Shelf {
  readonly #book: Book;
  readonly #files: Files;
  readonly #leaves: ReadonlyMap<string, Leaf>;
  readonly #indexes = new Map<Language, ReturnType<typeof indexOf>>();

  constructor(app: Runtime, chapters: readonly Chapter[], hooks: Hooks, files: Files) {
    const book = { parts: partsOf(chapters), guides: guidesOf(app), hooks, origin: app.publicUrl };
    const leaves = [
      homeLeaf(book),
      ...book.guides.map(guideLeaf),
      ...book.parts.map((part) => partLeaf(book, part)),
      rulesLeaf,
      eventsLeaf(book),
      failuresLeaf,
    ];
    this.#book = book;
    this.#files = files;
    this.#leaves = new Map(leaves.map((leaf) => [leaf.path, leaf]));
  }

  find(path: string): Leaf | undefined {
    return this.#leaves.get(path);
  }

  show(leaf: Leaf, language: Language): string {
    return frameOf(new Reader(language), this.#book, leaf, this.#files);
  }

  /** The page of what a search finds. The first search in a language makes its index. */
  search(asked: string, language: Language): string {
    const index = this.#indexes.get(language) ?? indexOf(this.#book, language);
    this.#indexes.set(language, index);
    const leaf = searchLeaf(index, asked);
    return frameOf(new Reader(language), this.#book, leaf, this.#files, asked);
  }

  /** The page for an address that has none. */
  missing(language: Language): string {
    return this.show(missingLeaf, language);
  }
}

const missingLeaf: Leaf = {
  path: `${HOME}/*`,
  title: { fr: "Introuvable", en: "Not found" },
  isPassing: true,
  body: (reader) => html`<h1>${reader.t("Introuvable", "Not found")}</h1>
<p class="lead">${reader.t(
    "Cette page n’existe pas, ou n’est plus ici. Cherchez ci-dessus, ou partez du sommaire.",
    "This page does not exist, or is not here any more. Search above, or start from the contents.",
  )}</p>
<p><a href="${HOME}">${reader.t("Au début de la documentation", "To the start of the documentation")}</a></p>`,
};
