// Members: the people who act for a company, their roles, and whether a second person approves campaigns.
import { type Html, html } from "../../../platform/http/html.ts";
import { normalisePhone } from "../../../protocol/sms/phone.ts";
import { type Data, Refused } from "../apiclient.ts";
import { confirmView } from "../parts/confirm.ts";
import { button, check, choices, field, form, linkButton } from "../parts/forms.ts";
import { actions, copyable, doneNotice, facts, notice, pager, section, table } from "../parts/parts.ts";
import { ROLES, roleWord } from "../parts/roles.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { countAwaiting } from "./approvals.ts";

type Member = Data<"/v1/company/member/list">[number];
type Rule = Data<"/v1/company/approval/update">;

const ROWS = 50;
const PAGES_AT_MOST = 10;
const LONGEST_PAGE = 100;

export function addMembers(screens: Screens): void {
  screens.page("/members", (visit) => list(visit));
  screens.page("/members/new", (visit) => newMember(visit));
  screens.form("/members/new", create);
  screens.form("/members/approval", updateRule);
  screens.page("/members/:id", (visit) => member(visit));
  screens.form("/members/:id", update);
  screens.page("/members/:id/remove", (visit) => confirmRemove(visit));
  screens.form("/members/:id/remove", remove);
}

async function list(visit: Visit, problem?: Problem): Promise<View> {
  const [listed, rule, awaiting] = await Promise.all([
    visit.call("/v1/company/member/list", { page: visit.page, limit: ROWS }),
    visit.call("/v1/company/approval/update"),
    countAwaiting(visit),
  ]);
  const title = visit.t("Membres", "Members");
  return {
    title,
    at: "members",
    problem,
    body: html`${doneNotice(visit, {
      changed: visit.t("Modifications enregistrées.", "Changes saved."),
      removed: visit.t(
        "Cette personne n’a plus accès à l’entreprise. Ses clés ne fonctionnent plus.",
        "This person no longer has access. Their keys no longer work.",
      ),
      rule: visit.t("Règle d’approbation enregistrée.", "Approval rule saved."),
    })}
${actions([linkButton("/members/new", visit.t("Inviter un membre", "Invite a member"), "main", "add")])}
${section(
  visit.formats.count(listed.totalCount, visit.t("membre", "member"), visit.t("membres", "members")),
  [table(title, columns(visit), listed.data), pager(visit, listed, "/members"), rolesPart(visit)],
)}
${rulePart(visit, rule.data, awaiting, problem)}`,
  };
}

/** An explanation of what each role may do. */
function rolesPart(visit: Visit): Html {
  const rows = Object.values(ROLES).map(({ name, may }) => [visit.t(...name), visit.t(...may)] as const);
  return html`<details><summary>${visit.t("Droits de chaque rôle", "Permissions of each role")}</summary>${facts(rows)}</details>`;
}

function columns(visit: Visit) {
  const own = visit.phone;
  const you = html` <small>${visit.t("(vous)", "(you)")}</small>`;
  const { formats } = visit;
  return [
    {
      head: visit.t("Membre", "Member"),
      cell: (one: Member) =>
        html`<a href="/members/${one.id}">${nameOf(visit, one)}</a>${one.phone !== null && one.phone === own && you}`,
    },
    {
      head: visit.t("Rôle", "Role"),
      cell: ({ role }: Member) => html`${roleWord(visit, role)}`,
    },
    {
      head: visit.t("Numéro", "Phone"),
      cell: ({ phone }: Member) => (phone === null ? "" : formats.phone(phone)),
    },
    {
      head: visit.t("Membre depuis", "Member since"),
      cell: ({ createdAt }: Member) => formats.moment(createdAt),
    },
  ];
}

function nameOf(visit: Visit, { name, phone, email }: Member): string {
  const shown = phone === null ? null : visit.formats.phone(phone);
  return name ?? shown ?? email ?? visit.t("Sans nom", "No name");
}

