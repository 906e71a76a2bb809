// A customer of a reseller: its balance, selling it credits, its purchases, its statement and its campaigns.
import { type Html, html } from "../../../platform/http/html.ts";
import { newId } from "../../../platform/ids.ts";
import type { Data } from "../apiclient.ts";
import { button, field, form, select } from "../parts/forms.ts";
import { pager, table } from "../parts/lists.ts";
import {
  actions,
  copyable,
  doneNotice,
  facts,
  figure,
  figures,
  notice,
  type State,
  section,
  stateBadge,
} from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Fragment, type Redirect, type View, type Visit } from "../visit.ts";
import { campaignColumns } from "./campaigns.ts";
import { statementPart } from "./credits.ts";
import { numbersIn, offerPrice } from "./reseller.ts";

type Purchase = Data<"/v1/partner/purchase/{id}">;

export function addCustomer(screens: Screens): void {
  screens.page("/reseller/customers/:id", show);
  screens.form("/reseller/customers/:id/sell", sell);
  screens.form("/reseller/customers/:id/purchase", buy);
  screens.page("/reseller/customers/:id/campaigns", campaigns);
  screens.page("/reseller/purchases/:id", purchase);
  screens.page("/reseller/purchases/:id/live", live);
}

const ROWS_SHOWN = 20;
const OFFERS_SHOWN = 100;

const pageOf = (visit: Visit) => `/reseller/customers/${visit.id}`;

async function show(visit: Visit): Promise<View> {
  const id = visit.id;
  const [{ data: customer }, statement] = await Promise.all([
    visit.call("/v1/partner/customer/{id}", { id }),
    visit.listed("/v1/partner/customer/{id}/statement", { id, limit: ROWS_SHOWN }),
  ]);
  const { formats, company } = visit;
  return {
    title: customer.name,
    back: { href: "/reseller", text: visit.t("Clients", "Customers") },
    body: html`${doneNotice(visit, {
      sold: visit.t(
        "Vente enregistrée. Elle figure au relevé et les deux soldes sont à jour.",
        "Sale recorded. It appears in the statement and both balances are up to date.",
      ),
    })}
${figures([
  figure(
    visit.t("Solde du client", "Customer balance"),
    formats.number(customer.balance),
    visit.t("crédits", "credits"),
  ),
  figure(
    visit.t("Votre solde", "Your balance"),
    formats.number(company.balance),
    visit.t("crédits", "credits"),
  ),
])}
${company.role === "owner" && (await sellParts(visit))}
${section(visit.t("Client", "Customer"), [
  facts([
    [
      visit.t("Votre référence pour ce client", "Your reference for this customer"),
      customer.externalId ?? "–",
    ],
    ["customerId", html`<span class="code">${id}</span>`],
    [visit.t("Client depuis", "Customer since"), formats.moment(customer.createdAt)],
  ]),
  html`<p><a href="${pageOf(visit)}/campaigns">${visit.t("Voir ses envois", "View sends")}</a></p>`,
])}
${statementPart(visit, statement, pageOf(visit))}`,
  };
}

async function sellParts(visit: Visit): Promise<Html> {
  const offers = await visit.call("/v1/partner/app/offers/list", { limit: OFFERS_SHOWN });
  const onSale = offers.data.filter(({ archivedAt }) => archivedAt === null);
  // A form that is sent twice sells once, or creates one purchase.
  const key = visit.typed("key", "") || newId();
  const sellPart = section(visit.t("Vendre des crédits", "Sell credits"), [
    form(visit, { action: `${pageOf(visit)}/sell`, members: { key } }, [
      field(visit, "credit", visit.t("Nombre de crédits", "Number of credits"), {
        hint: visit.t(
          "Les crédits sont débités immédiatement de votre solde. Vous encaissez vous-même le paiement.",
          "The credits are deducted from your balance immediately. You collect the payment yourself.",
        ),
        attributes: html`class="short" inputmode="numeric"`,
      }),
      field(visit, "reason", visit.t("Motif affiché sur le relevé", "Reason shown on the statement"), {
        isOptional: true,
      }),
      button(visit.t("Vendre les crédits", "Sell credits")),
    ]),
  ]);
  const offerWords = ({ name, credit, bonusCredit, price }: (typeof onSale)[number]) => {
    const all = visit.formats.number(credit + bonusCredit);
    return `${name} · ${visit.t(`${all} crédits`, `${all} credits`)} · ${offerPrice(visit, price)}`;
  };
  const buyPart = section(visit.t("Achat d’une offre", "Offer purchase"), [
    html`<p>${visit.t("Les crédits sont attribués dès que votre prestataire de paiement confirme le paiement.", "Credits are granted as soon as your payment provider confirms the payment.")}</p>`,
    onSale.length === 0
      ? html`<p><a href="/reseller/offers">${visit.t("Mettez d’abord une offre en vente.", "Put an offer on sale first.")}</a></p>`
      : form(visit, { action: `${pageOf(visit)}/purchase`, members: { key } }, [
          select(visit, "offerId", visit.t("Offre", "Offer"), {
            choices: onSale.map((offer) => [offer.id, offerWords(offer)]),
          }),
          button(visit.t("Créer l’achat", "Create purchase"), "second"),
        ]),
  ]);
  return html`<div class="columns">${sellPart}${buyPart}</div>`;
}

