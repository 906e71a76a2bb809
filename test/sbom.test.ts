// The list of packages that the service is made of (SBOM): complete, under licences that we accept, each package once.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");

/** What production may depend on: we need to name the authors, and nothing else. */
const ACCEPTED = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0"]);

/** Packages that stand in two versions, and why. The list is to become shorter. */
const TWICE = new Map([["fast-uri", "ajv 8 wants version 3, fastify's own packages version 4"]]);

type Component = {
  name: string;
  version: string;
  purl: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
  properties: { name: string; value: string }[];
};

// From the lock file alone, without the network. npm 11.19 marks a package as one for development as soon as it stands at one
// place for development, whatever needs it elsewhere (nodemailer, fast-uri), so the lock file says which are of production.
const made = execFileSync("npm", ["run", "--silent", "sbom"], { cwd: ROOT, encoding: "utf8" });
const { components } = JSON.parse(made) as { components: Component[] };
type Locked = { packages: Record<string, { version?: string; dev?: boolean }> };
const locked = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Locked;
const ofProduction = new Set(
  Object.entries(locked.packages)
    .filter(([path, { dev }]) => path !== "" && dev !== true)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")} ${version}`),
);
const production = components.filter(({ name, version }) => ofProduction.has(`${name} ${version}`));

test("H21: the SBOM has every package that production names, and its version", () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  ) as Record<string, Record<string, string>>;
  const listed = new Set(production.map(({ name, version }) => `${name} ${version}`));
  const missing = Object.entries({ ...dependencies, ...optionalDependencies })
    .map(([name, version]) => `${name} ${version}`)
    .filter((wanted) => !listed.has(wanted));
  assert.deepEqual(missing, []);
});

test("H21: every package of production has a licence that we accept", () => {
  const refused = production
    .map(({ name, licenses = [] }) => ({ name, ids: licenses.map(({ license }) => license?.id ?? "?") }))
    .filter(({ ids }) => ids.length === 0 || !ids.every((id) => ACCEPTED.has(id)))
    .map(({ name, ids }) => `${name}: ${ids.join() || "none"}`);
  assert.deepEqual(refused, []);
});

test("H21: no package of production stands in two versions without a reason", () => {
  const names = production.map(({ name }) => name);
  const twice = names.filter((name, i) => names.indexOf(name) !== i);
  assert.deepEqual(twice.sort(), [...TWICE.keys()]);
});

test("H21: the SBOM names no registry, so whoever builds may use any", () => {
  assert.deepEqual(
    components.filter(({ purl }) => !/^pkg:npm\/[^?#]+@[^?#]+$/.test(purl)),
    [],
  );
});
