// The simulated handsets as phones that can answer: the messages of each, and a field to reply.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { type Data, unlessRefused } from "../apiclient.ts";
import { button, field, form, textArea } from "../parts/forms.ts";
import { empty, queryOf, tableSection, tabs } from "../parts/lists.ts";
import { handset, section } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import type { HandsetReply } from "../session.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";
import { mayAdminister } from "./admin.ts";

export function addAdminHandsets(screens: Screens): void {
  screens.page("/admin/handsets", list);
  screens.page("/admin/handsets/live", liveList);
  screens.pageAndForm("/admin/handsets/:phone", show, reply);
  screens.page("/admin/handsets/:phone/live", liveThread);
}

type Message = Data<"/v1/admin/simulator/inbox">[number];

const LATELY = 500;
const IN_THREAD = 100;
const BUBBLES = 30;

/** Returns the messages that the handsets received, newest first; undefined if no simulator runs. */
async function inbox(
  visit: Visit,
  wanted: { phone?: string; limit: number },
): Promise<Message[] | undefined> {
  const calling = visit.callAsAdmin("/v1/admin/simulator/inbox", wanted);
  return (await unlessRefused("not-found", calling))?.data;
}

async function list(visit: Visit): Promise<View> {
  if (!mayAdminister(visit, "govern")) return forOwners(visit);
  const messages = await inbox(visit, { limit: LATELY });
  return {
    title: visit.t("Téléphones simulés", "Simulated handsets"),
    islands: messages ? ["live"] : [],
    body: messages
      ? html`<p class="lead">${visit.t(
          "Messages envoyés aux numéros qu’aucun opérateur réel ne dessert. Ouvrez un téléphone pour les lire et y répondre.",
          "Messages sent to numbers that no real operator serves. Open a handset to read and reply.",
        )}</p>
<form method="get" action="/admin/handsets/any" class="actions"><label class="grow"><span>${visit.t("Numéro de téléphone", "Phone number")}</span><input type="tel" name="number" inputmode="tel" maxlength="30" required></label>${button(visit.t("Ouvrir", "Open"), "second")}</form>
<div class="stack" data-live="/admin/handsets/live">${listPart(visit, messages)}</div>`
      : noSimulator(visit),
  };
}

/** Refused to other roles: handsets show the codes of other people. */
function forOwners(visit: Visit): View {
  return {
    title: visit.t("Téléphones simulés", "Simulated handsets"),
    body: empty(
      visit.t("Réservé aux propriétaires", "Owners only"),
      visit.t(
        "Ces téléphones affichent les codes d’autres personnes.",
        "These handsets show other people’s codes.",
      ),
    ),
  };
}

function noSimulator(visit: Visit): Html {
  return empty(
    visit.t("Aucun simulateur actif ici", "No simulator running here"),
    visit.t(
      "Les SMS sont transmis aux opérateurs réels. Le simulateur est désactivé dans la configuration (SIMULATOR) ou fonctionne dans un autre processus.",
      "SMS are sent to real operators. The simulator is turned off in the configuration (SIMULATOR), or it runs in another process.",
    ),
  );
}

async function liveList(visit: Visit): Promise<Fragment> {
  const messages = await inbox(visit, { limit: LATELY });
  return new Fragment(messages ? listPart(visit, messages) : noSimulator(visit), messages === undefined);
}

function listPart(visit: Visit, messages: readonly Message[]): Html {
  if (messages.length === 0)
    return empty(
      visit.t("Aucun SMS reçu", "No SMS received"),
      visit.t(
        "Envoyez une campagne ou un message de test. Il apparaîtra ici.",
        "Send a campaign or a test message. It will appear here.",
      ),
    );
  const phones = [...Map.groupBy(messages, ({ to }) => to)].flatMap(([phone, [last, ...earlier]]) =>
    last ? [{ ...last, phone, count: 1 + earlier.length }] : [],
  );
  return tableSection(
    visit.t("Messages récents", "Recent messages"),
    [
      [
        visit.t("Téléphone", "Handset"),
        ({ phone }) => html`<a href="/admin/handsets/${phone}">${visit.formats.phone(phone)}</a>`,
      ],
      [visit.t("Expéditeur", "Sender"), ({ from }) => from],
      [visit.t("Dernier message", "Last message"), ({ text }) => shortened(text)],
      [visit.t("Reçu", "Received"), ({ receivedAt }) => visit.formats.ago(receivedAt, nowMs())],
      [visit.t("Messages", "Messages"), ({ count }) => visit.formats.number(count), "figure"],
    ],
    phones,
  );
}

const SHORT = 60;

function shortened(text: string): string {
  return text.length <= SHORT ? text : `${text.slice(0, SHORT)}…`;
}

/** Messages received and replies sent from here, oldest first. */
type Bubble = { text: string; at: string; isOwn: boolean };

type Thread = { phone: string; other: string; others: string[]; bubbles: Bubble[] };

