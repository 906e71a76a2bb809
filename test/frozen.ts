// Migrations are frozen: `migrations/digests.json` has the SHA-256 of each, by the name of its file. Run directly
// (`npm run migrations:freeze`), it adds those that are new.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "..", "migrations");
const FILE = "digests.json";

type Digests = Readonly<Record<string, string>>;

/** The digests of the migrations in a folder. Line ends do not count, as where a migration is applied. */
function digestsOf(folder: string): Digests {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  const digestOf = (name: string) => {
    const sql = readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n");
    return createHash("sha256").update(sql).digest("hex");
  };
  return Object.fromEntries(names.sort().map((name) => [name, digestOf(name)]));
}

function frozenOf(folder: string): Digests {
  return JSON.parse(readFileSync(join(folder, FILE), "utf8"));
}

/** What is not as it was frozen, each in a sentence: it would be refused by every database that has it. */
export function changesOf(folder = FOLDER): string[] {
  const found = digestsOf(folder);
  return Object.entries(frozenOf(folder)).flatMap(([name, digest]) => {
    if (found[name] === digest) return [];
    const what = found[name] ? "changed" : "removed";
    return [
      `migrations/${name} was ${what} after it was frozen: restore it, and put the change into a new file`,
    ];
  });
}

/** The migrations without a digest, each in a sentence. */
export function additionsOf(folder = FOLDER): string[] {
  const frozen = frozenOf(folder);
  const added = Object.keys(digestsOf(folder)).filter((name) => !frozen[name]);
  return added.map((name) => `migrations/${name} is not frozen: run npm run migrations:freeze`);
}

/** Adds the digests of new migrations. Throws, and writes nothing, if one was changed or removed. */
export function freeze(folder = FOLDER): void {
  const changes = changesOf(folder);
  if (changes.length > 0) throw new Error(changes.join("\n"));
  writeFileSync(join(folder, FILE), `${JSON.stringify(digestsOf(folder), null, 2)}\n`);
}

if (import.meta.main) freeze();
