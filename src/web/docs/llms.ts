// The files for language models: an index of the reference in the format of llmstxt.org, and all of it in one file.
import type { Sentence } from "../../platform/http/refusals.ts";
import { conventions } from "./conventions.ts";
import type { Guide } from "./guides.ts";
import type { Locale } from "./locale.ts";
import { EVENTS, FAILURES, groups, type Manual, pathOfGuide, pathOfPart, RULES, titles } from "./manual.ts";
import { markdownAt, markdownUrlOf, pagesOf } from "./markdown.ts";
import type { Part } from "./operations.ts";

/** Returns the index. Operations only for administrators are under `Optional`, which readers short of space omit. */
export function llmsOf(manual: Manual, locale: Locale): string {
  const { guides, parts, origin } = manual;
  const line = (path: string, title: Sentence, said: string) =>
    `- [${locale.say(title)}](${markdownUrlOf(origin, path, locale.language)}): ${said}`;
  const guideLine = (guide: Guide) => line(pathOfGuide(guide), guide.title, locale.say(guide.lead));
  const partLine = (part: Part) =>
    line(pathOfPart(part), part, part.operations.map(({ title }) => locale.say(title)).join(", "));
  return `# Atumpan

> ${locale.t(
    "Envoyez des SMS avec une API HTTP : campagnes, mots de passe à usage unique, contacts, crédits, applications tierces, webhooks.",
    "Send SMS with an HTTP API: campaigns, one-time passwords, contacts, credits, third-party applications, webhooks.",
  )}

${conventions
  .slice(0, 2)
  .map((rule) => locale.say(rule))
  .join("\n\n")}

## ${locale.say(groups.guides)}

${guides.map(guideLine).join("\n")}

## ${locale.say(groups.own)}

${line(RULES, titles[RULES], locale.t("les règles de toutes les opérations", "the rules of all operations"))}
${parts
  .filter(({ isService }) => !isService)
  .map(partLine)
  .join("\n")}
${line(EVENTS, titles[EVENTS], manual.hooks.events.map(({ type }) => type).join(", "))}
${line(FAILURES, titles[FAILURES], locale.t("les valeurs de error, et que faire", "the values of error, and what to do"))}

## ${locale.t("Pour les programmes", "For programs")}

- [OpenAPI 3.1](${origin}/docs/openapi.json): ${locale.t("toutes les opérations et leurs schémas", "all operations and their schemas")}
- [Postman](${origin}/docs/postman.json): ${locale.t("une collection à importer", "a collection to import")}
- [llms-full.txt](${origin}/llms-full.txt?lang=${locale.language}): ${locale.t("toute la documentation en un fichier", "all of the documentation in one file")}

## Optional

${parts
  .filter(({ isService }) => isService)
  .map(partLine)
  .join("\n")}
`;
}

/** Returns all pages one after another. */
export function llmsFullOf(manual: Manual, locale: Locale): string {
  const pages = [...pagesOf(manual).keys()].flatMap((path) => markdownAt(manual, path, locale) ?? []);
  return `${pages.map((page) => page.trim()).join("\n\n")}\n`;
}
