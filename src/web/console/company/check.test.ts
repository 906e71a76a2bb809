// Tests of the check before a campaign goes: it says what will happen, what was checked is what is sent, and the page of the
// campaign goes on saying it.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { newPhone } from "../../../../test/codes.ts";
import { OPEN } from "../../../../test/fixtures.ts";
import { balanceOf } from "../../../../test/sending.ts";
import { type TestService, testService } from "../../../../test/testservice.ts";
import { ownedCompany, type Shown, unescaped, Visitor } from "../../../../test/visitor.ts";
import { nowMs } from "../../../platform/clock.ts";

const DAY_MS = 24 * 3_600_000;
/** The button that sends a test. */
const TESTING = Object.fromEntries(new URLSearchParams("then=test"));
/** A time of tomorrow. In Côte d'Ivoire clocks show UTC. */
const tomorrowAt = (time: string) =>
  `${new Date(nowMs() + DAY_MS).toISOString().slice(0, 10)}T${time}:00.000Z`;

suite("the check", () => {
  const closing: (() => Promise<void>)[] = [];
  let w: TestService;

  before(async () => {
    w = await testService({ after: (close) => closing.push(close) }, OPEN);
  });
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  async function owner(credits = 100, headers: Record<string, string> = {}) {
    const phone = newPhone();
    const company = await ownedCompany(w, phone, { credits });
    const visitor = new Visitor(w, headers);
    await visitor.signInToConsole(w, phone);
    const draft = async (says: object) => {
      const { id } = await dataOf(company.call("/v1/campaign/draft/save", says));
      return (step: string) => `/campaigns/drafts/${id}/${step}`;
    };
    return { phone, company, visitor, draft };
  }
  const words = ({ text }: Shown) => unescaped(text.replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ");
  const contacts = (...names: string[]) => names.map((name) => ({ phone: newPhone(), name }));

  test("a message without a chosen sender is checked under the name by which it goes", async () => {
    const { company, visitor, draft } = await owner();
    const at = await draft({ text: "Soldes", contacts: contacts("Awa") });
    assert.match(words(await visitor.open(at("check"))), /Expéditeur ATUMPAN \(du service\)/);
    const body = { name: "BOUTIQUE", description: "Promotions de la boutique" };
    const { id } = await dataOf(company.call("/v1/sender/create", body));
    await dataOf(w.admin(`/v1/admin/sender/${id}/accept`));
    assert.match(words(await visitor.open(at("check"))), /Expéditeur BOUTIQUE/);
    assert.match((await visitor.open(at("message"))).text, /<p class="from">BOUTIQUE</);
    const sent = await visitor.send(await visitor.open(at("check")), at("send"));
    assert.match(words(sent), /Expéditeur BOUTIQUE/);
  });

  test("own fields are offered as variables, and shown as people get them", async () => {
    const { company, visitor, draft } = await owner();
    // The newest is shown first; two of one request have no order.
    const [{ phone }] = await dataOf(company.call("/v1/contact/create", { phone: newPhone() }));
    const members = [{ phone }, { phone: newPhone(), fields: { city: "Man" } }];
    const group = await dataOf(company.call("/v1/group/create", { name: "Ouest", contacts: members }));
    const at = await draft({ text: "Rendez-vous à @city, @ville", groupsIds: [group.id] });
    const message = await visitor.open(at("message"));
    assert.match(message.text, /<code>@city<\/code>/);
    assert.match(message.text, /data-own="\[&quot;city&quot;\]"/);
    assert.match(words(message), /Rendez-vous à Man, @ville/);
    assert.match(words(message), /Ces mots ne sont pas des variables et restent tels quels : @ville/);
    const checked = words(await visitor.open(at("check")));
    assert.match(checked, /Rendez-vous à Man, @ville/);
    assert.match(checked, /@city est vide pour un destinataire/);
  });

  test("a text with gaps is sent only after the question, and a fallback answers it", async () => {
    const { company, visitor, draft } = await owner();
    const people = [{ phone: newPhone(), firstName: "Awa" }, { phone: newPhone() }, { phone: newPhone() }];
    const at = await draft({ text: "Bonjour @firstName, soldes", contacts: people });
    const checked = await visitor.open(at("check"));
    assert.match(words(checked), /est vide pour 2 destinataires sans prénom/);
    assert.match(words(checked), /Envoyer quand même à 2 destinataires sans cette valeur/);
    const refused = await visitor.send(checked, at("send"));
    assert.match(words(refused), /Aucun SMS n’a été envoyé : le message est incomplet/);
    assert.equal(await balanceOf(company), 100);
    const filled = await draft({ text: "Bonjour @firstName|cher client, soldes", contacts: people });
    assert.doesNotMatch(words(await visitor.open(filled("check"))), /Envoyer quand même|est vide/);
    await visitor.send(refused, at("send"), { asIs: "yes" });
    assert.equal(await balanceOf(company), 97);
  });

  test("where a second person has to approve, the button and the page of the campaign say so", async () => {
    const { company, visitor, draft } = await owner();
    await dataOf(
      company.call("/v1/company/member/create", { name: "Yao", phone: newPhone(), role: "approver" }),
    );
    const rule = { approval: "campaigns", approvalThreshold: 2 };
    await dataOf(company.call("/v1/company/approval/update", rule));
    const alone = await draft({ text: "Soldes", contacts: contacts("Awa") });
    assert.match(words(await visitor.open(alone("check"))), /Envoyer 1 SMS/);
    const at = await draft({ text: "Soldes", contacts: contacts("Awa", "Binta", "Chérif") });
    const checked = await visitor.open(at("check"));
    assert.match(
      words(checked),
      /deuxième personne .*Date d’envoi dès l’approbation.*Soumettre 3 SMS à l’approbation/,
    );
    const sent = await visitor.send(checked, at("send"));
    assert.match(words(sent), /En attente d’approbation par une deuxième personne/);
    assert.match(sent.text, /href="\/approvals"/);
  });

  test("names that cost more are told where the message is written, and who gets how many SMS where it is checked", async () => {
    const { visitor, draft } = await owner();
    const text = `Bonjour @name, ${"a".repeat(80)}`;
    const at = await draft({ text, contacts: contacts("Chloê", "Awa", "Binta") });
    const written = words(await visitor.open(at("message")));
    assert.match(written, /2 SMS pour ce contact/);
    assert.match(written, /Environ 4 crédits pour 3 personnes/);
    assert.match(written, /Le nom de ce contact contient des caractères plus coûteux : ê/);
    const checked = words(await visitor.open(at("check")));
    assert.match(checked, /1 SMS pour 2 personnes, 2 SMS pour 1 personne/);
    assert.match(checked, /Pour 1 personne, le nom contient des caractères plus coûteux/);
    assert.match(checked, /Bonjour Chloê, a+ Aperçu pour le \+/);
    assert.doesNotMatch(checked, /@name/);
  });

  test("F26: costly characters are named only where replacing them saves SMS, with what is saved", async () => {
    const { visitor, draft } = await owner(1_000);
    const people = contacts(...Array.from({ length: 30 }, (_, i) => `Client ${i}`));
    const short = await draft({ text: "L’offre d’aujourd’hui…", contacts: people });
    for (const step of ["message", "check"])
      assert.doesNotMatch(words(await visitor.open(short(step))), /En remplaçant|coûtent plus cher|’ » et/);
    const long = await draft({ text: `L’offre du jour…${"a".repeat(80)}`, contacts: people });
    for (const step of ["message", "check"])
      assert.match(
        words(await visitor.open(long(step))),
        /En remplaçant « ’ » et « … », ce message tiendrait en 1 SMS au lieu de 2 : 30 crédits de moins\./,
      );
    const replaced = Object.fromEntries(new URLSearchParams("then=replace"));
    const cheaper = words(await visitor.send(await visitor.open(long("message")), long("message"), replaced));
    assert.doesNotMatch(cheaper, /En remplaçant/);
    const smiling = await draft({ text: `Bonne fête 😀${"a".repeat(80)}`, contacts: people });
    assert.match(
      words(await visitor.open(smiling("check"))),
      /En remplaçant « ê » et sans « 😀 », ce message tiendrait en 1 SMS au lieu de 2 : 30 crédits de moins/,
    );
  });

  test("F26: what replacing saves in a text with names is counted for everybody", async () => {
    const { visitor, draft } = await owner(1_000);
    const people = contacts("Awa", "Binta", "Anne-Marie Kouassi-Brou");
    // 75 UCS-2 units for the longest name, 55 and 57 for the others.
    const at = await draft({ text: `L’offre pour @name : ${"a".repeat(35)}`, contacts: people });
    assert.match(
      words(await visitor.open(at("check"))),
      /En remplaçant « ’ », cette campagne tiendrait en 3 SMS au lieu de 4 : 1 crédit de moins/,
    );
  });

  test("F26: the check explains a price that is not one credit for each SMS, and the parts add up", async () => {
    const { company, visitor, draft } = await owner(1_000);
    const abroad = ["233241234567", "233241234568"].map((phone) => ({ phone: `+${phone}` }));
    const people = [...contacts("Awa", "Binta", "Chloê"), ...abroad];
    const text = `Bonjour @name, ${"a".repeat(80)}`;
    const at = await draft({ text, contacts: people });
    const checked = words(await visitor.open(at("check")));
    assert.match(checked, /6 SMS coûtent 14 crédits :/);
    assert.match(checked, /2 × 1 SMS × 5 crédits = 10 crédits \(Ghana\)/);
    assert.match(checked, /2 × 1 SMS × 1 crédit = 2 crédits \(Côte d’Ivoire\)/);
    assert.match(checked, /1 × 2 SMS × 1 crédit = 2 crédits \(Côte d’Ivoire\)/);
    const quote = await dataOf(company.call("/v1/campaign/quote", { text, contacts: people }));
    const sum = (of: "credits" | "messages") =>
      quote.breakdown.reduce((all: number, row: Record<string, number>) => all + row[of]!, 0);
    assert.deepEqual([sum("credits"), sum("messages")], [quote.creditUsed, quote.contactCount]);
    const plain = await draft({ text: "Soldes", contacts: contacts("Awa") });
    assert.doesNotMatch(words(await visitor.open(plain("check"))), /prix en détail/);
  });

  test("F26: the preview shows people who receive, and nobody who opted out", async () => {
    const { company, visitor, draft } = await owner();
    const [gone, stays] = contacts("Partie", "Awa");
    const group = await dataOf(company.call("/v1/group/create", { name: "Clients", contacts: [stays] }));
    // The newest member is looked at first.
    await dataOf(company.call(`/v1/group/${group.id}/contacts/add`, { contacts: [gone] }));
    await dataOf(company.call("/v1/optout/create", { phone: gone!.phone }));
    const at = await draft({ text: "Bonjour @name", groupsIds: [group.id] });
    for (const step of ["message", "check"]) {
      const shown = await visitor.open(at(step));
      assert.match(words(shown), /Bonjour Awa/, step);
      assert.doesNotMatch(words(shown), /Bonjour Partie/, step);
      assert.doesNotMatch(shown.text, new RegExp(`data-samples="[^"]*${gone!.phone}`));
    }
    const named = await draft({
      text: "Bonjour @name",
      contacts: [gone, { phone: "12" }, ...contacts("Zoé")],
    });
    assert.match(words(await visitor.open(named("message"))), /Bonjour Zoé Contact 1 sur 1/);
  });

  test("the same text is told to have gone today to as many people, and not for a test to oneself", async () => {
    const { phone, visitor, draft } = await owner();
    const at = await draft({ text: "Soldes", contacts: contacts("Awa") });
    await visitor.send(await visitor.open(at("message")), at("message"), TESTING);
    const isSame = async (path: string) => /même texte/.test(words(await visitor.open(path)));
    assert.equal(await isSame(at("check")), false, "a test is none");
    await visitor.send(await visitor.open(at("check")), at("send"));
    const again = await draft({ text: "Soldes", contacts: [{ phone }] });
    assert.equal(await isSame(again("check")), true);
    const more = await draft({ text: "Soldes", contacts: contacts("Awa", "Binta") });
    assert.equal(await isSame(more("check")), false, "others than before");
  });

  test("a weekly campaign is checked with its days and hours, and warned of at night, as after another date", async () => {
    const { company, visitor, draft } = await owner();
    const recurring = { monday: "08:30", friday: "22:00" };
    const says = { text: "Soldes", contacts: contacts("Awa"), type: "RECURRING" };
    const at = await draft({ ...says, recurring });
    const checked = words(await visitor.open(at("check")));
    assert.match(checked, /chaque semaine : lundi à 08:30, vendredi à 22:00/);
    assert.match(checked, /réveiller/);
    const byDay = await draft({ ...says, recurring: { monday: "08:30" } });
    assert.doesNotMatch(words(await visitor.open(byDay("check"))), /réveiller/);

    const when = { type: "SCHEDULED", scheduledDate: tomorrowAt("10:00") };
    const { id } = await dataOf(company.call("/v1/campaign/create", { ...says, ...when }));
    const moving = `/campaigns/${id}/reschedule`;
    const moved = await visitor.send(await visitor.open(moving), moving, { time: "03:15" });
    assert.match(words(moved), /Campagne reprogrammée\..*réveiller/);
    const back = await visitor.send(await visitor.open(moving), moving, { time: "11:00" });
    assert.doesNotMatch(words(back), /réveiller/);
  });

  test("one credit that is missing is one, and a balance below zero has a minus", async () => {
    const { visitor, draft } = await owner(1, { "Accept-Language": "en" });
    const english = await draft({ text: "Soldes", contacts: contacts("Awa", "Binta") });
    const checked = words(await visitor.open(english("check")));
    assert.match(checked, /Missing: 1 credit\./);
    assert.match(checked, /Balance after sending −1/);
  });

  test("what is refused is mended at the step that has it", async () => {
    const { visitor, draft } = await owner();
    const mending = async (says: object) =>
      /href="([^"]+)">Corriger/.exec((await visitor.open((await draft(says))("check"))).text)![1]!;
    const past = { type: "SCHEDULED", scheduledDate: "2026-01-05T10:00:00.000Z" };
    assert.match(await mending({ text: "Soldes", contacts: contacts("Awa"), ...past }), /\/when$/);
    assert.match(await mending({ text: "Soldes", contacts: [{ phone: "12" }] }), /\/recipients$/);
    assert.match(await mending({ text: "a".repeat(2_000), contacts: contacts("Awa") }), /\/message$/);
  });
});

