// Members: the people who act for a company, their roles, and whether a second person approves campaigns.
import { type Html, html } from "../../../platform/http/html.ts";
import { normalisePhone } from "../../../protocol/sms/phone.ts";
import type { Data } from "../apiclient.ts";
import { confirmView } from "../parts/confirm.ts";
import { button, check, choices, field, form, linkButton } from "../parts/forms.ts";
import { type Column, pagedTable } from "../parts/lists.ts";
import { actions, copyable, doneNotice, facts, remark, section } from "../parts/parts.ts";
import { ROLES, roleWord } from "../parts/roles.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { countAwaiting } from "./approvals.ts";

type Member = Data<"/v1/company/member/list">[number];
type Rule = Data<"/v1/company/approval/update">;

const ROWS = 50;

export function addMembers(screens: Screens): void {
  screens.page("/members", list);
  screens.pageAndForm("/members/new", newMember, create);
  screens.form("/members/approval", updateRule);
  screens.pageAndForm("/members/:id", member, update);
  screens.question("/members/:id/remove", confirmRemove, {
    call: (visit) => visit.call("/v1/company/member/{id}/remove"),
    next: "/members?done=removed",
  });
}

async function list(visit: Visit): Promise<View> {
  const [listed, rule, awaiting] = await Promise.all([
    visit.listed("/v1/company/member/list", { limit: ROWS }),
    visit.call("/v1/company/approval/update"),
    countAwaiting(visit),
  ]);
  const title = visit.t("Membres", "Members");
  return {
    title,
    body: html`${doneNotice(visit, {
      changed: visit.t("Modifications enregistrées.", "Changes saved."),
      removed: visit.t(
        "Cette personne n’a plus accès à l’entreprise. Ses clés ne fonctionnent plus.",
        "This person no longer has access. Their keys no longer work.",
      ),
      rule: visit.t("Règle d’approbation enregistrée.", "Approval rule saved."),
    })}
${actions([linkButton("/members/new", visit.t("Inviter un membre", "Invite a member"), "main", "add")])}
${section(visit.count(listed.totalCount, ["membre", "membres"], ["member", "members"]), [
  pagedTable(visit, title, columns(visit), listed, "/members"),
  rolesPart(visit),
])}
${rulePart(visit, rule.data, awaiting)}`,
  };
}

function rolesPart(visit: Visit): Html {
  const rows = Object.values(ROLES).map(({ name, may }) => [visit.t(...name), visit.t(...may)] as const);
  return html`<details><summary>${visit.t("Droits de chaque rôle", "Permissions of each role")}</summary>${facts(rows)}</details>`;
}

function columns(visit: Visit): Column<Member>[] {
  const own = visit.phone;
  const you = html` <small>${visit.t("(vous)", "(you)")}</small>`;
  return [
    [
      visit.t("Membre", "Member"),
      (one) =>
        html`<a href="/members/${one.id}">${nameOf(visit, one)}</a>${one.phone !== null && one.phone === own && you}`,
    ],
    [visit.t("Rôle", "Role"), ({ role }) => html`${roleWord(visit, role)}`],
    [visit.t("Numéro", "Phone"), ({ phone }) => (phone === null ? "" : visit.formats.phone(phone))],
    [visit.t("Membre depuis", "Member since"), ({ createdAt }) => visit.formats.moment(createdAt)],
  ];
}

function nameOf(visit: Visit, { name, phone, email }: Member): string {
  const shown = phone === null ? null : visit.formats.phone(phone);
  return name ?? shown ?? email ?? visit.t("Sans nom", "No name");
}

