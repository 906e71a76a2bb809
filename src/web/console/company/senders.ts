// Senders: the names under which a company sends, the status of each, and requesting one.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { button, field, form, linkButton, textArea } from "../parts/forms.ts";
import { type Column, listPart, table } from "../parts/lists.ts";
import {
  actions,
  doneNotice,
  facts,
  notice,
  type State,
  section,
  stateBadge,
  type TimelineEvent,
  timeline,
} from "../parts/parts.ts";
import { registrationColumns } from "../parts/registrations.ts";
import { may, mayCompose } from "../parts/roles.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";

type Sender = Data<"/v1/sender/list">[number];
type Status = Sender["status"];

const ROWS = 50;

export function addSenders(screens: Screens): void {
  screens.page("/senders", list);
  screens.pageAndForm("/senders/new", newSender, create);
  screens.page("/senders/:id", sender);
}

const STATES: Readonly<Record<Status, State>> = {
  PENDING: ["wait", "Demandé", "Requested"],
  SUBMITTED: ["note", "En validation", "Under review"],
  ACCEPTED: ["good", "Accepté", "Accepted"],
  REFUSED: ["wrong", "Refusé", "Refused"],
};

async function list(visit: Visit): Promise<View> {
  const [listed, room] = await Promise.all([visit.listed("/v1/sender/list", { limit: ROWS }), roomOf(visit)]);
  const title = visit.t("Expéditeurs", "Senders");
  return {
    title,
    body: html`<p class="lead">${visit.t(
      "Le nom affiché en tête de vos SMS chez vos clients.",
      "The name your customers see at the top of your SMS.",
    )}</p>
<p>${roomWords(visit, room)}</p>
${listPart(visit, listed, {
  title,
  columns: columns(visit),
  url: "/senders",
  add:
    may(visit, "manage") &&
    room.left > 0 &&
    linkButton("/senders/new", visit.t("Demander un expéditeur", "Request a sender"), "main", "add"),
  none: [
    visit.t("Aucun expéditeur", "No senders yet"),
    visit.t(
      "Sans expéditeur à votre nom, vos SMS portent celui du service.",
      "Without your own sender, your SMS show the service’s sender name.",
    ),
  ],
})}`,
  };
}

/** How many senders a company may have, and how many more it may request. Refused ones do not count. */
type Room = { most: number; left: number };

async function roomOf(visit: Visit): Promise<Room> {
  const [{ data: own }, senders] = await Promise.all([visit.call("/v1/company/read"), allSenders(visit)]);
  const live = senders.filter(({ status }) => status !== "REFUSED").length;
  return { most: own.senderLimit, left: Math.max(0, own.senderLimit - live) };
}

function roomWords(visit: Visit, { most, left }: Room): string {
  const limit = visit.formats.number(most);
  if (left === 0)
    return visit.t(
      `Votre entreprise a atteint le nombre maximal d’expéditeurs (${limit}). Contactez-nous s’il vous en faut davantage.`,
      `Your company has reached the maximum number of senders (${limit}). Contact us if you need more.`,
    );
  const more = visit.count(left, ["expéditeur", "expéditeurs"], ["sender", "senders"]);
  return visit.t(
    `Votre entreprise peut encore demander ${more} sur ${limit}.`,
    `Your company can still request ${more} of ${limit}.`,
  );
}

function columns(visit: Visit): Column<Sender>[] {
  return [
    [visit.t("Nom", "Name"), ({ id, name }) => html`<a href="/senders/${id}">${name}</a>`],
    [visit.t("Statut", "Status"), ({ status }) => stateBadge(visit, STATES[status])],
    [visit.t("Demandé le", "Requested"), ({ createdAt }) => visit.formats.moment(createdAt)],
  ];
}

const PAGES_AT_MOST = 10;

