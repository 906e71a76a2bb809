// The warnings of campaigns: words that are not variables, fields that contacts do not have, invisible characters, and
// phone numbers that are no longer valid. None of them prevents the sending.

import type { CompanyCaller } from "../../identity/accounts/callers.ts";
import { type ContactInput, warningsOfContacts } from "../../phonebook/contacts/given.ts";
import { WARNINGS_AT_MOST } from "../../platform/http/envelope.ts";
import type { Warning } from "../../platform/http/fielderrors.ts";
import { ONE_MORE } from "../../platform/http/members.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { savedByVisible } from "../../protocol/sms/culprits.ts";
import { variableMeantBy } from "../../protocol/sms/meant.ts";
import { doubtfulFallbacks, strayWords, VARIABLE_NAMES } from "../../protocol/sms/personalise.ts";
import type { CampaignTemplate } from "./draftshapes.ts";
import type { Quote } from "./quoteshapes.ts";
import type { Variable } from "./shapes.ts";
import { readOwnMeant } from "./variables.ts";

/** Returns the warnings of a template. */
export async function warningsOfTemplate(
  app: Runtime,
  { companyId }: CompanyCaller,
  { text, variables }: CampaignTemplate,
): Promise<Warning[]> {
  const fields = await readOwnMeant(app.database.of(companyId), companyId, text, variables);
  const words = strayWords(text, new Set(variables)).slice(0, WARNINGS_AT_MOST);
  return [
    ...warningsOfInvisible(text, "text"),
    ...words.map((word) => ({ field: "text", message: sentenceOfWord(word, fields) })),
  ];
}

/** Returns the warnings of a campaign or quote, which is accepted all the same. `variables` are those of the text. */
export async function warningsOf(
  app: Runtime,
  { companyId, country }: CompanyCaller,
  { text, contacts }: { text: string; contacts: readonly ContactInput[] },
  variables: readonly Variable[] = [],
): Promise<Warning[]> {
  const warnings = warningsOfInvisible(text, "text");
  // Only a few warnings are shown; the others are counted.
  const warn = (field: string, sentence: () => Sentence) =>
    warnings.push(warnings.length < WARNINGS_AT_MOST ? { field, message: sentence() } : ONE_MORE);
  const own = new Set(variables.map(({ name }) => name));
  const fields = await readOwnMeant(app.database.of(companyId), companyId, text, own);
  for (const word of strayWords(text, own)) warn("text", () => sentenceOfWord(word, fields));
  for (const one of doubtfulFallbacks(text, own)) warn("text", () => sentenceOfFallback(one));
  for (const variable of variables) if (isUnfilled(variable)) warn("text", () => sentenceOfMissing(variable));
  return [...warnings, ...warningsOfContacts(contacts, country)];
}

/**
 * Returns the warnings of a quote whose text is GSM-7 while values from contacts (names, or invisible characters in
 * them) are not, so that those messages cost more.
 */
export function warningsOfValues({ encodings, unicodeCharacters }: Quote): Warning[] {
  const { messages } = encodings["UCS-2"];
  if (messages === 0 || unicodeCharacters.length > 0) return [];
  const many = messages > 1;
  const message = {
    fr: `${many ? `les noms ou champs de ${messages} contacts contiennent` : "le nom ou un champ d’un contact contient"} des caractères hors de l’alphabet GSM-7 : ${many ? "leurs messages sont envoyés" : "son message est envoyé"} en UCS-2, avec 70 caractères par SMS au lieu de 160, et ${many ? "peuvent" : "peut"} coûter plus cher`,
    en: `the names or fields of ${many ? `${messages} contacts` : "one contact"} contain characters outside the GSM-7 alphabet: ${many ? "their messages are" : "its message is"} sent as UCS-2, with 70 characters per SMS instead of 160, and may cost more`,
  };
  return [{ field: "text", message }];
}

/** Returns the warning of a text, in its member `field`, that takes more segments only for invisible characters. */
export function warningsOfInvisible(text: string, field: string): Warning[] {
  const saved = savedByVisible(text);
  if (!saved) return [];
  const { invisible, segments, instead } = saved;
  const message = {
    fr: `contient ${invisible} ${invisible === 1 ? "caractère invisible : sans lui" : "caractères invisibles : sans eux"}, le texte tient en ${instead} SMS au lieu de ${segments} et s’affiche de la même façon`,
    en: `contains ${invisible} invisible ${invisible === 1 ? "character: without it" : "characters: without them"}, the text takes ${instead} SMS instead of ${segments} and looks the same`,
  };
  return [{ field, message }];
}

