// Top-ups: one is paid on the page of a provider, followed here until its credits arrive, and has a receipt.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { button, form, linkButton } from "../parts/forms.ts";
import { type Column, empty, listSection } from "../parts/lists.ts";
import { actions, facts, notice, type State, section, stateBadge } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";

type Topup = Data<"/v1/topup/{id}">;
type Status = Topup["status"];
type Offer = Data<"/v1/topup/offer/list">[number];

export function addTopups(screens: Screens): void {
  screens.page("/credits/topups", list);
  screens.page("/credits/topups/return", comeBack);
  screens.page("/credits/topups/:id", follow);
  screens.page("/credits/topups/:id/live", live);
  screens.form("/credits/topups/:id/checkout", openAgain);
  screens.page("/credits/topups/:id/receipt", receipt);
}

const STATES: Readonly<Record<Status, State>> = {
  PENDING: ["wait", "En attente de paiement", "Awaiting payment"],
  GRANTED: ["good", "Payée", "Paid"],
  FAILED: ["wrong", "Paiement refusé", "Payment refused"],
  EXPIRED: ["calm", "Expirée", "Expired"],
};

/** Returns the name of the provider's page. */
export function payWords(visit: Visit, { provider }: { provider: string }): string {
  return provider === "paystack"
    ? visit.t("Payer avec Paystack", "Pay with Paystack")
    : visit.t("Payer", "Pay");
}

function what(visit: Visit, { credit, bonusCredit }: Pick<Topup, "credit" | "bonusCredit">): string {
  const credits = visit.credits(credit);
  if (bonusCredit === 0) return credits;
  const bonus = visit.formats.number(bonusCredit);
  return visit.t(`${credits} + ${bonus} offerts`, `${credits} + ${bonus} free`);
}

const TOPUPS_SHOWN = 20;
const OFFERS_READ = 20;
const BACK = { href: "/credits", fr: "Crédits", en: "Credits" };
const backOf = (visit: Visit) => ({ href: BACK.href, text: visit.t(BACK.fr, BACK.en) });

async function list(visit: Visit): Promise<View> {
  const [topups, { data: offers }] = await Promise.all([
    visit.listed("/v1/topup/list", { limit: TOPUPS_SHOWN }),
    visit.call("/v1/topup/offer/list", { limit: OFFERS_READ }),
  ]);
  const title = visit.t("Mes recharges", "My top-ups");
  return {
    title,
    back: backOf(visit),
    body:
      topups.data.length === 0
        ? nonePart(visit, offers)
        : listSection(visit, title, columns(visit), topups, "/credits/topups"),
  };
}

function nonePart(visit: Visit, offers: readonly Offer[]): Html {
  const title = visit.t("Aucune recharge", "No top-ups yet");
  const closed = closedWords(visit, offers);
  if (closed !== undefined) return empty(title, closed);
  return empty(
    title,
    visit.t(
      "Choisissez une offre. Les crédits sont ajoutés dès le paiement.",
      "Choose an offer. Credits are added as soon as it is paid.",
    ),
    linkButton("/credits", visit.t("Recharger", "Top up")),
  );
}

/** Returns why nobody can top up here, and whom to contact; undefined if it is possible. */
export function closedWords(visit: Visit, offers: readonly Offer[]): string | undefined {
  if (offers.length === 0)
    return visit.t(
      "Aucune offre n’est en vente. Demandez des crédits à votre interlocuteur habituel.",
      "No offers are on sale. Ask your usual contact for credits.",
    );
  if (offers.every(({ providers }) => providers.length === 0))
    return visit.t(
      "Le paiement en ligne n’est pas disponible. Demandez des crédits à votre interlocuteur habituel.",
      "Online payment is not available. Ask your usual contact for credits.",
    );
  return undefined;
}