test("what was checked is what is sent: members who came to a group since are shown before they cost anything", async (t) => {
  const here = await testService(t);
  const phone = newPhone();
  const company = await ownedCompany(here, phone, { credits: 100 });
  const { id: group } = await dataOf(company.call("/v1/group/create", { name: "Clients" }));
  const join = (count: number) => {
    const contacts = Array.from({ length: count }, newPhone);
    return dataOf(company.call(`/v1/group/${group}/contacts/add`, { contacts }));
  };
  await join(1);
  const { id } = await dataOf(
    company.call("/v1/campaign/draft/save", { text: "Soldes", groupsIds: [group], type: "SMS" }),
  );
  const at = (step: string) => `/campaigns/drafts/${id}/${step}`;
  const owner = new Visitor(here);
  await owner.signInToConsole(here, phone);

  const checked = await owner.open(at("check"));
  await join(40);
  const shown = await owner.send(checked, at("send"));
  assert.match(shown.text, /role="alert"[\s\S]*les destinataires ont changé[^<]*1\scrédit alors/);
  assert.match(shown.text, /Envoyer 41 SMS/);
  assert.deepEqual(
    [await balanceOf(company), (await company.call("/v1/campaign/list")).totalCount],
    [100, 0],
  );

  // A form that does not say what was checked sends nothing either.
  const unsaid = await owner.send(shown, at("send"), { credits: "" });
  assert.match(unsaid.text, /les destinataires ont changé/);
  const sent = await owner.send(unsaid, at("send"));
  assert.match(new URL(sent.url).pathname, /^\/campaigns\/\w{24}$/);
  assert.equal(await balanceOf(company), 59);
});
