// Tests of reports: the figures of a campaign, of its tables and of the home page agree with each other.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { newPhone } from "../../../../test/codes.ts";
import { settled } from "../../../../test/sending.ts";
import { type Company, type TestService, until } from "../../../../test/testservice.ts";
import { signedInOwner, type Visitor } from "../../../../test/visitor.ts";

const QUARTER_MS = 15 * 60_000;
const TOMORROW = new Date(Math.ceil(Date.now() / QUARTER_MS + 96) * QUARTER_MS).toISOString();

/** What a page says, without its markup; a cell or a tile begins with a bar. */
const wordsOf = (text: string) =>
  text
    .replace(/<(td|th|dt|dd|li)\b[^>]*>/g, " | ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

suite("reports", () => {
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

  const create = (body: object) => dataOf(company.call("/v1/campaign/create", { text: "Bonjour", ...body }));
  const final = (id: string) =>
    until(async () => {
      const { queued, sent } = (await settled(company, id)).stats;
      return queued + sent === 0;
    });

  test("what is brought up to date in a report is all of it, and its figures agree with its tabs and its groups", async () => {
    const names = ["Marché", "Cocody"];
    const groups = await Promise.all(
      names.map((name) => dataOf(company.call("/v1/group/create", { name, contacts: ["2250700001001"] }))),
    );
    // The simulator refuses 0001, reports 0002 as not delivered and 0006 as expired.
    const ends = ["0001", "0002", "0006", "1002"];
    const { id } = await create({
      contacts: ends.map((end) => `225070000${end}`),
      groupsIds: groups.map((group) => group.id),
    });
    await final(id);
    const page = await owner.open(`/campaigns/${id}`);
    const [, url] = /data-live="([^"]+)"/.exec(page.text)!;
    const live = await owner.open(url!);
    assert.equal(live.headers.get("atumpan-live"), "over");
    for (const { text } of [page, live]) {
      const words = wordsOf(text);
      assert.match(words, /Destinataires \| 5 \| Remis \| 2 40 % \| En attente d’accusé \| 0/);
      assert.match(words, /Échecs \| 3 60 % 1 non remis 1 expiré 1 refusé/);
      assert.match(words, /simulator \| 5 \| 2 \| 3 \| 0/);
      assert.match(words, /Groupes \| Cocody Marché \| Destinataires \| 5/);
      assert.match(words, /\+225 07 00 00 10 02 \| Remis/);
      assert.doesNotMatch(words, /En cours|Envoyés/);
    }
    const expired = await owner.open(`/campaigns/${id}?status=EXPIRED`);
    const [, chosen] = /data-live="([^"]+)"/.exec(expired.text)!;
    const rows = (await owner.open(chosen!)).text.match(/href="\/numbers\/\d+"/g);
    assert.deepEqual(rows, ['href="/numbers/2250700000006"']);
  });

  test("a campaign that was cancelled before its hour has nobody whom it did not reach", async () => {
    const { id } = await create({ contacts: [newPhone()], type: "SCHEDULED", scheduledDate: TOMORROW });
    await dataOf(company.call(`/v1/campaign/${id}/cancel`));
    const words = wordsOf((await owner.open(`/campaigns/${id}`)).text);
    assert.match(words, /Échecs \| 0 0 % \| Annulés \| 1/);
  });

  test("a recurring campaign that has not run yet tells its people from its messages", async () => {
    const { id } = await create({
      contacts: [newPhone(), newPhone()],
      type: "RECURRING",
      recurring: { monday: "08:30" },
    });
    const words = wordsOf((await owner.open(`/campaigns/${id}`)).text);
    assert.match(words, /Messages \| 0 toutes occurrences/);
    assert.match(words, /Destinataires par occurrence \| 2/);
  });

  test("the figures of the home page and of its days add up to what was sent", async () => {
    const words = wordsOf((await owner.open("/")).text);
    assert.match(words, /Envoyés \| 5 en 14 jours \| Remis \| 2 40 % \| Échecs \| 3 en 14 jours/);
    assert.match(words, /\| 5 \| 2 \| 3 /);
  });

  test("what was sent to a contact is shown as the contact read it, and to others as the text of the template", async () => {
    const [known, unknown] = ["2250700002001", "2250700002002"];
    await dataOf(
      company.call("/v1/contact/create", {
        contacts: [{ phone: known, firstName: "Awa", lastName: "Koné" }],
      }),
    );
    const { id } = await create({ contacts: [known, unknown], text: "Bonjour @firstName" });
    await final(id);
    await dataOf(company.call("/v1/contact/delete", { contactsIds: await contactsOf(unknown) }));
    const shown = await owner.open(`/numbers/${known}`);
    assert.match(shown.text, /<blockquote>Bonjour Awa<\/blockquote>/);
    assert.match(shown.text, /Avec les noms actuels de ce contact/);
    const template = await owner.open(`/numbers/${unknown}`);
    assert.match(template.text, /<blockquote>Bonjour @firstName<\/blockquote>[\s\S]*Texte du modèle/);
  });

  /** The ids of the contact with this phone, if there is one. */
  async function contactsOf(phone: string): Promise<string[]> {
    const found = await dataOf(company.call("/v1/contact/list", { search: phone }));
    return found.map(({ id }: { id: string }) => id);
  }

  test("the statement names the campaigns that took credits, and leads to them", async () => {
    const { id } = await create({ contacts: [newPhone()], name: "Rentrée" });
    const { text } = await owner.open("/credits");
    assert.match(text, new RegExp(`Envoi de SMS <a class="line" href="/campaigns/${id}">Rentrée</a>`));
  });

  test("a sender tells when it was asked for, submitted and decided, and its name is not asked for twice", async () => {
    const asked = { name: "BOUTIQUE", description: "Promotions" };
    const { id } = await dataOf(company.call("/v1/sender/create", asked));
    const again = await owner.send(await owner.open("/senders/new"), "/senders/new", {
      ...asked,
      name: "Boutique",
    });
    assert.match(again.text, /Vous avez déjà demandé ce nom/);
    assert.match(again.text, new RegExp(`href="/senders/${id}"`));
    await dataOf(w.admin(`/v1/admin/sender/${id}/submit`));
    await dataOf(w.admin(`/v1/admin/sender/${id}/accept`));
    const { text } = await owner.open(`/senders/${id}`);
    const [timeline] = /<ol class="timeline">[\s\S]*?<\/ol>/.exec(text)!;
    assert.match(wordsOf(timeline), /Demandé \d.* \| Transmis pour validation \d.* \| Accepté \d/);
  });
});
