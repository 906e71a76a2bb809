// The guides, which come before the list of operations. They are Markdown files in `guides/`, one per language.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Code, type Language, outcomes, type Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { codes } from "./codes.ts";
import { withValues } from "./values.ts";

/** A guide with this service's values filled in. Its file begins with its title, as `# …`. */
export type Guide = {
  /** The last part of its URL, after `/docs/guide/`. */
  name: string;
  title: Sentence;
  /** Its purpose in one sentence: its first paragraph. */
  lead: Sentence;
  markdown: Readonly<Record<Language, string>>;
};

/** In reading order. */
const NAMES = [
  "quick-start",
  "errors",
  "idempotency",
  "limits",
  "segments",
  "testing",
  "webhooks",
  "inbound",
  "going-live",
  "real-sms",
  "connectors",
  "moving",
] as const;

/** The line that the page replaces with the segment counter, which Markdown cannot express. */
export const COUNTER = "<!-- counter -->";
/** The line that is replaced with the table of all codes. */
const CODES = "<!-- codes -->";

/** Returns all guides, in reading order. */
export function guidesOf(app: Runtime): Guide[] {
  return NAMES.map((name) => guideOf(app, name));
}

function guideOf(app: Runtime, name: string): Guide {
  const [fr, en] = (["fr", "en"] as const).map((language) => {
    const file = join(import.meta.dirname, "guides", `${name}.${language}.md`);
    const text = readFileSync(file, "utf8").replace(CODES, () => codeTable(language));
    return withValues(app, text, language);
  }) as [string, string];
  const part = (at: number) => ({ fr: partOf(fr, at), en: partOf(en, at) });
  return {
    name,
    title: { fr: part(0).fr.slice(2), en: part(0).en.slice(2) },
    lead: part(1),
    markdown: { fr, en },
  };
}

/** A paragraph of a text, by its index, on one line. */
function partOf(markdown: string, at: number): string {
  return markdown.split("\n\n")[at]!.replaceAll("\n", " ").trim();
}

/** The meaning of each code and what to do about it, as Markdown. */
function codeTable(language: Language): string {
  const head =
    language === "fr" ? ["`error`", "Signification", "Que faire"] : ["`error`", "Meaning", "What to do"];
  const rows = (Object.keys(outcomes) as Code[]).map((code) => [
    `\`${code}\``,
    codes[code][language],
    codes[code].action[language],
  ]);
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
