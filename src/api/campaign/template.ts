// The URLs of /v1/campaign/template.
import { Type } from "typebox";
import { companyMay } from "../../identity/accounts/callers.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import { CampaignTemplate } from "../../messaging/campaigns/draftshapes.ts";
import * as templates from "../../messaging/campaigns/templates.ts";
import { warningsOfTemplate } from "../../messaging/campaigns/warnings.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { answerWarned } from "../../platform/http/envelope.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { DeletedCount } from "../../platform/http/paging.ts";
import { route } from "../../platform/http/routes.ts";

export const createTemplate = route("/v1/campaign/template/create", {
  title: { fr: "Créer un modèle", en: "Create a template" },
  says: { fr: "Crée un modèle de texte réutilisable.", en: "Creates a reusable text template." },
  body: templates.TemplateInput,
  caller: companyMay("contacts", "send"),
  answers: CampaignTemplate,
  refuses: ["message-too-long", "conflict"],
  example: { name: "Rappel", text: "Bonjour @name, à demain !" },
  audit: { fr: "a créé un modèle", en: "created a template" },
  async run(app, caller, body) {
    const audit = { on: thingMade("template") };
    const made = await audited(app, caller, audit, (tx) => templates.createTemplate(tx, caller, body));
    return answerWarned(made, await warningsOfTemplate(app, caller, made));
  },
});

export const listTemplates = listRoute("/v1/campaign/template/list", {
  title: { fr: "Lister les modèles", en: "List templates" },
  says: {
    fr: "Liste les modèles de texte par ordre alphabétique.",
    en: "Lists text templates in alphabetical order.",
  },
  body: inOrder("asc"),
  caller: companyMay("read", "contacts", "send"),
  rows: CampaignTemplate,
  list: (app, caller, page) => templates.listTemplates(app.database.of(caller.companyId), caller, page),
});

export const updateTemplate = route("/v1/campaign/template/{id}/update", {
  title: { fr: "Modifier un modèle", en: "Update a template" },
  says: {
    fr: "Modifie un modèle de texte. Les champs omis ne changent pas.",
    en: "Updates a text template. Omitted members are unchanged.",
  },
  body: Type.Object({ id: idOf("template"), ...templates.TemplateChange.properties }),
  // An empty text is refused, not ignored.
  emptyTexts: "kept",
  caller: companyMay("contacts", "send"),
  answers: CampaignTemplate,
  refuses: ["not-found", "message-too-long", "conflict"],
  example: { text: "Bonjour @firstName, à demain !" },
  audit: { fr: "a modifié un modèle", en: "updated a template" },
  async run(app, caller, { id, ...change }) {
    const before = (tx: Tx) => templates.readTemplate(tx, caller, id);
    const changed = await audited(app, caller, { on: { kind: "template", id }, before }, (tx) =>
      templates.updateTemplate(tx, caller, id, change),
    );
    return answerWarned(
      changed,
      change.text === undefined ? [] : await warningsOfTemplate(app, caller, changed),
    );
  },
});

export const deleteTemplate = route("/v1/campaign/template/{id}/delete", {
  title: { fr: "Supprimer un modèle", en: "Delete a template" },
  says: { fr: "Supprime un modèle de texte.", en: "Deletes a text template." },
  body: oneId("template"),
  caller: companyMay("contacts", "send"),
  answers: DeletedCount,
  refuses: ["not-found"],
  audit: { fr: "a supprimé un modèle", en: "deleted a template" },
  run: (app, caller, { id }) =>
    audited(
      app,
      caller,
      {
        on: { kind: "template", id },
        before: (tx) => templates.readTemplate(tx, caller, id),
        after: () => null,
      },
      (tx) => templates.deleteTemplate(tx, caller, id),
    ),
});
