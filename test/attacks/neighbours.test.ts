// A12: what a request of one account reads does not depend on the rows that other accounts have.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import pg from "pg";
import { routes } from "../../src/api/api.ts";
import { addressed, endpointOf, membersOf } from "../endpoints.ts";
import {
  credentialsOf,
  type Fixture,
  type Json,
  type Kind,
  makeFixture,
  NEW_KEY,
  OPEN,
} from "../fixtures.ts";
import { atLength } from "../length.ts";
import { addNeighbours, Meter, type Ran, recordStatements } from "../neighbours.ts";
import { asOwner, inBulk } from "../sending.ts";
import { type TestService, testService } from "../testservice.ts";
import { ask } from "../twins.ts";
import { listMutants, valuesOf } from "./mutants.ts";

/** Rows of others before the fixture's, and as many behind them. */
const VOLUME = atLength({
  short: { contacts: 100_000, lists: 20_000, others: 600 },
  long: { contacts: 240_000, lists: 60_000, others: 2_000 },
  night: { contacts: 1_000_000, lists: 1_000_000, others: 20_000 },
});

/**
 * An index of many rows has up to two levels more than one of few, so a look-up may touch three times the pages. A statement
 * that reads the others' rows touches at least one page for three of them.
 */
const TIMES_AT_MOST = 3;
const MORE_AT_MOST = 60;
const STATEMENTS_AT_LEAST = 500;

/** Statements that read rows of several accounts, and why. */
const OF_ALL: Record<string, string> = {
  "apps.listAccountsToLookAt": "a job goes through all accounts whose stopped connections have sends left",
  "audit.countEntries all": "administrators read the log of all accounts",
  "inbound.findSendOfMany":
    "it reads a summary of the phones of each month, and is planned by its values (migration 0009)",
  "sends.listNewestOf": "it looks at the newest 100 batches of all accounts, which sends to one phone share",
  "sends.listNamingNewest": "as the one above",
  "trace.findCampaign": "administrators look for an id among the campaigns of each company",
};

/**
 * The service makes its plans anew every 5 s. What may grow by 10,000 rows within that time is read well by older plans
 * too.
 */
const OF_BOOKS = /^(contacts|groups|optouts)\./;
/** Those of which an older plan may read too much until it is made anew, and why. */
const REPLANNED: Record<string, string> = {
  "optouts.deleteOptout": "its trigger counts by a plan of its own",
  "optouts.deleteOwnOptout": "as the one above",
  "optouts.hideAll": "as the one above",
  "optouts.hideOptouts": "as the one above",
};

/** A statement with the values of a request, or with values that sort before or behind all rows of the account. */
type Tried = Ran & { which: "as asked" | "early" | "late"; alone: number };

