// Applications through their URLs: submitted, reviewed, claimed, their secrets regenerated.
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedSender, application, dataOf, newSlug, provision } from "../../../test/applications.ts";
import { textAt } from "../../../test/codes.ts";
import { rows } from "../../../test/sending.ts";
import { type Company, testService } from "../../../test/testservice.ts";
import { readClaim } from "./review.ts";

const HEX_24 = /^[0-9a-f]{24}$/;

test("third-party applications", async (t) => {
  const here = await testService(t);

  const submit = (company: Company, more: object = {}) =>
    company.call("/v1/third-party-app/submit", {
      name: "Boutique",
      slug: newSlug(),
      description: "Vend des pagnes",
      ...more,
    });
  const review = (id: string, move: string, body: object = {}) =>
    here.admin(`/v1/admin/third-party-app/${id}/${move}`, body);
  const mine = async (company: Company) => (await dataOf(company.call("/v1/third-party-app/my/list")))[0];

  await t.test("submitted: PENDING_REVIEW, no secret anywhere, cannot be connected", async () => {
    const company = await here.company();
    const { data } = await submit(company, { logoUrl: "https://boutique.example/logo.png" });
    assert.match(data.id, HEX_24);
    const { id, createdAt, slug, ...rest } = data;
    assert.deepEqual(rest, {
      name: "Boutique",
      description: "Vend des pagnes",
      logoUrl: "https://boutique.example/logo.png",
      webhookUrl: null,
      status: "PENDING_REVIEW",
    });
    assert.equal(new Date(createdAt).toISOString(), createdAt);
    assert.deepEqual(await mine(company), data);
    const regenerate = await company.call(`/v1/third-party-app/my/${id}/regenerate-secret`);
    assert.equal(regenerate.error, "app-not-active");
    const listed = await here.admin("/v1/admin/third-party-app/list", {
      status: "PENDING_REVIEW",
      limit: 100,
    });
    assert.ok(listed.data.some((one: { id: string }) => one.id === id));
  });

  await t.test(
    "my/list shows all of a company's applications, or a page where one is asked for",
    async () => {
      const company = await here.company();
      const ids: string[] = [];
      for (let i = 0; i < 12; i++) ids.unshift((await dataOf(submit(company))).id);
      const list = (body: object) => company.call("/v1/third-party-app/my/list", body);
      const shown = async (body: object) => (await list(body)).data.map((app: { id: string }) => app.id);
      assert.deepEqual(await shown({}), ids);
      assert.deepEqual(await shown({ sort: "asc" }), ids.toReversed());
      const { totalCount, count, page, totalPage } = await list({});
      assert.deepEqual(
        { totalCount, count, page, totalPage },
        { totalCount: 12, count: 12, page: 1, totalPage: 1 },
      );
      assert.deepEqual(await shown({ page: 1 }), ids.slice(0, 10));
      assert.deepEqual(await shown({ page: 2 }), ids.slice(10));
      assert.deepEqual(await shown({ limit: 5 }), ids.slice(0, 5));
      assert.deepEqual(await shown({ count: 5, page: 2 }), ids.slice(5, 10));
    },
  );

  await t.test("my/list has an end: the thousandth rejected application is the last", async () => {
    const company = await here.company();
    const rejected = `INSERT INTO apps (id, slug, name, description, company_id, user_id, status)
      SELECT lpad(to_hex(i), 24, '0'), 'old', 'Boutique', 'x', $1, $2, 'REJECTED' FROM generate_series(1, 999) i`;
    await rows(here.app, rejected, [company.companyId, company.userId]);
    assert.equal((await submit(company)).success, true);
    assert.equal((await submit(company)).error, "conflict");
    const { data, totalPage } = await company.call("/v1/third-party-app/my/list");
    assert.deepEqual([data.length, totalPage], [1_000, 1]);
  });

  await t.test("what will not do is refused, and names the field", async () => {
    const company = await here.company();
    const refused = async (more: object) => {
      const { error, details } = await submit(company, more);
      return `${error} ${details?.[0]?.field}`;
    };
    assert.equal(await refused({ slug: "Boutique" }), "invalid-request slug");
    assert.equal(await refused({ slug: "ab" }), "invalid-request slug");
    assert.equal(await refused({ name: "Bou\u200btique" }), "invalid-request name");
    assert.equal(await refused({ name: "\u202eeuqituoB" }), "invalid-request name");
    assert.equal(await refused({ name: "   " }), "invalid-request name");
    for (const name of ["\u3164", "\u115f", "\u2800", "x\ufe0f", "a\u034fb", "..."])
      assert.equal(await refused({ name }), "invalid-request name", JSON.stringify(name));
    for (const logoUrl of ['https://x"onerror=1', "https:\\\\x\\y", " https://x.y/", "https:x"])
      assert.equal(await refused({ logoUrl }), "invalid-request logoUrl", logoUrl);
    for (const name of ["Bou\ntique", "Bou\ttique", "Boutique\u0085", "Bou\u2028tique"])
      assert.equal(await refused({ name }), "invalid-request name");
    assert.equal(await refused({ description: "Vend\ndes pagnes", slug: "X" }), "invalid-request slug");
    assert.equal(await refused({ description: "Vend\ndes pagnes" }), "null undefined");
    assert.equal(await refused({ description: "" }), "invalid-request description");
    assert.equal(await refused({ logoUrl: "http://boutique.example/logo.png" }), "invalid-request logoUrl");
    assert.equal(await refused({ logoUrl: "javascript:alert(1)" }), "invalid-request logoUrl");
    assert.equal(await refused({ webhookUrl: "https://127.0.0.1/hook" }), "invalid-request webhookUrl");
    assert.equal(await refused({ webhookUrl: "file:///etc/passwd" }), "invalid-request webhookUrl");
  });

  await t.test("a slug is one application's, until it is rejected", async () => {
    const [one, two] = [await here.company(), await here.company()];
    const slug = newSlug();
    const first = await dataOf(submit(one, { slug }));
    assert.equal((await submit(two, { slug })).error, "app-slug-taken");
    const rejected = await review(first.id, "reject", { rejectionReason: "Nom d'une banque" });
    assert.equal(rejected.data.status, "REJECTED");
    assert.equal(rejected.data.rejectionReason, "Nom d'une banque");
    assert.equal((await mine(one)).rejectionReason, "Nom d'une banque");
    assert.equal((await submit(two, { slug })).error, null);
    const both = await Promise.all(Array.from({ length: 10 }, () => submit(one, { slug: "course" })));
    assert.equal(both.filter(({ success }) => success).length, 1);
  });

  await t.test("approval makes the secret; a repeat changes nothing; other moves are conflicts", async () => {
    const company = await here.company();
    const { id } = await dataOf(submit(company));
    const approved = await dataOf(review(id, "approve"));
    assert.equal(approved.status, "ACTIVE");
    assert.equal(approved.apiSecret, undefined);
    const { apiSecret, webhookSecret } = await mine(company);
    assert.match(apiSecret, /^tps_[A-Za-z0-9_-]{32}$/);
    assert.equal(webhookSecret, undefined);
    await dataOf(review(id, "approve"));
    assert.equal((await mine(company)).apiSecret, apiSecret);
    assert.equal((await review(id, "reject", { rejectionReason: "x" })).error, "conflict");
    assert.equal((await review("0".repeat(24), "approve")).error, "app-not-found");
    const another = await dataOf(submit(company));
    assert.equal((await review(another.id, "deactivate")).error, "conflict");
    assert.equal((await review(another.id, "reactivate")).error, "conflict");
  });

  await t.test(
    "deactivated: its secret and its connections' tokens stop at once; back with the same",
    async () => {
      const app = await application(here);
      const company = await here.company({ credits: 10 });
      await acceptedSender(here, company, "PAGNES");
      const made = await dataOf(provision(app, company, "client 1", { defaultSenderId: "PAGNES" }));
      const { connectionToken } = made;
      const balance = async () => (await here.call("/v1/third-party-app/balance", { connectionToken })).error;
      const status = async () =>
        (await app.call("/v1/third-party-app/pairing/status", { externalAccountId: "client 1" })).error;
      assert.deepEqual([await balance(), await status()], [null, null]);
      await dataOf(review(app.id, "deactivate"));
      assert.deepEqual([await balance(), await status()], ["app-not-active", "app-not-active"]);
      assert.equal((await provision(app, company, "client 1")).error, "app-not-active");
      const [hidden] = await dataOf(app.owner.call("/v1/third-party-app/my/list"));
      assert.equal(hidden.apiSecret, undefined);
      await dataOf(review(app.id, "reactivate"));
      assert.deepEqual([await balance(), await status()], [null, null]);
      assert.equal((await dataOf(provision(app, company, "client 1"))).connectionToken, connectionToken);
    },
  );

  await t.test(
    "A08: a regenerated secret kills the old one; another company's application does not exist",
    async () => {
      const app = await application(here);
      const path = `/v1/third-party-app/my/${app.id}/regenerate-secret`;
      const { apiSecret } = await dataOf(app.owner.call(path));
      assert.notEqual(apiSecret, app.apiSecret);
      const begin = async (secret: string) =>
        (
          await here.call("/v1/third-party-app/pairing/initiate", {
            apiSecret: secret,
            externalAccountId: "client",
          })
        ).error;
      assert.equal(await begin(app.apiSecret), "not-authenticated");
      assert.equal(await begin(apiSecret), null);
      const unauthenticated = await here.company();
      assert.deepEqual(
        await unauthenticated.call(path),
        await unauthenticated.call(path.replace(app.id, "0".repeat(24))),
      );
      assert.equal((await unauthenticated.call(path)).error, "app-not-found");
      assert.deepEqual(await dataOf(unauthenticated.call("/v1/third-party-app/my/list")), []);
    },
  );

  await t.test(
    "without an account: five submissions an hour, and secrets by a link that works once",
    async () => {
      const body = { name: "Marché", ownerEmail: "awa@marche.example", ownerPhone: "+225 07 00 00 55 55" };
      const submitPublic = (more: object = {}) =>
        here.call("/v1/third-party-app/public-submit", { ...body, slug: newSlug(), ...more });
      const { id, ...submitted } = await dataOf(submitPublic());
      assert.equal(submitted.status, "PENDING_REVIEW");
      assert.equal(submitted.ownerEmail, body.ownerEmail);
      assert.equal(submitted.ownerPhone, "2250700005555");
      assert.equal((await submitPublic({ ownerPhone: "12" })).error, "invalid-phone-number");
      assert.equal((await submitPublic({ ownerEmail: "awa\nBcc: x@y.example" })).error, "invalid-request");
      await dataOf(review(id, "approve"));
      const sms = await textAt(here, "2250700005555");
      const claimToken = sms.match(/\/claim\/([A-Za-z0-9_-]{32})/)![1]!;
      const wrong = await here.call("/v1/third-party-app/claim", { claimToken: `${claimToken}x` });
      assert.equal(wrong.error, "not-found");
      // To look at what there is to be claimed does not use it up.
      assert.equal((await readClaim(here.app.database, here.app, claimToken)).id, id);
      const claims = await Promise.all(
        [1, 2, 3].map(() => here.call("/v1/third-party-app/claim", { claimToken })),
      );
      const [claimed, ...more] = claims.filter((answer) => answer.success);
      assert.equal(more.length, 0);
      assert.match(claimed!.data.apiSecret, /^tps_/);
      for (let i = 0; i < 4; i++) await submitPublic();
      assert.equal((await submitPublic()).error, "too-many-requests");
    },
  );
});

test("a refusal does not bring what a stranger wrote to the phone that he gave", async (t) => {
  const here = await testService(t);
  const { id, slug } = await dataOf(
    here.call("/v1/third-party-app/public-submit", {
      name: "Gagnez : http://piege.example",
      slug: newSlug(),
      ownerEmail: "awa@marche.example",
      ownerPhone: "2250700005555",
    }),
  );
  await dataOf(here.admin(`/v1/admin/third-party-app/${id}/reject`, { rejectionReason: "Publicité" }));
  const sms = await textAt(here, "2250700005555");
  assert.ok(sms.includes(slug) && sms.includes("Publicité"), sms);
  assert.equal(sms.includes("piege"), false, sms);
});