/** The conversation of a phone with the chosen sender, or with the one who wrote last. */
async function readThread(visit: Visit): Promise<Thread | undefined> {
  const phone = visit.param("phone");
  const messages = await inbox(visit, { phone, limit: IN_THREAD });
  if (!messages) return undefined;
  const replies = (visit.session.replies ?? []).filter(({ from }) => from === phone);
  const others = [...new Set([...messages.map(({ from }) => from), ...replies.map(({ to }) => to)])];
  const chosen = visit.field("with");
  const other = others.includes(chosen) ? chosen : (others[0] ?? "");
  const bubbles = [
    ...messages
      .filter(({ from }) => from === other)
      .map(({ text, receivedAt }) => ({ text, at: receivedAt, isOwn: false })),
    ...replies.filter(({ to }) => to === other).map(({ text, at }) => ({ text, at, isOwn: true })),
  ];
  bubbles.sort((a, b) => (a.at < b.at ? -1 : 1));
  return { phone, other, others, bubbles: bubbles.slice(-BUBBLES) };
}

const threadUrl = (phone: string, other: string) => `/admin/handsets/${phone}${queryOf({ with: other })}`;

async function show(visit: Visit): Promise<View | Redirect> {
  const typed = visit.field("number").replace(/\D/g, "");
  if (typed !== "") return new Redirect(`/admin/handsets/${withCountry(typed)}`);
  if (!mayAdminister(visit, "govern")) return forOwners(visit);
  const thread = await readThread(visit);
  const back = { href: "/admin/handsets", text: visit.t("Téléphones simulés", "Simulated handsets") };
  if (!thread)
    return {
      title: visit.t("Téléphone simulé", "Simulated handset"),
      back,
      body: noSimulator(visit),
    };
  const { phone, other, others } = thread;
  const query = new URLSearchParams({ with: other });
  return {
    title: visit.formats.phone(phone),
    back,
    islands: ["live"],
    body: html`${
      others.length > 1 &&
      tabs(
        visit.t("Conversations", "Conversations"),
        threadUrl(phone, other),
        others.map((one) => [threadUrl(phone, one), one]),
      )
    }
<div class="columns">
<div data-live="/admin/handsets/${phone}/live?${query}" aria-live="polite">${threadPart(visit, thread)}</div>
${section(visit.t("Répondre", "Reply"), replyForm(visit, thread))}
</div>`,
  };
}

/** A number of ten digits that begins with 0 is an Ivorian one. */
function withCountry(digits: string): string {
  return /^0\d{9}$/.test(digits) ? `225${digits}` : digits;
}

function threadPart(visit: Visit, { other, bubbles }: Thread): Html {
  if (bubbles.length === 0)
    return handset("", [
      visit.t(
        "Ce téléphone n’a encore reçu aucun message.",
        "This handset has not received any messages yet.",
      ),
    ]);
  return html`<div class="handset"><p class="from">${other}</p>${bubbles.map(
    ({ text, at, isOwn }) =>
      html`<p class="bubble${isOwn && " own"}">${text}
<small>${isOwn && visit.t("Vous, ", "You, ")}${visit.formats.time(at)}</small></p>`,
  )}</div>`;
}

async function liveThread(visit: Visit): Promise<Fragment> {
  const thread = await readThread(visit);
  return new Fragment(thread ? threadPart(visit, thread) : noSimulator(visit), thread === undefined);
}

function replyForm(visit: Visit, { phone, other }: Thread): Html {
  return form(visit, `/admin/handsets/${phone}`, [
    field(visit, "to", visit.t("Destinataire : expéditeur ou numéro court", "To: sender or short code"), {
      value: visit.problem ? visit.field("to") : other,
      attributes: html`class="short" maxlength="20" autocomplete="off"`,
    }),
    textArea(visit, "text", visit.t("Message", "Message"), {
      hint: visit.t(
        "STOP désinscrit ce numéro, comme sur un vrai téléphone.",
        "STOP opts this number out, as on a real phone.",
      ),
      value: visit.problem ? visit.field("text") : "",
      attributes: html`maxlength="1000"`,
      rows: 3,
    }),
    button(visit.t("Envoyer", "Send")),
  ]);
}

const REPLY_CHARACTERS = 160;

async function reply(visit: Visit): Promise<View | Redirect> {
  const [from, to, text] = [visit.param("phone"), visit.field("to"), visit.field("text")];
  const sent = await visit.attempt(visit.callAsAdmin("/v1/admin/simulator/reply", { from, to, text }));
  if (sent instanceof Problem) return show(visit.with(sent));
  const stored: HandsetReply = {
    from,
    to,
    text: text.slice(0, REPLY_CHARACTERS),
    at: new Date(nowMs()).toISOString(),
  };
  visit.saveSession({ replies: [...(visit.session.replies ?? []), stored] });
  return new Redirect(threadUrl(from, to));
}
