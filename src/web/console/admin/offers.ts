// The offers of the service for top-ups, and the top-ups of all companies.
import { type Html, html } from "../../../platform/http/html.ts";
import { type AnswerOf, type Data, Refused } from "../apiclient.ts";
import { button, field, form, formButton, linkButton } from "../parts/forms.ts";
import { empty, pagedTable, queryOf, tableSection, tabs } from "../parts/lists.ts";
import { offerColumns } from "../parts/offers.ts";
import { actions, doneNotice, type State, section, stateBadge } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { companyLink, mayAdminister, numberField } from "./admin.ts";

export function addAdminOffers(screens: Screens): void {
  screens.page("/admin/offers", list);
  screens.pageAndForm("/admin/offers/new", newOffer, create);
  screens.question("/admin/offers/:id/archive", confirmArchive, {
    call: (visit) => visit.callAsAdmin("/v1/admin/offer/{id}/archive"),
    next: "/admin/offers?done=archived",
  });
}

type Offer = Data<"/v1/admin/offer/list">[number];
type Topup = Data<"/v1/admin/topup/list">[number];
type Status = Topup["status"];

const OFFERS_SHOWN = 100;
const SHOWN = 20;
const STATUSES: readonly Status[] = ["GRANTED", "PENDING", "FAILED", "EXPIRED"];

async function list(visit: Visit): Promise<View> {
  const companyId = visit.field("companyId");
  const status = STATUSES.find((one) => one === visit.field("status"));
  const filters = { ...(companyId && { companyId }), ...(status && { status }) };
  const [offers, topups] = await Promise.all([
    companyId ? undefined : visit.callAsAdmin("/v1/admin/offer/list", { limit: OFFERS_SHOWN }),
    visit.listedAsAdmin("/v1/admin/topup/list", { limit: SHOWN, ...filters }),
  ]);
  return {
    title: visit.t("Recharges", "Top-ups"),
    body: html`${doneNotice(visit, {
      made: visit.t("L’offre est en vente.", "The offer is on sale."),
      archived: visit.t("L’offre n’est plus en vente.", "The offer is no longer on sale."),
    })}
${companyId && html`<p>${visit.t("Recharges d’une seule entreprise.", "Top-ups of one company.")} <a href="/admin/offers">${visit.t("Toutes", "All")}</a></p>`}
${offers && offersPart(visit, offers.data)}
${topupsPart(visit, topups, companyId, status)}`,
  };
}

function offersPart(visit: Visit, offers: readonly Offer[]): Html {
  const columns = offerColumns(visit);
  const title = visit.t("Offres", "Offers");
  const mayChange = mayAdminister(visit, "account");
  return tableSection(
    title,
    [
      columns.name,
      columns.state,
      [visit.t("Prix", "Price"), ({ amount, currency }) => visit.formats.money(amount, currency), "figure"],
      columns.credit,
      columns.bonus,
      mayChange && [
        visit.t("Action", "Action"),
        ({ id, archivedAt }) =>
          archivedAt === null
            ? html`<a href="/admin/offers/${id}/archive">${visit.t("Archiver", "Archive")}</a>`
            : "–",
      ],
    ],
    offers,
    {
      none: visit.t(
        "Aucune offre en vente. Les entreprises ne peuvent pas recharger elles-mêmes.",
        "No offers on sale. Companies cannot top up on their own.",
      ),
      action: mayChange
        ? html`<a href="/admin/offers/new">${visit.t("Nouvelle offre", "New offer")}</a>`
        : undefined,
    },
  );
}

const STATES: Readonly<Record<Status, State>> = {
  GRANTED: ["good", "Payée", "Paid"],
  PENDING: ["wait", "En attente de paiement", "Pending payment"],
  FAILED: ["wrong", "Échouée", "Failed"],
  EXPIRED: ["calm", "Expirée", "Expired"],
};

function statusWord(visit: Visit, status: Status): string {
  const [, fr, en] = STATES[status];
  return visit.t(fr, en);
}

