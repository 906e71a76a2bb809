// The pages of the reference as Markdown, for programs: each page at its URL with `.md`.
import { failureTables } from "../../delivery/operators/failures.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import { conventions } from "./conventions.ts";
import type { Hook, Hooks } from "./events.ts";
import { FAULTS, RETRYING } from "./failures.ts";
import { COUNTER } from "./guides.ts";
import type { Locale } from "./locale.ts";
import { EVENTS, FAILURES, type Manual, pathOfGuide, pathOfPart, RULES, titles } from "./manual.ts";
import { rowsOf, typeOf } from "./members.ts";
import { answerOf, commonRefusals, type Operation, type Part, type Schema } from "./operations.ts";
import { samplesOf } from "./samples.ts";

const ERRORS = pathOfGuide({ name: "errors" });

/** Returns the page at a URL without its `.md`; undefined if there is none. Its links lead to other Markdown pages. */
export function markdownAt(manual: Manual, path: string, locale: Locale): string | undefined {
  const text = pagesOf(manual).get(path)?.(locale);
  return text && linked(text, manual.origin, locale);
}

/** Returns the URLs of the pages, each with its renderer, in reading order. */
export function pagesOf(manual: Manual): Map<string, (locale: Locale) => string> {
  return new Map([
    ...manual.guides.map(
      (guide) =>
        [
          pathOfGuide(guide),
          ({ language }: Locale) => guide.markdown[language].replace(`${COUNTER}\n`, ""),
        ] as const,
    ),
    [RULES, rulesPage] as const,
    ...manual.parts.map(
      (part) => [pathOfPart(part), (locale: Locale) => partPage(locale, part, manual.origin)] as const,
    ),
    [EVENTS, (locale: Locale) => eventsPage(locale, manual.hooks)] as const,
    [FAILURES, failuresPage] as const,
  ]);
}

