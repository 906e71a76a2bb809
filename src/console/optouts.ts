// Opt-outs: the numbers that want no more campaigns, who said so, and ending what the company said itself.
import { type Html, html } from "../kernel/html.ts";
import { normalisePhone } from "../sms/sms.ts";
import type { Data } from "./ask.ts";
import { peopleTabs } from "./contacts.ts";
import { button, form, linkButton, textArea } from "./forms.ts";
import { optoutNotice } from "./numbers.ts";
import {
  actions,
  badge,
  type Column,
  doneNotice,
  empty,
  pager,
  searchForm,
  section,
  table,
} from "./parts.ts";
import { readPasted } from "./pasted.ts";
import { unclearProblem } from "./pastedlists.ts";
import { may } from "./roles.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

type Optout = Data<"/v1/optout/list">[number];

const ROWS = 20;

export function addOptouts(screens: Screens): void {
  screens.page("/optouts", list);
  screens.page("/optouts/new", (visit) => newOptout(visit));
  screens.form("/optouts/new", create);
  screens.page("/optouts/end", (visit) =>
    visit.field("phone") ? confirmEnd(visit) : new Redirect("/optouts"),
  );
  screens.form("/optouts/end", end);
}

const backToList = (visit: Visit) => ({ href: "/optouts", text: visit.t("Désinscriptions", "Opt-outs") });

async function list(visit: Visit): Promise<View> {
  const phone = visit.field("phone").trim();
  const wanted = { page: visit.page, limit: ROWS };
  const found = await visit.attempt(visit.ask("/v1/optout/list", { ...wanted, ...(phone && { phone }) }));
  // A number that is none finds nothing, and the whole list stays.
  const listed = found instanceof Problem ? await visit.ask("/v1/optout/list", wanted) : found;
  const search = found instanceof Problem ? "" : phone;
  const problem = found instanceof Problem ? found : undefined;
  const hasNone = listed.totalCount === 0 && search === "";
  const isEditor = may(visit, "contacts");
  return {
    title: visit.t("Désinscriptions", "Opt-outs"),
    at: "contacts",
    problem,
    body: html`${doneNotice(visit, {
      added: visit.t("Le numéro est désinscrit.", "The number is opted out."),
      addedMany: visit.t("Les numéros sont désinscrits.", "The numbers are opted out."),
      ended: visit.t(
        "La désinscription est levée : ce numéro peut de nouveau recevoir vos campagnes.",
        "The opt-out has ended: this number can get your campaigns again.",
      ),
    })}
${peopleTabs(visit, "optouts")}
<p class="lead">${visit.t(
      "Ces numéros ne reçoivent plus vos campagnes, quel que soit le groupe. Les codes de vérification leur parviennent toujours.",
      "These numbers get no more campaigns of yours, whatever the group. One-time passwords still reach them.",
    )}</p>
${isEditor && !hasNone && actions([addLink(visit)])}
${!hasNone && searchPart(visit, problem)}
${listed.totalCount === 0 ? emptyPart(visit, search) : listPart(visit, listed, search)}`,
  };
}

type Listed = Awaited<ReturnType<typeof askList>>;
const askList = (visit: Visit) => visit.ask("/v1/optout/list");

function listPart(visit: Visit, listed: Listed, search: string): Html {
  const { formats } = visit;
  const title = formats.count(listed.totalCount, visit.t("numéro", "number"), visit.t("numéros", "numbers"));
  const url = search === "" ? "/optouts" : `/optouts?${new URLSearchParams({ phone: search })}`;
  return section(title, [
    table(visit.t("Désinscriptions", "Opt-outs"), columns(visit), listed.data),
    pager(visit, listed, url),
  ]);
}

function addLink(visit: Visit): Html {
  return linkButton("/optouts/new", visit.t("Désinscrire un numéro", "Opt a number out"), "main", "add");
}

function emptyPart(visit: Visit, search: string): Html {
  if (search !== "")
    return empty(
      visit.t("Ce numéro n’est pas désinscrit", "This number is not opted out"),
      visit.t("Il reçoit vos campagnes.", "It gets your campaigns."),
      html`<a href="/optouts">${visit.t("Toutes les désinscriptions", "All opt-outs")}</a>`,
    );
  return empty(
    visit.t("Aucune désinscription", "No opt-out"),
    visit.t(
      "Qui répond STOP à un de vos messages apparaît ici. Vous pouvez aussi désinscrire vous-même un numéro.",
      "Who answers STOP to one of your messages appears here. You can opt a number out yourself too.",
    ),
    may(visit, "contacts") ? addLink(visit) : undefined,
  );
}

function columns(visit: Visit): Column<Optout>[] {
  const { formats } = visit;
  const all: Column<Optout>[] = [
    {
      head: visit.t("Numéro", "Number"),
      cell: ({ phone }) => html`<a href="/numbers/${phone}">${formats.phone(phone)}</a>`,
    },
    { head: visit.t("Qui l’a dit", "Who said so"), cell: ({ source }) => sourceBadge(visit, source) },
    { head: visit.t("Depuis", "Since"), cell: ({ createdAt }) => formats.moment(createdAt) },
  ];
  const ending: Column<Optout> = {
    head: "",
    cell: ({ phone, source }) =>
      source === "HANDSET"
        ? html`<small>${visit.t("Par START seulement", "By START only")}</small>`
        : html`<a href="/optouts/end?phone=%2B${phone}" aria-label="${visit.t(`Lever la désinscription du ${formats.phone(phone)}`, `End it: ${formats.phone(phone)}`)}">${visit.t("Lever", "End it")}</a>`,
  };
  return may(visit, "contacts") ? [...all, ending] : all;
}

