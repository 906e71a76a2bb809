// One number: its contact, its opt-out, and its messages, newest first.
import { type Html, html } from "../../../platform/http/html.ts";
import { compileTemplate } from "../../../protocol/sms/personalise.ts";
import { normalisePhone } from "../../../protocol/sms/phone.ts";
import { Refused } from "../apiclient.ts";
import { linkButton } from "../parts/forms.ts";
import { empty, pager, searchForm } from "../parts/lists.ts";
import { actions, facts, remark, section, type TimelineEvent, timeline } from "../parts/parts.ts";
import { may } from "../parts/roles.ts";
import { Problem, sentenceOf } from "../parts/sentences.ts";
import { MESSAGE_TONES, messageState } from "../parts/states.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { peopleTabs } from "./contacts.ts";
import { renumberedNotice, searchOld } from "./oldnumbers.ts";

const ROWS = 20;

export function addNumbers(screens: Screens): void {
  screens.page("/numbers", find);
  screens.page("/numbers/:phone", number);
}

type Found = Awaited<ReturnType<typeof searchNumber>>;
type Message = Found["data"][number];
type Source = NonNullable<Found["optout"]>;

/** What the company knows about a number. Throws `invalid-phone-number`. */
function searchNumber(visit: Visit, phone: string) {
  // The page's URL has a normalised phone, which must not be read again as a national number.
  return visit.listed("/v1/message/list", { phone: `+${phone}`, limit: ROWS });
}

/** A field that looks up a number. */
function numberSearch(visit: Visit): Html {
  return searchForm(visit, {
    action: "/numbers",
    name: "phone",
    label: visit.t("Rechercher un numéro", "Search for a number"),
    attributes: html`inputmode="tel"`,
  });
}

function find(visit: Visit): View | Redirect {
  const given = visit.field("phone");
  const old = searchOld(visit, given);
  if (old !== undefined && "phone" in old)
    return new Redirect(`/numbers/${old.phone}?${new URLSearchParams({ old: given })}`);
  const phone = normalisePhone(given, visit.company.country);
  if (phone !== null && old === undefined) return new Redirect(`/numbers/${phone}`);
  const wrong = old?.question ?? sentenceOf(visit, new Refused("invalid-phone-number"));
  if (given !== "") visit.problem = new Problem(wrong, "phone");
  return {
    title: visit.t("Suivre un numéro", "Track a number"),
    body: html`${peopleTabs(visit, "numbers")}
<p class="lead">${visit.t(
      "Une personne dit n’avoir rien reçu ? Consultez l’historique de son numéro.",
      "Someone says they received nothing? Check the history of their number.",
    )}</p>
${numberSearch(visit)}`,
  };
}

/** How the texts of messages are shown. The service stores the text of a campaign, not each recipient's. */
type Texts = { note: string; of: (text: string) => string };

/** With the contact's current name, so most likely as the person read it; as written if there is no contact. */
async function textsFor(visit: Visit, { contact, data }: Found): Promise<Texts> {
  const isPersonal = data.some(({ text }) => text !== null && compileTemplate(text).personal);
  const found =
    contact && isPersonal
      ? await visit.attempt(visit.call("/v1/contact/{id}", { id: contact.id }))
      : undefined;
  if (!found || found instanceof Problem) return { note: templateWords(visit), of: (text) => text };
  return {
    note: visit.t("Avec les noms actuels de ce contact", "With this contact’s current names"),
    of: (text) => compileTemplate(text).render(found.data),
  };
}

/** Returns a note that a text has variables in place of the values that the person received. */
export function templateWords(visit: Visit): string {
  return visit.t("Texte du modèle", "Template text");
}

async function number(visit: Visit): Promise<View> {
  const phone = visit.param("phone");
  const found = await searchNumber(visit, phone);
  const texts = await textsFor(visit, found);
  const title = visit.t("Messages", "Messages");
  const counted = visit.count(found.totalCount, ["message", "messages"], ["message", "messages"]);
  return {
    title: visit.formats.phone(phone),
    back: { href: "/numbers", text: visit.t("Suivre un numéro", "Track a number") },
    body: html`${renumberedNotice(visit, phone)}${personPart(visit, phone, found)}
${!found.queueSearched && queueNotice(visit)}
${
  found.totalCount === 0
    ? empty(
        visit.t("Aucun message", "No messages"),
        visit.t(
          "Aucun message vers ce numéro ces trois derniers mois, et aucun en cours.",
          "No messages to this number in the last three months, and none in progress.",
        ),
      )
    : section(
        title,
        [
          timeline(found.data.map((message) => eventOf(visit, message, texts))),
          pager(visit, found, `/numbers/${phone}`),
        ],
        html`<small>${visit.t(`${counted} en trois mois`, `${counted} in three months`)}</small>`,
      )
}
<p><small>${visit.t(
      "Les campagnes programmées apparaissent ici dès leur envoi.",
      "Scheduled campaigns appear here once they are sent.",
    )}</small></p>
${numberSearch(visit)}`,
  };
}

/** Renders a notice that more messages are queued than are searched, for companies and administrators. */
export function queueNotice(visit: Visit): Html {
  return remark(visit, "wait", [
    "De nombreux SMS sont en file d’attente : la recherche ne porte que sur les plus récents. Les SMS déjà envoyés sont tous affichés.",
    "Many SMS are queued: only the newest were searched. All SMS already sent are listed.",
  ]);
}