suite("tenants beside each other", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let fixture: Fixture;
  let kept: Meter;
  const tried: Tried[] = [];

  before(async () => {
    const config = { ...OPEN.config, roles: new Set(["api"] as const) };
    w = await testService({ after: (close) => closing.push(close) }, { ...OPEN, config });
    fixture = await makeFixture(w);
    await inBulk(
      w.app,
      "INSERT INTO erased_optouts (digest, company_id, source) VALUES ($1, $2, 'HANDSET')",
      [w.app.secrets.digest("erased-phone", "2250700000014"), fixture.companyId],
    );
    const ran = await askEverywhere();
    await addUnasked(ran);
    // The statistics of a young installation, which has one company.
    await asOwner(w.app, "ANALYZE");
    kept = await Meter.open(w.ownerUrl);
    closing.push(() => kept.close());
    for (const one of ran)
      for (const [which, values] of variantsOf(one, fixture.companyId)) {
        const alone = await kept.pagesOf(one, values);
        if (alone !== null) tried.push({ ...one, values, which, alone });
      }
    await addNeighbours(w.app, fixture.companyId.slice(0, 6), VOLUME);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  /** Asks every URL of an account, and every list in each of its orders. Returns one of each statement that ran. */
  async function askEverywhere(): Promise<Ran[]> {
    const ran = recordStatements(w.app);
    for (const route of routes) {
      const { callers, body: bodyOf } = endpointOf(route);
      for (const kind of callers) {
        if (kind === "admin" || kind === "provider" || NEW_KEY.has(route.path)) continue;
        for (const order of ordersOf(membersOf(route)))
          await send(kind, route, { ...bodyOf(fixture), ...order });
      }
    }
    const distinct = new Map<string, Ran>();
    for (const one of ran) distinct.set(`${one.account} ${one.query.name} ${shapeOf(one.values)}`, one);
    return [...distinct.values()];
  }

  async function send(kind: Kind, route: (typeof routes)[number], of: Json): Promise<void> {
    const { path, body } = addressed(route, of);
    await ask(w, path, { ...body, ...credentialsOf(kind, w, fixture) }, kind);
  }

  /** Adds the statements about an account that no request ran: those of jobs, and of rarer cases. */
  async function addUnasked(ran: Ran[]): Promise<void> {
    const names = new Set(ran.map(({ query }) => query.name));
    const owner = new pg.Client({ connectionString: w.ownerUrl });
    await owner.connect();
    await owner.query("SET atumpan.account = '*'");
    for (const mutant of await listMutants()) {
      if (names.has(mutant.name)) continue;
      const values = await valuesOf(owner, mutant, fixture.companyId, Object.values(fixture.own));
      const query = { name: mutant.name, text: mutant.honest };
      ran.push({ query, values, account: fixture.companyId });
    }
    await owner.end();
  }

  /** Those that touch more pages than they did before the others came, each with its plan. */
  async function findReaders(meter: Meter, among: readonly Tried[]): Promise<string[]> {
    const readers: string[] = [];
    for (const one of among) {
      const beside = (await meter.pagesOf(one)) ?? 0;
      if (beside <= TIMES_AT_MOST * one.alone + MORE_AT_MOST) continue;
      const who = one.account === null ? "the service" : "an account";
      const counts = `${one.alone} pages alone, ${beside} beside others`;
      readers.push(`${one.query.name} of ${who}, ${one.which}: ${counts}\n${await meter.planOf(one)}`);
    }
    return readers;
  }

  const ofOneAccount = () => tried.filter(({ query }) => !(query.name in OF_ALL));

  test("A12: every query of an account is tried", () => {
    const names = new Set(tried.map(({ query }) => query.name));
    assert.ok(names.size >= STATEMENTS_AT_LEAST, `${names.size} statements`);
  });

  test("A12: phone books, groups and opt-outs are read by plans that were made before the others came", async () => {
    const books = ofOneAccount().filter(({ query: { name } }) => OF_BOOKS.test(name) && !(name in REPLANNED));
    assert.deepEqual(await findReaders(kept, books), []);
  });

  for (const isKnown of [false, true])
    test(`A12: no query reads the rows of other accounts, ${isKnown ? "after ANALYZE saw them" : "while the statistics know one company"}`, async () => {
      if (isKnown) await asOwner(w.app, "ANALYZE");
      const meter = await Meter.open(w.ownerUrl);
      closing.push(() => meter.close());
      assert.deepEqual(await findReaders(meter, ofOneAccount()), []);
    });
});

/** The orders in which a list may be asked for; one empty order for what is no list. */
function ordersOf(members: ReturnType<typeof membersOf>): Json[] {
  const choices = (name: string) => {
    const schema = members.find(([member]) => member === name)?.[1] as { enum?: string[] } | undefined;
    return schema?.enum ?? [];
  };
  const sorts = choices("sort").map((sort) => ({ sort }));
  const orders = choices("orderBy").flatMap((orderBy) => sorts.map((sort) => ({ ...sort, orderBy })));
  return orders.length > 0 ? orders : sorts.length > 0 ? sorts : [{}];
}

/** Which values are null, and which lists are empty: statements often have a branch for each. */
function shapeOf(values: readonly unknown[]): string {
  return values
    .map((value) => (value === null ? "-" : Array.isArray(value) && !value.length ? "0" : "+"))
    .join("");
}

/** The same with values that sort before or behind the rows of the account, but for the account itself and for JSON. */
function variantsOf({ values }: Ran, account: string): [Tried["which"], readonly unknown[]][] {
  const swap = (value: unknown, by: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => swap(one, by));
    return typeof value === "string" && value !== account && !/^[[{]/.test(value) ? by : value;
  };
  return [
    ["as asked", values],
    ["early", values.map((value) => swap(value, "0"))],
    ["late", values.map((value) => swap(value, "zz"))],
  ];
}