/** The setting: which campaigns need a second person. */
function rulePart(visit: Visit, rule: Rule, awaiting: number, problem: Problem | undefined): Html {
  const typed = (name: keyof Rule, stored: string) => visit.typed(name, stored);
  const count = visit.formats.count(
    awaiting,
    visit.t("campagne en attente", "campaign pending"),
    visit.t("campagnes en attente", "campaigns pending"),
  );
  const ofKeys = visit.has("approval") ? visit.field("approvalOfKeys") : rule.approvalOfKeys ? "yes" : "";
  return section(
    visit.t("Approbation des campagnes", "Campaign approval"),
    [
      html`<p>${visit.t(
        "Une deuxième personne, propriétaire ou responsable des envois, relit et approuve la campagne avant l’envoi.",
        "A second person, an owner or approver, reviews and approves the campaign before it is sent.",
      )}</p>`,
      form(
        visit,
        "/members/approval",
        [
          choices(
            visit,
            {
              name: "approval",
              label: visit.t("Campagnes soumises à approbation", "Campaigns that require approval"),
              chosen: [typed("approval", rule.approval)],
              problem,
            },
            [
              { value: "none", text: visit.t("Aucune : chacun envoie seul", "None: everyone sends alone") },
              {
                value: "campaigns",
                text: visit.t("Selon le nombre de destinataires", "Based on the number of recipients"),
              },
            ],
          ),
          html`<div class="waiting">${[
            field(
              visit,
              {
                name: "approvalThreshold",
                label: visit.t("Nombre minimal de destinataires", "Minimum number of recipients"),
                hint: visit.t(
                  "1 : toutes les campagnes doivent être approuvées.",
                  "1: every campaign requires approval.",
                ),
                value: typed("approvalThreshold", String(rule.approvalThreshold)),
                problem,
                isOptional: "silent",
                attributes: html`class="short" min="1" max="1000000000" inputmode="numeric"`,
              },
              "number",
            ),
            check({
              name: "approvalOfKeys",
              label: visit.t(
                "Inclure les envois de logiciels avec une clé limitée",
                "Include sends by programs with a limited key",
              ),
              value: ofKeys,
            }),
          ]}</div>`,
          button(visit.t("Enregistrer", "Save"), "second"),
        ],
        { attributes: html`class="rule"` },
      ),
    ],
    html`<a href="/approvals">${awaiting > 0 ? count : visit.t("Campagnes en attente d’approbation", "Campaigns pending approval")}</a>`,
  );
}

async function updateRule(visit: Visit): Promise<View | Redirect> {
  const approval = visit.field("approval") as Rule["approval"];
  const threshold = visit.field("approvalThreshold").trim();
  const change = {
    approval,
    ...(threshold !== "" && { approvalThreshold: Number(threshold) }),
    approvalOfKeys: visit.field("approvalOfKeys") === "yes",
  };
  const saved = await visit.attempt(visit.call("/v1/company/approval/update", change));
  return saved instanceof Problem ? list(visit, saved) : new Redirect("/members?done=rule");
}

const TEXTS = ["name", "phone", "email"] as const;

/** The fields of a member, with the typed values if the form is shown again. */
function fieldsPart(visit: Visit, of: Member | undefined, problem: Problem | undefined): Html {
  const stored = of && { ...of, phone: of.phone === null ? null : visit.formats.phone(of.phone) };
  const value = (name: (typeof TEXTS)[number] | "role", otherwise = "") =>
    visit.typed(name, stored?.[name] ?? otherwise);
  return html`${field(visit, {
    name: "name",
    label: visit.t("Nom", "Name"),
    value: value("name"),
    problem,
    attributes: html`maxlength="200" autocomplete="off"`,
  })}
${field(
  visit,
  {
    name: "phone",
    label: visit.t("Numéro de téléphone", "Phone number"),
    hint: visit.t("La personne se connecte avec ce numéro.", "The person signs in with this number."),
    value: value("phone"),
    problem,
    attributes: html`class="short" inputmode="tel" maxlength="30" autocomplete="off"`,
  },
  "tel",
)}
${field(
  visit,
  {
    name: "email",
    label: visit.t("Adresse e-mail", "Email address"),
    value: value("email"),
    problem,
    isOptional: true,
    attributes: html`maxlength="254" autocomplete="off"`,
  },
  "email",
)}
${choices(
  visit,
  { name: "role", label: visit.t("Rôle", "Role"), chosen: [value("role", "editor")], problem },
  Object.entries(ROLES).map(([role, words]) => ({
    value: role,
    text: visit.t(...words.name),
    hint: visit.t(...words.may),
  })),
)}`;
}

const backToList = (visit: Visit) => ({ href: "/members", text: visit.t("Membres", "Members") });

function newMember(visit: Visit, problem?: Problem): View {
  return {
    title: visit.t("Inviter un membre", "Invite a member"),
    at: "members",
    narrow: true,
    back: backToList(visit),
    problem,
    body: section(visit.t("Personne et rôle", "Person and role"), [
      form(visit, "/members/new", [
        fieldsPart(visit, undefined, problem),
        button(visit.t("Inviter", "Invite")),
      ]),
    ]),
  };
}

type Given = { name: string; phone: string; email: string; role: Member["role"] };

function given(visit: Visit): Given {
  const [name, phone, email] = TEXTS.map((one) => visit.field(one).trim());
  return { name: name!, phone: phone!, email: email!, role: visit.field("role") as Member["role"] };
}

async function create(visit: Visit): Promise<View> {
  const { email, ...rest } = given(visit);
  const made = await visit.attempt(
    visit.call("/v1/company/member/create", { ...rest, ...(email && { email }) }),
  );
  return made instanceof Problem ? newMember(visit, made) : madeView(visit, made.data);
}

