// Tests of the administration's pages as a browser without a script sees them: what is looked up, and who looks.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { person } from "../../../../test/administrators.ts";
import { dataOf } from "../../../../test/applications.ts";
import { type Fixture, makeFixture, OPEN } from "../../../../test/fixtures.ts";
import { addOperator, inBulk, rows } from "../../../../test/sending.ts";
import { type TestService, testService, until } from "../../../../test/testservice.ts";
import { type Shown, Visitor } from "../../../../test/visitor.ts";
import { newId } from "../../../platform/ids.ts";

const COMPANIES = 150;

/** Signs in with a key. */
async function signedIn(w: TestService, adminKey: string): Promise<{ visitor: Visitor; home: Shown }> {
  const visitor = new Visitor(w);
  const form = await visitor.open("/admin/sign-in/key");
  return { visitor, home: await visitor.send(form, "/admin/sign-in/key", { adminKey }) };
}

/** The names of the companies in the table of a page. */
function companiesIn({ text }: Shown): string[] {
  return [...text.matchAll(/<a href="\/admin\/companies\/[0-9a-f]{24}">([^<]+)<\/a>/g)].map(
    ([, name]) => name!,
  );
}

suite("the pages of the administration", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;
  let fixture: Fixture;
  let visitor: Visitor;

  before(async () => {
    w = await testService({ after: (close) => closing.push(close) }, OPEN);
    fixture = await makeFixture(w);
    // Younger than what is looked up: no page of a list is read to find it.
    const users = `INSERT INTO users (id, name, phone, key_digest, created_at)
      SELECT lpad(i::text, 24, 'f'), 'Ali ' || i, (22670000000 + i)::text, 'd' || i, now() FROM generate_series(1, $1) i`;
    const companies = `INSERT INTO companies (id, name, created_at)
      SELECT lpad(i::text, 24, 'f'), 'Kiosque ' || i, now() FROM generate_series(1, $1) i`;
    const owners = `INSERT INTO memberships (company_id, user_id, role)
      SELECT lpad(i::text, 24, 'f'), lpad(i::text, 24, 'f'), 'owner' FROM generate_series(1, $1) i`;
    for (const text of [users, companies, owners]) await inBulk(w.app, text, [COMPANIES]);
    ({ visitor } = await signedIn(w, w.adminKey));
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  test("a company is found by name, phone and id without a script, in pages that keep the search", async () => {
    const search = async (typed: string) =>
      visitor.send(await visitor.open("/admin/companies"), "/admin/companies", { search: typed });
    const first = await search("kiosque");
    assert.equal(companiesIn(first).length, 20);
    const next = first.text.match(/rel="next" href="([^"]+)"/)![1]!.replace(/&amp;/g, "&");
    assert.match(next, /search=kiosque/);
    const second = companiesIn(await visitor.open(next));
    assert.equal(second.length, 20);
    assert.deepEqual(
      second.filter((name) => companiesIn(first).includes(name)),
      [],
    );
    assert.deepEqual(companiesIn(await search("kiosque 150")), ["Kiosque 150"]);
    assert.deepEqual(companiesIn(await search("22670000149")), ["Kiosque 149"]);
    assert.deepEqual(companiesIn(await search(fixture.companyId)), ["Boutique Awa"]);
    const nothing = await search(`x${newId()}`);
    assert.deepEqual([nothing.status, companiesIn(nothing)], [200, []]);
    const long = await visitor.open(`/admin/companies?search=${"x".repeat(300)}`);
    assert.deepEqual([long.status, companiesIn(long)], [200, []]);
  });

  test("what is older than a page of its list has its page, and what is not there is not found", async () => {
    const { own } = fixture;
    for (const [url, id] of [
      ["/admin/companies/:id", own.company],
      ["/admin/companies/:id/edit", own.company],
      ["/admin/reviews/senders/:id", own.pending],
      ["/admin/reviews/applications/:id", own.submitted],
      ["/admin/operators/:id/edit", own.operator],
      ["/admin/administrators/:id", own.administrator],
      ["/admin/administrators/keys/:id/revoke", own.adminKey],
    ] as const) {
      assert.equal((await visitor.open(url.replace(":id", id))).status, 200, url);
      for (const wrong of [newId(), own.contact, "x"])
        assert.equal((await visitor.open(url.replace(":id", wrong))).status, 404, url);
    }
    const review = await visitor.open(`/admin/reviews/senders/${own.pending}`);
    assert.match(review.text, /Boutique Awa/);
  });

  test("the log names the things and the companies of its entries, however old they are", async () => {
    const { own } = fixture;
    await dataOf(w.admin(`/v1/admin/user/${own.administrator}/update`, { role: "finance" }));
    await dataOf(w.admin(`/v1/admin/company/${own.company}/update`, { senderLimit: 7 }));
    const { text } = await visitor.open("/admin/audit");
    assert.match(text, /a modifié un administrateur\s: Fatou Diop/);
    assert.match(text, new RegExp(`<a href="/admin/companies/${own.company}">Boutique Awa</a>`));
  });

  test("whoever signs in with a key sees which one it is and its role, and no button that the role may not press", async () => {
    const installed = await visitor.open("/admin/menu");
    assert.match(installed.text, /Vous utilisez la clé d’installation \(Propriétaire\)/);
    const { adminKey } = await dataOf(
      w.admin("/v1/admin/key/create", { name: "Tableau de bord", role: "support" }),
    );
    const { visitor: support } = await signedIn(w, adminKey);
    assert.match(
      (await support.open("/admin/menu")).text,
      /Vous utilisez la clé Tableau de bord \(Assistance\)/,
    );
    const people = await support.open("/admin/administrators");
    assert.equal(people.status, 200);
    assert.match(people.text, /Vous utilisez la clé Tableau de bord/);
    assert.match(people.text, /Seul un propriétaire/);
    assert.doesNotMatch((await support.open("/admin/companies")).text, /\/admin\/companies\/new/);
    const review = await support.open(`/admin/reviews/senders/${fixture.own.pending}`);
    assert.doesNotMatch(review.text, /name="decision"/);
    const { visitor: reviewer } = await signedIn(
      w,
      (await dataOf(w.admin("/v1/admin/key/create", { name: "Robot", role: "reviewer" }))).adminKey,
    );
    assert.match(
      (await reviewer.open(`/admin/reviews/senders/${fixture.own.pending}`)).text,
      /name="decision"/,
    );
  });

  test("the key of a session signs in its person, and signing out ends that session among many", async () => {
    const owner = await person(w, "owner");
    const [session] = await dataOf(owner.call("/v1/admin/session/list"));
    await inBulk(
      w.app,
      `INSERT INTO administrator_sessions (id, digest, administrator_id, address, expires_at)
       SELECT lpad(i::text, 24, 'f'), 'd' || i, $1, '127.0.0.1', now() + interval '1 day' FROM generate_series(1, 120) i`,
      [owner.id],
    );
    const { visitor: browser, home } = await signedIn(w, owner.adminKey);
    assert.equal(new URL(home.url).pathname, "/admin");
    const menu = await browser.open("/admin/menu");
    assert.match(menu.text, /Vous êtes connecté en tant que Fatou Diop \(Propriétaire\)/);
    await browser.send(menu, "/admin/sign-out");
    assert.equal((await owner.call("/v1/admin/session/read")).error, "not-authenticated");
    const { error } = await w.admin(`/v1/admin/session/${session.id}/end`);
    assert.equal(error, null);
  });

  test("a wrong key opens nothing", async () => {
    const { home } = await signedIn(w, "adm_guess");
    assert.equal(home.status, 400);
    assert.match(home.text, /Cette clé est incorrecte/);
  });

  test("an owner holds an operator and lets it send again; support sees that, and no button", async () => {
    const here = `/admin/operators/${fixture.own.operator}`;
    const held = await visitor.send(await visitor.open(here), `${here}/hold`, {});
    assert.match(held.text, /L’envoi par cet opérateur est suspendu/);
    const { visitor: support } = await signedIn(w, (await person(w, "support")).adminKey);
    const seen = await support.open(here);
    assert.match(seen.text, />Suspendu</);
    assert.doesNotMatch(seen.text, /Reprendre l’envoi/);
    const resumed = await visitor.send(await visitor.open(here), `${here}/resume`, {});
    assert.match(resumed.text, /L’envoi par cet opérateur a repris/);
    assert.doesNotMatch((await visitor.open(here)).text, />Suspendu</);
  });

  test("an operator that is away says so in the language of the page, beside what the network said", async () => {
    const id = await addOperator(w, 1);
    const { text } = await until(async () => {
      const shown = await visitor.open(`/admin/operators/${id}`);
      return shown.text.includes("ECONNREFUSED") && shown;
    });
    assert.match(
      text,
      /Aucun serveur n’écoute à cette adresse[^<]*<small class="line">127.0.0.1:1: connect ECONNREFUSED/,
    );
  });

  test("the processes are listed with their binds, and say why a bind cannot be moved", async () => {
    assert.match((await visitor.open("/admin")).text, /href="\/admin\/nodes"/);
    const page = await until(async () => {
      const shown = await visitor.open("/admin/nodes");
      return shown.text.includes(`/move/${fixture.own.simulated}/0`) && shown;
    });
    assert.match(page.text, /En marche/);
    assert.ok(page.text.includes(w.app.database.node), "the log names a process so");
    const moved = await visitor.send(page, `/admin/nodes/move/${fixture.own.simulated}/0`, {});
    assert.match(moved.text, /aucun autre processus en cours d’exécution/i);
  });

  test("the overview says that sending is held, and an owner decides on a page of its own", async () => {
    const decided = () =>
      until(async () => {
        const shown = await visitor.open("/admin/recovery");
        return shown.text.includes("n’est pas suspendu") && shown;
      });
    assert.doesNotMatch((await visitor.open("/admin")).text, /L’envoi est suspendu/);
    await rows(
      w.app,
      "UPDATE incarnations SET state = 'HELD', reason = 'RESTORED', last_beat_at = made_at, beat = beat + 1",
    );
    assert.match((await visitor.open("/admin")).text, /L’envoi est suspendu/);
    const page = await visitor.open("/admin/recovery");
    assert.match(page.text, /restaurée à partir d’une copie/);
    await visitor.send(page, "/admin/recovery/unknown", {});
    assert.match((await decided()).text, /les messages en attente ne sont pas renvoyés/);

    await rows(
      w.app,
      "UPDATE incarnations SET state = 'HELD', decision = NULL, decided_at = NULL, beat = beat + 1",
    );
    await rows(
      w.app,
      "INSERT INTO gateway_reports SELECT number, 'atumpan 1', 'app1', false FROM incarnations",
    );
    const unclear = await visitor.open("/admin/recovery");
    assert.match(unclear.text, /n’est plus possible.*dans aucun fichier\. atumpan 1 \(app1\)/);
    await rows(w.app, "UPDATE gateway_reports SET is_whole = true");
    await visitor.send(await visitor.open("/admin/recovery"), "/admin/recovery/submitted", {});
    assert.match((await decided()).text, /seuls les messages qui n’avaient pas été soumis sont envoyés/);
  });
});
