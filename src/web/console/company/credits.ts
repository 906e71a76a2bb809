// Credits: the balance, the offers of the service, and the statement with the balance after each entry.
import { isLoopback } from "../../../platform/config.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { newId } from "../../../platform/ids.ts";
import type { AnswerOf, Data } from "../apiclient.ts";
import { button, form } from "../parts/forms.ts";
import { type Column, pager, table } from "../parts/lists.ts";
import { figure, figures, notice, section } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { closedWords, payWords } from "./topups.ts";

/** Only a company's own statement names campaigns. */
type Movement = Data<"/v1/partner/customer/{id}/statement">[number] &
  Partial<Pick<Data<"/v1/credit/statement">[number], "campaignId" | "campaignName">>;
type Offer = Data<"/v1/topup/offer/list">[number];

const MOVEMENTS_SHOWN = 20;
const OFFERS_SHOWN = 12;

export function addCredits(screens: Screens): void {
  screens.page("/credits", credits);
  screens.form("/credits/topups", begin);
}

async function credits(visit: Visit): Promise<View> {
  const [{ data: balance }, statement, offers] = await Promise.all([
    visit.call("/v1/credit/balance"),
    visit.listed("/v1/credit/statement", { limit: MOVEMENTS_SHOWN }),
    visit.call("/v1/topup/offer/list", { limit: OFFERS_SHOWN }),
  ]);
  return {
    title: visit.t("Crédits", "Credits"),
    body: html`${figures([
      figure(
        visit.t("Solde", "Balance"),
        visit.formats.number(balance),
        visit.t(
          "crédits, hors crédits réservés pour des envois",
          "credits, excluding credits reserved for sends",
        ),
      ),
    ])}
${statement.page === 1 && offersPart(visit, offers.data)}
${statementPart(visit, statement, "/credits")}`,
  };
}

type Statement = Omit<AnswerOf<"/v1/credit/statement">, "data"> & { data: readonly Movement[] };

/** Renders a page of a statement, of the company or of a customer of a reseller. */
export function statementPart(visit: Visit, statement: Statement, url: string): Html {
  const title = visit.t("Relevé", "Statement");
  return section(title, [
    statement.data.length === 0
      ? html`<p>${visit.t("Aucune écriture pour le moment.", "No entries yet.")}</p>`
      : table(title, movementColumns(visit), statement.data),
    pager(visit, statement, url),
  ]);
}

function movementColumns(visit: Visit): Column<Movement>[] {
  const { formats } = visit;
  return [
    [
      visit.t("Écriture", "Entry"),
      (movement) =>
        html`${movementWords(visit, movement)}${campaignPart(movement)}${movement.reason !== null && html`<small class="line">${movement.reason}</small>`}`,
    ],
    [visit.t("Date", "Date"), ({ createdAt }) => formats.moment(createdAt)],
    [
      visit.t("Crédits", "Credits"),
      ({ amount }) => `${amount > 0 ? "+" : amount < 0 ? "−" : ""}${formats.number(Math.abs(amount))}`,
      "figure",
    ],
    [visit.t("Solde après", "Balance after"), ({ balanceAfter }) => formats.number(balanceAfter), "figure"],
  ];
}

function campaignPart({ campaignId, campaignName }: Movement): Html | false {
  if (campaignId === undefined) return false;
  return html` <a class="line" href="/campaigns/${campaignId}">${campaignName ?? campaignId}</a>`;
}

function movementWords(visit: Visit, { kind, amount }: Movement): string {
  switch (kind) {
    case "grant":
      return visit.t("Crédits ajoutés", "Credits added");
    case "correction":
      return visit.t("Correction", "Correction");
    case "transfer":
      return amount < 0
        ? visit.t("Vendus à un client", "Sold to a customer")
        : visit.t("Reçus du revendeur", "Received from the reseller");
    case "hold":
      return visit.t("Envoi de SMS", "SMS sending");
    case "release":
      return visit.t("Remboursement d’un envoi", "Send refund");
  }
}

/** The offers of the service. A member who may not buy sees who may. */
function offersPart(visit: Visit, offers: readonly Offer[]): Html {
  const list = html`<a href="/credits/topups">${visit.t("Mes recharges", "My top-ups")}</a>`;
  const title = visit.t("Recharger", "Top up");
  const closed = closedWords(visit, offers);
  if (closed !== undefined) return section(title, notice("note", closed), list);
  if (visit.company.role !== "owner")
    return section(
      title,
      html`<p>${visit.t("Seul un propriétaire de l’entreprise peut recharger le solde.", "Only an owner of the company can top up the balance.")}</p>`,
      list,
    );
  // A form that is sent twice creates one top-up.
  const key = visit.typed("key", "").slice(0, newId().length) || newId();
  return section(
    title,
    html`<ul class="offers">${offers.map((offer) => offerPart(visit, offer, key))}</ul>`,
    list,
  );
}

function offerPart(visit: Visit, offer: Offer, key: string): Html {
  const { id, name, amount, currency, credit, bonusCredit, providers } = offer;
  const choose = visit.t("Choisir", "Choose");
  const ways = providers.map((provider) => {
    const text = providers.length === 1 ? choose : payWords(visit, { provider });
    const attributes = html`name="provider" value="${provider}" aria-label="${text} : ${name}"`;
    return button(text, "second", attributes);
  });
  const each = visit.formats.money(amount / (credit + bonusCredit), currency);
  return html`<li><h3><span>${visit.formats.number(credit)} ${visit.t("crédits", "credits")} ·</span> <span>${visit.formats.money(amount, currency)}</span></h3>
${bonusCredit > 0 && html`<p><b>${visit.t(`+ ${visit.formats.number(bonusCredit)} offerts`, `+ ${visit.formats.number(bonusCredit)} free`)}</b></p>`}
<p><small>${name} · ${visit.t(`environ ${each} par SMS vers la Côte d’Ivoire`, `about ${each} per SMS to Côte d’Ivoire`)}</small></p>
${form(visit, { action: "/credits/topups", members: { offerId: id, key: `${key}-${id}` } }, ways)}</li>
`;
}

async function begin(visit: Visit): Promise<View | Redirect> {
  const { publicUrl } = visit.api.app;
  // The API accepts a return URL with plain HTTP only for this machine.
  const leadsBack = publicUrl.startsWith("https:") || isLoopback(new URL(publicUrl).hostname);
  const offerId = visit.field("offerId");
  const provider = visit.field("provider") as Offer["providers"][number] | "";
  const calling = visit.call("/v1/topup/begin", {
    offerId,
    ...(provider !== "" && { provider }),
    idempotencyKey: `${visit.field("key")}-${provider}`,
    ...(leadsBack && { returnUrl: `${publicUrl}/credits/topups/return` }),
  });
  const begun = await visit.attempt(calling);
  if (!(begun instanceof Problem)) return new Redirect(`/credits/topups/${begun.data.id}`);
  // If the provider does not answer, the top-up exists all the same, and its page tries again.
  const { data } = await visit.call("/v1/topup/list", { limit: 1 });
  const [last] = data;
  const isWaiting = last?.offerId === offerId && last.status === "PENDING" && last.checkoutUrl === null;
  return isWaiting ? new Redirect(`/credits/topups/${last.id}`) : credits(visit.with(begun));
}