function columns(visit: Visit): Column<Topup>[] {
  return [
    [
      visit.t("Recharge", "Top-up"),
      (topup) => html`<a href="/credits/topups/${topup.id}">${what(visit, topup)}</a>`,
    ],
    [visit.t("Statut", "Status"), (topup) => stateBadge(visit, STATES[topup.status])],
    [visit.t("Date", "Date"), ({ createdAt }) => visit.formats.moment(createdAt)],
    [
      visit.t("Reçu", "Receipt"),
      ({ id, receiptNumber }) =>
        receiptNumber === null ? "–" : html`<a href="/credits/topups/${id}/receipt">${receiptNumber}</a>`,
    ],
    [visit.t("Montant", "Amount"), ({ amount, currency }) => visit.formats.money(amount, currency), "figure"],
  ];
}

/**
 * The URL to which the provider's page leads back. It has our reference, perhaps with the number of a try; without one,
 * it is the newest top-up.
 */
async function comeBack(visit: Visit): Promise<Redirect> {
  const reference = visit.field("reference").replace(/-\d$/, "");
  const { data } = await visit.call("/v1/topup/list", { limit: TOPUPS_SHOWN });
  const topup = data.find((one) => one.reference === reference) ?? data[0];
  return new Redirect(topup ? `/credits/topups/${topup.id}` : "/credits");
}

async function read(visit: Visit): Promise<Topup> {
  return (await visit.call("/v1/topup/{id}")).data;
}

/** Whether nothing of a top-up changes any longer. One whose payment was refused may still be paid. */
const isOver = ({ status }: Topup) => status === "GRANTED" || status === "EXPIRED";

async function follow(visit: Visit): Promise<View> {
  const topup = await read(visit);
  const { id, amount, currency, checkoutUrl, createdAt, offerName, receiptNumber, reference } = topup;
  return {
    title: visit.t(`Recharge de ${what(visit, topup)}`, `Top-up of ${what(visit, topup)}`),
    narrow: true,
    back: { href: "/credits/topups", text: visit.t("Mes recharges", "My top-ups") },
    islands: isOver(topup) ? [] : ["live"],
    body: html`<div class="stack" data-live="/credits/topups/${id}/live">${livePart(visit, topup)}</div>
${!isOver(topup) && checkoutUrl === null && openPart(visit, topup)}
${section(visit.t("Détails", "Details"), [
  facts([
    [visit.t("Offre", "Offer"), offerName],
    [visit.t("Montant", "Amount"), visit.formats.money(amount, currency)],
    [visit.t("Commencée le", "Started"), visit.formats.moment(createdAt)],
    [visit.t("Référence du paiement", "Payment reference"), html`<span class="code">${reference}</span>`],
    receiptNumber !== null && [
      visit.t("Reçu", "Receipt"),
      html`<a href="/credits/topups/${id}/receipt">${receiptNumber}</a>`,
    ],
  ]),
])}`,
  };
}

async function live(visit: Visit): Promise<Fragment> {
  const topup = await read(visit);
  return new Fragment(livePart(visit, topup), isOver(topup));
}

function livePart(visit: Visit, topup: Topup): Html {
  const { formats } = visit;
  const { id, status, credit, bonusCredit, checkoutUrl, amount, currency, expiresAt } = topup;
  const state = html`<p>${stateBadge(visit, STATES[topup.status])}</p>`;
  const added = formats.number(credit + bonusCredit);
  if (status === "GRANTED")
    return html`${state}${notice("good", [
      html`<p>${visit.t(`${added} crédits ont été ajoutés à votre solde.`, `${added} credits were added to your balance.`)}</p>`,
      actions([
        linkButton(`/credits/topups/${id}/receipt`, visit.t("Voir le reçu", "View receipt"), "second"),
        html`<a href="/credits">${visit.t("Voir le solde", "View balance")}</a>`,
      ]),
    ])}`;
  if (status === "EXPIRED")
    return html`${state}${notice("calm", [
      html`<p>${visit.t("Cette recharge n’a pas été payée à temps. Rien n’a été débité.", "This top-up was not paid in time. Nothing was charged.")}</p>`,
      actions([linkButton("/credits", visit.t("Choisir une offre", "Choose an offer"), "second")]),
    ])}`;
  const price = formats.money(amount, currency);
  return html`${state}
<p>${
    status === "FAILED"
      ? visit.t(
          "Le paiement a été refusé. Vous pouvez réessayer.",
          "The payment was refused. You can try again.",
        )
      : visit.t(
          `À payer : ${price} avant le ${formats.moment(expiresAt)}. Les crédits sont ajoutés dès la confirmation du paiement. Cette page se met à jour automatiquement.`,
          `To pay: ${price} before ${formats.moment(expiresAt)}. Credits are added as soon as the payment is confirmed. This page updates automatically.`,
        )
  }</p>
${checkoutUrl !== null && actions([html`<a class="button main" href="${checkoutUrl}" rel="external noreferrer">${payWords(visit, topup)}</a>`])}`;
}

