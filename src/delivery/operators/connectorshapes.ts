// The connectors that Atumpan brings along, as administrators see them: what each asks for.
import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import type { Language } from "../../platform/http/refusals.ts";
import { orNull, shape } from "../../platform/http/responseschemas.ts";
import { connectors } from "../../protocol/carriers/builtin.ts";
import type { Connector, ConnectorField } from "../../protocol/carriers/connector.ts";
import { mayBeEmpty } from "../../protocol/carriers/fieldcheck.ts";
import { type Declaration, declaredConnector } from "./connectors.ts";

/** What both shapes of a connector have. */
const members = {
  title: member(Type.String({ examples: ["Orange SMS API"] }), { fr: "Nom affiché", en: "Displayed name" }),
  guide: member(orNull(Type.String()), {
    fr: "Ce qu’il faut obtenir du fournisseur",
    en: "What to obtain from the carrier",
    sample: null,
  }),
  fields: member(
    Type.Array(
      Type.Object({
        name: Type.String({ examples: ["clientId"] }),
        title: member(Type.String({ examples: ["Client ID"] }), { fr: "Nom affiché", en: "Displayed name" }),
        help: member(orNull(Type.String({ examples: ["Dans « Mes applications »"] })), {
          fr: "Où trouver la valeur, ou null",
          en: "Where to find the value, or null",
        }),
        secret: member(Type.Boolean(), {
          fr: "Indique si la valeur est chiffrée et jamais affichée",
          en: "Whether the value is encrypted and never shown",
          sample: false,
        }),
        optional: member(Type.Boolean(), {
          fr: "Indique si le réglage peut rester vide",
          en: "Whether the setting may stay empty",
          sample: false,
        }),
        default: member(orNull(Type.String()), {
          fr: "Valeur utilisée si le réglage reste vide, ou null",
          en: "Value used if the setting stays empty, or null",
          sample: null,
        }),
        choices: member(
          Type.Array(
            Type.Object({
              value: member(Type.String({ examples: ["+2250000"] }), {
                fr: "Valeur à donner",
                en: "Value to give",
              }),
              title: member(Type.String({ examples: ["Côte d’Ivoire"] }), {
                fr: "Nom affiché",
                en: "Displayed name",
              }),
            }),
          ),
          {
            fr: "Valeurs possibles ; vide si la valeur est libre",
            en: "Possible values; empty if any value is allowed",
          },
        ),
      }),
    ),
    { fr: "Réglages du connecteur", en: "Settings of the connector" },
  ),
  tps: member(orNull(Type.Integer()), {
    fr: "Messages par seconde qu’un compte peut habituellement envoyer, utilisés si l’opérateur n’indique pas `tps`, ou null",
    en: "Messages per second that an account usually may send, used if the operator gives no `tps`, or null",
    sample: 5,
  }),
  hasReceipts: member(Type.Boolean(), {
    fr: "Indique si le fournisseur envoie des accusés de réception",
    en: "Whether the carrier sends delivery receipts",
    sample: true,
  }),
  sendsReceiptUrl: member(Type.Boolean(), {
    fr: "Indique si chaque message transmet au fournisseur l’adresse des accusés de réception",
    en: "Whether each message gives the carrier the address for delivery receipts",
    sample: true,
  }),
  hasInbound: member(Type.Boolean(), {
    fr: "Indique si le fournisseur transmet les messages entrants",
    en: "Whether the carrier delivers incoming messages",
    sample: true,
  }),
  hasBalance: member(Type.Boolean(), {
    fr: "Indique si le solde de notre compte peut être demandé au fournisseur",
    en: "Whether the carrier can be asked for the balance of our account",
    sample: true,
  }),
};

/** A built-in connector and the settings that it needs, in the language of the caller. */
export const ConnectorShown = shape("Connector", {
  name: Type.String({ examples: ["orange"] }),
  ...members,
});
export type ConnectorShown = Static<typeof ConnectorShown>;

/** A connector of somebody's own declaration, which has no name. */
export const DeclaredConnector = shape("DeclaredConnector", members);
type DeclaredConnector = Static<typeof DeclaredConnector>;

/** Lists the built-in connectors. */
export function listConnectors(language: Language): ConnectorShown[] {
  return [...connectors].map(([name, connector]) => ({ name, ...membersOf(connector, language) }));
}

/**
 * Returns what a declaration would ask for, and saves nothing. Refuses `invalid-request` with the place of everything
 * that is wrong with it.
 */
export function readDeclaration(declaration: Declaration, language: Language): DeclaredConnector {
  return membersOf(declaredConnector(declaration), language);
}

/** The placeholder in a template. As the condition `when` alone, it sends no address. */
const RECEIPT_URL = /\{\{\s*receiptUrl\s*\}\}/;

function membersOf(connector: Connector, language: Language): DeclaredConnector {
  return {
    title: labelIn(connector.title, language),
    guide: connector.guide?.[language] ?? null,
    fields: connector.fields.map((field) => fieldShown(field, language)),
    tps: connector.tps ?? null,
    hasReceipts: connector.receipts !== undefined,
    sendsReceiptUrl: RECEIPT_URL.test(JSON.stringify(connector.send)),
    hasInbound: connector.inbound !== undefined,
    hasBalance: connector.balance !== undefined,
  };
}

function fieldShown(field: ConnectorField, language: Language): ConnectorShown["fields"][number] {
  const { name, title, help, secret = false, choices = [] } = field;
  return {
    name,
    title: labelIn(title, language),
    help: help?.[language] ?? null,
    secret,
    optional: mayBeEmpty(field) || field.unless !== undefined,
    default: field.default ?? null,
    choices: choices.map((choice) => ({ value: choice.value, title: labelIn(choice.title, language) })),
  };
}

function labelIn(label: Connector["title"], language: Language): string {
  return typeof label === "string" ? label : label[language];
}
