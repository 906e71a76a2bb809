// The choice of groups where there are many: searched with and without a script, and what is chosen stays chosen.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../applications.ts";
import { openBrowser, quietPage } from "../browser.ts";
import { newPhone } from "../codes.ts";
import { OPEN } from "../fixtures.ts";
import { endedImport, uploadFile } from "../importing.ts";
import { type Company, type TestService, testService } from "../testservice.ts";
import { formsOf, ownedCompany, type Shown, Visitor } from "../visitor.ts";

const GROUPS = 120;

suite("the choice among many groups", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let company: Company;
  let owner: Visitor;
  /** By name, `Zone 001` first. */
  let groups: string[];

  before(async () => {
    w = await testService({ after: (close) => closing.push(close) }, OPEN);
    const phone = newPhone();
    company = await ownedCompany(w, phone);
    owner = new Visitor(w);
    await owner.signInToConsole(w, phone);
    const names = Array.from({ length: GROUPS }, (_, i) => `Zone ${String(i + 1).padStart(3, "0")}`);
    const made = names.map((name) => dataOf(company.call("/v1/group/create", { name })));
    groups = (await Promise.all(made)).map(({ id }) => id);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** Sends the form of a page with these groups chosen. */
  function sendWith(page: Shown, action: string, chosen: string[], more: Record<string, string>) {
    const { csrf } = formsOf(page.text).find((form) => form.action === action)!.fields;
    const body = new URLSearchParams({ csrf: csrf!, ...more });
    for (const id of chosen) body.append("groups", id);
    return owner.open(action, { method: "POST", body });
  }

  function chosenIn({ text }: Shown): string[] {
    const inputs = text.match(/<input type="(?:checkbox|radio|hidden)" name="groups?"[^>]*>/g) ?? [];
    return inputs
      .filter((input) => /\schecked|"hidden"/.test(input))
      .map((input) => /value="([^"]*)"/.exec(input)![1]!)
      .sort();
  }

  const draftsOf = async () => (await dataOf(company.call("/v1/campaign/draft/list"))).length;

  test("without a script a group that is not shown is found; what was chosen and typed stays, and nothing is saved", async () => {
    const page = await owner.open("/campaigns/new");
    assert.match(page.text, /120\sgroupes\. Les 20 premiers sont affichés/);
    const typed = { numbers: "0707000001 ; Awa", find: "groups", groupSearch: "zone 11" };
    const found = await sendWith(page, "/campaigns/new", [groups[0]!], typed);
    assert.equal(found.status, 200);
    assert.match(found.text, /10 sur 120\sgroupes pour «\szone 11\s»/);
    assert.deepEqual(chosenIn(found), [groups[0]]);
    assert.equal(formsOf(found.text)[0]!.fields.numbers, typed.numbers);
    assert.equal(await draftsOf(), 0);
    const none = await sendWith(found, "/campaigns/new", [groups[0]!], { ...typed, groupSearch: "<b>" });
    assert.match(none.text, /Aucun groupe ne correspond à «\s&lt;b&gt;\s» \(120\sgroupes au total\)/);
    const saved = await sendWith(found, "/campaigns/new", [groups[0]!, groups[110]!], { numbers: "" });
    const draft = await dataOf(company.call(`/v1/campaign/draft/${saved.url.split("/").at(-2)}`));
    assert.deepEqual(draft.groupsIds.sort(), [groups[0], groups[110]].sort());
  });

  test("a draft to more groups than a page shows keeps all of them", async () => {
    const { id } = await dataOf(company.call("/v1/campaign/draft/save", { groupsIds: groups }));
    const url = `/campaigns/drafts/${id}/recipients`;
    const page = await owner.open(url);
    assert.deepEqual(chosenIn(page), groups.toSorted());
    assert.match(page.text, /Et 20\sautres groupes sélectionnés/);
    await sendWith(page, url, chosenIn(page), { numbers: "" });
    const draft = await dataOf(company.call(`/v1/campaign/draft/${id}`));
    assert.deepEqual(draft.groupsIds.sort(), groups.toSorted());
  });

  test("an import goes into a group that was searched for, with its columns as they were chosen", async () => {
    const id = await uploadFile(company, Buffer.from("rien;numero\nAwa;0700000001\n"));
    const page = `/contacts/import/${id}`;
    const columns = { column0: "name", column1: "phone", header: "yes" };
    const search = { find: "groups", groupSearch: "120", group: groups[4]!, groupName: "" };
    const found = await owner.send(await owner.open(page), `${page}/run`, { ...columns, ...search });
    const { fields } = formsOf(found.text).find(({ action }) => action.endsWith("/run"))!;
    assert.deepEqual([fields.column0, fields.column1], ["name", "phone"]);
    assert.deepEqual(chosenIn(found), [groups[4]]);
    assert.ok(found.text.includes(groups[119]!));
    await owner.send(found, `${page}/run`, { group: groups[119]! });
    const ended = await endedImport(w.app, company, id);
    assert.deepEqual([ended.groupId, ended.created], [groups[119], 1]);
  });

  test("with a script the groups are found while one types, and what is chosen stays", async (t) => {
    const browser = await openBrowser(t);
    if (!browser) return;
    const page = await quietPage(browser);
    const [name, value] = owner.cookie!.split(/=(.*)/) as [string, string];
    await page.context().addCookies([{ name, value, url: w.url }]);
    await page.goto(`${w.url}/campaigns/new`);
    await page.getByLabel("Zone 002").check();
    const search = page.getByLabel("Rechercher un groupe");
    await search.fill("ZONE 099");
    await page.getByLabel("Zone 099").check();
    await search.fill("rien de tel");
    await page.getByText("Aucun groupe ne correspond").waitFor();
    assert.deepEqual(await page.locator("input:checked").count(), 2);
    await page.getByRole("button", { name: "Continuer" }).click();
    await page.waitForURL(/\/message$/);
    const draft = await dataOf(company.call(`/v1/campaign/draft/${page.url().split("/").at(-2)}`));
    assert.deepEqual(draft.groupsIds.sort(), [groups[1], groups[98]].sort());
  });
});
