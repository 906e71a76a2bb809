// Opt-outs: the numbers that receive no more campaigns, who opted them out, and ending the company's own opt-outs.
import { type Html, html } from "../../../platform/http/html.ts";
import { normalisePhone } from "../../../protocol/sms/phone.ts";
import type { Data } from "../apiclient.ts";
import { button, form, linkButton, textArea } from "../parts/forms.ts";
import { type Column, listPart } from "../parts/lists.ts";
import { actions, badge, doneNotice, section } from "../parts/parts.ts";
import { may } from "../parts/roles.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { peopleTabs } from "./contacts.ts";
import { optoutNotice } from "./numbers.ts";
import { readPasted } from "./pasted.ts";
import { unclearProblem } from "./pastedlists.ts";

type Optout = Data<"/v1/optout/list">[number];

const ROWS = 20;

export function addOptouts(screens: Screens): void {
  screens.page("/optouts", list);
  screens.pageAndForm("/optouts/new", newOptout, create);
  screens.pageAndForm(
    "/optouts/end",
    (visit) => (visit.field("phone") ? confirmEnd(visit) : new Redirect("/optouts")),
    end,
  );
}

const backToList = (visit: Visit) => ({ href: "/optouts", text: visit.t("Désinscriptions", "Opt-outs") });

async function list(visit: Visit): Promise<View> {
  const phone = visit.field("phone").trim();
  const wanted = { limit: ROWS };
  const found = await visit.attempt(visit.listed("/v1/optout/list", { ...wanted, ...(phone && { phone }) }));
  // An invalid number finds nothing, and the whole list stays.
  const listed = found instanceof Problem ? await visit.listed("/v1/optout/list", wanted) : found;
  const search = found instanceof Problem ? "" : phone;
  if (found instanceof Problem) visit.problem = found;
  return {
    title: visit.t("Désinscriptions", "Opt-outs"),
    body: html`${doneNotice(visit, {
      added: visit.t("Numéro désinscrit.", "Number opted out."),
      addedMany: visit.t("Numéros désinscrits.", "Numbers opted out."),
      ended: visit.t(
        "Numéro réinscrit : il peut de nouveau recevoir vos campagnes.",
        "Number opted in again: it can receive your campaigns.",
      ),
    })}
${peopleTabs(visit, "optouts")}
<p class="lead">${visit.t(
      "Ces numéros ne reçoivent plus vos campagnes, quel que soit le groupe. Ils reçoivent toujours les codes à usage unique.",
      "These numbers no longer receive your campaigns, whatever the group. They still receive one-time passwords.",
    )}</p>
${listPart(visit, listed, {
  title: visit.t("Désinscriptions", "Opt-outs"),
  heading: visit.count(listed.totalCount, ["numéro", "numéros"], ["number", "numbers"]),
  columns: columns(visit),
  url: "/optouts",
  filters: { phone: search },
  add:
    may(visit, "contacts") &&
    linkButton("/optouts/new", visit.t("Désinscrire un numéro", "Opt out a number"), "main", "add"),
  search: {
    name: "phone",
    label: visit.t("Rechercher un numéro", "Search for a number"),
    attributes: html`inputmode="tel"`,
  },
  none: [
    visit.t("Aucune désinscription", "No opt-outs"),
    visit.t(
      "Les personnes qui répondent STOP à l’un de vos messages apparaissent ici. Vous pouvez aussi désinscrire un numéro vous-même.",
      "People who reply STOP to one of your messages appear here. You can also opt out a number yourself.",
    ),
  ],
  missed: [
    visit.t("Ce numéro n’est pas désinscrit", "This number is not opted out"),
    visit.t("Il peut recevoir vos campagnes.", "It can receive your campaigns."),
    visit.t("Toutes les désinscriptions", "All opt-outs"),
  ],
})}`,
  };
}

function columns(visit: Visit): Column<Optout>[] {
  const all: Column<Optout>[] = [
    [
      visit.t("Numéro", "Number"),
      ({ phone }) => html`<a href="/numbers/${phone}">${visit.formats.phone(phone)}</a>`,
    ],
    [visit.t("Origine", "Source"), ({ source }) => sourceBadge(visit, source)],
    [visit.t("Date", "Date"), ({ createdAt }) => visit.formats.moment(createdAt)],
  ];
  const ending: Column<Optout> = [
    "",
    ({ phone, source }) =>
      source === "HANDSET"
        ? html`<small>${visit.t("Réinscription par START uniquement", "Opt-in by START only")}</small>`
        : html`<a href="/optouts/end?phone=%2B${phone}" aria-label="${visit.t(`Réinscrire le ${visit.formats.phone(phone)}`, `Opt in again: ${visit.formats.phone(phone)}`)}">${visit.t("Réinscrire", "Opt in again")}</a>`,
  ];
  return may(visit, "contacts") ? [...all, ending] : all;
}

