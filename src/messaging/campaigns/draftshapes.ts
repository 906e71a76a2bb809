// The shapes of drafts and templates in responses.

import { type Static, Type } from "typebox";
import { OwnFieldsShown } from "../../phonebook/contacts/fields.ts";
import { member } from "../../platform/http/meanings.ts";
import { orNull, PhoneShown, shape, TextShown, Timestamp } from "../../platform/http/responseschemas.ts";
import { CAMPAIGN_TYPES, CampaignName, campaignMeanings, NameOfSender, RecurringTimes } from "./shapes.ts";

/** A contact of a draft, as given. Its phone may still be missing. */
const DraftContact = Type.Object({
  phone: PhoneShown,
  name: Type.Optional(Type.String()),
  firstName: Type.Optional(Type.String()),
  lastName: Type.Optional(Type.String()),
  sex: Type.Optional(Type.Enum(["M", "F"])),
  fields: Type.Optional(OwnFieldsShown),
});
export type DraftContact = Static<typeof DraftContact>;

/** An unfinished campaign without its recipients. `revision` counts its saves; `userId` saved it last. */
export const CampaignDraft = shape("CampaignDraft", {
  id: Type.String(),
  revision: member(Type.Integer({ examples: [1] }), campaignMeanings.revision),
  name: orNull(CampaignName),
  text: orNull(TextShown),
  senderId: orNull(NameOfSender),
  type: Type.Enum([...CAMPAIGN_TYPES]),
  scheduledDate: member(orNull(Type.String()), campaignMeanings.scheduledDate),
  recurring: member(orNull(RecurringTimes), campaignMeanings.recurring),
  userId: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  submittedAt: member(orNull(Timestamp), {
    fr: "Date de la dernière soumission du brouillon, ou null s’il n’a jamais été soumis. Le brouillon peut avoir changé depuis",
    en: "Time when the draft was last submitted, or null if never. The draft may have changed since then",
    sample: "2026-11-21T09:30:00.000Z",
  }),
  submittedBy: member(orNull(Type.String()), {
    fr: "Membre qui a soumis le brouillon",
    en: "Member who submitted the draft",
    sample: null,
  }),
  _count: member(
    Type.Object({
      contacts: member(Type.Integer({ examples: [1] }), {
        fr: "Nombre de contacts choisis, sans les membres des groupes",
        en: "Number of selected contacts, without the members of groups",
      }),
      groups: member(Type.Integer(), campaignMeanings.groups),
    }),
    campaignMeanings._count,
  ),
});
export type CampaignDraft = Static<typeof CampaignDraft>;

/** An unfinished campaign with its recipients. */
export const CampaignDraftInFull = shape("CampaignDraftInFull", {
  ...CampaignDraft.properties,
  contacts: Type.Array(DraftContact),
  groupsIds: member(Type.Array(Type.String()), campaignMeanings.groupsIds),
});
export type CampaignDraftInFull = Static<typeof CampaignDraftInFull>;

/** A text that a company reuses. */
export const CampaignTemplate = shape("CampaignTemplate", {
  id: Type.String(),
  name: Type.String({ examples: ["Rappel de rendez-vous"] }),
  text: TextShown,
  variables: member(Type.Array(Type.String({ examples: ["name"] })), campaignMeanings.variables),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type CampaignTemplate = Static<typeof CampaignTemplate>;
