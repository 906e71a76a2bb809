// Reselling: the customers of a reseller, its offers, and the key of its server.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { confirmView, secretView } from "../parts/confirm.ts";
import { button, field, form, linkButton } from "../parts/forms.ts";
import { listPart, tabs } from "../parts/lists.ts";
import { offerColumns } from "../parts/offers.ts";
import { figure, figures } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import { wholeNumber } from "../parts/wholenumbers.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";

type Offer = Data<"/v1/partner/app/offers/list">[number];

export function addReseller(screens: Screens): void {
  screens.page("/reseller", customers);
  screens.pageAndForm("/reseller/customers/new", newCustomer, takeCustomer);
  screens.page("/reseller/offers", offers);
  screens.pageAndForm("/reseller/offers/new", newOffer, takeOffer);
  screens.question("/reseller/offers/:id/archive", confirmArchive, {
    call: (visit) => visit.call("/v1/partner/app/offers/{id}/archive"),
    next: "/reseller/offers",
  });
  screens.pageAndForm("/reseller/key", confirmKey, makeKey);
}

const ROWS_SHOWN = 20;

const isOwner = (visit: Visit) => visit.company.role === "owner";

function resellerTabs(visit: Visit, here: string): Html {
  return tabs(visit.t("Revendeur", "Reseller"), here, [
    ["/reseller", visit.t("Clients", "Customers")],
    ["/reseller/offers", visit.t("Offres", "Offers")],
    ...(isOwner(visit) ? [["/reseller/key", visit.t("Clé de serveur", "Server key")] as const] : []),
  ]);
}

/** Returns the price of an offer, in the currency of the installation. */
export function offerPrice(visit: Visit, price: number): string {
  return visit.formats.money(price, visit.api.app.config.paymentCurrency ?? "XOF");
}

async function customers(visit: Visit): Promise<View> {
  const listed = await visit.listed("/v1/partner/customer/list", { limit: ROWS_SHOWN });
  const { formats, company } = visit;
  const title = visit.t("Clients", "Customers");
  return {
    title: visit.t("Revendeur", "Reseller"),
    body: html`${resellerTabs(visit, "/reseller")}
${figures([
  figure(
    visit.t("Votre solde", "Your balance"),
    formats.number(company.balance),
    visit.t("crédits à vendre", "credits to sell"),
  ),
  figure(title, formats.number(listed.totalCount)),
])}
${listPart(visit, listed, {
  title,
  columns: [
    [visit.t("Nom", "Name"), ({ id, name }) => html`<a href="/reseller/customers/${id}">${name}</a>`],
    [visit.t("Votre référence", "Your reference"), ({ externalId }) => externalId ?? "–"],
    [visit.t("Client depuis", "Customer since"), ({ createdAt }) => formats.moment(createdAt)],
    [visit.t("Crédits", "Credits"), ({ balance }) => formats.number(balance), "figure"],
  ],
  url: "/reseller",
  add:
    isOwner(visit) &&
    linkButton("/reseller/customers/new", visit.t("Nouveau client", "New customer"), "main", "add"),
  none: [
    visit.t("Aucun client", "No customers yet"),
    visit.t("Ajoutez un client, puis vendez-lui des crédits.", "Add a customer, then sell them credits."),
  ],
})}`,
  };
}

function newCustomer(visit: Visit): View {
  return {
    title: visit.t("Nouveau client", "New customer"),
    narrow: true,
    back: { href: "/reseller", text: visit.t("Clients", "Customers") },
    body: form(visit, "/reseller/customers/new", [
      field(visit, "name", visit.t("Nom", "Name")),
      field(
        visit,
        "externalId",
        visit.t("Votre référence pour ce client", "Your reference for this customer"),
        {
          hint: visit.t(
            "Par exemple son numéro dans votre logiciel de caisse. Elle doit être unique.",
            "For example, the customer number in your point-of-sale system. It must be unique.",
          ),
          isOptional: true,
        },
      ),
      button(visit.t("Ajouter le client", "Add customer")),
    ]),
  };
}

async function takeCustomer(visit: Visit): Promise<View | Redirect> {
  const externalId = visit.field("externalId");
  const calling = visit.call("/v1/partner/customer/create", {
    name: visit.field("name"),
    ...(externalId && { externalId }),
  });
  return visit.submit(calling, newCustomer, ({ data }) => `/reseller/customers/${data.id}`);
}

