// The URL of changes to campaigns.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { changing } from "../audit/audit.ts";
import { ContactInput } from "../contacts/contacts.ts";
import type { Tx } from "../kernel/database.ts";
import { answerWarned } from "../kernel/envelope.ts";
import { route } from "../kernel/routes.ts";
import { Id, MessageText, Name } from "../kernel/schemas.ts";
import { Recurring } from "./schedule.ts";
import { CampaignReport } from "./shapes.ts";
import { updateCampaign } from "./update.ts";
import { readCampaign } from "./views.ts";
import { toggleCampaign } from "./waiting.ts";
import { warningsOf } from "./warnings.ts";

export const update = route({
  summary:
    "Changes the name of a campaign at any time; its text, contacts and time while it waits for its time. Once a second person was asked to approve it, its text and contacts stay (conflict): cancel it and create another one",
  body: Type.Object({
    id: Id,
    name: Type.Optional(Name),
    text: Type.Optional(MessageText),
    contacts: Type.Optional(Type.Array(ContactInput)),
    scheduledDate: Type.Optional(Type.String({ maxLength: 64 })),
    recurring: Type.Optional(Recurring),
  }),
  emptyTexts: "emptied",
  caller: companyMay("send"),
  answers: CampaignReport,
  bulk: true,
  async run(app, caller, { id, ...change }) {
    const { text = "", contacts = [] } = change;
    const { report, variables } = await updateCampaign(app, caller, id, change);
    return answerWarned(report, await warningsOf(app, caller, { text, contacts }, variables));
  },
});

export const toggle = route({
  summary: "Pauses a recurring campaign, whose occurrences are skipped then, or resumes it",
  body: Type.Object({ id: Id }),
  caller: companyMay("send"),
  answers: CampaignReport,
  run(app, caller, { id }) {
    const before = async (tx: Tx) => enabledOf(await readCampaign(tx, caller, id));
    return changing(app, caller, { on: { kind: "campaign", id }, before, after: enabledOf }, async (tx) => {
      await toggleCampaign(app, tx, caller, id);
      return readCampaign(tx, caller, id);
    });
  },
});

function enabledOf({ isEnabled }: CampaignReport) {
  return { isEnabled };
}
