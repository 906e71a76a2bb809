// `npm run sdk` writes what the three clients know of the interface. The one of TypeScript does so in its own build too.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { routes } from "../src/api/api.ts";
import { readConfig } from "../src/platform/config.ts";
import { hooksOf } from "../src/web/docs/events.ts";
import { openapiOf } from "../src/web/docs/openapi.ts";
import { chaptersOf } from "../src/web/docs/operations.ts";
import { pythonNameOf } from "../src/web/docs/samples.ts";
import { type Facts, factsOf } from "./facts.ts";
import { type Document, typesOf } from "./types.ts";

/** The files that are made, by their paths in this folder. */
export function generatedFiles(): Record<string, string> {
  const chapters = chaptersOf(routes);
  const operations = chapters.flatMap((chapter) => chapter.operations);
  const { settings } = readConfig({});
  const document = openapiOf(chapters, hooksOf(settings), "/") as unknown as Document;
  const open = new Set(routes.filter((route) => takesAnything(route.body)).map(({ path }) => path));
  const facts = factsOf(operations);
  return {
    "typescript/src/generated/interface.ts": typesOf(document, operations, open),
    "typescript/src/generated/operations.ts": typescriptOf(facts),
    "php/src/operations.php": phpOf(facts),
    "python/atumpan/operations.py": pythonOf(facts),
  };
}

function takesAnything(body: object): boolean {
  return (body as { additionalProperties?: unknown }).additionalProperties === true;
}

function typescriptOf(facts: Record<string, Facts>): string {
  const rows = Object.entries(facts).map(
    ([name, one]) => `  ${JSON.stringify(name)}: ${JSON.stringify(one)},\n`,
  );
  return `// Made by npm run sdk. / Engendré par npm run sdk.
import type { Facts } from "../calls.ts";

export const operations: Readonly<Record<string, Facts>> = {
${rows.join("")}};
`;
}

function phpOf(facts: Record<string, Facts>): string {
  const listOf = (names: string[]) => `[${names.map((name) => `'${name}'`).join(", ")}]`;
  const rows = Object.entries(facts).map(([name, { path, credentials, effect, isList }]) => {
    const kinds = `[${credentials.map(listOf).join(", ")}]`;
    const more = isList ? ", 'isList' => true" : "";
    return `    '${name}' => ['path' => '${path}', 'credentials' => ${kinds}, 'effect' => '${effect}'${more}],\n`;
  });
  return `<?php

// Made by npm run sdk. / Engendré par npm run sdk.

return [
${rows.join("")}];
`;
}

function pythonOf(facts: Record<string, Facts>): string {
  const rows = Object.entries(facts).map(([name, one]) => {
    const written = name.split(".").map(pythonNameOf).join(".");
    // Of JSON without null and false, Python reads the same but for true.
    return `    ${JSON.stringify(written)}: ${JSON.stringify(one).replace(/:true\b/g, ":True")},\n`;
  });
  return `"""Made by npm run sdk. / Engendré par npm run sdk."""

OPERATIONS = {
${rows.join("")}}
`;
}

/** Writes the files whose paths begin so. */
export function writeGenerated(prefix = ""): void {
  for (const [path, text] of Object.entries(generatedFiles())) {
    if (!path.startsWith(prefix)) continue;
    const target = join(import.meta.dirname, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

if (import.meta.main) writeGenerated();