/** The setting: which campaigns need a second person. */
function rulePart(visit: Visit, rule: Rule, awaiting: number): Html {
  const typed = (name: keyof Rule, stored: string) => visit.typed(name, stored);
  const count = visit.count(
    awaiting,
    ["campagne en attente", "campagnes en attente"],
    ["campaign pending", "campaigns pending"],
  );
  const ofKeys = visit.has("approval") ? visit.field("approvalOfKeys") : rule.approvalOfKeys ? "yes" : "";
  return section(
    visit.t("Approbation des campagnes", "Campaign approval"),
    [
      html`<p>${visit.t(
        "Une deuxième personne, propriétaire ou responsable des envois, relit et approuve la campagne avant l’envoi.",
        "A second person, an owner or approver, reviews and approves the campaign before it is sent.",
      )}</p>`,
      form(visit, { action: "/members/approval", attributes: html`class="rule"` }, [
        choices(
          visit,
          "approval",
          visit.t("Campagnes soumises à approbation", "Campaigns that require approval"),
          {
            chosen: [typed("approval", rule.approval)],
            choices: [
              ["none", visit.t("Aucune : chacun envoie seul", "None: everyone sends alone")],
              ["campaigns", visit.t("Selon le nombre de destinataires", "Based on the number of recipients")],
            ],
          },
        ),
        html`<div class="waiting">${[
          field(
            visit,
            "approvalThreshold",
            visit.t("Nombre minimal de destinataires", "Minimum number of recipients"),
            {
              hint: visit.t(
                "1 : toutes les campagnes doivent être approuvées.",
                "1: every campaign requires approval.",
              ),
              value: typed("approvalThreshold", String(rule.approvalThreshold)),
              isOptional: "silent",
              attributes: html`class="short" min="1" max="1000000000" inputmode="numeric"`,
              type: "number",
            },
          ),
          check(
            "approvalOfKeys",
            visit.t(
              "Inclure les envois de logiciels avec une clé limitée",
              "Include sends by programs with a limited key",
            ),
            { value: ofKeys },
          ),
        ]}</div>`,
        button(visit.t("Enregistrer", "Save"), "second"),
      ]),
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
  return visit.submit(visit.call("/v1/company/approval/update", change), list, "/members?done=rule");
}

const TEXTS = ["name", "phone", "email"] as const;

function fieldsPart(visit: Visit, of: Member | undefined): Html {
  const stored = of && { ...of, phone: of.phone === null ? null : visit.formats.phone(of.phone) };
  const value = (name: (typeof TEXTS)[number] | "role", otherwise = "") =>
    visit.typed(name, stored?.[name] ?? otherwise);
  return html`${field(visit, "name", visit.t("Nom", "Name"), {
    value: value("name"),
    attributes: html`maxlength="200" autocomplete="off"`,
  })}
${field(visit, "phone", visit.t("Numéro de téléphone", "Phone number"), {
  hint: visit.t("La personne se connecte avec ce numéro.", "The person signs in with this number."),
  value: value("phone"),
  attributes: html`class="short" inputmode="tel" maxlength="30" autocomplete="off"`,
  type: "tel",
})}
${field(visit, "email", visit.t("Adresse e-mail", "Email address"), {
  value: value("email"),
  isOptional: true,
  attributes: html`maxlength="254" autocomplete="off"`,
  type: "email",
})}
${choices(visit, "role", visit.t("Rôle", "Role"), {
  chosen: [value("role", "editor")],
  choices: Object.entries(ROLES).map(([role, words]) => [
    role,
    visit.t(...words.name),
    visit.t(...words.may),
  ]),
})}`;
}

const backToList = (visit: Visit) => ({ href: "/members", text: visit.t("Membres", "Members") });

function newMember(visit: Visit): View {
  return {
    title: visit.t("Inviter un membre", "Invite a member"),
    narrow: true,
    back: backToList(visit),
    body: section(visit.t("Personne et rôle", "Person and role"), [
      form(visit, "/members/new", [fieldsPart(visit, undefined), button(visit.t("Inviter", "Invite"))]),
    ]),
  };
}

type Given = { name: string; phone: string; email: string; role: Member["role"] };

function given(visit: Visit): Given {
  const [name = "", phone = "", email = ""] = TEXTS.map((one) => visit.field(one).trim());
  return { name, phone, email, role: visit.field("role") as Member["role"] };
}

async function create(visit: Visit): Promise<View | Redirect> {
  const { email, ...rest } = given(visit);
  const calling = visit.call("/v1/company/member/create", { ...rest, ...(email && { email }) });
  return visit.submit(calling, newMember, ({ data }) => madeView(visit, data));
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
    narrow: true,
    back: backToList(visit),
    islands: ["copy"],
    body: html`${remark(visit, "good", [
      `Rôle : ${roleWord(visit, made.role)}. Aucun SMS n’est envoyé : indiquez vous-même à cette personne comment se connecter.`,
      `Role: ${roleWord(visit, made.role)}. No SMS is sent: tell this person how to sign in.`,
    ])}
${section(visit.t("Texte à lui envoyer", "Text to send them"), html`<div class="letter">${copyable(words, visit.t("Texte à copier", "Text to copy"))}</div>`)}
${actions([linkButton("/members", visit.t("Terminer", "Done"), "second")])}`,
  };
}

const read = (visit: Visit) => visit.findIn("/v1/company/member/list");

const pathOf = (visit: Visit) => `/members/${visit.id}`;

async function member(visit: Visit): Promise<View> {
  const found = await read(visit);
  return {
    title: nameOf(visit, found),
    narrow: true,
    back: backToList(visit),
    body: html`${section(visit.t("Modifier", "Edit"), [
      html`<p class="hint">${visit.t("Membre depuis le", "Member since")} ${visit.formats.moment(found.createdAt)}</p>`,
      form(visit, pathOf(visit), [fieldsPart(visit, found), button(visit.t("Enregistrer", "Save"))]),
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
  const calling = visit.call("/v1/company/member/{id}/update", body);
  return visit.submit(calling, member, "/members?done=changed");
}

async function confirmRemove(visit: Visit): Promise<View> {
  const name = nameOf(visit, await read(visit));
  return confirmView(visit, {
    title: visit.t(`Retirer ${name}\u00a0?`, `Remove ${name}?`),
    back: { href: pathOf(visit), text: name },
    text: visit.t(
      "Cette personne perd immédiatement l’accès. Toutes ses clés cessent de fonctionner, y compris dans les logiciels qui les utilisent. Ses envois sont conservés.",
      "This person loses access immediately. All their keys stop working, including in programs that use them. What they sent is kept.",
    ),
    yes: visit.t("Retirer le membre", "Remove member"),
  });
}
