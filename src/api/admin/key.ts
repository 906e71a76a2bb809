// The URLs of /v1/admin/key.

import * as keys from "../../identity/admins/admins.ts";
import { adminWho, raising } from "../../identity/admins/callers.ts";
import { AdministratorKey, NewAdministratorKey } from "../../identity/admins/shapes.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import { oneId } from "../../platform/http/idschemas.ts";
import { amongIds, inOrder, listRoute } from "../../platform/http/lists.ts";
import { route } from "../../platform/http/routes.ts";

export const createKey = route("/v1/admin/key/create", {
  title: { fr: "Créer une clé de machine", en: "Create a machine key" },
  says: {
    fr: "Crée une clé pour une machine. Elle n’est affichée qu’une fois.",
    en: "Creates a key for a machine. It is shown only once.",
  },
  body: keys.MachineKeyInput,
  caller: adminWho("govern"),
  answers: NewAdministratorKey,
  example: { name: "Prometheus", role: "support", networks: ["10.0.0.0/8"] },
  audit: { fr: "a créé une clé de machine", en: "created a machine key" },
  run: (app, caller, body) =>
    raising(app, caller, { on: thingMade("administrator-key") }, (tx) =>
      keys.createMachineKey(tx, app, caller, body),
    ),
});

export const listKeys = listRoute("/v1/admin/key/list", {
  title: { fr: "Lister les clés de machine", en: "List machine keys" },
  says: {
    fr: "Liste les clés de machine et leur dernière utilisation.",
    en: "Lists machine keys with their last use.",
  },
  body: { ...inOrder("desc"), ...amongIds("adminKey") },
  caller: adminWho("govern"),
  rows: AdministratorKey,
  list: (app, _caller, wanted) => keys.listMachineKeys(app.database, wanted),
});

export const readKey = route("/v1/admin/key/{id}", {
  title: { fr: "Lire une clé de machine", en: "Read a machine key" },
  says: {
    fr: "Renvoie une clé de machine et sa dernière utilisation, sans la clé elle-même.",
    en: "Returns a machine key with its last use, without the key itself.",
  },
  body: oneId("adminKey"),
  reads: true,
  caller: adminWho("govern"),
  answers: AdministratorKey,
  refuses: ["not-found"],
  run: (app, _caller, { id }) => keys.readMachineKey(app.database, id),
});

export const revokeKey = route("/v1/admin/key/{id}/revoke", {
  title: { fr: "Révoquer une clé de machine", en: "Revoke a machine key" },
  says: {
    fr: "Révoque une clé de machine, qui cesse de fonctionner immédiatement.",
    en: "Revokes a machine key, which stops working immediately.",
  },
  body: oneId("adminKey"),
  caller: adminWho("govern"),
  answers: AdministratorKey,
  refuses: ["not-found"],
  audit: { fr: "a révoqué une clé de machine", en: "revoked a machine key" },
  run: (app, caller, { id }) =>
    audited(app, caller, { on: { kind: "administrator-key", id } }, (tx) => keys.revokeMachineKey(tx, id)),
});
