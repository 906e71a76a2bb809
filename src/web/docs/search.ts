// The search of the reference: operations, fields, codes, events and guides, ignoring accents and case.
import MiniSearch from "minisearch";
import { type Html, html } from "../../platform/http/html.ts";
import type { Code, Language, Sentence } from "../../platform/http/refusals.ts";
import { codes } from "./codes.ts";
import { conventions } from "./conventions.ts";
import { Locale } from "./locale.ts";
import {
  EVENTS,
  type Leaf,
  type Manual,
  pathOfCode,
  pathOfGuide,
  pathOfPart,
  RULES,
  SEARCH,
  titles,
} from "./manual.ts";
import { rowsOf } from "./members.ts";
import type { Operation, Part } from "./operations.ts";
import { sectionsOf } from "./prose.ts";

/** A search result. `weight` ranks what most readers look for before the rest. */
type Entry = {
  id: string;
  kind: Sentence;
  title: string;
  address: string;
  text: string;
  names: string;
  weight: number;
};

type Index = MiniSearch<Entry>;

const KINDS = {
  guide: { fr: "Guide", en: "Guide" },
  operation: { fr: "Opération", en: "Operation" },
  service: { fr: "Exploitation", en: "Running the service" },
  code: { fr: "Code d’erreur", en: "Error code" },
  event: { fr: "Événement", en: "Event" },
  rule: { fr: "Règle commune", en: "Common rule" },
} as const satisfies Record<string, Sentence>;

const WORDS_AT_MOST = 8;
const RESULTS_AT_MOST = 30;
const EXCERPT_CHARACTERS = 160;

/** Builds a search index of the manual in one language. */
export function indexOf(manual: Manual, language: Language): Index {
  const index = new MiniSearch<Entry>({
    fields: ["title", "address", "names", "text"],
    storeFields: ["kind", "title", "address", "text", "weight"],
    tokenize: wordsOf,
    processTerm: packed,
    searchOptions: {
      tokenize: wholeWordsOf,
      boost: { title: 4, address: 3, names: 2 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: "AND",
      boostDocument: (_id, _term, stored) => stored?.weight as number,
    },
  });
  index.addAll(entriesOf(manual, new Locale(language)));
  return index;
}

/** The words as typed: a name such as `groupsIds` is one word. */
function wholeWordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_-]+/u).filter((word) => word !== "");
}

/** The words of a text: names such as `groupsIds` are also split into their words. */
function wordsOf(text: string): string[] {
  const whole = wholeWordsOf(text);
  const parts = whole.flatMap((word) => word.split(/[_-]|(?<=[a-z])(?=[A-Z])/));
  return [...new Set([...whole, ...parts])].filter((word) => word !== "");
}

function packed(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/s$/, "");
}

function entriesOf({ parts, guides, hooks }: Manual, locale: Locale): Entry[] {
  const { language } = locale;
  return [
    ...guides.flatMap((guide) =>
      sectionsOf(guide.markdown[language]).map(({ id, title, text }) =>
        entry(KINDS.guide, `${pathOfGuide(guide)}${id && `#${id}`}`, title, { text, weight: 1.5 }),
      ),
    ),
    ...parts.flatMap((part) => part.operations.map((one) => operationEntry(part, one, locale))),
    ...(Object.keys(codes) as Code[]).map((code) =>
      entry(KINDS.code, pathOfCode(code), code, {
        text: `${codes[code][language]} ${codes[code].action[language]}`,
      }),
    ),
    ...hooks.events.map(({ id, type, data, ...said }) =>
      entry(KINDS.event, `${EVENTS}#${id}`, type, { text: locale.say(said), names: namesOf([data]) }),
    ),
    entry(KINDS.rule, RULES, locale.say(titles[RULES]), {
      text: conventions.map((rule) => rule[language]).join(" "),
    }),
  ];
}

function entry(
  kind: Sentence,
  address: string,
  title: string,
  { text, names = "", weight = 1 }: { text: string; names?: string; weight?: number },
): Entry {
  return { id: address, kind, address, title, text: text.replaceAll("`", ""), names, weight };
}

function operationEntry(
  part: Part,
  { id, title, path, body, data, refusals, ...said }: Operation,
  locale: Locale,
) {
  return entry(
    part.isService ? KINDS.service : KINDS.operation,
    `${pathOfPart(part)}#${id}`,
    locale.say(title),
    {
      text: `${path} · ${locale.say(said)}`,
      names: `${path} ${namesOf([body, data])} ${refusals.join(" ")}`,
      weight: part.isService ? 0.5 : 1.2,
    },
  );
}

function namesOf(schemas: readonly Operation["body"][]): string {
  return schemas.flatMap((schema) => rowsOf(schema).map(({ name }) => name)).join(" ");
}

/** Renders the page of search results. */
export function searchLeaf(index: Index, asked: string): Leaf {
  const words = wholeWordsOf(asked).slice(0, WORDS_AT_MOST).join(" ");
  const found = words === "" ? [] : index.search(words).slice(0, RESULTS_AT_MOST);
  return {
    path: SEARCH,
    title: { fr: "Rechercher", en: "Search" },
    isPassing: true,
    body: (
      locale,
    ) => html`<h1>${asked === "" ? locale.t("Rechercher", "Search") : locale.t(`Résultats pour « ${asked} »`, `Results for “${asked}”`)}</h1>
<p class="lead" role="status">${countPart(locale, asked, found.length)}</p>
<ol class="results">${found.map((one) => resultPart(locale, one as unknown as Entry))}</ol>`,
  };
}

function countPart(locale: Locale, asked: string, count: number): string {
  if (asked === "")
    return locale.t(
      "Recherchez une opération, un chemin, un champ, un code d’erreur ou un mot d’un guide.",
      "Search for an operation, a path, a member, an error code or a word in a guide.",
    );
  if (count === 0)
    return locale.t(
      "Aucun résultat. Essayez un mot plus court, ou le nom d’un champ.",
      "No results. Try a shorter word, or the name of a member.",
    );
  if (count === 1) return locale.t("1 résultat.", "1 result.");
  return count === RESULTS_AT_MOST
    ? locale.t(`Les ${count} meilleurs résultats.`, `The best ${count} results.`)
    : locale.t(`${count} résultats.`, `${count} results.`);
}

function resultPart(locale: Locale, { kind, title, address, text }: Entry): Html {
  const short = text.replace(/\s+/g, " ").trim();
  const excerpt = short.length > EXCERPT_CHARACTERS ? `${short.slice(0, EXCERPT_CHARACTERS)}…` : short;
  return html`<li><a href="${address}">${title}</a> <small>${locale.say(kind)}</small><p>${excerpt}</p></li>`;
}
