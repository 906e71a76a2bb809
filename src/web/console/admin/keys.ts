// The keys of machines: the rights and addresses of each, a new key, which is shown once, and revocation.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { adminRoleWord, asRole, roleField } from "../parts/adminroles.ts";
import { button, field, form, formButton, linkButton, textArea } from "../parts/forms.ts";
import { tableSection } from "../parts/lists.ts";
import { actions, badge, copyable, remark } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";

const HOME = "/admin/administrators";

export function addAdminKeys(screens: Screens): void {
  screens.pageAndForm(`${HOME}/keys/new`, newKey, create);
  screens.question(`${HOME}/keys/:id/revoke`, confirmRevoke, {
    call: (visit) => visit.callAsAdmin("/v1/admin/key/{id}/revoke"),
    next: `${HOME}?done=revoked`,
  });
}

type Key = Data<"/v1/admin/key/list">[number];

const SHOWN = 100;

/** Renders the keys as a part of the page of administrators. */
export async function machineKeysPart(visit: Visit): Promise<Html> {
  const { data: keys } = await visit.callAsAdmin("/v1/admin/key/list", { limit: SHOWN });
  return tableSection(
    visit.t("Clés de machine", "Machine keys"),
    [
      [visit.t("Nom", "Name"), ({ name }) => name],
      [visit.t("Rôle", "Role"), ({ role }) => adminRoleWord(visit, role)],
      [visit.t("Statut", "Status"), (key) => keyState(visit, key)],
      [
        visit.t("Adresses autorisées", "Allowed addresses"),
        ({ networks }) => networks.join(", ") || visit.t("toutes", "any"),
      ],
      [
        visit.t("Dernière utilisation", "Last used"),
        ({ lastUsedAt }) =>
          lastUsedAt === null ? visit.t("jamais", "never") : visit.formats.ago(lastUsedAt, nowMs()),
      ],
      [
        visit.t("Action", "Action"),
        ({ id, revokedAt }) =>
          revokedAt === null
            ? html`<a href="${HOME}/keys/${id}/revoke">${visit.t("Révoquer", "Revoke")}</a>`
            : "–",
      ],
    ],
    keys,
    {
      none: visit.t(
        "Aucune clé. Un programme de surveillance ou d’administration en a besoin.",
        "No keys. A monitoring or administration program needs one.",
      ),
      action: html`<a href="${HOME}/keys/new">${visit.t("Nouvelle clé", "New key")}</a>`,
    },
  );
}

function keyState(visit: Visit, { revokedAt, expiresAt }: Key): Html {
  if (revokedAt !== null) return badge("calm", visit.t("Révoquée", "Revoked"));
  if (expiresAt !== null && Date.parse(expiresAt) < nowMs())
    return badge("calm", visit.t("Expirée", "Expired"));
  if (expiresAt !== null)
    return badge(
      "good",
      visit.t(`Jusqu’au ${visit.formats.shortDay(expiresAt)}`, `Until ${visit.formats.shortDay(expiresAt)}`),
    );
  return badge("good", visit.t("Active", "Active"));
}

function newKey(visit: Visit): View {
  return {
    title: visit.t("Nouvelle clé de machine", "New machine key"),
    narrow: true,
    back: { href: HOME, text: visit.t("Administrateurs", "Administrators") },
    body: form(visit, `${HOME}/keys/new`, [
      field(visit, "name", visit.t("Nom", "Name"), {
        hint: visit.t(
          "Le nom du programme qui utilise la clé.",
          "The name of the program that uses the key.",
        ),
        attributes: html`maxlength="200" autocomplete="off"`,
      }),
      roleField(visit, visit.field("role") || "support"),
      textArea(visit, "networks", visit.t("Adresses autorisées", "Allowed addresses"), {
        hint: visit.t(
          "Une par ligne, par exemple 41.202.10.0/24. Vide : toutes les adresses.",
          "One per line, such as 41.202.10.0/24. Empty: any address.",
        ),
        isOptional: true,
        rows: 3,
      }),
      field(visit, "expiresOn", visit.t("Date d’expiration", "Expiration date"), {
        isOptional: true,
        attributes: html`class="short"`,
        type: "date",
      }),
      button(visit.t("Créer la clé", "Create key")),
    ]),
  };
}

async function create(visit: Visit): Promise<View> {
  const networks = visit
    .field("networks")
    .split(/[\s,;]+/)
    .filter((one) => one !== "");
  const expiresOn = visit.field("expiresOn");
  const calling = visit.callAsAdmin("/v1/admin/key/create", {
    name: visit.field("name"),
    role: asRole(visit.field("role")),
    ...(networks.length > 0 && { networks }),
    ...(expiresOn && { expiresAt: visit.formats.instantOf(expiresOn, "23:59") }),
  });
  const made = await visit.attempt(calling, { expiresAt: "expiresOn" });
  if (made instanceof Problem) return newKey(visit.with(made));
  return {
    title: made.data.name,
    narrow: true,
    body: html`${remark(visit, "wait", ["Cette clé est affichée une seule fois.", "This key is shown only once."])}
${copyable(made.data.adminKey, "adminKey")}
${actions([linkButton(HOME, visit.t("J’ai enregistré la clé", "I have saved the key"))])}`,
  };
}

async function confirmRevoke(visit: Visit): Promise<View> {
  const { data: key } = await visit.callAsAdmin("/v1/admin/key/{id}");
  return {
    title: visit.t(`Révoquer la clé ${key.name} ?`, `Revoke the key ${key.name}?`),
    narrow: true,
    back: { href: HOME, text: visit.t("Administrateurs", "Administrators") },
    body: html`<p>${visit.t("La clé cesse de fonctionner immédiatement et ne peut pas être rétablie. Le programme qui l’utilise perd l’accès.", "The key stops working immediately and cannot be restored. The program that uses it loses access.")}</p>
${actions([
  formButton(visit, `${HOME}/keys/${key.id}/revoke`, visit.t("Révoquer", "Revoke"), { kind: "danger" }),
  linkButton(HOME, visit.t("Annuler", "Cancel"), "plain"),
])}`,
  };
}
