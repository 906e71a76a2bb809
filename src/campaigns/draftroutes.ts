// The URLs of drafts.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { changing } from "../audit/audit.ts";
import type { Tx } from "../kernel/database.ts";
import { answerWarned } from "../kernel/envelope.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Counted, Id } from "../kernel/schemas.ts";
import * as drafts from "./drafts.ts";
import { CampaignDraft, CampaignDraftInFull } from "./shapes.ts";

/** Saving is its own record: a console saves with every pause in writing. */
export const save = route({
  summary: "Saves an unfinished campaign as it is; all that it says is replaced",
  body: drafts.DraftInput,
  caller: companyMay("contacts", "send"),
  answers: CampaignDraft,
  bulk: true,
  async run(app, caller, body) {
    const saving = (tx: Tx) => drafts.saveDraft(tx, caller, body);
    const { draft, warnings } = await app.database.of(caller.companyId).transaction(saving);
    return answerWarned(draft, warnings);
  },
});

export const list = listRoute({
  summary: "Lists unfinished campaigns, the one saved last first",
  body: inOrder("desc"),
  caller: companyMay("read", "contacts", "send"),
  rows: CampaignDraft,
  list: (app, caller, page) => drafts.listDrafts(app.database.of(caller.companyId), caller, page),
});

export const read = route({
  summary: "Reads an unfinished campaign with those whom it names",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: companyMay("read", "contacts", "send"),
  answers: CampaignDraftInFull,
  run: (app, caller, { id }) => drafts.readDraft(app.database.of(caller.companyId), caller, id),
});

export const remove = route({
  summary: "Deletes an unfinished campaign",
  body: Type.Object({ id: Id }),
  caller: companyMay("contacts", "send"),
  answers: Counted,
  run: (app, caller, { id }) =>
    changing(app, caller, { on: { kind: "draft", id }, after: () => null }, (tx) =>
      drafts.deleteDraft(tx, caller, id),
    ),
});

export const submit = route({
  summary:
    "Submits a draft to the members who may send it, who are notified by SMS and e-mail; submitted again after a change, it notifies them again",
  body: Type.Object({ id: Id }),
  caller: companyMay("contacts"),
  answers: CampaignDraft,
  run: (app, caller, { id }) =>
    changing(
      app,
      caller,
      { on: { kind: "draft", id }, after: ({ submittedAt }: CampaignDraft) => ({ submittedAt }) },
      (tx) => drafts.submitDraft(tx, caller, id),
    ),
});