const VARIABLES = VARIABLE_NAMES.map((name) => `\`@${name}\``).join(", ");

/** The maximum number of custom fields that a warning lists. */
const FIELDS_NAMED = 10;

/** `fields` are the custom fields of the company. */
function sentenceOfWord(word: string, fields: readonly string[]): Sentence {
  const meant = variableMeantBy(word, fields);
  const named = fields.slice(0, FIELDS_NAMED).map((name) => `\`@${name}\``);
  const own = named.join(", ") + (fields.length > FIELDS_NAMED ? "…" : "");
  return meant === undefined
    ? {
        fr: `\`@${word}\` n’est pas une variable et reste tel quel ; les variables sont ${VARIABLES}${own && ` et vos champs personnalisés ${own}`}`,
        en: `\`@${word}\` is not a variable and stays as it is; the variables are ${VARIABLES}${own && ` and your custom fields ${own}`}`,
      }
    : {
        fr: `\`@${word}\` n’est pas une variable et reste tel quel ; vouliez-vous dire \`@${meant}\` ?`,
        en: `\`@${word}\` is not a variable and stays as it is; did you mean \`@${meant}\`?`,
      };
}

function sentenceOfFallback({ key, kind, said }: ReturnType<typeof doubtfulFallbacks>[number]): Sentence {
  return kind === "long"
    ? {
        fr: `le texte de remplacement de \`@${key}\` dépasse 40 caractères et reste dans le message ; fermez-le par un second \`|\`, comme \`@${key}|cher client|\``,
        en: `the fallback of \`@${key}\` is longer than 40 characters and stays in the message; close it with a second \`|\`, as in \`@${key}|dear customer|\``,
      }
    : {
        fr: `« ${said} » est le texte de remplacement de \`@${key}\` et n’apparaît pas pour les destinataires qui ont une valeur ; fermez le texte de remplacement par un second \`|\`, comme \`@${key}|cher client|\``,
        en: `"${said}" is the fallback of \`@${key}\` and does not appear for recipients who have a value; close it with a second \`|\`, as in \`@${key}|dear customer|\``,
      };
}

/** Whether some recipients have no value for a variable without a fallback. */
function isUnfilled({ missing, fallback }: Variable): boolean {
  return missing > 0 && fallback === undefined;
}

const NAME = { fr: "nom", en: "name", showsPhone: true };

/** What each standard variable stands for. Without a name the phone number is shown, without the others nothing. */
const STANDARD: Readonly<Record<string, Sentence & { showsPhone: boolean }>> = {
  name: NAME,
  nom_complet: NAME,
  firstName: { fr: "prénom", en: "first name", showsPhone: false },
  lastName: { fr: "nom de famille", en: "last name", showsPhone: false },
};

function sentenceOfMissing({ name, missing }: Variable): Sentence {
  const standard = STANDARD[name];
  if (standard) {
    const people = missing === 1 ? "un destinataire" : `${missing} destinataires`;
    const recipients = missing === 1 ? "one recipient" : `${missing} recipients`;
    return {
      fr: `\`@${name}\` ${standard.showsPhone ? "affiche le numéro" : "est vide"} pour ${people} sans ${standard.fr} ; \`@${name}|cher client\` définit un texte de remplacement`,
      en: `\`@${name}\` ${standard.showsPhone ? "shows the phone number" : "is empty"} for ${recipients} without a ${standard.en}; \`@${name}|dear customer\` sets a fallback`,
    };
  }
  return missing === 1
    ? {
        fr: `\`@${name}\` est vide pour un destinataire, qui n’a pas ce champ`,
        en: `\`@${name}\` is empty for one recipient, who does not have this field`,
      }
    : {
        fr: `\`@${name}\` est vide pour ${missing} destinataires, qui n’ont pas ce champ`,
        en: `\`@${name}\` is empty for ${missing} recipients, who do not have this field`,
      };
}