/** The company's senders: the first thousand, which only senders created by an administrator could exceed. */
async function allSenders(visit: Visit): Promise<Sender[]> {
  const all: Sender[] = [];
  for await (const one of visit.rows("/v1/sender/list", PAGES_AT_MOST)) all.push(one);
  return all;
}

/** Whether an administrator still has to decide on a sender. */
function isOpen({ status }: Sender): boolean {
  return status === "PENDING" || status === "SUBMITTED";
}

function requestedWords(visit: Visit): string {
  if (!visit.api.app.config.senderNotices)
    return visit.t(
      "Demande enregistrée. La décision s’affichera sur cette page.",
      "Request recorded. The decision will appear on this page.",
    );
  return visit.t(
    "Demande enregistrée. Vous serez prévenu de la décision par SMS ou par e-mail.",
    "Request recorded. You will be notified of the decision by SMS or email.",
  );
}

async function sender(visit: Visit): Promise<View> {
  const found = (await visit.call("/v1/sender/{id}")).data;
  const { name, description, status, createdAt } = found;
  const requested: TimelineEvent = {
    tone: "good",
    title: visit.t("Demandé", "Requested"),
    when: visit.formats.moment(createdAt),
  };
  return {
    title: name,
    narrow: true,
    back: { href: "/senders", text: visit.t("Expéditeurs", "Senders") },
    body: html`${isOpen(found) && doneNotice(visit, { asked: requestedWords(visit) })}
<p>${stateBadge(visit, STATES[status])}</p>
${section(visit.t("Suivi de la demande", "Request status"), timeline([requested, ...stepsOf(visit, found)]))}
${found.registrations.length > 0 && registrationsOf(visit, found)}
${nextPart(visit, found)}
${section(visit.t("Votre demande", "Your request"), [
  facts([
    [visit.t("Nom", "Name"), name],
    [visit.t("Usage", "Use"), description],
  ]),
])}`,
  };
}

function registrationsOf(visit: Visit, { registrations }: Data<"/v1/sender/{id}">): Html {
  const title = visit.t("Enregistrement chez les opérateurs", "Registration at operators");
  return section(title, table(title, registrationColumns(visit), registrations));
}

/** What has happened since a sender was requested, and what comes next. */
function stepsOf(
  visit: Visit,
  { status, reason, submittedAt, decidedAt }: Data<"/v1/sender/{id}">,
): TimelineEvent[] {
  const at = (instant: string | undefined) =>
    instant === undefined ? {} : { when: visit.formats.moment(instant) };
  const submitted: TimelineEvent = {
    tone: "good",
    title: visit.t("Transmis pour validation", "Submitted for validation"),
    ...at(submittedAt),
  };
  const waiting = visit.t("En attente", "Pending");
  const before = submittedAt === undefined ? [] : [submitted];
  const steps: Record<Status, TimelineEvent[]> = {
    PENDING: [
      { tone: "wait", title: visit.t("Examen de votre demande", "Review of your request"), when: waiting },
    ],
    SUBMITTED: [
      submitted,
      { tone: "wait", title: visit.t("Décision de validation", "Validation decision"), when: waiting },
    ],
    ACCEPTED: [
      ...before,
      {
        tone: "good",
        title: visit.t("Accepté", "Accepted"),
        ...at(decidedAt),
        more: html`<p>${visit.t("Vous pouvez envoyer sous ce nom.", "You can send under this name.")}</p>`,
      },
    ],
    REFUSED: [
      ...before,
      {
        tone: "wrong",
        title: visit.t("Refusé", "Refused"),
        ...at(decidedAt),
        more: html`${reason !== undefined && html`<blockquote>${reason}</blockquote>`}`,
      },
    ],
  };
  return steps[status];
}

function nextPart(visit: Visit, { name, description, status }: Sender): Html | false {
  if (status === "ACCEPTED" && mayCompose(visit))
    return actions([
      linkButton("/campaigns/new", visit.t("Nouvelle campagne", "New campaign"), "main", "add"),
    ]);
  if (status !== "REFUSED" || !may(visit, "manage")) return false;
  const again = new URLSearchParams({ name, description });
  return actions([
    linkButton(`/senders/new?${again}`, visit.t("Corriger et redemander", "Correct and request again")),
  ]);
}