/**
 * Shows the remaining steps, since the service sends no SMS to a new member. The member's first key is shown to nobody,
 * as after a sign-up: a member who needs a key creates one.
 */
function madeView(visit: Visit, made: Data<"/v1/company/member/create">): View {
  const phone = made.phone === null ? "" : visit.formats.phone(made.phone);
  const name = nameOf(visit, made);
  const address = `${visit.api.app.publicUrl}/sign-in`;
  const company = visit.company.name;
  const words = visit.t(
    `Vous êtes membre de « ${company} » sur Atumpan. Ouvrez ${address} et saisissez votre numéro, le ${phone}. Vous recevrez un code par SMS pour vous connecter.`,
    `You are a member of “${company}” on Atumpan. Open ${address} and enter your number, ${phone}. You will receive a code by SMS to sign in.`,
  );
  return {
    title: visit.t(`${name} peut se connecter`, `${name} can sign in`),
    at: "members",
    narrow: true,
    back: backToList(visit),
    islands: ["copy"],
    body: html`${notice(
      "good",
      visit.t(
        `Rôle : ${roleWord(visit, made.role)}. Aucun SMS n’est envoyé : indiquez vous-même à cette personne comment se connecter.`,
        `Role: ${roleWord(visit, made.role)}. No SMS is sent: tell this person how to sign in.`,
      ),
    )}
${section(visit.t("Texte à lui envoyer", "Text to send them"), html`<div class="letter">${copyable(words, visit.t("Texte à copier", "Text to copy"))}</div>`)}
${actions([linkButton("/members", visit.t("Terminer", "Done"), "second")])}`,
  };
}

/** The member in the page's URL. The API lists members, and cannot read one by its id. Throws `not-found`. */
async function read(visit: Visit): Promise<Member> {
  for (let page = 1, pages = 1; page <= Math.min(pages, PAGES_AT_MOST); page++) {
    const { data, totalPage } = await visit.call("/v1/company/member/list", { page, limit: LONGEST_PAGE });
    const found = data.find(({ id }) => id === visit.params.id);
    if (found) return found;
    pages = totalPage;
  }
  throw new Refused("not-found");
}

const pathOf = ({ params }: Visit) => `/members/${params.id}`;

async function member(visit: Visit, problem?: Problem): Promise<View> {
  const found = await read(visit);
  return {
    title: nameOf(visit, found),
    at: "members",
    narrow: true,
    back: backToList(visit),
    problem,
    body: html`${section(visit.t("Modifier", "Edit"), [
      html`<p class="hint">${visit.t("Membre depuis le", "Member since")} ${visit.formats.moment(found.createdAt)}</p>`,
      form(visit, pathOf(visit), [fieldsPart(visit, found, problem), button(visit.t("Enregistrer", "Save"))]),
    ])}
${actions([linkButton(`${pathOf(visit)}/remove`, visit.t("Retirer le membre", "Remove member"), "danger")])}`,
  };
}

async function update(visit: Visit): Promise<View | Redirect> {
  const before = await read(visit);
  const now = given(visit);
  const phone = normalisePhone(now.phone, visit.company.country) ?? now.phone;
  const was = { ...before, name: before.name ?? "", phone: before.phone ?? "", email: before.email ?? "" };
  // Only the changes: the company cannot change the name of a person who also acts for another company, but it can
  // change the role.
  const changes = Object.entries({ ...now, phone }).filter(
    ([name, value]) => value !== was[name as keyof Given],
  );
  if (changes.length === 0) return new Redirect("/members");
  const body = { id: before.id, ...Object.fromEntries(changes) };
  const saved = await visit.attempt(visit.call("/v1/company/member/{id}/update", body));
  return saved instanceof Problem ? member(visit, saved) : new Redirect("/members?done=changed");
}

async function confirmRemove(visit: Visit, problem?: Problem): Promise<View> {
  const name = nameOf(visit, await read(visit));
  return confirmView(visit, {
    title: visit.t(`Retirer ${name}\u00a0?`, `Remove ${name}?`),
    at: "members",
    back: { href: pathOf(visit), text: name },
    problem,
    text: visit.t(
      "Cette personne perd immédiatement l’accès. Toutes ses clés cessent de fonctionner, y compris dans les logiciels qui les utilisent. Ses envois sont conservés.",
      "This person loses access immediately. All their keys stop working, including in programs that use them. What they sent is kept.",
    ),
    action: `${pathOf(visit)}/remove`,
    yes: visit.t("Retirer le membre", "Remove member"),
  });
}

async function remove(visit: Visit): Promise<View | Redirect> {
  const gone = await visit.attempt(visit.call("/v1/company/member/{id}/remove", { id: visit.params.id! }));
  return gone instanceof Problem ? confirmRemove(visit, gone) : new Redirect("/members?done=removed");
}
