// Every query of the sources, found by loading the files that may hold queries.
import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ladder } from "../src/ladder.ts";
import type { Query } from "../src/platform/database/query.ts";

const ROOT = join(import.meta.dirname, "..");

/**
 * A query, its file below the root, its folder in `src` (`delivery/sends`), and how the file exports it, as in
 * `listContacts.asc`.
 */
export type FoundQuery = { path: string; folder: string; exportedAs: string; query: Query<unknown> };

/** The folder of a source by the names of `src/ladder.ts`: `delivery/sends`, `platform`. Empty above all folders. */
export function folderOf(path: string): string {
  return Object.keys(ladder).find((folder) => path.startsWith(`src/${folder}/`)) ?? "";
}

/** Whether a file is `sql.ts`, or `<sub-noun>.sql.ts` as in a folder with many queries. */
export function isQueryFile(path: string): boolean {
  return /[/.]sql\.ts$/.test(path);
}

/** Every query that a file exports, alone or in an object. */
export async function allQueries(): Promise<FoundQuery[]> {
  const found: FoundQuery[] = [];
  const collect = (path: string, exportedAs: string, value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { name, text } = value as Partial<Query<unknown>>;
    if (typeof name === "string" && typeof text === "string") {
      found.push({ path, folder: folderOf(path), exportedAs, query: value as Query<unknown> });
    } else if (Object.getPrototypeOf(value) === Object.prototype) {
      for (const [key, member] of Object.entries(value)) collect(path, `${exportedAs}.${key}`, member);
    }
  };
  for (const path of globSync("src/**/*.ts", { cwd: ROOT }).filter(isQueryFile).sort()) {
    const loaded = (await import(pathToFileURL(join(ROOT, path)).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(loaded)) collect(path, name, value);
  }
  return found;
}