function sourceBadge(visit: Visit, source: Optout["source"]): Html {
  return source === "HANDSET"
    ? badge("note", visit.t("La personne, par STOP", "The person, by STOP"))
    : badge("calm", visit.t("Vous", "You"));
}

function searchPart(visit: Visit, problem: Problem | undefined): Html {
  return searchForm(visit, {
    action: "/optouts",
    name: "phone",
    label: visit.t("Chercher un numéro", "Find a number"),
    problem,
    attributes: html`inputmode="tel"`,
  });
}

function phonesField(visit: Visit, problem: Problem | undefined): Html {
  return textArea(
    visit,
    {
      name: "phone",
      label: visit.t("Numéros de téléphone", "Phone numbers"),
      hint: visit.t(
        "Un ou plusieurs, séparés par une ligne, une virgule, un point-virgule, une tabulation ou un espace.",
        "One or several, separated by a line, a comma, a semicolon, a tab or a space.",
      ),
      value: visit.field("phone"),
      problem,
      attributes: html`spellcheck="false" autocomplete="off"`,
    },
    3,
  );
}

function newOptout(visit: Visit, problem?: Problem): View {
  return {
    title: visit.t("Désinscrire des numéros", "Opt numbers out"),
    at: "contacts",
    narrow: true,
    back: backToList(visit),
    problem,
    body: html`<p class="lead">${visit.t(
      "Quand quelqu’un vous demande de vive voix, par courrier ou par téléphone de ne plus recevoir vos messages.",
      "When somebody asks you in person, by mail or by phone to get no more messages.",
    )}</p>
${section(visit.t("Les numéros", "The numbers"), [
  form(visit, "/optouts/new", [phonesField(visit, problem), button(visit.t("Désinscrire", "Opt out"))]),
])}`,
  };
}

/** Opt-outs that one form makes, each in a transaction of its own. */
const OPTOUTS_AT_ONCE = 500;

async function create(visit: Visit): Promise<View | Redirect> {
  const { people, unclear } = readPasted(visit.field("phone"), visit.company.country);
  const problem = unclearProblem(visit, people.length, unclear, "phone") ?? wrongCount(visit, people.length);
  if (problem) return newOptout(visit, problem);
  for (const { phone } of people) {
    const made = await visit.attempt(visit.ask("/v1/optout/create", { phone }));
    if (made instanceof Problem) return newOptout(visit, made);
  }
  return new Redirect(`/optouts?done=${people.length === 1 ? "added" : "addedMany"}`);
}

function wrongCount(visit: Visit, count: number): Problem | undefined {
  if (count === 0)
    return new Problem(visit.t("Donnez au moins un numéro.", "Give one number at least."), "phone");
  if (count <= OPTOUTS_AT_ONCE) return undefined;
  return new Problem(
    visit.t(
      `Désinscrivez ${OPTOUTS_AT_ONCE} numéros au plus à la fois.`,
      `Opt out ${OPTOUTS_AT_ONCE} numbers at most at a time.`,
    ),
    "phone",
  );
}

function confirmEnd(visit: Visit, problem?: Problem): View {
  const phone = normalisePhone(visit.field("phone"), visit.company.country);
  const shown = phone === null ? visit.field("phone") : visit.formats.phone(phone);
  return {
    title: visit.t(`Lever la désinscription du ${shown}\u00a0?`, `End the opt-out of ${shown}?`),
    at: "contacts",
    narrow: true,
    back: backToList(visit),
    problem,
    body: html`<p>${visit.t(
      "Vos prochaines campagnes lui parviendront de nouveau. Ne le faites que si cette personne vous l’a demandé.",
      "Your next campaigns reach it again. Do so only if this person asked you to.",
    )}</p>
${form(
  visit,
  "/optouts/end",
  actions([
    button(visit.t("Lever la désinscription", "End the opt-out"), "danger"),
    html`<a href="/optouts">${visit.t("Ne rien changer", "Change nothing")}</a>`,
  ]),
  { members: { phone: visit.field("phone") } },
)}`,
  };
}

async function end(visit: Visit): Promise<View | Redirect> {
  const phone = visit.field("phone");
  const ended = await visit.attempt(visit.ask("/v1/optout/delete", { phone }));
  if (ended instanceof Problem) return confirmEnd(visit, ended);
  // The interface ends what the company said, and warns that the person said STOP: the number stays opted out.
  if (ended.warnings) {
    return {
      title: visit.t("Le numéro reste désinscrit", "The number stays opted out"),
      at: "contacts",
      narrow: true,
      back: backToList(visit),
      body: optoutNotice(visit, "HANDSET"),
    };
  }
  return new Redirect("/optouts?done=ended");
}
