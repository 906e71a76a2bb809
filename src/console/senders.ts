// Senders: the names under which a company writes, how far each is, and asking for one.
import { type Html, html } from "../kernel/html.ts";
import type { Data } from "./ask.ts";
import { button, field, form, linkButton, textArea } from "./forms.ts";
import {
  actions,
  badge,
  doneNotice,
  empty,
  facts,
  notice,
  pager,
  section,
  type TimelineEvent,
  type Tone,
  table,
  timeline,
} from "./parts.ts";
import { may, mayCompose } from "./roles.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

type Sender = Data<"/v1/sender/list">[number];
type Status = Sender["status"];

const ROWS = 50;

export function addSenders(screens: Screens): void {
  screens.page("/senders", list);
  screens.page("/senders/new", (visit) => newSender(visit));
  screens.form("/senders/new", create);
  screens.page("/senders/:id", sender);
}

const TONES: Readonly<Record<Status, Tone>> = {
  PENDING: "wait",
  SUBMITTED: "note",
  ACCEPTED: "good",
  REFUSED: "wrong",
};

function senderState(visit: Visit, status: Status): Html {
  const words: Record<Status, readonly [string, string]> = {
    PENDING: ["Demandé", "Asked for"],
    SUBMITTED: ["En validation", "Under review"],
    ACCEPTED: ["Accepté", "Accepted"],
    REFUSED: ["Refusé", "Refused"],
  };
  return badge(TONES[status], visit.t(...words[status]));
}

async function list(visit: Visit): Promise<View> {
  const [listed, room] = await Promise.all([
    visit.ask("/v1/sender/list", { page: visit.page, limit: ROWS }),
    roomOf(visit),
  ]);
  const title = visit.t("Expéditeurs", "Senders");
  const hasNone = listed.totalCount === 0;
  const add =
    may(visit, "manage") && room.left > 0
      ? linkButton("/senders/new", visit.t("Demander un expéditeur", "Ask for a sender"), "main", "add")
      : undefined;
  return {
    title,
    at: "senders",
    body: html`<p class="lead">${visit.t(
      "Le nom que vos clients voient en tête de vos SMS.",
      "The name that your customers see at the head of your SMS.",
    )}</p>
<p>${roomWords(visit, room)}</p>
${add !== undefined && !hasNone && actions([add])}
${
  hasNone
    ? empty(
        visit.t("Pas encore d’expéditeur", "No sender yet"),
        visit.t(
          "Sans expéditeur à votre nom, vos SMS partent sous celui du service.",
          "Without a sender of yours, your SMS go under the name of the service.",
        ),
        add,
      )
    : section(title, [table(title, columns(visit), listed.data), pager(visit, listed, "/senders")])
}`,
  };
}

/** How many senders a company may have, and how many of them it may still ask for. Refused ones do not count. */
type Room = { most: number; left: number };

async function roomOf(visit: Visit): Promise<Room> {
  const [{ data: own }, senders] = await Promise.all([visit.ask("/v1/company/read"), allSenders(visit)]);
  const live = senders.filter(({ status }) => status !== "REFUSED").length;
  return { most: own.senderLimit, left: Math.max(0, own.senderLimit - live) };
}

function roomWords(visit: Visit, { most, left }: Room): string {
  const { formats } = visit;
  const limit = formats.number(most);
  if (left === 0)
    return visit.t(
      `Votre entreprise a atteint son nombre d’expéditeurs permis (${limit}). Écrivez-nous s’il en faut davantage.`,
      `Your company has reached the number of senders that it may have (${limit}). Write to us if it needs more.`,
    );
  const more = formats.count(left, visit.t("expéditeur", "sender"), visit.t("expéditeurs", "senders"));
  return visit.t(
    `Votre entreprise peut encore demander ${more}, sur ${limit} permis.`,
    `Your company may still ask for ${more}, of ${limit} allowed.`,
  );
}

function columns(visit: Visit) {
  return [
    {
      head: visit.t("Nom", "Name"),
      cell: ({ id, name }: Sender) => html`<a href="/senders/${id}">${name}</a>`,
    },
    { head: visit.t("État", "State"), cell: ({ status }: Sender) => senderState(visit, status) },
    {
      head: visit.t("Demandé", "Asked for"),
      cell: ({ createdAt }: Sender) => visit.formats.moment(createdAt),
    },
  ];
}

const PAGES_AT_MOST = 10;
const LONGEST_PAGE = 100;

/** The senders of the company: the first thousand, which only an administrator's gifts could exceed. */
async function allSenders(visit: Visit): Promise<Sender[]> {
  const all: Sender[] = [];
  for (let page = 1, pages = 1; page <= Math.min(pages, PAGES_AT_MOST); page++) {
    const { data, totalPage } = await visit.ask("/v1/sender/list", { page, limit: LONGEST_PAGE });
    all.push(...data);
    pages = totalPage;
  }
  return all;
}

/** Whether an administrator still has to decide on a sender. */
function isOpen({ status }: Sender): boolean {
  return status === "PENDING" || status === "SUBMITTED";
}

function askedWords(visit: Visit): string {
  if (!visit.desk.app.config.senderNotices)
    return visit.t(
      "Votre demande est enregistrée. Cette page montre la décision.",
      "Your request is recorded. This page shows the decision.",
    );
  return visit.t(
    "Votre demande est enregistrée. Vous êtes prévenu par SMS ou par e-mail dès qu’elle est décidée.",
    "Your request is recorded. You are notified by SMS or e-mail as soon as it is decided.",
  );
}