/** Shown if the provider did not answer: the same top-up can be tried again. */
function openPart(visit: Visit, { id }: Topup): Html {
  return notice("wait", [
    html`<p>${visit.t("La page de paiement n’a pas pu s’ouvrir.", "The payment page could not be opened.")}</p>`,
    form(visit, `/credits/topups/${id}/checkout`, button(visit.t("Réessayer", "Try again"))),
  ]);
}

async function openAgain(visit: Visit): Promise<View | Redirect> {
  const { id } = visit;
  const opened = await visit.attempt(visit.call("/v1/topup/{id}/checkout", { id }));
  if (!(opened instanceof Problem)) return new Redirect(`/credits/topups/${id}`);
  const sentence = visit.t(
    "Le prestataire de paiement ne répond pas pour le moment. Réessayez dans un instant.",
    "The payment provider is not responding right now. Try again in a moment.",
  );
  return follow(visit.wrong(sentence));
}

async function receipt(visit: Visit): Promise<View> {
  const topup = await read(visit);
  const { id } = topup;
  if (topup.receiptNumber === null) return noReceipt(visit, id);
  const { data } = await visit.call("/v1/topup/{id}/receipt", { id });
  const { receiptNumber, issuedAt, companyName, offerName, amount, currency, provider } = data;
  return {
    title: visit.t(`Reçu n° ${receiptNumber}`, `Receipt no. ${receiptNumber}`),
    narrow: true,
    back: { href: `/credits/topups/${id}`, text: visit.t("Recharge", "Top-up") },
    islands: ["print"],
    body: html`${section(visit.t("Crédits SMS", "SMS credits"), [
      facts([
        [visit.t("Client", "Customer"), companyName],
        [visit.t("Payé le", "Paid on"), visit.formats.moment(issuedAt)],
        [visit.t("Offre", "Offer"), offerName],
        [visit.t("Crédits", "Credits"), what(visit, data)],
        [visit.t("Montant payé", "Amount paid"), html`<b>${visit.formats.money(amount, currency)}</b>`],
        [
          visit.t("Moyen de paiement", "Payment method"),
          provider === "paystack" ? "Paystack" : visit.t("Prestataire de paiement", "Payment provider"),
        ],
        [
          visit.t("Numéro du paiement", "Payment number"),
          html`<span class="code">${data.providerReference}</span>`,
        ],
        [visit.t("Notre référence", "Our reference"), html`<span class="code">${data.reference}</span>`],
      ]),
    ])}
<div class="actions" data-print><small class="screen">${visit.t("Pour l’imprimer ou l’enregistrer en PDF, choisissez « Imprimer » dans votre navigateur.", "To print it or save it as PDF, choose “Print” in your browser.")}</small></div>`,
  };
}

function noReceipt(visit: Visit, id: string): View {
  return {
    title: visit.t("Reçu non disponible", "Receipt not available"),
    narrow: true,
    back: { href: `/credits/topups/${id}`, text: visit.t("Recharge", "Top-up") },
    body: html`<p class="lead">${visit.t(
      "Cette recharge n’est pas payée. Le reçu sera disponible après le paiement.",
      "This top-up is not paid. The receipt will be available after payment.",
    )}</p>`,
  };
}
