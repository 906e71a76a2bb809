// The URLs of /v1/admin/user.

import { Type } from "typebox";
import * as admins from "../../identity/admins/admins.ts";
import { AdministratorChanges, administratorChange } from "../../identity/admins/admins.ts";
import { adminWho, raising } from "../../identity/admins/callers.ts";
import { Administrator } from "../../identity/admins/shapes.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import * as sessions from "../../identity/sessions/sessions.ts";
import { DisabledAdministrator } from "../../identity/sessions/shapes.ts";
import type { Answer } from "../../platform/http/envelope.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { amongIds, inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";

export const createUser = route("/v1/admin/user/create", {
  title: { fr: "Créer un administrateur", en: "Create an administrator" },
  says: {
    fr: "Crée un administrateur. Il se connecte ensuite avec son téléphone et enregistre un second facteur.",
    en: "Creates an administrator, who then signs in with a phone and enrols a second factor.",
  },
  body: admins.AdministratorInput,
  caller: adminWho("govern"),
  answers: Administrator,
  refuses: ["invalid-phone-number", "conflict"],
  example: { name: "Fatou Diop", phone: "2250102030433", role: "reviewer" },
  audit: { fr: "a créé un administrateur", en: "created an administrator" },
  run: (app, caller, body) =>
    raising(app, caller, { on: thingMade("administrator") }, (tx) =>
      admins.createAdministrator(tx, app, body),
    ),
});

export const listUsers = listRoute("/v1/admin/user/list", {
  title: { fr: "Lister les administrateurs", en: "List administrators" },
  says: { fr: "Liste les administrateurs.", en: "Lists administrators." },
  body: { ...inOrder("desc"), ...amongIds("administrator") },
  caller: adminWho("govern"),
  rows: Administrator,
  list: (app, _caller, wanted) => admins.listAdministrators(app.database, wanted),
});

export const readUser = route("/v1/admin/user/{id}", {
  title: { fr: "Lire un administrateur", en: "Read an administrator" },
  says: { fr: "Renvoie un administrateur.", en: "Returns an administrator." },
  body: oneId("administrator"),
  reads: true,
  caller: adminWho("govern"),
  answers: Administrator,
  refuses: ["not-found"],
  run: (app, _caller, { id }) => admins.readAdministrator(app.database, id),
});

export const updateUser = route("/v1/admin/user/{id}/update", {
  title: { fr: "Modifier un administrateur", en: "Update an administrator" },
  says: {
    fr: "Modifie un administrateur. Les champs omis ne changent pas. Si le numéro change, l’ancien numéro en est averti.",
    en: "Updates an administrator. Omitted members are unchanged. If the phone number changes, the old number is notified.",
  },
  body: Type.Object({ id: idOf("administrator"), ...AdministratorChanges.properties }),
  caller: adminWho("govern"),
  answers: Administrator,
  refuses: ["not-found", "invalid-phone-number", "conflict"],
  example: { role: "finance" },
  audit: { fr: "a modifié un administrateur", en: "updated an administrator" },
  run: (app, caller, { id, ...change }) =>
    raising(app, caller, administratorChange(id), (tx) => sessions.changeAdministrator(app, tx, id, change)),
});

export const disableUser = route("/v1/admin/user/{id}/disable", {
  title: { fr: "Désactiver un administrateur", en: "Disable an administrator" },
  says: {
    fr: "Désactive un administrateur. Ses sessions prennent fin immédiatement ; avec revokeKeys, les clés de machine qu’il a créées sont aussi révoquées.",
    en: "Disables an administrator. The administrator’s sessions end immediately; with revokeKeys, the machine keys that the administrator created are revoked too.",
  },
  body: Type.Object({
    id: idOf("administrator"),
    revokeKeys: member(Type.Optional(Type.Boolean()), {
      fr: "Révoque aussi les clés de machines que la personne a créées",
      en: "Also revokes the machine keys that the person created",
    }),
  }),
  caller: adminWho("govern"),
  answers: DisabledAdministrator,
  refuses: ["not-found"],
  example: { revokeKeys: true },
  audit: { fr: "a désactivé un administrateur", en: "disabled an administrator" },
  run(app, caller, { id, ...given }) {
    const audit = { ...administratorChange(id), after: ({ data }: Answer<DisabledAdministrator>) => data };
    return audited(app, caller, audit, (tx) => sessions.shutOut(tx, id, given));
  },
});

export const enableUser = route("/v1/admin/user/{id}/enable", {
  title: { fr: "Réactiver un administrateur", en: "Enable an administrator" },
  says: {
    fr: "Réactive un administrateur désactivé. S’il n’a pas de second facteur, il est de nouveau invité à en enregistrer un.",
    en: "Enables a disabled administrator. An administrator without a second factor is invited again to enrol one.",
  },
  body: oneId("administrator"),
  caller: adminWho("govern"),
  answers: Administrator,
  refuses: ["not-found"],
  audit: { fr: "a réactivé un administrateur", en: "enabled an administrator" },
  run: (app, caller, { id }) =>
    raising(app, caller, admins.administratorChange(id), (tx) => admins.enableAdministrator(tx, app, id)),
});

export const resetSecondFactor = route("/v1/admin/user/{id}/second-factor/reset", {
  title: { fr: "Réinitialiser un second facteur", en: "Reset a second factor" },
  says: {
    fr: "Supprime le second facteur d’un administrateur, qui en est averti. Ses sessions prennent fin immédiatement.",
    en: "Removes the second factor of an administrator, who is notified. The administrator’s sessions end immediately.",
  },
  body: oneId("administrator"),
  caller: adminWho("govern"),
  answers: Administrator,
  refuses: ["not-found"],
  audit: {
    fr: "a réinitialisé le second facteur d’un administrateur",
    en: "reset an administrator’s second factor",
  },
  run(app, caller, { id }) {
    const audit = { on: { kind: "second-factor", id }, after: () => null };
    return raising(app, caller, audit, (tx) => sessions.resetSecondFactor(app, tx, id));
  },
});
