// The URLs of /v1/campaign/draft.
import { companyMay } from "../../identity/accounts/callers.ts";
import { audited } from "../../identity/audit/audit.ts";
import * as drafts from "../../messaging/campaigns/drafts.ts";
import { CampaignDraft, CampaignDraftInFull } from "../../messaging/campaigns/draftshapes.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { answerWarned } from "../../platform/http/envelope.ts";
import { oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { DeletedCount } from "../../platform/http/paging.ts";
import { route } from "../../platform/http/routes.ts";

/** Saving is not audited: a console saves whenever the user pauses. */
export const save = route("/v1/campaign/draft/save", {
  title: { fr: "Enregistrer un brouillon", en: "Save a draft" },
  says: {
    fr: "Enregistre une campagne inachevée. Tout le contenu du brouillon est remplacé.",
    en: "Saves an unfinished campaign. The whole content of the draft is replaced.",
  },
  body: drafts.DraftInput,
  caller: companyMay("contacts", "send"),
  answers: CampaignDraft,
  refuses: ["too-many-contacts", "not-found", "conflict"],
  example: { name: "Rentrée", text: "Bonjour @name", contacts: [{ phone: "2250102030405", name: "Awa" }] },
  bulk: true,
  async run(app, caller, body) {
    const saving = (tx: Tx) => drafts.saveDraft(tx, caller, body);
    const { draft, warnings } = await app.database.of(caller.companyId).transaction(saving);
    return answerWarned(draft, warnings);
  },
});

export const list = listRoute("/v1/campaign/draft/list", {
  title: { fr: "Lister les brouillons", en: "List drafts" },
  says: {
    fr: "Liste les brouillons de campagnes, du dernier enregistré au plus ancien.",
    en: "Lists campaign drafts, most recently saved first.",
  },
  body: inOrder("desc"),
  caller: companyMay("read", "contacts", "send"),
  rows: CampaignDraft,
  list: (app, caller, page) => drafts.listDrafts(app.database.of(caller.companyId), caller, page),
});

export const read = route("/v1/campaign/draft/{id}", {
  title: { fr: "Lire un brouillon", en: "Read a draft" },
  says: { fr: "Renvoie un brouillon et ses destinataires.", en: "Returns a draft with its recipients." },
  body: oneId("draft"),
  reads: true,
  caller: companyMay("read", "contacts", "send"),
  answers: CampaignDraftInFull,
  refuses: ["not-found"],
  run: (app, caller, { id }) => drafts.readDraft(app.database.of(caller.companyId), caller, id),
});

export const remove = route("/v1/campaign/draft/{id}/delete", {
  title: { fr: "Supprimer un brouillon", en: "Delete a draft" },
  says: { fr: "Supprime un brouillon.", en: "Deletes a draft." },
  body: oneId("draft"),
  caller: companyMay("contacts", "send"),
  answers: DeletedCount,
  refuses: ["not-found"],
  audit: { fr: "a supprimé un brouillon", en: "deleted a draft" },
  run: (app, caller, { id }) =>
    audited(app, caller, { on: { kind: "draft", id }, after: () => null }, (tx) =>
      drafts.deleteDraft(tx, caller, id),
    ),
});

export const submit = route("/v1/campaign/draft/{id}/submit", {
  title: { fr: "Soumettre un brouillon", en: "Submit a draft" },
  says: {
    fr: "Soumet un brouillon aux membres autorisés à l’envoyer, qui sont prévenus par SMS et par e-mail. Soumettez-le de nouveau après une modification pour les prévenir à nouveau.",
    en: "Submits a draft to the members who may send it, and notifies them by SMS and e-mail. Submit it again after a change to notify them again.",
  },
  body: oneId("draft"),
  caller: companyMay("contacts"),
  answers: CampaignDraft,
  refuses: ["not-found"],
  audit: { fr: "a soumis un brouillon pour envoi", en: "submitted a draft for sending" },
  run: (app, caller, { id }) =>
    audited(
      app,
      caller,
      { on: { kind: "draft", id }, after: ({ submittedAt }: CampaignDraft) => ({ submittedAt }) },
      (tx) => drafts.submitDraft(tx, caller, id),
    ),
});