/** Makes links to pages of the reference absolute, and points them to Markdown in the same language. */
function linked(text: string, origin: string, { language }: Locale): string {
  return text.replace(
    /\]\((\/docs[\w/-]*)(#[\w-]+)?\)/g,
    (_, path, anchor = "") => `](${markdownUrlOf(origin, path, language)}${anchor})`,
  );
}

/** Returns the URL of a page as Markdown. */
export function markdownUrlOf(origin: string, path: string, language: string): string {
  return `${origin}${path}.md?lang=${language}`;
}

function rulesPage(locale: Locale): string {
  return paragraphs([
    `# ${locale.say(titles[RULES])}`,
    ...conventions.map((rule) => locale.say(rule)),
    `${labelOf(locale, { fr: "Toute opération peut répondre", en: "Any operation may return" })}${codesOf(commonRefusals)}.`,
  ]);
}

function partPage(locale: Locale, part: Part, origin: string): string {
  const about = locale.t(
    `Chaque opération est un POST à ${origin}, avec un corps JSON. Les [règles communes](${RULES}) s’appliquent à toutes. Le [guide des erreurs](${ERRORS}) explique que faire après un refus.`,
    `Each operation is a POST to ${origin}, with a JSON body. The [common rules](${RULES}) apply to all of them. The [guide on errors](${ERRORS}) explains what to do after a refusal.`,
  );
  const operations = part.operations.map((operation) => operationPart(locale, operation, origin));
  return paragraphs([`# ${locale.say(part)}`, about, ...operations]);
}

function operationPart(locale: Locale, operation: Operation, origin: string): string {
  const { path, synonyms, title, body, data, beside, size, spends, wanted, permissions, roles, refusals } =
    operation;
  const facts = [
    ...(wanted.length > 0
      ? wanted.map(({ message }) => locale.say(message))
      : [locale.t("aucune clé requise", "no credentials required")]),
    synonyms.length > 0 &&
      `${labelOf(locale, { fr: "Autres chemins", en: "Other paths" })}${codesOf(synonyms)}`,
    permissions.length > 0 &&
      `${labelOf(locale, { fr: "Permissions", en: "Permissions" })}${codesOf(permissions)} (${labelOf(locale, { fr: "rôles", en: "roles" })}${codesOf(roles)})`,
    permissions.length === 0 &&
      roles.length > 0 &&
      `${labelOf(locale, { fr: "Rôles", en: "Roles" })}${codesOf(roles)}`,
    refusals.length > 0 &&
      `${labelOf(locale, { fr: "Refus spécifiques", en: "Specific refusals" })}${codesOf(refusals)}`,
    `${labelOf(locale, { fr: "Corps", en: "Body" })}${locale.t(`${size.fr} au plus`, `up to ${size.en}`)}`,
    spends && locale.t("Dépense des crédits", "Spends credits"),
  ];
  const answer = { type: "object", properties: { data, ...beside } };
  return paragraphs([
    `## ${locale.say(title)}`,
    `\`POST ${path}\``,
    locale.say(operation),
    listOf(facts),
    tableOf(locale, locale.t("Corps", "Body"), body, { isAsked: true }),
    tableOf(locale, locale.t("Réponse", "Response"), answer, { isAsked: false }),
    fenced("bash", samplesOf(operation, origin)[0].text),
    fenced("json", JSON.stringify(answerOf(operation), null, 2)),
  ]);
}

function eventsPage(locale: Locale, { events, headers, answers, rules }: Hooks): string {
  return paragraphs([
    `# ${locale.say(titles[EVENTS])}`,
    `## ${locale.t("En-têtes", "Headers")}`,
    listOf(Object.entries(headers).map(([name, said]) => `\`${name}\`: ${locale.say(said)}`)),
    `## ${locale.t("Votre réponse", "Your response")}`,
    listOf(answers.map(({ statuses, ...said }) => `\`${statuses.join(", ")}\`: ${locale.say(said)}`)),
    listOf(rules.map((rule) => locale.say(rule))),
    ...events.map((hook) => eventPart(locale, hook)),
  ]);
}

function eventPart(locale: Locale, { type, data, example, ...said }: Hook): string {
  return paragraphs([
    `## ${type}`,
    locale.say(said),
    tableOf(locale, "data", data, { isAsked: false }),
    fenced("json", JSON.stringify(example, null, 2)),
  ]);
}

function failuresPage(locale: Locale): string {
  const head = [
    "error",
    locale.t("Ce qui s’est passé", "What happened"),
    locale.t("Qui peut agir", "Who can fix it"),
    locale.t("Renvoi utile", "Resending helps"),
  ];
  const parts = failureTables.map(({ title, refund, failures }) => {
    const rows = Object.entries(failures).map(([code, { fault, retryable, ...said }]) => [
      `\`${code}\``,
      locale.say(said),
      locale.say(FAULTS[fault]),
      locale.say(RETRYING[retryable ? "helps" : "fails"]),
    ]);
    return paragraphs([`## ${locale.say(title)}`, locale.say(refund), table(head, rows)]);
  });
  return paragraphs([`# ${locale.say(titles[FAILURES])}`, ...parts]);
}

/** The table of a schema's fields; empty if it has none. */
function tableOf(
  locale: Locale,
  title: string,
  schema: Schema,
  { isAsked }: { isAsked: boolean },
): string | false {
  const rows = rowsOf(schema).map(({ name, meaning, schema, isRequired }) => {
    // The envelope's `data` has no meaning of its own.
    const isEnvelope = !isAsked && name === "data";
    const standard = schema.default === undefined ? "" : ` = \`${JSON.stringify(schema.default)}\``;
    const required = isRequired ? locale.t("oui", "yes") : "";
    return [
      `\`${name}\``,
      `${typeOf(locale, schema)}${standard}`,
      ...(isAsked ? [required] : []),
      meaning && !isEnvelope ? locale.say(meaning) : "",
    ];
  });
  const asked = isAsked ? [locale.t("Requis", "Required")] : [];
  const head = [title, locale.t("Type", "Type"), ...asked, locale.t("Description", "Description")];
  return rows.length > 0 && table(head, rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}

function paragraphs(parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join("\n\n");
}

/** A label with a colon, with the spaces of the language. */
function labelOf(locale: Locale, { fr, en }: Sentence): string {
  return locale.t(`${fr} : `, `${en}: `);
}

function listOf(lines: readonly (string | false)[]): string {
  return lines
    .filter((line) => line !== false)
    .map((line) => `- ${line}`)
    .join("\n");
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

function codesOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