async function sell(visit: Visit): Promise<View | Redirect> {
  const numbers = numbersIn(visit, ["credit"]);
  if (numbers instanceof Problem) return show(visit.with(numbers));
  const reason = visit.field("reason");
  const calling = visit.call("/v1/partner/grant-credit", {
    customerId: visit.id,
    ...numbers,
    ...(reason && { reason }),
    idempotencyKey: visit.field("key"),
  });
  return visit.submit(calling, show, `${pageOf(visit)}?done=sold`);
}

async function buy(visit: Visit): Promise<View | Redirect> {
  const offerId = visit.field("offerId");
  const calling = visit.call("/v1/partner/offer/purchase", {
    customerId: visit.id,
    offerId,
    // A person who goes back to the form and chooses another offer wants that one too.
    idempotencyKey: `${visit.field("key")}-${offerId}`,
  });
  return visit.submit(calling, show, ({ data }) => `/reseller/purchases/${data.id}`);
}

async function campaigns(visit: Visit): Promise<View> {
  const id = visit.id;
  const [{ data: customer }, listed] = await Promise.all([
    visit.call("/v1/partner/customer/{id}", { id }),
    visit.listed("/v1/partner/customer/{id}/campaigns", { id, limit: ROWS_SHOWN }),
  ]);
  const title = visit.t("Envois", "Sends");
  // A customer's campaigns have no page here: their recipients belong to the customer.
  const [, ...columns] = campaignColumns(visit);
  return {
    title: visit.t(`Envois de ${customer.name}`, `Sends for ${customer.name}`),
    back: { href: pageOf(visit), text: customer.name },
    body: section(title, [
      listed.data.length === 0
        ? html`<p>${visit.t("Aucune application n’a encore envoyé de SMS pour ce client.", "No application has sent SMS for this customer yet.")}</p>`
        : table(title, [[visit.t("Envoi", "Send"), ({ name }) => name], ...columns], listed.data),
      pager(visit, listed, `${pageOf(visit)}/campaigns`),
    ]),
  };
}

const STATES: Readonly<Record<Purchase["status"], State>> = {
  PENDING: ["wait", "En attente de paiement", "Awaiting payment"],
  PAID: ["note", "Payé, en attente de crédits", "Paid, waiting for credits"],
  GRANTED: ["good", "Crédits attribués", "Credits granted"],
  FAILED: ["wrong", "Paiement refusé", "Payment declined"],
};

async function readPurchase(visit: Visit): Promise<Purchase> {
  return (await visit.call("/v1/partner/purchase/{id}")).data;
}

async function purchase(visit: Visit): Promise<View> {
  const bought = await readPurchase(visit);
  const { customerId, amount, credit, bonusCredit, reference, createdAt } = bought;
  return {
    title: visit.t("Achat d’une offre", "Offer purchase"),
    narrow: true,
    back: { href: `/reseller/customers/${customerId}`, text: visit.t("Client", "Customer") },
    islands: ["live", "copy"],
    body: html`<div class="stack" data-live="/reseller/purchases/${visit.id}/live">${livePart(visit, bought)}</div>
${section(visit.t("Achat", "Purchase"), [
  facts([
    [visit.t("Montant à payer", "Amount due"), offerPrice(visit, amount)],
    [visit.t("Crédits", "Credits"), visit.formats.number(credit)],
    bonusCredit > 0 && [visit.t("Bonus", "Bonus"), visit.formats.number(bonusCredit)],
    [visit.t("Créé le", "Created on"), visit.formats.moment(createdAt)],
  ]),
  html`<p>${visit.t("Transmettez cette référence à votre prestataire de paiement : elle nous permet d’identifier le paiement.", "Give this reference to your payment provider: we use it to identify the payment.")}</p>`,
  copyable(reference, visit.t("Référence du paiement", "Payment reference")),
])}`,
  };
}

async function live(visit: Visit): Promise<Fragment> {
  const bought = await readPurchase(visit);
  return new Fragment(livePart(visit, bought), bought.status === "GRANTED");
}

function livePart(visit: Visit, { status }: Purchase): Html {
  return html`<p>${stateBadge(visit, STATES[status])}</p>
${
  status === "PAID" &&
  notice("wait", [
    html`<p>${visit.t("Votre solde est insuffisant. Les crédits seront attribués dès que vous aurez rechargé.", "Your balance is too low. The credits are granted as soon as you top up.")}</p>`,
    actions([html`<a href="/credits">${visit.t("Recharger", "Top up")}</a>`]),
  ])
}`;
}
