// Sender IDs through their URLs, in the words of the interface document, and through the sends that name them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Company, testService, until } from "../../../test/testservice.ts";
import { newId } from "../../platform/ids.ts";
import { isReserved } from "../../protocol/sms/brands.ts";

const HEX_24 = /^[0-9a-f]{24}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test("senders", async (t) => {
  const w = await testService(t);

  const create = (company: Company, name: unknown, more: object = {}) =>
    company.call("/v1/sender/create", { name, description: "Notre boutique", ...more });
  const created = async (company: Company, name: string): Promise<string> =>
    (await create(company, name)).data.id;
  const move = (id: string, verb: "submit" | "accept" | "refuse", reason?: string) =>
    w.admin(`/v1/admin/sender/${id}/${verb}`, reason === undefined ? {} : { reason });
  const accepted = async (company: Company, name: string): Promise<string> => {
    const id = await created(company, name);
    assert.equal((await move(id, "accept", "Test")).data.status, "ACCEPTED");
    return id;
  };
  /** A campaign to one phone under this sender name, or under none. */
  const send = (company: Company, senderId?: string, phone = "2250700000601") =>
    company.call("/v1/campaign/create", {
      contacts: [phone],
      text: "Bonjour",
      ...(senderId && { senderId }),
    });
  const namesOf = (rows: { name: string }[]) => rows.map((row) => row.name);

  await t.test("a sender is created PENDING, with the document's five fields", async () => {
    const company = await w.company();
    const { data } = await create(company, "Boutique1");
    assert.match(data.id, HEX_24);
    assert.match(data.createdAt, ISO);
    const { id, createdAt, ...rest } = data;
    assert.deepEqual(rest, { name: "Boutique1", description: "Notre boutique", status: "PENDING" });
    assert.deepEqual((await company.call("/v1/sender/list")).data, [data]);
  });

  await t.test("a name is 3 to 11 ASCII letters and digits, and a description is required", async () => {
    const company = await w.company();
    for (const name of ["ABC", "ABCDEFGHIJK", "36111"]) {
      assert.equal((await create(company, name)).success, true, name);
    }
    const others = [
      "AB",
      "ABCDEFGHIJKL",
      "Ma Boutique",
      "Café",
      "ΑΒC",
      "A-B-C",
      "ABC\n",
      "",
      36111,
      ["ABC"],
      undefined,
    ];
    for (const name of others) {
      const { error, details } = await create(company, name);
      assert.equal(error, "invalid-request", String(name));
      assert.equal(details?.[0]?.field, "name", String(name));
    }
    for (const description of [undefined, null, "", 5, "x".repeat(1_001)]) {
      const { error, details } = await create(company, "ABCD", { description });
      assert.deepEqual([error, details?.[0]?.field], ["invalid-request", "description"]);
    }
    assert.equal((await company.call("/v1/sender/list")).totalCount, 3);
  });

  await t.test(
    "a name is the company's once, whatever the case; another company may have it too",
    async () => {
      const [company, other] = [await w.company(), await w.company()];
      await created(company, "Boutique1");
      assert.equal((await create(company, "BOUTIQUE1")).error, "sender-name-taken");
      assert.equal((await create(other, "Boutique1")).success, true);
    },
  );

  await t.test("reserved names are taken, also where other characters look like theirs", async () => {
    const company = await w.company();
    for (const name of ["ATUMPAN", "atumpan", "Orange", "0RANGE", "P0l1ce", "MTNMoMo", "UrGENCE5"]) {
      assert.equal((await create(company, name)).error, "sender-name-taken", name);
    }
    assert.equal(isReserved("T1MT1M", "TIMTIM"), true, "the service's default sender, whatever it is");
    assert.equal(isReserved("Orangerie", "TIMTIM"), false);
  });

  await t.test("the limit holds for creates at once; refused senders do not count", async () => {
    const company = await w.company();
    const names = Array.from({ length: 12 }, (_, i) => `Nom${i}`);
    const answers = await Promise.all(names.map((name) => create(company, name)));
    const errors = answers.flatMap(({ error }) => error ?? []);
    assert.deepEqual(
      errors,
      Array.from({ length: 9 }, () => "sender-limit-reached"),
    );
    const { data, totalCount } = await company.call("/v1/sender/list");
    assert.equal(totalCount, 3);
    await move(data[0].id, "refuse", "Nom trop général");
    assert.equal((await create(company, data[0].name)).success, true, "a refused name can be tried again");
    assert.equal((await create(company, "Nom99")).error, "sender-limit-reached");
  });

  await t.test("the limit is the company's own", async () => {
    const { data } = await w.admin("/v1/admin/company/create", { name: "Une seule", senderLimit: 1 });
    const { apiKey, companyId } = data;
    const ask = (name: string) => w.call("/v1/sender/create", { apiKey, companyId, name, description: "x" });
    assert.equal((await ask("Une1")).success, true);
    assert.equal((await ask("Une2")).error, "sender-limit-reached");
  });

  await t.test("A04: what a company says of status, id and the rest is not stored", async () => {
    const [company, other] = [await w.company(), await w.company()];
    const given = {
      id: newId(),
      status: "ACCEPTED",
      reason: "x",
      createdAt: "2020-01-01T00:00:00.000Z",
      userId: "x",
    };
    const { data } = await create(company, "Boutique1", given);
    assert.equal(data.status, "PENDING");
    assert.notEqual(data.id, given.id);
    assert.notEqual(data.createdAt, given.createdAt);
    const foreign = await create(company, "Boutique2", { companyId: other.companyId });
    assert.equal(foreign.error, "not-authenticated");
    assert.equal((await other.call("/v1/sender/list")).totalCount, 0);
  });

  await t.test(
    "a list: sort desc, order createdAt, 10 a page, unless the caller says otherwise",
    async () => {
      const company = await w.company();
      for (const name of ["Chantal", "awa", "Binta"]) await created(company, name);
      const list = (body: object) => company.call("/v1/sender/list", body);
      const table: [object, string[]][] = [
        [{}, ["Binta", "awa", "Chantal"]],
        [{ sort: "asc" }, ["Chantal", "awa", "Binta"]],
        [{ orderBy: "createdAt", sort: "desc" }, ["Binta", "awa", "Chantal"]],
        [{ orderBy: "name" }, ["Chantal", "Binta", "awa"]],
        [{ orderBy: "name", sort: "asc" }, ["awa", "Binta", "Chantal"]],
        [{ count: 2 }, ["Binta", "awa"]],
        [{ count: 2, page: 2 }, ["Chantal"]],
        [{ limit: 1 }, ["Binta"]],
        [{ count: 2, limit: 1 }, ["Binta"]],
        [{ page: 9 }, []],
      ];
      for (const [body, expected] of table) {
        assert.deepEqual(namesOf((await list(body)).data), expected, JSON.stringify(body));
      }
      const { totalCount, count, page, totalPage } = await list({ count: 2, page: 2 });
      assert.deepEqual(
        { totalCount, count, page, totalPage },
        { totalCount: 3, count: 1, page: 2, totalPage: 2 },
      );
      const faults = [
        { count: 0 },
        { count: 101 },
        { count: "5" },
        { limit: 0 },
        { page: 0 },
        { sort: "up" },
        { orderBy: "status" },
      ];
      for (const body of faults)
        assert.equal((await list(body)).error, "invalid-request", JSON.stringify(body));
    },
  );

  await t.test("only these moves exist; a repeat is harmless, any other is a conflict", async () => {
    const moves: [start: string, move: "submit" | "accept" | "refuse", end: string | null][] = [
      ["PENDING", "submit", "SUBMITTED"],
      ["PENDING", "accept", "ACCEPTED"],
      ["PENDING", "refuse", "REFUSED"],
      ["SUBMITTED", "submit", "SUBMITTED"],
      ["SUBMITTED", "accept", "ACCEPTED"],
      ["SUBMITTED", "refuse", "REFUSED"],
      ["ACCEPTED", "submit", null],
      ["ACCEPTED", "accept", "ACCEPTED"],
      ["ACCEPTED", "refuse", null],
      ["REFUSED", "submit", null],
      ["REFUSED", "accept", null],
      ["REFUSED", "refuse", "REFUSED"],
    ];
    const way = { PENDING: null, SUBMITTED: "submit", ACCEPTED: "accept", REFUSED: "refuse" } as const;
    for (const [start, verb, end] of moves) {
      const company = await w.company();
      const id = await created(company, "Boutique1");
      const first = way[start as keyof typeof way];
      if (first) await move(id, first, first === "submit" ? undefined : "première raison");
      const answer = await move(id, verb, verb === "submit" ? undefined : "seconde raison");
      if (end === null) assert.equal(answer.error, "conflict", `${start} ${verb}`);
      else assert.equal(answer.data.status, end, `${start} ${verb}`);
      const { data } = await company.call("/v1/sender/list");
      assert.equal(data[0].status, end ?? start);
      if (start === "REFUSED") assert.equal(data[0].reason, "première raison");
    }
  });

  await t.test("of an acceptance and a refusal at once, one happens", async () => {
    const company = await w.company();
    for (let i = 0; i < 3; i++) {
      const id = await created(company, `Duel${i}`);
      const answers = await Promise.all([move(id, "accept"), move(id, "refuse", "non")]);
      assert.deepEqual(answers.map(({ error }) => error).filter(Boolean), ["conflict"]);
    }
  });

  await t.test(
    "the administrator sees the company, and gives a reason for a refusal, which the company is shown",
    async () => {
      const company = await w.company({ name: "Chez Awa" });
      const id = await created(company, "Boutique1");
      assert.equal((await w.admin(`/v1/admin/sender/${id}/refuse`)).error, "invalid-request");
      assert.equal((await move(id, "refuse", "")).error, "invalid-request");
      const { data } = await move(id, "refuse", "Trop proche d’une marque");
      const { createdAt, ...rest } = data;
      assert.match(createdAt, ISO);
      assert.deepEqual(rest, {
        id,
        name: "Boutique1",
        description: "Notre boutique",
        status: "REFUSED",
        reason: "Trop proche d’une marque",
        companyId: company.companyId,
        companyName: "Chez Awa",
      });
      const [own] = (await company.call("/v1/sender/list")).data;
      assert.equal(own.reason, "Trop proche d’une marque");
      const read = (await company.call(`/v1/sender/${id}`)).data;
      assert.deepEqual(Object.keys(read).sort(), [...Object.keys(own), "decidedAt", "registrations"].sort());
      assert.match(read.decidedAt, ISO);
    },
  );

  await t.test("the administrator's list: newest first, by status, in pages", async () => {
    const fresh = await testService(t);
    const company = await fresh.company();
    const ids: string[] = [];
    for (const name of ["Un1", "Deux2", "Trois3"]) {
      ids.push((await company.call("/v1/sender/create", { name, description: "x" })).data.id);
    }
    await fresh.admin(`/v1/admin/sender/${ids[1]}/submit`);
    const list = (body: object = {}) => fresh.admin("/v1/admin/sender/list", body);
    const table: [object, string[]][] = [
      [{}, ["Trois3", "Deux2", "Un1"]],
      [{ sort: "asc" }, ["Un1", "Deux2", "Trois3"]],
      [{ status: "PENDING" }, ["Trois3", "Un1"]],
      [{ status: "PENDING", sort: "asc", limit: 1, page: 2 }, ["Trois3"]],
      [{ status: "SUBMITTED" }, ["Deux2"]],
      [{ status: "ACCEPTED" }, []],
    ];
    for (const [body, expected] of table) {
      assert.deepEqual(namesOf((await list(body)).data), expected, JSON.stringify(body));
    }
    const { totalCount, count, page, totalPage } = await list({ status: "PENDING", limit: 1, page: 2 });
    assert.deepEqual(
      { totalCount, count, page, totalPage },
      { totalCount: 2, count: 1, page: 2, totalPage: 2 },
    );
    assert.equal((await list({ status: "LOST" })).error, "invalid-request");
  });

  await t.test("A05: only the administrator moves a sender; an unknown one is sender-not-found", async () => {
    const company = await w.company();
    const id = await created(company, "Boutique1");
    for (const verb of ["submit", "accept", "refuse"] as const) {
      assert.equal((await move(newId(), verb, "x")).error, "sender-not-found");
      assert.equal(
        (await company.call(`/v1/admin/sender/${id}/${verb}`, { reason: "x" })).error,
        "not-authenticated",
      );
    }
    assert.equal((await company.call("/v1/admin/sender/list")).error, "not-authenticated");
    assert.equal((await company.call("/v1/sender/list")).data[0].status, "PENDING");
  });

  await t.test("A07: a send names an accepted sender of its own company, or costs nothing", async () => {
    const [company, other] = [await w.company({ credits: 10 }), await w.company({ credits: 10 })];
    await accepted(other, "Voisin");
    const submitted = await created(company, "Soumis");
    await move(submitted, "submit");
    const refused = await created(company, "Refus");
    await move(refused, "refuse", "non");
    await created(company, "Attente");
    const table: [string, string][] = [
      ["Voisin", "sender-not-found"],
      ["Personne", "sender-not-found"],
      ["Attente", "sender-not-accepted"],
      ["Soumis", "sender-not-accepted"],
      ["Refus", "sender-not-accepted"],
    ];
    for (const [name, error] of table) assert.equal((await send(company, name)).error, error, name);
    assert.equal((await company.call("/v1/credit/balance")).data, 10);
    assert.equal((await company.call("/v1/campaign/list")).totalCount, 0);
  });

  await t.test(
    "a send's sender: exact, else ignoring case; omitted, the only accepted one, else the default",
    async () => {
      const company = await w.company({ credits: 10 });
      const phone = "2250700000699";
      const senderIdOf = async (name?: string) => (await send(company, name, phone)).data.senderIdId;
      assert.equal(await senderIdOf(), null, "none is accepted: the service's default");
      const first = await accepted(company, "Boutique1");
      assert.equal(await senderIdOf("Boutique1"), first);
      assert.equal(await senderIdOf("bOUTIQUE1"), first);
      assert.equal(await senderIdOf(), first, "the only accepted one");
      const refusedAnew = await created(company, "Essai");
      await move(refusedAnew, "refuse", "non");
      const again = await accepted(company, "ESSAI");
      assert.equal(await senderIdOf("Essai"), again, "a refused namesake does not stand in its way");
      assert.equal(await senderIdOf(), null, "two are accepted: the service's default");
      const shown = await until(async () => {
        const { data } = await w.admin("/v1/admin/simulator/inbox", { phone });
        return data.length === 6 && data.map((message: { from: string }) => message.from);
      });
      assert.deepEqual(shown.sort(), ["ATUMPAN", "ATUMPAN", "Boutique1", "Boutique1", "Boutique1", "ESSAI"]);
    },
  );

  await t.test("the campaigns of a sender, newest first, as campaign/list shows them", async () => {
    const company = await w.company({ credits: 10 });
    const id = await accepted(company, "Boutique1");
    await accepted(company, "Boutique2");
    const ids = [];
    for (const name of ["Boutique1", "Boutique2", "boutique1"]) ids.push((await send(company, name)).data.id);
    const path = `/v1/sender/${id}/campaign`;
    const { data, totalCount, count } = await company.call(path);
    assert.deepEqual({ totalCount, count }, { totalCount: 2, count: 2 });
    assert.deepEqual(
      data.map((row: { id: string }) => row.id),
      [ids[2], ids[0]],
    );
    assert.ok(data.every((row: { senderIdId: string }) => row.senderIdId === id));
    const listed = await company.call("/v1/campaign/list");
    assert.deepEqual(Object.keys(data[0]), Object.keys(listed.data[0]));
    const second = await company.call(path, { page: 2, limit: 1, sort: "asc" });
    assert.deepEqual([second.data[0].id, second.totalCount, second.count], [ids[2], 2, 1]);
  });

  await t.test("A02: another company's sender answers like one that does not exist", async () => {
    const [owner, unauthenticated] = [await w.company({ credits: 10 }), await w.company()];
    const id = await accepted(owner, "Boutique1");
    await send(owner, "Boutique1");
    const foreign = await unauthenticated.call(`/v1/sender/${id}/campaign`);
    assert.deepEqual(foreign, await unauthenticated.call(`/v1/sender/${newId()}/campaign`));
    assert.equal(foreign.error, "sender-not-found");
  });
});