function sourceBadge(visit: Visit, source: Optout["source"]): Html {
  return source === "HANDSET"
    ? badge("note", visit.t("STOP par SMS", "STOP by SMS"))
    : badge("calm", visit.t("Vous", "You"));
}

function phonesField(visit: Visit): Html {
  return textArea(visit, "phone", visit.t("Numéros de téléphone", "Phone numbers"), {
    hint: visit.t(
      "Un numéro par ligne, ou plusieurs séparés par une virgule, un point-virgule, une tabulation ou un espace.",
      "One number per line, or several separated by a comma, a semicolon, a tab or a space.",
    ),
    attributes: html`spellcheck="false" autocomplete="off"`,
    rows: 3,
  });
}

function newOptout(visit: Visit): View {
  return {
    title: visit.t("Désinscrire des numéros", "Opt out numbers"),
    narrow: true,
    back: backToList(visit),
    body: html`<p class="lead">${visit.t(
      "Pour les personnes qui vous demandent de vive voix, par courrier ou par téléphone de ne plus recevoir vos messages.",
      "For people who ask you in person, by mail or by phone to stop receiving your messages.",
    )}</p>
${section(visit.t("Numéros", "Numbers"), [
  form(visit, "/optouts/new", [phonesField(visit), button(visit.t("Désinscrire", "Opt out"))]),
])}`,
  };
}

/** The maximum number of opt-outs of one form; each has a transaction of its own. */
const OPTOUTS_AT_ONCE = 500;

async function create(visit: Visit): Promise<View | Redirect> {
  const { people, unclear } = readPasted(visit.field("phone"), visit.company.country);
  const problem = unclearProblem(visit, people.length, unclear, "phone") ?? wrongCount(visit, people.length);
  if (problem) return newOptout(visit.with(problem));
  for (const { phone } of people) {
    const made = await visit.attempt(visit.call("/v1/optout/create", { phone }));
    if (made instanceof Problem) return newOptout(visit.with(made));
  }
  return new Redirect(`/optouts?done=${people.length === 1 ? "added" : "addedMany"}`);
}

function wrongCount(visit: Visit, count: number): Problem | undefined {
  if (count === 0)
    return new Problem(visit.t("Saisissez au moins un numéro.", "Enter at least one number."), "phone");
  if (count <= OPTOUTS_AT_ONCE) return undefined;
  return new Problem(
    visit.t(
      `Désinscrivez au maximum ${OPTOUTS_AT_ONCE} numéros à la fois.`,
      `Opt out at most ${OPTOUTS_AT_ONCE} numbers at a time.`,
    ),
    "phone",
  );
}

function confirmEnd(visit: Visit): View {
  const phone = normalisePhone(visit.field("phone"), visit.company.country);
  const shown = phone === null ? visit.field("phone") : visit.formats.phone(phone);
  return {
    title: visit.t(`Réinscrire le ${shown}\u00a0?`, `Opt in ${shown} again?`),
    narrow: true,
    back: backToList(visit),
    body: html`<p>${visit.t(
      "Ce numéro recevra de nouveau vos campagnes. Ne le réinscrivez que si cette personne vous l’a demandé.",
      "This number will receive your campaigns again. Opt it in only if this person asked you to.",
    )}</p>
${form(
  visit,
  { action: "/optouts/end", members: { phone: visit.field("phone") } },
  actions([
    button(visit.t("Réinscrire", "Opt in again"), "danger"),
    html`<a href="/optouts">${visit.t("Annuler", "Cancel")}</a>`,
  ]),
)}`,
  };
}

async function end(visit: Visit): Promise<View | Redirect> {
  const phone = visit.field("phone");
  const ended = await visit.attempt(visit.call("/v1/optout/delete", { phone }));
  if (ended instanceof Problem) return confirmEnd(visit.with(ended));
  // The API ends the company's opt-out, and warns that the person sent STOP: the number stays opted out.
  if (ended.warnings) {
    return {
      title: visit.t("Le numéro reste désinscrit", "The number remains opted out"),
      narrow: true,
      back: backToList(visit),
      body: optoutNotice(visit, "HANDSET"),
    };
  }
  return new Redirect("/optouts?done=ended");
}
