// Templates: Mustache, restricted to values and sections, and compiled once into constants and functions.
import Mustache from "mustache";
import type { Sentence } from "../../platform/http/refusals.ts";

/** A constant, or a function of what is known of one message. */
export type Piece<Context> = string | ((context: Context) => string);

/** Returns what a name stands for. A section shows its content if the value is not empty. */
export type ResolveName<Context> = (name: string) => Piece<Context>;

export type TemplateNode =
  | { kind: "text"; text: string }
  | { kind: "value"; name: string }
  | { kind: "section"; name: string; isInverted: boolean; nodes: readonly TemplateNode[] };

/** Why a text is no template. */
export class BadTemplate extends Error {
  readonly sentence: Sentence;
  constructor(sentence: Sentence) {
    super(sentence.en);
    this.sentence = sentence;
  }
}

const UNCLOSED: Sentence = {
  fr: "a une balise ou une section qui n’est pas fermée",
  en: "has a tag or a section that is not closed",
};

type Token = readonly [type: string, value: string, start: number, end: number, inner?: readonly Token[]];

/** Parses a template. Throws `BadTemplate` for anything but `{{name}}`, `{{#name}}…{{/name}}` and `{{^name}}…{{/name}}`. */
export function parseTemplate(template: string): readonly TemplateNode[] {
  return nodesOf(tokensOf(template));
}

function tokensOf(template: string): readonly Token[] {
  try {
    // A writer of its own, since the library's common one keeps each template that it has ever parsed.
    return new Mustache.Writer().parse(template) as readonly Token[];
  } catch {
    throw new BadTemplate(UNCLOSED);
  }
}

function nodesOf(tokens: readonly Token[]): readonly TemplateNode[] {
  return tokens.map(([type, value, , , inner = []]): TemplateNode => {
    switch (type) {
      case "text":
        return { kind: "text", text: value };
      case "name":
        return { kind: "value", name: value };
      case "#":
      case "^":
        return { kind: "section", name: value, isInverted: type === "^", nodes: nodesOf(inner) };
      default:
        throw new BadTemplate({
          fr: `contient {{${type}…}} : seuls {{nom}}, {{#nom}}…{{/nom}} et {{^nom}}…{{/nom}} sont permis`,
          en: `contains {{${type}…}}: only {{name}}, {{#name}}…{{/name}} and {{^name}}…{{/name}} are allowed`,
        });
    }
  });
}

/** Returns the names in a template, those of sections included. */
export function namesIn(nodes: readonly TemplateNode[]): string[] {
  return nodes.flatMap((node) => {
    if (node.kind === "text") return [];
    return node.kind === "value" ? [node.name] : [node.name, ...namesIn(node.nodes)];
  });
}

/** Whether a request of a declaration uses a name, anywhere. */
export function isNamedIn(request: unknown, name: string): boolean {
  return new RegExp(`{{[#^]?\\s*${name}\\s*}}|"when":"!?${name}"`).test(
    JSON.stringify(request).replaceAll('"$when"', '"when"'),
  );
}

/**
 * Compiles a template. `written` is applied to values, and with `escapesText` to the text between them as well. What
 * depends on constants only is rendered here.
 */
export function compileNodes<Context>(
  nodes: readonly TemplateNode[],
  resolve: ResolveName<Context>,
  written: (text: string) => string,
  escapesText = false,
): Piece<Context> {
  return joined(
    nodes.map((node): Piece<Context> => {
      if (node.kind === "text") return escapesText ? written(node.text) : node.text;
      const value = resolve(node.name);
      if (node.kind === "value")
        return typeof value === "string" ? written(value) : (context) => written(value(context));
      const inner = compileNodes(node.nodes, resolve, written, escapesText);
      const { isInverted } = node;
      if (typeof value === "string") return (value !== "") === isInverted ? "" : inner;
      return (context) => ((value(context) !== "") === isInverted ? "" : pieceText(inner, context));
    }),
  );
}

/** Returns the text of a piece. */
export function pieceText<Context>(piece: Piece<Context>, context: Context): string {
  return typeof piece === "string" ? piece : piece(context);
}

/** Joins pieces; constants that follow each other become one. */
export function joined<Context>(pieces: readonly Piece<Context>[]): Piece<Context> {
  const merged: Piece<Context>[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (piece === "") continue;
    if (typeof piece === "string" && typeof last === "string") merged[merged.length - 1] = last + piece;
    else merged.push(piece);
  }
  const [only = ""] = merged;
  if (merged.length <= 1) return only;
  return (context) => {
    let text = "";
    for (const piece of merged) text += typeof piece === "string" ? piece : piece(context);
    return text;
  };
}

/** Compiles a condition such as `unicode` or `!from`. */
export function compileWhen<Context>(
  when: string | undefined,
  resolve: ResolveName<Context>,
): boolean | ((context: Context) => boolean) {
  if (when === undefined) return true;
  const isNot = when.startsWith("!");
  const value = resolve(isNot ? when.slice(1) : when);
  if (typeof value === "string") return (value !== "") !== isNot;
  return (context) => (value(context) !== "") !== isNot;
}
