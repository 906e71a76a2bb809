// The administrators with their roles, and their open sessions.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { AnswerOf, Data } from "../apiclient.ts";
import { adminRoleWord, asRole, roleField, signedInPart } from "../parts/adminroles.ts";
import { button, check, field, form, formButton, linkButton, plainButton } from "../parts/forms.ts";
import { listPart, tableSection } from "../parts/lists.ts";
import { actions, badge, doneNotice, section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { mayAdminister, phoneShown } from "./admin.ts";
import { languageField } from "./companies.ts";
import { machineKeysPart } from "./keys.ts";

export function addAdminPeople(screens: Screens): void {
  screens.page("/admin/administrators", list);
  screens.pageAndForm("/admin/administrators/new", (visit) => edit(visit, undefined), create);
  screens.pageAndForm(
    "/admin/administrators/:id",
    async (visit) => edit(visit, await readPerson(visit)),
    change,
  );
  screens.question("/admin/administrators/:id/disable", confirmDisable, {
    call: (visit) =>
      visit.callAsAdmin("/v1/admin/user/{id}/disable", { revokeKeys: visit.field("revokeKeys") === "yes" }),
    next: `${HOME}?done=disabled`,
  });
  screens.form("/admin/administrators/:id/enable", enable);
  screens.question("/admin/administrators/:id/factor", confirmReset, {
    call: (visit) => visit.callAsAdmin("/v1/admin/user/{id}/second-factor/reset"),
    next: `${HOME}?done=reset`,
  });
  screens.form("/admin/administrators/sessions/:id/end", endSession);
}

type Person = Data<"/v1/admin/user/list">[number];

const SHOWN = 50;
const HOME = "/admin/administrators";

async function readPerson(visit: Visit): Promise<Person> {
  return (await visit.callAsAdmin("/v1/admin/user/{id}")).data;
}

async function list(visit: Visit): Promise<View> {
  const isOwner = mayAdminister(visit, "govern");
  const people = isOwner && (await visit.listedAsAdmin("/v1/admin/user/list", { limit: SHOWN }));
  const { data: sessions } = await visit.callAsAdmin("/v1/admin/session/list", { limit: SHOWN });
  return {
    title: visit.t("Administrateurs", "Administrators"),
    body: html`${doneNotice(visit, doneSentences(visit))}
${
  people
    ? html`${actions([linkButton(`${HOME}/new`, visit.t("Nouvel administrateur", "New administrator"), "main", "add")])}
${peoplePart(visit, people)}`
    : html`<p>${visit.t("Seul un propriétaire peut gérer les administrateurs et les clés.", "Only an owner can manage administrators and keys.")}</p>`
}
${signedInPart(visit)}
${sessionsPart(visit, sessions)}
${people && (await machineKeysPart(visit))}`,
  };
}

function doneSentences(visit: Visit): Record<string, string> {
  return {
    made: visit.t(
      "L’administrateur est créé. Il a 72 heures pour se connecter et configurer son second facteur.",
      "The administrator is created. They have 72 hours to sign in and set up a second factor.",
    ),
    changed: visit.t("Les modifications sont enregistrées.", "Changes saved."),
    disabled: visit.t(
      "L’administrateur est désactivé. Ses sessions sont fermées.",
      "The administrator is disabled. Their sessions are closed.",
    ),
    enabled: visit.t("L’accès de l’administrateur est activé.", "The administrator’s access is enabled."),
    reset: visit.t(
      "Le second facteur est réinitialisé. L’administrateur est prévenu par SMS.",
      "The second factor is reset. The administrator is notified by SMS.",
    ),
    ended: visit.t("La session est fermée.", "The session is closed."),
    revoked: visit.t("La clé est révoquée.", "The key is revoked."),
  };
}

function personState(visit: Visit, { disabledAt, secondFactor, invitedUntil }: Person): Html {
  if (disabledAt !== null) return badge("calm", visit.t("Désactivé", "Disabled"));
  if (secondFactor) return badge("good", visit.t("Actif", "Active"));
  const isOver = invitedUntil !== null && Date.parse(invitedUntil) < nowMs();
  return isOver
    ? badge("wrong", visit.t("Invitation expirée", "Invitation expired"))
    : badge("wait", visit.t("Invité", "Invited"));
}

function peoplePart(visit: Visit, people: AnswerOf<"/v1/admin/user/list">): Html {
  return listPart(visit, people, {
    title: visit.t("Personnes", "People"),
    columns: [
      [visit.t("Nom", "Name"), ({ id, name }) => html`<a href="${HOME}/${id}">${name}</a>`],
      [visit.t("Rôle", "Role"), ({ role }) => adminRoleWord(visit, role)],
      [visit.t("Statut", "Status"), (person) => personState(visit, person)],
      [visit.t("Téléphone", "Phone"), ({ phone }) => phoneShown(visit, phone)],
      [visit.t("Créé le", "Created"), ({ createdAt }) => visit.formats.shortDay(createdAt)],
    ],
    url: HOME,
    none: [
      visit.t("Aucun administrateur", "No administrators yet"),
      visit.t(
        "Créez un compte de propriétaire pour vous-même, puis mettez la clé d’installation en lieu sûr.",
        "Create an owner account for yourself, then store the installation key in a safe place.",
      ),
    ],
  });
}

function sessionsPart(visit: Visit, sessions: Data<"/v1/admin/session/list">): Html | false {
  if (sessions.length === 0) return false;
  const table = tableSection(
    visit.t("Sessions ouvertes", "Open sessions"),
    [
      [
        visit.t("Utilisateur", "User"),
        ({ name, current }) =>
          html`${name} ${current && badge("good", visit.t("session actuelle", "current"))}`,
      ],
      [visit.t("Adresse IP", "IP address"), ({ address }) => address],
      [visit.t("Ouverte le", "Opened"), ({ createdAt }) => visit.formats.moment(createdAt)],
      [
        visit.t("Dernière utilisation", "Last used"),
        ({ lastUsedAt }) => visit.formats.ago(lastUsedAt, nowMs()),
      ],
      [
        visit.t("Action", "Action"),
        ({ id, current }) =>
          current
            ? plainButton(visit, "/admin/sign-out", visit.t("Se déconnecter", "Sign out"))
            : plainButton(visit, `${HOME}/sessions/${id}/end`, visit.t("Fermer", "Close")),
      ],
    ],
    sessions,
  );
  return html`<div id="sessions">${table}</div>`;
}

function edit(visit: Visit, person: Person | undefined): View {
  const value = (name: "name" | "phone" | "role" | "language", standard = "") =>
    visit.typed(name, person?.[name] ?? standard);
  return {
    title: person?.name ?? visit.t("Nouvel administrateur", "New administrator"),
    narrow: true,
    back: { href: HOME, text: visit.t("Administrateurs", "Administrators") },
    body: html`${person && html`<p>${personState(visit, person)}</p>`}
${form(visit, person ? `${HOME}/${person.id}` : `${HOME}/new`, [
  field(visit, "name", visit.t("Nom", "Name"), {
    value: value("name"),
    attributes: html`maxlength="200" autocomplete="off"`,
  }),
  field(visit, "phone", visit.t("Téléphone", "Phone"), {
    hint: visit.t(
      "Ce numéro reçoit les codes de connexion. Saisissez-le avec l’indicatif du pays.",
      "Sign-in codes are sent to this number. Enter it with the country code.",
    ),
    value: value("phone"),
    attributes: html`class="short" inputmode="tel" maxlength="30" autocomplete="off"`,
    type: "tel",
  }),
  roleField(visit, value("role", "reviewer")),
  languageField(visit, value("language", "fr")),
  button(person ? visit.t("Enregistrer", "Save") : visit.t("Créer l’administrateur", "Create administrator")),
])}
${person && dangerPart(visit, person)}`,
  };
}

function dangerPart(visit: Visit, { id, disabledAt, secondFactor }: Person): Html {
  return section(visit.t("Accès", "Access"), [
    actions([
      secondFactor &&
        linkButton(
          `${HOME}/${id}/factor`,
          visit.t("Réinitialiser le second facteur", "Reset second factor"),
          "second",
        ),
      disabledAt === null
        ? linkButton(`${HOME}/${id}/disable`, visit.t("Désactiver", "Disable"), "danger")
        : formButton(visit, `${HOME}/${id}/enable`, visit.t("Réactiver", "Enable")),
      disabledAt === null &&
        !secondFactor &&
        formButton(visit, `${HOME}/${id}/enable`, visit.t("Inviter de nouveau", "Invite again")),
    ]),
  ]);
}

const fieldsOf = (visit: Visit) => ({
  name: visit.field("name"),
  phone: visit.field("phone"),
  role: asRole(visit.field("role")),
  language: visit.field("language") === "en" ? ("en" as const) : ("fr" as const),
});

async function create(visit: Visit): Promise<View | Redirect> {
  const calling = visit.callAsAdmin("/v1/admin/user/create", fieldsOf(visit));
  return visit.submit(calling, (again) => edit(again, undefined), `${HOME}?done=made`);
}

async function change(visit: Visit): Promise<View | Redirect> {
  const person = await readPerson(visit);
  const calling = visit.callAsAdmin("/v1/admin/user/{id}/update", { id: person.id, ...fieldsOf(visit) });
  return visit.submit(calling, (again) => edit(again, person), `${HOME}?done=changed`);
}

async function confirmDisable(visit: Visit): Promise<View> {
  const { id, name } = await readPerson(visit);
  return questionView(id, name, {
    title: visit.t(`Désactiver ${name} ?`, `Disable ${name}?`),
    sentence: visit.t(
      "Ses sessions seront fermées immédiatement, et cette personne ne pourra plus se connecter. Vous pourrez réactiver son accès.",
      "Their sessions are closed immediately, and they can no longer sign in. You can enable their access again later.",
    ),
    body: form(visit, `${HOME}/${id}/disable`, [
      check(
        "revokeKeys",
        visit.t(
          "Révoquer aussi les clés de machine créées par cette personne",
          "Also revoke the machine keys that this person created",
        ),
        { value: visit.field("revokeKeys") },
      ),
      button(visit.t("Désactiver", "Disable"), "danger"),
    ]),
  });
}

function questionView(
  id: string,
  name: string,
  { title, sentence, body }: { title: string; sentence: string; body: Html },
): View {
  return {
    title,
    narrow: true,
    back: { href: `${HOME}/${id}`, text: name },
    body: html`<p>${sentence}</p>${body}`,
  };
}

async function enable(visit: Visit): Promise<View | Redirect> {
  const calling = visit.callAsAdmin("/v1/admin/user/{id}/enable");
  return visit.submit(calling, list, `${HOME}?done=enabled`);
}

async function confirmReset(visit: Visit): Promise<View> {
  const { id, name } = await readPerson(visit);
  return questionView(id, name, {
    title: visit.t(`Réinitialiser le second facteur de ${name} ?`, `Reset the second factor of ${name}?`),
    sentence: visit.t(
      "À faire si son téléphone est perdu, et seulement après avoir reconnu sa voix. Ses sessions seront fermées. Cette personne aura 72 heures pour configurer un nouveau second facteur.",
      "Do this if their phone is lost, and only after you have recognized their voice. Their sessions are closed. They have 72 hours to set up a new second factor.",
    ),
    body: formButton(
      visit,
      `${HOME}/${id}/factor`,
      visit.t("Réinitialiser le second facteur", "Reset second factor"),
      { kind: "danger" },
    ),
  });
}

async function endSession(visit: Visit): Promise<View | Redirect> {
  const calling = visit.callAsAdmin("/v1/admin/session/{id}/end");
  return visit.submit(calling, list, `${HOME}?done=ended`);
}
