// Tests of the steps through the lists of the console: each row once, whatever comes and goes, and no URL that breaks a page.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import type { Company, TestService } from "../../../test/testservice.ts";
import { ownedCompany, type Shown, signedInOwner, unescaped, type Visitor } from "../../../test/visitor.ts";

const ROWS = 20;
const PAGES = 4;
const COUNT = ROWS * PAGES - 5;
const PLAIN = "/contacts?order=name";

/** Where a link of the pager leads; undefined if the page has none. */
function stepOf({ text }: Shown, rel: "next" | "prev"): string | undefined {
  const href = new RegExp(`rel="${rel}" href="([^"]+)"`).exec(text)?.[1];
  return href === undefined ? undefined : unescaped(href);
}

const numberOf = ({ text }: Shown) => Number(/<p>Page (\d+) sur/.exec(text)?.[1]);
const idsIn = ({ text }: Shown) => [...text.matchAll(/href="\/contacts\/(\w{24})"/g)].map(([, id]) => id!);
const fieldsOf = (href: string) => [...new URL(href, "http://here").searchParams.keys()];

suite("the pages of a list", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let company: Company;
  let owner: Visitor;

  before(async () => {
    const scope = { after: (close: () => Promise<void>) => closing.push(close) };
    ({ w, company, owner } = await signedInOwner(scope, { credits: 1_000 }));
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  const create = async (of: Company, names: readonly string[]): Promise<string[]> => {
    const contacts = names.map((name) => ({ phone: newPhone(), name }));
    const made = await dataOf(of.call("/v1/contact/create", { contacts }));
    return made.map(({ id }: { id: string }) => id);
  };
  const remove = (ids: readonly string[]) => dataOf(company.call("/v1/contact/delete", { contactsIds: ids }));

  /** Follows the links of the pager from a page to the end, and returns all pages. */
  const walk = async (from: Shown, rel: "next" | "prev"): Promise<Shown[]> => {
    const pages = [from];
    for (let href = stepOf(from, rel); href !== undefined; ) {
      const page = await owner.open(href);
      assert.equal(page.status, 200, href);
      pages.push(page);
      assert.ok(pages.length <= PAGES * 3, "the pages do not end");
      href = stepOf(page, rel);
    }
    return pages;
  };

  test("go on and back by the rows that they show, and their number stays in the URL", async () => {
    const made = await create(
      company,
      Array.from({ length: COUNT }, (_, i) => `Awa ${String(i).padStart(3, "0")}`),
    );
    const first = await owner.open(PLAIN);
    const onward = await walk(first, "next");
    assert.deepEqual(onward.flatMap(idsIn), made);
    assert.deepEqual(onward.map(numberOf), [1, 2, 3, 4]);
    assert.deepEqual(fieldsOf(stepOf(first, "next")!), ["order", "page", "after"]);

    const back = await walk(onward.at(-1)!, "prev");
    assert.deepEqual(back.map(numberOf), [4, 3, 2, 1]);
    assert.deepEqual(back.reverse().map(idsIn), onward.map(idsIn));
    assert.deepEqual(fieldsOf(stepOf(onward[2]!, "prev")!), ["order", "page", "before"]);

    for (const [i, page] of onward.entries()) {
      const numbered = await owner.open(`${PLAIN}&page=${i + 1}`);
      assert.deepEqual([numberOf(numbered), idsIn(numbered)], [i + 1, idsIn(page)]);
      const [next, previous] = [stepOf(numbered, "next"), stepOf(numbered, "prev")];
      assert.deepEqual([next, previous], [stepOf(page, "next"), stepOf(page, "prev")]);
    }
  });

  test("repeat and hide no row if rows come and go between two steps", async () => {
    const before = await walk(await owner.open(PLAIN), "next");
    const [first, second] = [before[0]!, before[1]!];
    // Sorts before all others, and shifts the pages by number.
    const added = await create(company, ["Aba", "Abo"]);
    const third = await owner.open(stepOf(second, "next")!);
    assert.deepEqual(idsIn(third), idsIn(before[2]!));
    const gone = [idsIn(second).at(-1)!, idsIn(third)[0]!];
    await remove(gone);
    const steps = await walk(await owner.open(stepOf(third, "prev")!), "prev");
    const shown = steps.reverse().flatMap(idsIn);
    const rest = [...idsIn(first), ...idsIn(second)].filter((id) => !gone.includes(id));
    assert.deepEqual(shown, [...added, ...rest]);
    assert.equal(numberOf(steps[0]!), 1, "the number says where the list begins");
    assert.equal(stepOf(steps[0]!, "prev"), undefined);

    const onward = await walk(third, "next");
    const [, ...others] = idsIn(third);
    assert.deepEqual(onward.flatMap(idsIn).slice(1), [...others, ...idsIn(before[3]!)]);
  });

  test("are those by number where a cursor is forged, of another list, or of rows that are all gone", async () => {
    const other = await ownedCompany(w, newPhone());
    await create(
      other,
      Array.from({ length: 3 }, (_, i) => `Zoé ${i}`),
    );
    const foreign = await other.call("/v1/contact/list", { orderBy: "name", limit: 1 });
    const second = await owner.open(`${PLAIN}&page=2`);
    const byDate = new URL(stepOf(await owner.open("/contacts"), "next")!, "http://here").searchParams;
    for (const cursor of ["x", "x.y", "%00", "é", "x".repeat(5_000), byDate.get("after")!])
      for (const name of ["after", "before"]) {
        const shown = await owner.open(`${PLAIN}&page=2&${name}=${encodeURIComponent(cursor)}`);
        const wanted = [200, 2, idsIn(second)];
        assert.deepEqual([shown.status, numberOf(shown), idsIn(shown)], wanted, `${name} ${cursor}`);
      }
    const strange = await owner.open(`${PLAIN}&page=2&after=${foreign.nextCursor}`);
    const own = new Set((await walk(await owner.open(PLAIN), "next")).flatMap(idsIn));
    assert.equal(strange.status, 200);
    for (const id of idsIn(strange)) assert.ok(own.has(id), "and never show another company's rows");

    const [last] = (await walk(await owner.open(PLAIN), "next")).slice(-2);
    const onward = stepOf(last!, "next")!;
    await remove(idsIn(await owner.open(onward)));
    const end = await owner.open(onward);
    assert.deepEqual([end.status, idsIn(end)], [200, idsIn(last!)]);
    assert.equal(stepOf(end, "next"), undefined);
  });

  test("keep the search, and a list that shrinks to one page is shown whole", async () => {
    const onward = await walk(await owner.open("/contacts?search=awa"), "next");
    const ids = onward.flatMap(idsIn);
    assert.equal(new Set(ids).size, ids.length);
    for (const page of onward.slice(1)) assert.match(page.url, /search=awa&page=\d&after=/);
    const back = await walk(onward.at(-1)!, "prev");
    assert.deepEqual(back.reverse().flatMap(idsIn), ids);
    const url = onward[1]!.url;
    await remove(ids.slice(5));
    assert.deepEqual(idsIn(await owner.open(url)), ids.slice(0, 5));
  });

  test("of a group stay where they are when a member is taken out", async () => {
    const members = await create(
      company,
      Array.from({ length: ROWS * 3 }, (_, i) => `Yao ${i}`),
    );
    const { id } = await dataOf(company.call("/v1/group/create", { name: "Marché", contactIds: members }));
    const at = `/groups/${id}`;
    const [, second] = await walk(await owner.open(at), "next");
    const [contactId] = idsIn(second!);
    const shown = await owner.send(second!, `${at}/take-out`, { contactId: contactId! });
    assert.match(shown.url, /done=out&page=2&after=/);
    assert.deepEqual(idsIn(shown).slice(0, ROWS - 1), idsIn(second!).slice(1));
  });

  test("lead to the first page where everything before was deleted", async () => {
    const pages = await walk(await owner.open(PLAIN), "next");
    assert.ok(pages.length > 3);
    const [first, second, third] = pages;
    const back = stepOf(third!, "prev")!;
    await remove([...idsIn(first!), ...idsIn(second!)]);
    const shown = await owner.open(back);
    assert.deepEqual([numberOf(shown), idsIn(shown)], [1, idsIn(third!)]);
  });
});
