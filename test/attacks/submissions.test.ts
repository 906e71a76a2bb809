// An attack on public submissions of applications: unauthenticated callers fill the reviewers' list, take names and write
// to others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { moveApplication } from "../../src/commerce/apps/review.ts";
import { forgetSurplus } from "../../src/commerce/apps/submissions.ts";
import { dataOf, newSlug } from "../applications.ts";
import { textAt } from "../codes.ts";
import { countWaiting } from "../locks.ts";
import { rows } from "../sending.ts";
import {
  type Answered,
  type TestService,
  type TestServiceOptions,
  testService,
  until,
} from "../testservice.ts";

const BEHIND_PROXY = { config: { trustProxy: ["127.0.0.1"] } } satisfies TestServiceOptions;
const HOURS_KEPT = 72;

let people = 0;

/** Submits an application without an account from this address, for an owner whom nobody named before. */
function submit(here: TestService, ip: string, more: object = {}): Promise<Answered> {
  people++;
  const owner = {
    ownerPhone: `22505${String(people).padStart(8, "0")}`,
    ownerEmail: `awa${people}@marche.example`,
  };
  const body = { name: "Marché", slug: newSlug(), ...owner, ...more };
  return here.call("/v1/third-party-app/public-submit", body, { "X-Forwarded-For": ip });
}

/** The errors of as many submissions as there are addresses. */
async function errorsOf(here: TestService, ips: readonly string[], more: object = {}): Promise<unknown[]> {
  const errors = [];
  for (const ip of ips) errors.push((await submit(here, ip, more)).error);
  return errors;
}

const taken = (count: number) => Array<null>(count).fill(null);

function age(here: TestService, id: string, hours: number): Promise<unknown> {
  const older = "UPDATE apps SET created_at = created_at - $2 * interval '1 hour' WHERE id = $1";
  return rows(here.app, older, [id, hours]);
}

async function pending(here: TestService, sort: "asc" | "desc") {
  const { data } = await here.admin("/v1/admin/third-party-app/list", {
    ...{ status: "PENDING_REVIEW", limit: 100, sort },
  });
  return data as { id: string; forgottenAt?: string; createdAt: string }[];
}

const review = (here: TestService, id: string, move: "approve" | "reject", body: object = {}) =>
  here.admin(`/v1/admin/third-party-app/${id}/${move}`, body);

/** How many messages of any kind the service has queued or sent to people. */
async function messages(here: TestService): Promise<number> {
  const [{ count }] = await rows(
    here.app,
    "SELECT (SELECT count(*) FROM mails) + (SELECT count(*) FROM sends) + (SELECT count(*) FROM batches) AS count",
  );
  return count + here.simulator.inbox({}).length;
}

test("H04 40 networks submit all day, and whoever comes next is taken, with the same answer", async (t) => {
  const here = await testService(t, BEHIND_PROXY);
  const attack: Promise<Answered>[] = [];
  for (let network = 0; network < 40; network++)
    for (let i = 0; i < 5; i++) attack.push(submit(here, `198.18.${network}.1`));
  const [first] = await Promise.all(attack);
  const next = await submit(here, "203.0.113.7");
  assert.equal(next.error, null);
  assert.deepEqual(Object.keys(next).sort(), Object.keys(first!).sort());
  assert.deepEqual(Object.keys(next.data).sort(), Object.keys(first!.data).sort());
  assert.equal(next.data.status, "PENDING_REVIEW");
  const company = await here.company();
  const own = { name: "Boutique", slug: newSlug(), description: "Vend des pagnes" };
  assert.equal((await company.call("/v1/third-party-app/submit", own)).error, null);
});

test("H04 limits hold for an address, a network, an owner's phone and an owner's e-mail", async (t) => {
  const here = await testService(t, BEHIND_PROXY);
  const refused = "too-many-requests";
  const five = [...taken(5), refused];

  await t.test("five an hour for an address of IPv4, or a /64 of IPv6", async () => {
    assert.deepEqual(await errorsOf(here, Array(6).fill("198.51.100.7")), five);
    const one = Array.from({ length: 6 }, (_, i) => `2001:db8:1:1::${i}`);
    assert.deepEqual(await errorsOf(here, one), five);
  });

  await t.test("twenty an hour for a /24, or a /48", async () => {
    const twenty = [...taken(20), refused];
    const near = Array.from({ length: 21 }, (_, i) => `198.18.1.${i}`);
    assert.deepEqual(await errorsOf(here, near), twenty);
    const nearToo = Array.from({ length: 21 }, (_, i) => `2001:db8:2:${i}::1`);
    assert.deepEqual(await errorsOf(here, nearToo), twenty);
    assert.deepEqual(await errorsOf(here, ["198.18.2.1", "2001:db8:3::1"]), taken(2));
  });

  await t.test(
    "ten a day for an owner's phone and for an owner's e-mail, however they are written",
    async () => {
      const far = (network: number) => Array.from({ length: 11 }, (_, i) => `198.19.${network + i}.1`);
      const ten = [...taken(10), refused];
      assert.deepEqual(await errorsOf(here, far(0), { ownerPhone: "+2250701005555" }), ten);
      assert.equal((await submit(here, "203.0.113.1", { ownerPhone: "+225 07 01 00 55 55" })).error, refused);
      assert.deepEqual(await errorsOf(here, far(20), { ownerEmail: "awa@marche.example" }), ten);
      for (const ownerEmail of ["Awa@Marche.example", "awa+1@marche.example"])
        assert.equal((await submit(here, "203.0.113.2", { ownerEmail })).error, refused, ownerEmail);
      assert.equal((await submit(here, "203.0.113.1")).error, null);
    },
  );
});

