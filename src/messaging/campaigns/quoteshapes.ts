// The shape of a quote in a response.

import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import { orNull, shape } from "../../platform/http/responseschemas.ts";
import { blockedMembers, campaignMeanings, Variable } from "./shapes.ts";

const Price = Type.Object({ messages: Type.Integer(), segments: Type.Integer(), credits: Type.Integer() });

/**
 * The messages of a quote with the same price: `messages × segments × creditsPerSegment = credits`. `country` is null
 * if several countries share the calling code.
 */
const PriceRow = Type.Object({
  callingCode: member(Type.String({ examples: ["225"] }), {
    fr: "Indicatif téléphonique du pays",
    en: "Calling code of the country",
  }),
  country: orNull(Type.String({ examples: ["CI"] })),
  encoding: Type.Enum(["GSM-7", "UCS-2"]),
  segments: Type.Integer(),
  creditsPerSegment: member(Type.Integer(), {
    fr: "Prix d’un SMS vers ce pays, en crédits",
    en: "Price of one SMS to this country, in credits",
    sample: 1,
  }),
  messages: Type.Integer(),
  credits: Type.Integer(),
});

/** The cost of a campaign; `balanceAfter` is below zero if it cannot be paid. */
export const Quote = shape("Quote", {
  contactCount: Type.Integer(),
  segments: Type.Integer(),
  creditUsed: Type.Integer(),
  encodings: member(
    Type.Object({
      "GSM-7": member(Price, { fr: "160 caractères par SMS", en: "160 characters per SMS" }),
      "UCS-2": member(Price, { fr: "70 caractères par SMS", en: "70 characters per SMS" }),
    }),
    { fr: "Messages par alphabet", en: "Messages by alphabet" },
  ),
  bySegments: member(Type.Array(Type.Object({ segments: Type.Integer(), messages: Type.Integer() })), {
    fr: "Nombre de messages par nombre de SMS",
    en: "Number of messages by number of SMS",
    sample: [{ segments: 1, messages: 1 }],
  }),
  breakdown: member(Type.Array(PriceRow), {
    fr: "Prix des messages par pays et par longueur : messages × segments × creditsPerSegment = credits",
    en: "Price of the messages by country and length: messages × segments × creditsPerSegment = credits",
  }),
  awaitsApproval: member(Type.Optional(Type.Boolean()), campaignMeanings.awaitsApproval),
  balance: Type.Integer(),
  balanceAfter: Type.Integer(),
  sufficient: member(Type.Boolean(), {
    fr: "Indique si le solde suffit",
    en: "Whether the balance is sufficient",
    sample: true,
  }),
  ...blockedMembers,
  replacedSenders: member(
    Type.Optional(
      Type.Array(
        Type.Object({
          sender: member(Type.String(), { fr: "Nom affiché", en: "Name shown", sample: "INFO" }),
          prefix: member(Type.String(), {
            fr: "Début des numéros",
            en: "Beginning of the numbers",
            sample: "22507",
          }),
          messages: Type.Integer(),
        }),
      ),
    ),
    {
      fr: "Messages qu’un opérateur envoie sous un autre nom, parce que l’expéditeur n’y est pas enregistré. Absent s’il n’y en a pas",
      en: "Messages that an operator sends under another name, because the sender is not registered there. Absent if there are none",
      sample: [{ sender: "INFO", prefix: "22507", messages: 1 }],
    },
  ),
  variables: member(Type.Array(Variable), campaignMeanings.variables),
  unicodeCharacters: member(
    Type.Array(
      Type.Object({
        character: member(Type.String(), { fr: "Caractère", en: "Character" }),
        replacement: member(orNull(Type.String()), {
          fr: "Caractères équivalents en GSM-7",
          en: "Equivalent characters in GSM-7",
        }),
        count: member(Type.Integer(), {
          fr: "Nombre d’apparitions dans le texte",
          en: "Number of times it appears in the text",
        }),
      }),
    ),
    {
      fr: "Caractères du texte qui imposent UCS-2. warnings compte les contacts dont le nom l’impose",
      en: "Characters of the text that require UCS-2. warnings counts the contacts whose names require it",
      sample: [],
    },
  ),
});
export type Quote = Static<typeof Quote>;
