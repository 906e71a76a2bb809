// The keys of machines: what each may do and from where, a new one, which is shown once, and the end of one.
import { nowMs } from "../kernel/clock.ts";
import { type Html, html } from "../kernel/html.ts";
import { ADMINISTRATION } from "./admin.ts";
import { asRole, roleField, roleWords } from "./adminroles.ts";
import type { Data } from "./ask.ts";
import { button, field, form, formButton, linkButton, textArea } from "./forms.ts";
import { actions, badge, copyable, notice, section, table } from "./parts.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

const HOME = "/admin/administrators";

export function addAdminKeys(screens: Screens): void {
  screens.page(`${HOME}/keys/new`, (visit) => newKey(visit), ADMINISTRATION);
  screens.form(`${HOME}/keys/new`, create, ADMINISTRATION);
  screens.page(`${HOME}/keys/:id/revoke`, (visit) => confirmRevoke(visit), ADMINISTRATION);
  screens.form(`${HOME}/keys/:id/revoke`, revoke, ADMINISTRATION);
}

type Key = Data<"/v1/admin/key/list">[number];

const SHOWN = 100;

/** The keys, as a part of the page of administrators. */
export async function machineKeysPart(visit: Visit): Promise<Html> {
  const { data: keys } = await visit.askAsAdministrator("/v1/admin/key/list", { limit: SHOWN });
  const title = visit.t("Clés de machines", "Keys of machines");
  const add = html`<a href="${HOME}/keys/new">${visit.t("Nouvelle clé", "New key")}</a>`;
  if (keys.length === 0)
    return section(
      title,
      html`<p>${visit.t("Aucune : un programme qui surveille ou administre en a besoin.", "None: a program that watches or administers needs one.")}</p>`,
      add,
    );
  return section(
    title,
    table(
      title,
      [
        { head: visit.t("Nom", "Name"), cell: ({ name }) => name },
        { head: visit.t("Rôle", "Role"), cell: ({ role }) => roleWords(visit, role).text },
        { head: visit.t("État", "State"), cell: (key) => keyState(visit, key) },
        {
          head: visit.t("D’où", "From where"),
          cell: ({ networks }) => networks.join(", ") || visit.t("de partout", "anywhere"),
        },
        {
          head: visit.t("Dernier usage", "Last use"),
          cell: ({ lastUsedAt }) =>
            lastUsedAt === null ? visit.t("jamais", "never") : visit.formats.ago(lastUsedAt, nowMs()),
        },
        {
          head: visit.t("Geste", "Action"),
          cell: ({ id, revokedAt }) =>
            revokedAt === null
              ? html`<a href="${HOME}/keys/${id}/revoke">${visit.t("Révoquer", "Revoke")}</a>`
              : "–",
        },
      ],
      keys,
    ),
    add,
  );
}

function keyState(visit: Visit, { revokedAt, expiresAt }: Key): Html {
  if (revokedAt !== null) return badge("calm", visit.t("Révoquée", "Revoked"));
  if (expiresAt !== null && Date.parse(expiresAt) < nowMs()) return badge("calm", visit.t("Finie", "Over"));
  if (expiresAt !== null)
    return badge(
      "good",
      visit.t(`Jusqu’au ${visit.formats.shortDay(expiresAt)}`, `Until ${visit.formats.shortDay(expiresAt)}`),
    );
  return badge("good", visit.t("Valable", "Good"));
}

function newKey(visit: Visit, problem?: Problem): View {
  return {
    title: visit.t("Nouvelle clé de machine", "New key of a machine"),
    at: "administrators",
    narrow: true,
    back: { href: HOME, text: visit.t("Administrateurs", "Administrators") },
    problem,
    body: form(visit, `${HOME}/keys/new`, [
      field(visit, {
        name: "name",
        label: visit.t("Nom", "Name"),
        hint: visit.t("Celui du programme qui s’en sert.", "That of the program that uses it."),
        value: visit.field("name"),
        problem,
        attributes: html`maxlength="200" autocomplete="off"`,
      }),
      roleField(visit, visit.field("role") || "support", problem),
      textArea(
        visit,
        {
          name: "networks",
          label: visit.t("Adresses d’où elle sert", "Addresses that it works from"),
          hint: visit.t(
            "Une par ligne, comme 41.202.10.0/24. Vide : de partout.",
            "One in each line, as 41.202.10.0/24. Empty: from anywhere.",
          ),
          value: visit.field("networks"),
          problem,
          isOptional: true,
        },
        3,
      ),
      field(
        visit,
        {
          name: "expiresOn",
          label: visit.t("Valable jusqu’au", "Good until"),
          value: visit.field("expiresOn"),
          problem,
          isOptional: true,
          attributes: html`class="short"`,
        },
        "date",
      ),
      button(visit.t("Créer la clé", "Make the key")),
    ]),
  };
}

async function create(visit: Visit): Promise<View> {
  const networks = visit
    .field("networks")
    .split(/[\s,;]+/)
    .filter((one) => one !== "");
  const expiresOn = visit.field("expiresOn");
  const asked = visit.askAsAdministrator("/v1/admin/key/create", {
    name: visit.field("name"),
    role: asRole(visit.field("role")),
    ...(networks.length > 0 && { networks }),
    ...(expiresOn && { expiresAt: visit.formats.instantOf(expiresOn, "23:59") }),
  });
  const made = await visit.attempt(asked, { expiresAt: "expiresOn" });
  if (made instanceof Problem) return newKey(visit, made);
  return {
    title: made.data.name,
    at: "administrators",
    narrow: true,
    body: html`${notice("wait", visit.t("Cette clé ne sera plus jamais montrée.", "This key will never be shown again."))}
${copyable(made.data.adminKey, "adminKey")}
${actions([linkButton(HOME, visit.t("J’ai gardé cette clé", "I have kept this key"))])}`,
  };
}

async function confirmRevoke(visit: Visit, problem?: Problem): Promise<View> {
  const { data: key } = await visit.askAsAdministrator("/v1/admin/key/{id}", { id: visit.params.id! });
  return {
    title: visit.t(`Révoquer la clé ${key.name} ?`, `Revoke the key ${key.name}?`),
    at: "administrators",
    narrow: true,
    back: { href: HOME, text: visit.t("Administrateurs", "Administrators") },
    problem,
    body: html`<p>${visit.t("Elle meurt aussitôt, et ne revient pas : le programme qui s’en sert s’arrête.", "It is dead at once, and does not come back: the program that uses it stops.")}</p>
${actions([
  formButton(visit, `${HOME}/keys/${key.id}/revoke`, visit.t("Révoquer", "Revoke"), { kind: "danger" }),
  linkButton(HOME, visit.t("La garder", "Keep it"), "plain"),
])}`,
  };
}

async function revoke(visit: Visit): Promise<View | Redirect> {
  const id = visit.params.id!;
  const told = await visit.attempt(visit.askAsAdministrator("/v1/admin/key/{id}/revoke", { id }));
  return told instanceof Problem ? confirmRevoke(visit, told) : new Redirect(`${HOME}?done=revoked`);
}