test("H04 what comes past a day's budget is reviewed last, and gone after 72 h unless a person decided", async (t) => {
  const here = await testService(t, { ...BEHIND_PROXY, limits: { publicSubmitsPerDay: 2 } });
  const ids: string[] = [];
  for (let i = 0; i < 6; i++) ids.push((await dataOf(submit(here, `198.18.${i}.1`))).id);
  const [one, two, three, four, five, six] = ids;
  const company = await here.company();
  const own = { name: "Boutique", slug: newSlug(), description: "Vend des pagnes" };
  const { id: companys } = await dataOf(company.call("/v1/third-party-app/submit", own));
  const order = async (sort: "asc" | "desc") => (await pending(here, sort)).map(({ id }) => id);
  assert.deepEqual(await order("asc"), [one, two, companys, three, four, five, six]);
  assert.deepEqual(await order("desc"), [companys, two, one, six, five, four, three]);
  const all = await here.admin("/v1/admin/third-party-app/list", { limit: 100 });
  assert.deepEqual(
    all.data.map(({ id }: { id: string }) => id),
    [companys, two, one, six, five, four, three],
  );
  for (const { id, createdAt, forgottenAt } of await pending(here, "asc")) {
    const hours = forgottenAt && (Date.parse(forgottenAt) - Date.parse(createdAt)) / 3_600_000;
    assert.equal(hours, [one, two, companys].includes(id) ? undefined : HOURS_KEPT);
  }
  const before = await messages(here);
  await dataOf(review(here, three!, "approve"));
  await dataOf(review(here, four!, "reject", { rejectionReason: "Publicité" }));
  const sent = await messages(here);
  assert.ok(sent > before, "a decision is told");
  for (const id of [one, two, three, four, five, companys]) await age(here, id!, HOURS_KEPT + 1);
  await forgetSurplus(here.app, new AbortController().signal);
  const left = (await rows(here.app, "SELECT id FROM apps")).map(({ id }) => id);
  assert.deepEqual(left.sort(), [one, two, three, four, six, companys].sort());
  assert.equal((await review(here, five!, "approve")).error, "app-not-found");
});

test("H04 a submission that is approved while the surplus is forgotten stays", async (t) => {
  const here = await testService(t, { ...BEHIND_PROXY, limits: { publicSubmitsPerDay: 0 } });
  const { id } = await dataOf(submit(here, "198.18.1.1"));
  await age(here, id, HOURS_KEPT + 1);
  const { forgetting } = await here.app.database.transaction(async (tx) => {
    await moveApplication(tx, here.app, "approve", id);
    const forgetting = forgetSurplus(here.app, new AbortController().signal);
    await until(async () => (await countWaiting(here.app)) > 0);
    return { forgetting };
  });
  await forgetting;
  const statuses = await rows(here.app, "SELECT status FROM apps");
  assert.deepEqual(statuses, [{ status: "ACTIVE" }]);
});

test("H04 yesterday's submissions take nothing of today's budget", async (t) => {
  const here = await testService(t, { ...BEHIND_PROXY, limits: { publicSubmitsPerDay: 1 } });
  const { id } = await dataOf(submit(here, "198.18.1.1"));
  await submit(here, "198.18.2.1");
  const isSurplus = async () =>
    (await pending(here, "asc")).map(({ forgottenAt }) => forgottenAt !== undefined);
  assert.deepEqual(await isSurplus(), [false, true]);
  await age(here, id, 25);
  await submit(here, "198.18.3.1");
  assert.deepEqual(await isSurplus(), [false, false, true]);
});