function personPart(visit: Visit, phone: string, { contact, optout }: Found): Html {
  const isEditor = may(visit, "contacts");
  const add = html`<a href="/contacts/new?phone=%2B${phone}">${visit.t("Ajouter aux contacts", "Add to contacts")}</a>`;
  const name = contact?.name === phone ? visit.t("Sans nom", "No name") : contact?.name;
  const query = new URLSearchParams({ phone: `+${phone}` });
  return section(visit.t("À propos de ce numéro", "About this number"), [
    facts([
      [
        visit.t("Contact", "Contact"),
        contact
          ? html`<a href="/contacts/${contact.id}">${name}</a>`
          : html`${visit.t("Absent de vos contacts.", "Not in your contacts.")} ${isEditor && add}`,
      ],
    ]),
    optout !== null && optoutNotice(visit, optout),
    isEditor &&
      actions([
        optout === "HANDSET"
          ? undefined
          : linkButton(
              `/optouts${optout === null ? "/new" : "/end"}?${query}`,
              optout === null
                ? visit.t("Désinscrire ce numéro", "Opt out this number")
                : visit.t("Réinscrire ce numéro", "Opt in again"),
              "second",
            ),
      ]),
  ]);
}

/** Renders who opted a number out, and who can end it. */
export function optoutNotice(visit: Visit, source: Source): Html {
  return source === "HANDSET"
    ? remark(
        visit,
        "wait",
        [
          "Cette personne a répondu STOP : elle ne reçoit plus vos campagnes. Elle seule peut se réinscrire, en répondant START à l’un de vos messages.",
          "This person replied STOP and no longer receives your campaigns. Only they can opt in again, by replying START to one of your messages.",
        ],
        ["Désinscrit par SMS (STOP)", "Opted out by SMS (STOP)"],
      )
    : remark(
        visit,
        "wait",
        [
          "Vous avez désinscrit ce numéro : il ne reçoit plus vos campagnes. Il reçoit toujours les codes à usage unique.",
          "You opted out this number: it no longer receives your campaigns. It still receives one-time passwords.",
        ],
        ["Désinscrit par vous", "Opted out by you"],
      );
}

function eventOf(visit: Visit, message: Message, texts: Texts): TimelineEvent {
  const { sender, segments, credits, operator, text } = message;
  const parts = [
    sender !== null && visit.t(`de ${sender}`, `from ${sender}`),
    visit.formats.count(segments, "SMS", "SMS"),
    visit.credits(credits),
    operator !== null && operator,
    text !== null && compileTemplate(text).personal && texts.note,
  ];
  return {
    tone: MESSAGE_TONES[message.status],
    title: titleOf(visit, message),
    when: visit.formats.moment(message.sentAt ?? message.createdAt),
    more: html`<p>${messageState(visit, message.status)} ${fateOf(visit, message)}</p>
${text !== null && html`<blockquote>${texts.of(text)}</blockquote>`}
<p><small>${parts.filter((part) => part !== false).join(" · ")}</small></p>`,
  };
}

function titleOf(visit: Visit, { kind, campaignId, campaignName }: Message): string | Html {
  if (kind === "otp") return visit.t("Code à usage unique", "One-time password");
  if (campaignId === null || campaignName === null)
    return visit.t("Message d’une application", "Message from an application");
  return html`${visit.t("Campagne", "Campaign")} <a href="/campaigns/${campaignId}">${campaignName}</a>`;
}

/** The status of a message, in a sentence. */
function fateOf(visit: Visit, { status, sentAt, deliveredAt, errorReason, operator }: Message): string {
  const who = operator ?? visit.t("l’opérateur", "the operator");
  const why = errorReason === null ? "" : visit.t(` : ${errorReason}`, `: ${errorReason}`);
  const at = (instant: string | null) => (instant === null ? "" : ` ${visit.formats.moment(instant)}`);
  const sentences: Record<Message["status"], readonly [string, string]> = {
    QUEUED: ["En attente d’envoi.", "Waiting to be sent."],
    SENDING: [`Transmission en cours à ${who}.`, `Being submitted to ${who}.`],
    SENT: [
      `Envoyé le${at(sentAt)}. En attente de l’accusé de ${who}.`,
      `Sent on${at(sentAt)}. Awaiting the receipt from ${who}.`,
    ],
    DELIVERED: arrivalOf(visit, sentAt, deliveredAt),
    UNDELIVERED: [
      `Le message n’est pas arrivé au téléphone${why}.`,
      `The message did not reach the handset${why}.`,
    ],
    EXPIRED: [
      `Le téléphone n’a pas pu être joint à temps${why}.`,
      `The handset could not be reached in time${why}.`,
    ],
    REJECTED: [`Le message n’a pas été accepté${why}.`, `The message was not accepted${why}.`],
    CANCELED: ["Le message n’a pas été envoyé.", "The message was not sent."],
    UNKNOWN: [
      "L’opérateur n’a jamais confirmé le résultat de l’envoi.",
      "The operator never confirmed the outcome.",
    ],
  };
  return visit.t(...sentences[status]).replace(/\.\.$/, ".");
}

const MINUTE_MS = 60_000;

/** When a message arrived, or how quickly. */
function arrivalOf({ formats }: Visit, sentAt: string | null, deliveredAt: string | null): [string, string] {
  if (deliveredAt === null) return ["Reçu par le téléphone.", "Received by the handset."];
  const tookMs = sentAt === null ? MINUTE_MS : Date.parse(deliveredAt) - Date.parse(sentAt);
  if (tookMs < MINUTE_MS) {
    const seconds = Math.max(1, Math.round(tookMs / 1_000));
    return [
      `Reçu par le téléphone en ${formats.count(seconds, "seconde", "secondes")}.`,
      `Received by the handset in ${formats.count(seconds, "second", "seconds")}.`,
    ];
  }
  const moment = formats.moment(deliveredAt);
  return [`Reçu par le téléphone le ${moment}.`, `Received by the handset on ${moment}.`];
}