async function sender(visit: Visit): Promise<View> {
  const found = (await visit.ask("/v1/sender/{id}", { id: visit.params.id! })).data;
  const { name, description, status, createdAt } = found;
  const asked: TimelineEvent = {
    tone: "good",
    title: visit.t("Demandé", "Asked for"),
    when: visit.formats.moment(createdAt),
  };
  return {
    title: name,
    at: "senders",
    narrow: true,
    back: { href: "/senders", text: visit.t("Expéditeurs", "Senders") },
    body: html`${isOpen(found) && doneNotice(visit, { asked: askedWords(visit) })}
<p>${senderState(visit, status)}</p>
${section(visit.t("Où en est la demande", "How far the request is"), timeline([asked, ...stepsOf(visit, found)]))}
${nextPart(visit, found)}
${section(
  visit.t("Ce que vous avez demandé", "What you asked for"),
  facts([
    [visit.t("Nom", "Name"), name],
    [visit.t("Usage", "Use"), description],
  ]),
)}`,
  };
}

/** What has happened since a sender was asked for, and what comes next. */
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
  const waiting = visit.t("En attente", "Waiting");
  const before = submittedAt === undefined ? [] : [submitted];
  const steps: Record<Status, TimelineEvent[]> = {
    PENDING: [
      {
        tone: "wait",
        title: visit.t("Une personne lit votre demande", "A person reads your request"),
        when: waiting,
      },
    ],
    SUBMITTED: [
      submitted,
      { tone: "wait", title: visit.t("Réponse de la validation", "Answer of the validation"), when: waiting },
    ],
    ACCEPTED: [
      ...before,
      {
        tone: "good",
        title: visit.t("Accepté", "Accepted"),
        ...at(decidedAt),
        more: html`<p>${visit.t("Vous envoyez sous ce nom.", "You send under this name.")}</p>`,
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
    linkButton(`/senders/new?${again}`, visit.t("Corriger et demander de nouveau", "Correct and ask again")),
  ]);
}

async function newSender(visit: Visit, problem?: Problem, own?: Sender): Promise<View> {
  const room = await roomOf(visit);
  const frame = {
    title: visit.t("Demander un expéditeur", "Ask for a sender"),
    at: "senders",
    back: { href: "/senders", text: visit.t("Expéditeurs", "Senders") },
    problem,
  };
  if (room.left === 0) return { ...frame, narrow: true, body: notice("wait", roomWords(visit, room)) };
  return {
    ...frame,
    body: html`${own !== undefined && html`<p>${senderState(visit, own.status)} <a href="/senders/${own.id}">${visit.t(`Voir votre demande de ${own.name}`, `See your request for ${own.name}`)}</a></p>`}
<p>${roomWords(visit, room)}</p>
<div class="columns wide-first">
${section(visit.t("Votre demande", "Your request"), [
  form(visit, "/senders/new", [
    field(visit, {
      name: "name",
      label: visit.t("Nom", "Name"),
      hint: visit.t(
        "3 à 11 lettres sans accent ou chiffres, sans espace : BOUTIQUE, EcoleAwa.",
        "3 to 11 unaccented letters or digits, no spaces: BOUTIQUE, EcoleAwa.",
      ),
      value: visit.field("name"),
      problem,
      attributes: html`class="short" maxlength="11" minlength="3" pattern="[A-Za-z0-9]{3,11}" autocomplete="off" autocapitalize="characters" spellcheck="false"`,
    }),
    textArea(visit, {
      name: "description",
      label: visit.t("À quoi il servira", "What it is for"),
      hint: visit.t(
        "Qui vous êtes, à qui vous écrivez, et un exemple de message.",
        "Who you are, to whom you write, and an example of a message.",
      ),
      value: visit.field("description"),
      problem,
      attributes: html`maxlength="1000"`,
    }),
    button(visit.t("Demander cet expéditeur", "Ask for this sender")),
  ]),
])}
${advicePart(visit)}
</div>`,
  };
}

/** What reviewers look for, beside the fields: most refusals come from the same few things. */
function advicePart(visit: Visit): Html {
  const advice = visit.t(
    [
      "Le nom dit qui écrit : celui de votre entreprise, de votre enseigne ou de votre site.",
      "Un mot général, comme INFO ou PROMO, est refusé.",
      "Le nom d’un opérateur, d’une banque, d’une administration ou d’une marque qui n’est pas la vôtre est refusé.",
      "La demande nomme l’entreprise : raison sociale, registre de commerce, site ou page.",
      "L’exemple est un vrai message, comme vos clients le recevront.",
    ],
    [
      "The name says who writes: that of your company, your shop or your site.",
      "A general word, as INFO or PROMO, is refused.",
      "The name of an operator, a bank, an authority or a brand that is not yours is refused.",
      "The request names the company: its legal name, its registration, its site or page.",
      "The example is a real message, as your customers will get it.",
    ],
  );
  return notice(
    "note",
    html`<ul class="stack">${advice.map((one) => html`<li>${one}</li>`)}</ul>`,
    visit.t("Ce que l’on vérifie", "What is checked"),
  );
}

async function create(visit: Visit): Promise<View | Redirect> {
  const [name, description] = [visit.field("name").trim(), visit.field("description").trim()];
  const own = (await allSenders(visit)).find((one) => isSameName(one.name, name) && one.status !== "REFUSED");
  if (own !== undefined) {
    const sentence = visit.t("Vous avez déjà demandé ce nom.", "You asked for this name already.");
    return newSender(visit, new Problem(sentence, "name"), own);
  }
  const asked = await visit.attempt(visit.ask("/v1/sender/create", { name, description }));
  if (asked instanceof Problem) return newSender(visit, asked);
  return new Redirect(`/senders/${asked.data.id}?done=asked`);
}

/** Capitals tell no names of senders apart. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