async function offers(visit: Visit): Promise<View> {
  const listed = await visit.listed("/v1/partner/app/offers/list", { limit: ROWS_SHOWN });
  const columns = offerColumns(visit);
  const title = visit.t("Offres", "Offers");
  return {
    title,
    body: html`${resellerTabs(visit, "/reseller/offers")}
${listPart(visit, listed, {
  title,
  columns: [
    columns.name,
    columns.state,
    columns.credit,
    columns.bonus,
    [visit.t("Prix", "Price"), ({ price }) => offerPrice(visit, price), "figure"],
    [
      visit.t("Archiver", "Archive"),
      ({ id, name, archivedAt }: Offer) =>
        archivedAt === null && isOwner(visit)
          ? html`<a href="/reseller/offers/${id}/archive" aria-label="${visit.t("Archiver", "Archive")} ${name}">${visit.t("Archiver", "Archive")}</a>`
          : "–",
    ],
  ],
  url: "/reseller/offers",
  add:
    isOwner(visit) &&
    linkButton("/reseller/offers/new", visit.t("Nouvelle offre", "New offer"), "main", "add"),
  none: [
    visit.t("Aucune offre", "No offers yet"),
    visit.t(
      "Une offre réunit un nombre de crédits, un bonus éventuel et un prix.",
      "An offer combines a number of credits, an optional bonus and a price.",
    ),
  ],
})}`,
  };
}

function newOffer(visit: Visit): View {
  const numeric = html`class="short" inputmode="numeric"`;
  return {
    title: visit.t("Nouvelle offre", "New offer"),
    narrow: true,
    back: { href: "/reseller/offers", text: visit.t("Offres", "Offers") },
    body: form(visit, "/reseller/offers/new", [
      field(visit, "name", visit.t("Nom", "Name"), {
        hint: visit.t("Le nom que voient vos clients.", "The name your customers see."),
      }),
      field(visit, "price", visit.t("Prix", "Price"), {
        hint: visit.t("En francs, sans centimes.", "In francs, without cents."),
        attributes: numeric,
      }),
      field(visit, "credit", visit.t("Crédits", "Credits"), { attributes: numeric }),
      field(visit, "bonusCredit", visit.t("Crédits bonus", "Bonus credits"), {
        attributes: numeric,
        isOptional: true,
      }),
      button(visit.t("Mettre en vente", "Put on sale")),
    ]),
  };
}

/** Returns the whole numbers in these fields, or the problem of the first field without one. */
export function numbersIn<Name extends string>(
  visit: Visit,
  names: readonly Name[],
): Record<Name, number> | Problem {
  const found = {} as Record<Name, number>;
  for (const name of names) {
    const number = wholeNumber(visit.field(name));
    if (number === undefined || number === "wrong")
      return new Problem(visit.t("Saisissez un nombre entier.", "Enter a whole number."), name);
    found[name] = number;
  }
  return found;
}

async function takeOffer(visit: Visit): Promise<View | Redirect> {
  const hasBonus = visit.field("bonusCredit") !== "";
  const numbers = numbersIn(visit, ["price", "credit", ...(hasBonus ? (["bonusCredit"] as const) : [])]);
  if (numbers instanceof Problem) return newOffer(visit.with(numbers));
  const calling = visit.call("/v1/partner/app/offers/create", { name: visit.field("name"), ...numbers });
  return visit.submit(calling, newOffer, "/reseller/offers");
}

function confirmArchive(visit: Visit): View {
  return confirmView(visit, {
    title: visit.t("Archiver cette offre ?", "Archive this offer?"),
    text: visit.t(
      "Cette offre ne pourra plus être achetée ni remise en vente. Les achats déjà faits peuvent encore être payés.",
      "This offer can no longer be bought or put back on sale. Existing purchases can still be paid.",
    ),
    yes: visit.t("Archiver l’offre", "Archive offer"),
    back: { href: "/reseller/offers", text: visit.t("Offres", "Offers") },
  });
}

function confirmKey(visit: Visit): View {
  const view = confirmView(visit, {
    title: visit.t("Clé de serveur", "Server key"),
    text: visit.t(
      "Votre serveur utilise cette clé (serverApiKey) pour vendre des crédits et gérer vos clients. Si vous en créez une nouvelle, l’ancienne cesse immédiatement de fonctionner : votre serveur est refusé tant qu’il n’a pas la nouvelle.",
      "Your server uses this key (serverApiKey) to sell credits and manage your customers. If you create a new one, the old one stops working immediately: your server is refused until it has the new one.",
    ),
    yes: visit.t("Créer une nouvelle clé", "Create new key"),
    back: { href: "/reseller", text: visit.t("Revendeur", "Reseller") },
  });
  return { ...view, body: html`${resellerTabs(visit, "/reseller/key")}${view.body}` };
}

async function makeKey(visit: Visit): Promise<View> {
  const made = await visit.attempt(visit.call("/v1/partner/app/server-key"));
  if (made instanceof Problem) return confirmKey(visit.with(made));
  return secretView(visit, {
    title: visit.t("Nouvelle clé de serveur", "New server key"),
    label: "serverApiKey",
    secret: made.data.serverApiKey,
    text: visit.t(
      "L’ancienne clé ne fonctionne plus. Installez celle-ci sur votre serveur.",
      "The old key no longer works. Install this one on your server.",
    ),
    next: "/reseller",
  });
}
