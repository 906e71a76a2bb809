// The URLs of /v1/company/key.

import { Type } from "typebox";
import * as keys from "../../identity/accounts/apikeys.ts";
import { companyMay } from "../../identity/accounts/callers.ts";
import { ApiKey, NewApiKey } from "../../identity/accounts/shapes.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { route } from "../../platform/http/routes.ts";

const keyWith = (id: string) => ({ on: { kind: "key", id } });

export const createKey = route("/v1/company/key/create", {
  title: { fr: "Créer une clé API", en: "Create an API key" },
  says: {
    fr: "Crée une clé API supplémentaire pour l’appelant ou un autre membre. Elle n’est affichée qu’une fois.",
    en: "Creates an additional API key for the caller or another member. It is shown only once.",
  },
  body: keys.ApiKeyInput,
  caller: companyMay("manage"),
  answers: NewApiKey,
  refuses: ["not-found", "conflict"],
  example: { name: "Caisse", scopes: ["send"] },
  audit: { fr: "a créé une clé API", en: "created an API key" },
  run: (app, caller, body) =>
    audited(app, caller, { on: thingMade("key") }, (tx) => keys.createApiKey(tx, app, caller, body)),
});

export const listKeys = listRoute("/v1/company/key/list", {
  title: { fr: "Lister les clés API", en: "List API keys" },
  says: {
    fr: "Liste les clés API de l’entreprise, sans la première clé de chaque membre.",
    en: "Lists the company’s API keys, except the first key of each member.",
  },
  body: inOrder("desc"),
  caller: companyMay("manage"),
  rows: ApiKey,
  list: (app, caller, page) => keys.listApiKeys(app.database.of(caller.companyId), caller, page),
});

export const updateKey = route("/v1/company/key/{id}/update", {
  title: { fr: "Modifier une clé API", en: "Update an API key" },
  says: {
    fr: "Modifie les restrictions d’une clé API. Les champs omis ne changent pas.",
    en: "Updates the restrictions of an API key. Omitted members are unchanged.",
  },
  body: Type.Object({ id: idOf("key"), ...keys.ApiKeyChange.properties }),
  emptyTexts: "emptied",
  caller: companyMay("manage"),
  answers: ApiKey,
  refuses: ["not-found"],
  example: { networks: ["41.202.10.0/24"] },
  audit: { fr: "a modifié une clé API", en: "updated an API key" },
  run: (app, caller, { id, ...change }) =>
    audited(app, caller, keyWith(id), (tx) => keys.updateApiKey(tx, caller, id, change)),
});

export const revokeKey = route("/v1/company/key/{id}/revoke", {
  title: { fr: "Révoquer une clé API", en: "Revoke an API key" },
  says: {
    fr: "Révoque une clé API, qui cesse de fonctionner immédiatement.",
    en: "Revokes an API key, which stops working immediately.",
  },
  body: oneId("key"),
  caller: companyMay("manage"),
  answers: ApiKey,
  refuses: ["not-found"],
  audit: { fr: "a révoqué une clé API", en: "revoked an API key" },
  run: (app, caller, { id }) => audited(app, caller, keyWith(id), (tx) => keys.revokeApiKey(tx, caller, id)),
});
