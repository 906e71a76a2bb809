// The URL of changes to campaigns.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { ContactInput } from "../contacts/contacts.ts";
import { answerWarned } from "../kernel/envelope.ts";
import { route } from "../kernel/routes.ts";
import { Id, Name } from "../kernel/schemas.ts";
import { Recurring } from "./schedule.ts";
import { CampaignReport } from "./shapes.ts";
import { updateCampaign } from "./update.ts";
import { warningsOf } from "./warnings.ts";

export const update = route({
  summary: "Changes the name of a campaign, or what one says that still waits for its time",
  body: Type.Object({
    id: Id,
    name: Type.Optional(Name),
    text: Type.Optional(Type.String({ minLength: 1 })),
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
    return answerWarned(report, warningsOf({ text, contacts }, caller.country, variables));
  },
});