async function newSender(visit: Visit, own?: Sender): Promise<View> {
  const room = await roomOf(visit);
  const frame = {
    title: visit.t("Demander un expéditeur", "Request a sender"),
    back: { href: "/senders", text: visit.t("Expéditeurs", "Senders") },
  };
  if (room.left === 0) return { ...frame, narrow: true, body: notice("wait", roomWords(visit, room)) };
  return {
    ...frame,
    body: html`${own !== undefined && html`<p>${stateBadge(visit, STATES[own.status])} <a href="/senders/${own.id}">${visit.t(`Voir votre demande pour ${own.name}`, `View your request for ${own.name}`)}</a></p>`}
<p>${roomWords(visit, room)}</p>
<div class="columns wide-first">
${section(visit.t("Votre demande", "Your request"), [
  form(visit, "/senders/new", [
    field(visit, "name", visit.t("Nom", "Name"), {
      hint: visit.t(
        "3 à 11 lettres sans accent ou chiffres, sans espace : BOUTIQUE, EcoleAwa.",
        "3 to 11 unaccented letters or digits, no spaces: BOUTIQUE, EcoleAwa.",
      ),
      attributes: html`class="short" maxlength="11" minlength="3" pattern="[A-Za-z0-9]{3,11}" autocomplete="off" autocapitalize="characters" spellcheck="false"`,
    }),
    textArea(visit, "description", visit.t("Utilisation prévue", "Intended use"), {
      hint: visit.t(
        "Présentez-vous, précisez vos destinataires et donnez un exemple de message.",
        "Say who you are and who you write to, and give an example of a message.",
      ),
      attributes: html`maxlength="1000"`,
    }),
    button(visit.t("Envoyer la demande", "Send request")),
  ]),
])}
${advicePart(visit)}
</div>`,
  };
}

/** Advice on what reviewers check, beside the fields: most refusals have the same few reasons. */
function advicePart(visit: Visit): Html {
  const advice = visit.t(
    [
      "Le nom identifie l’auteur du message : votre entreprise, votre enseigne ou votre site.",
      "Un nom générique, comme INFO ou PROMO, est refusé.",
      "Le nom d’un opérateur, d’une banque, d’une administration ou d’une marque qui n’est pas la vôtre est refusé.",
      "La demande identifie l’entreprise : raison sociale, registre de commerce, site ou page.",
      "L’exemple est un vrai message, tel que vos clients le recevront.",
    ],
    [
      "The name identifies who is writing: your company, your shop or your site.",
      "A generic name, such as INFO or PROMO, is refused.",
      "The name of an operator, a bank, an authority or a brand that is not yours is refused.",
      "The request identifies the company: legal name, registration, site or page.",
      "The example is a real message, as your customers will receive it.",
    ],
  );
  return notice(
    "note",
    html`<ul class="stack">${advice.map((one) => html`<li>${one}</li>`)}</ul>`,
    visit.t("Points vérifiés", "What we check"),
  );
}

async function create(visit: Visit): Promise<View | Redirect> {
  const [name, description] = [visit.field("name").trim(), visit.field("description").trim()];
  const own = (await allSenders(visit)).find((one) => isSameName(one.name, name) && one.status !== "REFUSED");
  if (own !== undefined) {
    const sentence = visit.t("Vous avez déjà demandé ce nom.", "You have already requested this name.");
    return newSender(visit.wrong(sentence, "name"), own);
  }
  const calling = visit.call("/v1/sender/create", { name, description });
  return visit.submit(calling, newSender, ({ data }) => `/senders/${data.id}?done=asked`);
}

/** Sender names that differ only in case are the same. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
