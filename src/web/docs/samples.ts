// Samples: the example of an operation as a complete program in each of four languages.
import { clientNameOf } from "./names.ts";
import type { Operation } from "./operations.ts";

export type SampleLanguage = "curl" | "typescript" | "php" | "python";

/** A program that runs once each `<…>` in it is filled in. */
export type Sample = { language: SampleLanguage; title: string; text: string };

type Json = Record<string, unknown>;

/** The parts of a program that uses a client. */
type Parts = {
  /** The constructor options of the client: the URL and the credentials. */
  options: Json;
  /** The name of the operation, part by part. */
  name: string[];
  /** The fields of the request and the parameters of the path. */
  argument: Json;
  /** True for a list, whose response has a count beside its rows. */
  isPage: boolean;
};

/** The syntax of a language's values. */
type Notation = {
  step: string;
  text(value: string): string;
  /** The brackets of an object, and the space inside them on one line. */
  object: readonly [open: string, close: string, space: string];
  member(name: string, value: string): string;
  /** An object without fields. */
  empty: string;
  /** null, true and false. */
  words: readonly [none: string, yes: string, no: string];
};

const LINE_CHARACTERS = 80;
/** The width of the code around a call on its line: `const answer = `, two brackets, a semicolon. */
const ANSWER_CHARACTERS = 18;

/** Returns programs that send this operation's example to `origin` and print the response. */
export function samplesOf(operation: Operation, origin: string): [Sample, ...Sample[]] {
  const parts = partsOf(operation, origin);
  return [
    { language: "curl", title: "curl", text: curlOf(operation, origin) },
    { language: "typescript", title: "TypeScript", text: typescriptOf(parts) },
    { language: "php", title: "PHP", text: phpOf(parts) },
    { language: "python", title: "Python", text: pythonOf(parts) },
  ];
}

function partsOf({ path, credentials, example, beside }: Operation, baseUrl: string): Parts {
  const isCredential = (name: string) => Object.hasOwn(credentials.properties ?? {}, name);
  const members = Object.entries(example.body);
  return {
    options: { baseUrl, ...Object.fromEntries(members.filter(([name]) => isCredential(name))) },
    name: clientNameOf(path),
    argument: {
      ...parametersOf(path, example.path),
      ...Object.fromEntries(members.filter(([name]) => !isCredential(name))),
    },
    isPage: Object.hasOwn(beside, "totalCount"),
  };
}

/** The values of the path's parameters in an example: `{ id: "<contactId>" }`. */
function parametersOf(path: string, filled: string): Json {
  const given = filled.split("/");
  const named = path.split("/").map((segment, at) => [/^\{(\w+)\}$/.exec(segment)?.[1], given[at]]);
  return Object.fromEntries(named.filter(([name]) => name !== undefined));
}

function curlOf({ example }: Operation, origin: string): string {
  const body = JSON.stringify(example.body, null, 2).replaceAll("'", "'\\''");
  return `curl -s "${origin}${example.path}" \\
  -H "Content-Type: application/json" \\
  -d '${body}'
`;
}

function typescriptOf({ options, name, argument, isPage }: Parts): string {
  const call = calling(`await client.${name.join(".")}`, argument, inTypescript);
  return `import { Atumpan } from "@atumpan/client";

const client = new Atumpan(${written(options, inTypescript, { isLong: true })});

const ${isPage ? "page" : "answer"} = ${call};
console.log(${isPage ? "page.totalCount, page.data" : "answer"});
`;
}

function phpOf({ options, name, argument, isPage }: Parts): string {
  const call = calling(`$client->${name.join("->")}`, argument, inPhp);
  return `<?php
require 'vendor/autoload.php';

$client = new Atumpan\\Atumpan(${written(options, inPhp, { isLong: true })});

$${isPage ? "page" : "answer"} = ${call};
${isPage ? "print_r([$page->totalCount, $page->data])" : "print_r($answer)"};
`;
}

