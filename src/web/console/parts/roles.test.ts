// Tests of roles in the console: nobody is offered what their role may not do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf } from "../../../../test/applications.ts";
import { newPhone } from "../../../../test/codes.ts";
import { OPEN } from "../../../../test/fixtures.ts";
import { testService, until } from "../../../../test/testservice.ts";
import { ownedCompany, type Shown, unescaped, Visitor } from "../../../../test/visitor.ts";

const words = ({ text }: Shown) => unescaped(text.replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ");
const PAGES = ["/", "/campaigns", "/campaigns/drafts", "/campaigns/templates", "/senders", "/credits"];

test("nobody is offered what their role may not do", async (t) => {
  const w = await testService(t, OPEN);
  const ownerPhone = newPhone();
  const company = await ownedCompany(w, ownerPhone, { credits: 100 });
  const member = async (role: string) => {
    const phone = newPhone();
    await dataOf(company.call("/v1/company/member/create", { name: role, phone, role }));
    const visitor = new Visitor(w);
    await visitor.signInToConsole(w, phone);
    return visitor;
  };
  const body = { name: "BOUTIQUE", description: "Nos clients" };
  const sender = await dataOf(company.call("/v1/sender/create", body));
  await dataOf(w.admin(`/v1/admin/sender/${sender.id}/accept`));
  await dataOf(company.call("/v1/campaign/template/create", { name: "Rappel", text: "Bonjour" }));
  const says = { text: "Soldes", contacts: [{ phone: newPhone(), name: "Awa" }] };
  const draft = await dataOf(company.call("/v1/campaign/draft/save", says));
  const inAnHour = new Date(Math.ceil(Date.now() / 900_000) * 900_000 + 3_600_000).toISOString();
  const campaign = await dataOf(
    company.call("/v1/campaign/create", { ...says, type: "SCHEDULED", scheduledDate: inAnHour }),
  );
  const campaignPage = `/campaigns/${campaign.id}`;

  await t.test(
    "a reader reads: no page offers a change of campaigns, drafts, templates or credits",
    async () => {
      const reader = await member("reader");
      for (const page of [...PAGES, `/senders/${sender.id}`, campaignPage]) {
        const shown = await reader.open(page);
        assert.doesNotMatch(
          words(shown),
          /Nouvelle campagne|Envoyer votre première|Demander un expéditeur|Supprimer|Nouveau modèle|Dupliquer|Annuler|Reprogrammer|Choisir|Sélection/,
          page,
        );
        assert.doesNotMatch(shown.text, /href="\/(campaigns\/new|senders\/new)/, page);
      }
    },
  );

  await t.test("an editor prepares campaigns, and is not offered to send or to cancel them", async () => {
    const editor = await member("editor");
    assert.match(words(await editor.open("/campaigns")), /Nouvelle campagne/);
    assert.doesNotMatch(words(await editor.open(campaignPage)), /Annuler|Reprogrammer/);
    assert.match(words(await editor.open(campaignPage)), /Dupliquer/);
    const checkPage = `/campaigns/drafts/${draft.id}`;
    const checked = await editor.open(`${checkPage}/check`);
    assert.doesNotMatch(words(checked), /Envoyer \d SMS/);
    const submitted = await editor.send(checked, `${checkPage}/submit`);
    assert.match(words(submitted), /Campagne soumise le/);
    await until(() =>
      w.simulator
        .inbox({ phone: ownerPhone })
        .some(({ text }) => text.includes(`${w.url}${checkPage}/check`)),
    );
    const change = { id: draft.id, text: "Soldes d’hiver", contacts: [newPhone()] };
    await dataOf(company.call("/v1/campaign/draft/save", change));
    const changed = await editor.open(`${checkPage}/check`);
    assert.match(words(changed), /modifié depuis sa soumission.*Soumettre à nouveau/);
    assert.match(words(await editor.send(changed, `${checkPage}/submit`)), /Campagne soumise le/);
  });

  await t.test("the author of a campaign is not offered to approve it, and another approver is", async () => {
    const second = await member("approver");
    await dataOf(
      company.call("/v1/company/approval/update", { approval: "campaigns", approvalThreshold: 1 }),
    );
    const { id } = await dataOf(
      company.call("/v1/campaign/create", { ...says, type: "SCHEDULED", scheduledDate: inAnHour }),
    );
    const owner = new Visitor(w);
    await owner.signInToConsole(w, ownerPhone);
    const own = await owner.open(`/approvals/${id}`);
    assert.match(words(own), /Vous avez créé cette campagne/);
    assert.ok(!own.text.includes(`/approvals/${id}/approve`));
    const other = await second.open(`/approvals/${id}`);
    assert.ok(other.text.includes(`/approvals/${id}/approve`));
    assert.match(words(other), /crédits sont réservés au moment de l’envoi/);
    assert.doesNotMatch(words(other), /déjà réservés/);
  });
});
