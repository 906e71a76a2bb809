// The reference and `docs/operators.md` give each setting of an operator the default that holds.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { testService } from "../../../test/testservice.ts";

const GUIDE = join(import.meta.dirname, "../../../docs/operators.md");
const PATH = "/v1/admin/operator/create";
const NEEDED = { name: "a", host: "127.0.0.1", port: 1, systemId: "a", password: "b", prefixes: ["225"] };

type Member = { default?: unknown };
type Asked = { properties: Record<string, Member>; required: string[] };
type Published = {
  paths: Record<string, { post: { requestBody: { content: { "application/json": { schema: Asked } } } } }>;
};

/** A default as the guide writes it, without backquotes. */
function written(value: unknown): string {
  if (value === null) return "none";
  return JSON.stringify(value).replace(/^\{"ton":(\d+),"npi":(\d+)\}$/, "{ ton: $1, npi: $2 }");
}

test("a new operator has the defaults that the reference and docs/operators.md promise", async (t) => {
  const here = await testService(t, { config: { simulator: false } });
  const { data: made } = await here.admin(PATH, NEEDED);
  const { paths } = (await (await fetch(`${here.url}/docs/openapi.json`)).json()) as Published;
  const { properties, required } = paths[PATH]!.post.requestBody.content["application/json"].schema;
  const isOptional = (name: string) => !required.includes(name) && !(name in NEEDED);
  const optional = Object.entries(properties).filter(([name]) => isOptional(name));
  assert.ok(optional.length > 30);
  assert.ok(!("tlsKey" in made));
  for (const [name, member] of optional)
    if (name !== "tlsKey") assert.deepEqual(member.default ?? null, made[name], name);

  const page = await (await fetch(`${here.url}/docs/administration?lang=fr`)).text();
  const [, article = ""] = page.split('<article id="admin-operator-create">');
  assert.match(article.split("</article>")[0]!, /overflowAfterS[^\n]*\n[^\n]*par défaut <code>60<\/code>/);

  const rows = readFileSync(GUIDE, "utf8").matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm);
  const guide = new Map([...rows].map(([, name, value]) => [name!, value!.replaceAll("`", "")]));
  const told = optional.filter(
    ([name]) => !["tls", "priority", "enabled", "kind", "connector", "connectorSettings"].includes(name),
  );
  assert.deepEqual([...guide.keys()].sort(), told.map(([name]) => name).sort());
  for (const [name, value] of guide)
    assert.equal(value.split(";")[0]!.replace("no limit", "none"), written(made[name] ?? null), name);
});