function pythonOf({ options, name, argument, isPage }: Parts): string {
  const called = `client.${name.map(pythonNameOf).join(".")}`;
  const call = areKeywords(argument)
    ? calling(called, argument, inKeywords, inPython)
    : calling(called, argument, inPython);
  return `from atumpan import Atumpan

client = Atumpan(${written(options, inKeywords, { isLong: true, inner: inPython })})

${isPage ? "page" : "answer"} = ${call}
print(${isPage ? "page.totalCount, page.data" : "answer"})
`;
}

/** The words of Python that cannot be the name of an attribute or a keyword argument. */
const PYTHON_WORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/** Returns a part of an operation's name in Python: `third_party_app`, `import_`. */
export function pythonNameOf(part: string): string {
  const snake = part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return PYTHON_WORDS.has(snake) ? `${snake}_` : snake;
}

/** Whether every field can be a keyword argument. */
function areKeywords(members: Json): boolean {
  return Object.keys(members).every((name) => IS_NAME.test(name) && !PYTHON_WORDS.has(name));
}

/** A call with one argument, or with none if it has no fields. */
function calling(called: string, argument: Json, notation: Notation, inner = notation): string {
  const isEmpty = Object.keys(argument).length === 0;
  return `${called}(${isEmpty ? "" : written(argument, notation, { before: called.length + ANSWER_CHARACTERS, inner })})`;
}

const IS_NAME = /^[A-Za-z_]\w*$/;

const inTypescript: Notation = {
  step: "  ",
  text: (value) => JSON.stringify(value),
  object: ["{", "}", " "],
  member: (name, value) => `${IS_NAME.test(name) ? name : JSON.stringify(name)}: ${value}`,
  empty: "{}",
  words: ["null", "true", "false"],
};

const inPhp: Notation = {
  step: "    ",
  text: (value) => `'${value.replace(/[\\']/g, "\\$&")}'`,
  object: ["[", "]", ""],
  member: (name, value) => `${inPhp.text(name)} => ${value}`,
  // PHP would send an empty array as a list.
  empty: "new stdClass()",
  words: ["null", "true", "false"],
};

const inPython: Notation = {
  step: "    ",
  text: (value) => JSON.stringify(value),
  object: ["{", "}", ""],
  member: (name, value) => `${JSON.stringify(name)}: ${value}`,
  empty: "{}",
  words: ["None", "True", "False"],
};

/** The fields of an object as the keyword arguments of a call. */
const inKeywords: Notation = {
  ...inPython,
  object: ["", "", ""],
  member: (name, value) => `${name}=${value}`,
};

type Layout = {
  /** The indent of the line. */
  indent?: string;
  /** The number of characters before the value on its line, without the indent. */
  before?: number;
  /** One field per line, even if all fit on one line. */
  isLong?: boolean;
  /** The notation of the fields, if it is not that of the value itself. */
  inner?: Notation;
};

/** A value on one line if it fits, otherwise with one field per line. */
function written(value: unknown, notation: Notation, layout: Layout = {}): string {
  const { indent = "", before = 0, isLong = false, inner = notation } = layout;
  if (value === null) return notation.words[0];
  if (typeof value === "boolean") return notation.words[value ? 1 : 2];
  if (typeof value === "string") return notation.text(value);
  if (typeof value !== "object") return String(value);
  const isArray = Array.isArray(value);
  const [open, close, space] = isArray ? (["[", "]", ""] as const) : notation.object;
  const itemsAt = (at: string) =>
    isArray
      ? value.map((item) => written(item, inner, { indent: at }))
      : Object.entries(value).map(([name, one]) =>
          notation.member(name, written(one, inner, { indent: at })),
        );
  const short = itemsAt(indent);
  if (short.length === 0) return isArray ? "[]" : notation.empty;
  const line = `${open}${space}${short.join(", ")}${space}${close}`;
  if (!isLong && !line.includes("\n") && indent.length + before + line.length <= LINE_CHARACTERS) return line;
  const further = indent + notation.step;
  return `${open}\n${itemsAt(further)
    .map((item) => `${further}${item},\n`)
    .join("")}${indent}${close}`;
}