test("H04 surplus submissions have a bound: the oldest make room", async (t) => {
  const limits = { publicSubmitsPerDay: 0, publicSurplusAtMost: 2 };
  const here = await testService(t, { ...BEHIND_PROXY, limits });
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push((await dataOf(submit(here, `198.18.${i}.1`))).id);
  await forgetSurplus(here.app, new AbortController().signal);
  assert.deepEqual(
    (await pending(here, "asc")).map(({ id }) => id),
    ids.slice(2),
  );
});

test("H04 a pending public submission holds its slug for 72 h", async (t) => {
  const here = await testService(t, BEHIND_PROXY);
  const company = await here.company();
  const own = { name: "Boutique", description: "Vend des pagnes" };
  const submitOwn = (slug: string) => company.call("/v1/third-party-app/submit", { ...own, slug });

  await t.test("within them it is taken, after them it is for whoever asks", async () => {
    for (const again of [(slug: string) => submit(here, "203.0.113.7", { slug }), submitOwn]) {
      const { id, slug } = await dataOf(submit(here, "198.18.1.1"));
      await age(here, id, HOURS_KEPT - 1);
      assert.equal((await again(slug)).error, "app-slug-taken");
      await age(here, id, 2);
      assert.equal((await again(slug)).error, null);
      assert.equal((await again(slug)).error, "app-slug-taken");
    }
  });

  await t.test("of many that ask at the same time one gets it", async () => {
    const { id, slug } = await dataOf(submit(here, "198.18.2.1"));
    await age(here, id, HOURS_KEPT + 1);
    const asking = Array.from({ length: 10 }, (_, i) => submit(here, `198.18.${10 + i}.1`, { slug }));
    const errors = (await Promise.all(asking)).map(({ error }) => error);
    assert.deepEqual(errors.sort(), [...Array(9).fill("app-slug-taken"), null].sort());
  });

  await t.test("it keeps its place in the review; approving it says that its slug is taken", async () => {
    const { id, slug } = await dataOf(submit(here, "198.18.3.1"));
    await age(here, id, HOURS_KEPT + 1);
    const newer = await dataOf(submitOwn(slug));
    assert.ok((await pending(here, "asc")).some((one) => one.id === id));
    const refused = await review(here, id, "approve");
    assert.equal(refused.error, "app-slug-taken");
    assert.deepEqual(
      refused.details?.map(({ field }) => field),
      ["slug"],
    );
    await dataOf(review(here, newer.id, "reject", { rejectionReason: "Nom d'une banque" }));
    assert.equal((await dataOf(review(here, id, "approve"))).status, "ACTIVE");
    assert.equal((await submitOwn(slug)).error, "app-slug-taken");
  });

  await t.test("approved or a company's, it holds its slug for good", async () => {
    const approved = await dataOf(submit(here, "198.18.4.1"));
    await dataOf(review(here, approved.id, "approve"));
    const owned = await dataOf(submitOwn(newSlug()));
    for (const { id, slug } of [approved, owned]) {
      await age(here, id, 100 * HOURS_KEPT);
      assert.equal((await submit(here, "198.18.5.1", { slug })).error, "app-slug-taken");
    }
  });

  await t.test("asked for while it is approved, it goes to one of the two", async () => {
    for (let round = 0; round < 5; round++) {
      const { id, slug } = await dataOf(submit(here, `198.18.${30 + round}.1`));
      await age(here, id, HOURS_KEPT + 1);
      const [approval, asked] = await Promise.all([review(here, id, "approve"), submitOwn(slug)]);
      const errors = [approval.error, asked.error];
      assert.deepEqual(errors.sort(), ["app-slug-taken", null].sort());
    }
  });
});

test("H04 nobody who was named gets a message before a person has decided", async (t) => {
  const config = { ...BEHIND_PROXY.config, smtpUrl: "smtp://127.0.0.1:1" };
  const here = await testService(t, { config, limits: { publicSubmitsPerDay: 0 } });
  const ownerPhone = "2250700005555";
  const { id, slug } = await dataOf(submit(here, "198.18.1.1", { ownerPhone }));
  const ordinary = await dataOf(submit(here, "198.18.2.1"));
  await rows(here.app, "UPDATE apps SET is_surplus = false WHERE id = $1", [ordinary.id]);
  await submit(here, "198.18.3.1", { ownerPhone });
  await pending(here, "asc");
  await age(here, id, HOURS_KEPT + 1);
  await dataOf(submit(here, "198.18.4.1", { slug, ownerPhone }));
  await forgetSurplus(here.app, new AbortController().signal);
  assert.equal((await pending(here, "asc")).length, 3);
  assert.equal(await messages(here), 0);
  await dataOf(review(here, ordinary.id, "reject", { rejectionReason: "Publicité" }));
  assert.match(await textAt(here, ordinary.ownerPhone), /Publicité/);
});