function topupsPart(
  visit: Visit,
  topups: AnswerOf<"/v1/admin/topup/list">,
  companyId: string,
  status: Status | undefined,
): Html {
  const title = visit.t("Recharges des entreprises", "Company top-ups");
  const urlOf = (one: string | undefined) => `/admin/offers${queryOf({ companyId, status: one })}`;
  const filters = tabs(visit.t("Statut", "Status"), urlOf(status), [
    [urlOf(undefined), visit.t("Toutes", "All")],
    ...STATUSES.map((one) => [urlOf(one), statusWord(visit, one)] as const),
  ]);
  if (topups.data.length === 0)
    return section(title, [
      filters,
      empty(
        visit.t("Aucune recharge", "No top-ups"),
        visit.t("Les recharges des entreprises apparaîtront ici.", "Company top-ups will appear here."),
      ),
    ]);
  return section(title, [
    filters,
    pagedTable(
      visit,
      title,
      [
        [
          visit.t("Entreprise", "Company"),
          ({ companyId, companyName }) => companyLink(visit, companyId, companyName),
        ],
        [visit.t("Statut", "Status"), (one) => stateBadge(visit, STATES[one.status])],
        [
          visit.t("Offre", "Offer"),
          ({ offerName, credit, bonusCredit }) =>
            html`<span>${offerName} <small class="line">${visit.credits(credit + bonusCredit)}</small></span>`,
        ],
        [visit.t("Prix", "Price"), ({ amount, currency }) => visit.formats.money(amount, currency), "figure"],
        [
          visit.t("Prestataire", "Provider"),
          ({ provider, providerReference }) =>
            html`<span>${provider}${providerReference !== null && html` <small class="line">${providerReference}</small>`}</span>`,
        ],
        [
          visit.t("Date", "Date"),
          ({ grantedAt, createdAt, receiptNumber }) =>
            html`<span>${visit.formats.moment(grantedAt ?? createdAt)}${receiptNumber !== null && html` <small class="line">${visit.t("reçu", "receipt")} ${receiptNumber}</small>`}</span>`,
        ],
      ],
      topups,
      urlOf(status),
    ),
  ]);
}

function newOffer(visit: Visit): View {
  const figureField = (name: string, label: string, more: { hint?: string; isOptional?: true } = {}) =>
    field(visit, name, label, {
      ...more,
      attributes: html`class="short" inputmode="numeric" maxlength="14" autocomplete="off"`,
    });
  return {
    title: visit.t("Nouvelle offre", "New offer"),
    narrow: true,
    back: { href: "/admin/offers", text: visit.t("Recharges", "Top-ups") },
    body: form(visit, "/admin/offers/new", [
      field(visit, "name", visit.t("Nom", "Name"), {
        hint: visit.t(
          "Le nom que voient les entreprises, par exemple « Petit pack ».",
          "The name that companies see, such as “Small pack”.",
        ),
        attributes: html`maxlength="200" autocomplete="off"`,
      }),
      figureField("amount", visit.t("Prix", "Price"), {
        hint: visit.t("Un nombre entier, sans centimes.", "A whole number, without cents."),
      }),
      field(visit, "currency", visit.t("Devise", "Currency"), {
        hint: visit.t("XOF est le franc CFA d’Afrique de l’Ouest.", "XOF is the West African CFA franc."),
        value: visit.field("currency") || "XOF",
        attributes: html`class="short" maxlength="3" autocapitalize="characters" autocomplete="off"`,
      }),
      figureField("credit", visit.t("Crédits", "Credits")),
      figureField("bonusCredit", visit.t("Crédits offerts", "Bonus credits"), { isOptional: true }),
      button(visit.t("Mettre en vente", "Put on sale")),
    ]),
  };
}

async function create(visit: Visit): Promise<View | Redirect> {
  const calling = visit.callAsAdmin("/v1/admin/offer/create", {
    name: visit.field("name"),
    amount: numberField(visit, "amount") ?? 0,
    currency: visit.field("currency").toUpperCase(),
    credit: numberField(visit, "credit") ?? 0,
    bonusCredit: numberField(visit, "bonusCredit") ?? 0,
  });
  return visit.submit(calling, newOffer, "/admin/offers?done=made");
}

async function confirmArchive(visit: Visit): Promise<View> {
  const { data } = await visit.callAsAdmin("/v1/admin/offer/list", { limit: OFFERS_SHOWN });
  const offer = data.find(({ id }) => id === visit.id);
  if (!offer) throw new Refused("offer-not-found");
  return {
    title: visit.t(`Archiver ${offer.name} ?`, `Archive ${offer.name}?`),
    narrow: true,
    back: { href: "/admin/offers", text: visit.t("Recharges", "Top-ups") },
    body: html`<p>${visit.t("L’offre n’est plus en vente et ne peut pas être rétablie. Les recharges déjà commencées peuvent encore être payées.", "The offer is no longer on sale and cannot be restored. Top-ups that have already been started can still be paid.")}</p>
${actions([
  formButton(visit, `/admin/offers/${offer.id}/archive`, visit.t("Archiver", "Archive"), { kind: "danger" }),
  linkButton("/admin/offers", visit.t("Annuler", "Cancel"), "plain"),
])}`,
  };
}
