// The shapes of operators in responses.
import { type Static, Type } from "typebox";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, PhoneShown, shape, Timestamp } from "../../platform/http/responseschemas.ts";
import type { Connector } from "../../protocol/carriers/connector.ts";
import { settingsShown } from "./settings.ts";

/** The meanings of the members that several schemas of this capability have. */
export const operatorMeanings = {
  kind: {
    fr: "Type d’opérateur : `smpp`, `http` avec un connecteur, ou `phone`, un téléphone Android",
    en: "Kind of operator: `smpp`, `http` with a connector, or `phone`, an Android phone",
  },
  systemId: { fr: "Identifiant SMPP", en: "SMPP system_id", sample: "boutique" },
  systemType: { fr: "system_type SMPP", en: "SMPP system_type", sample: "" },
  host: { fr: "Adresse du SMSC", en: "SMSC address", sample: "smsc.example.com" },
  port: { fr: "Port du SMSC", en: "SMSC port", sample: 2775 },
  tls: { fr: "SMPP sur TLS", en: "SMPP over TLS", sample: false },
  tlsCa: {
    fr: "Autorités de certification de l’opérateur (PEM), ou null pour les autorités publiques",
    en: "Certificate authorities of the operator (PEM), or null for the public ones",
    sample: null,
  },
  tlsServerName: {
    fr: "Nom dans le certificat de l’opérateur, ou null pour `host`",
    en: "Name in the operator’s certificate, or null for `host`",
    sample: null,
  },
  tlsCert: {
    fr: "Certificat présenté à l’opérateur (PEM), suivi de sa chaîne, ou null",
    en: "Certificate presented to the operator (PEM), followed by its chain, or null",
    sample: null,
  },
  window: {
    fr: "Nombre maximal de messages en attente d’une réponse",
    en: "Maximum number of messages waiting for a response",
    sample: 64,
  },
  tps: {
    fr: "Nombre maximal de messages par seconde, 0 sans limite. Par défaut, celui du connecteur s’il en a un",
    en: "Maximum number of messages per second, 0 for no limit. By default that of the connector, if it has one",
    sample: 100,
  },
  prefixes: {
    fr: "Préfixes des numéros desservis par l’opérateur, au format international : 1 à 15 chiffres, sans + ni 00 (225, 22507). Le plus long l’emporte",
    en: "Prefixes of the numbers that the operator serves, in international format: 1 to 15 digits, without + or 00 (225, 22507). The longest one wins",
    sample: ["22507"],
  },
  priority: {
    fr: "Priorité entre opérateurs d’un même préfixe",
    en: "Priority among operators with the same prefix",
    sample: 0,
  },
  overflowAfterS: {
    fr: "Temps d’attente, en secondes, après lequel un message passe à l’opérateur suivant, ou null pour jamais",
    en: "Waiting time, in seconds, after which a message goes to the next operator, or null for never",
    sample: 60,
  },
  receiptTimeZone: {
    fr: "Fuseau horaire des dates des accusés de réception, comme Africa/Lagos ou +01:00, ou null pour le deviner",
    en: "Time zone of the dates in delivery receipts, such as Africa/Lagos or +01:00, or null to guess it",
    sample: "Africa/Abidjan",
  },
  plainReceipts: {
    fr: "Indique si un message avec esm_class 0 et un texte d’accusé de réception est un accusé de réception",
    en: "Whether a message with esm_class 0 and the text of a delivery receipt is a delivery receipt",
    sample: false,
  },
  operatorGroup: {
    fr: "Compte chez l’opérateur, ou null pour celui de host et systemId",
    en: "Account at the operator, or null for that of host and systemId",
    sample: "orange-ci",
  },
} satisfies Record<string, Meaning>;

/** A phone, as it last told. */
const PhoneState = Type.Object({
  pairedAt: member(orNull(Timestamp), {
    fr: "Date d’appairage, ou null si aucun téléphone n’est appairé",
    en: "Time of the pairing, or null if no phone is paired",
    sample: "2026-11-21T09:00:00.000Z",
  }),
  name: member(orNull(Type.String()), {
    fr: "Marque et modèle du téléphone",
    en: "Brand and model of the phone",
    sample: "samsung/a14",
  }),
  seenAt: member(orNull(Timestamp), {
    fr: "Date du dernier appel du téléphone",
    en: "Time when the phone last called",
    sample: "2026-11-21T09:00:00.000Z",
  }),
  battery: member(orNull(Type.Integer()), {
    fr: "Charge de la batterie, en pour cent",
    en: "Charge of the battery, in percent",
    sample: 87,
  }),
  charging: member(orNull(Type.Boolean()), {
    fr: "Indique si la batterie est en charge",
    en: "Whether the battery is charging",
    sample: true,
  }),
  network: member(orNull(Type.Enum(["wifi", "ethernet", "2g", "3g", "4g", "5g", "cellular", "none"])), {
    fr: "Réseau par lequel le téléphone joint le service",
    en: "Network over which the phone reaches the service",
    sample: "4g",
  }),
  sentToday: member(Type.Integer(), {
    fr: "SMS comptés aujourd’hui (UTC) pour dailyCap",
    en: "SMS counted today (UTC) for dailyCap",
    sample: 12,
  }),
});

/** An operator as administrators see it. */
export const Operator = shape("Operator", {
  id: Type.String(),
  name: Type.String({ examples: ["Opérateur 07"] }),
  kind: member(Type.Enum(["smpp", "http", "phone"]), operatorMeanings.kind),
  connector: member(orNull(Type.String()), {
    fr: "Nom du connecteur fourni, ou null",
    en: "Name of the built-in connector, or null",
    sample: null,
  }),
  declaration: member(orNull(Type.Unsafe<Connector>({ type: "object", additionalProperties: true })), {
    fr: "Déclaration du connecteur de cet opérateur, ou null",
    en: "Declaration of the connector of this operator, or null",
    sample: null,
  }),
  connectorSettings: member(
    Type.Unsafe<Record<string, string>>({ type: "object", additionalProperties: Type.String() }),
    {
      fr: "Réglages du connecteur ; les valeurs secrètes sont masquées",
      en: "Settings of the connector; secret values are masked",
      sample: {},
    },
  ),
  host: member(Type.String(), operatorMeanings.host),
  port: member(Type.Integer(), operatorMeanings.port),
  tls: member(Type.Boolean(), operatorMeanings.tls),
  tlsCa: member(orNull(Type.String()), operatorMeanings.tlsCa),
  tlsServerName: member(orNull(Type.String()), operatorMeanings.tlsServerName),
  tlsCert: member(orNull(Type.String()), operatorMeanings.tlsCert),
  systemId: member(Type.String(), operatorMeanings.systemId),
  systemType: member(orNull(Type.String()), operatorMeanings.systemType),
  window: member(Type.Integer(), operatorMeanings.window),
  tps: member(orNull(Type.Integer()), operatorMeanings.tps),
  prefixes: member(Type.Array(Type.String()), operatorMeanings.prefixes),
  priority: member(Type.Integer(), operatorMeanings.priority),
  enabled: Type.Boolean(),
  concatenation: member(Type.Enum(["udh8", "udh16", "sar", "payload"]), {
    fr: "Mode de concaténation des longs messages",
    en: "Concatenation method for long messages",
  }),
  messageIdForm: member(Type.Enum(["as-is", "quoted", "hex-to-decimal", "decimal-to-hex", "case"]), {
    fr: "Forme des identifiants dans les accusés de réception. `case` : les majuscules et minuscules comptent",
    en: "Form of the IDs in delivery receipts. `case`: IDs are case-sensitive",
  }),
  receiptTimeZone: member(orNull(Type.String()), operatorMeanings.receiptTimeZone),
  plainReceipts: member(Type.Boolean(), operatorMeanings.plainReceipts),
  operatorGroup: member(orNull(Type.String()), operatorMeanings.operatorGroup),
  ...settingsShown,
  overflowAfterS: member(orNull(Type.Integer()), operatorMeanings.overflowAfterS),
  phone: member(orNull(PhoneState), {
    fr: "État du téléphone, ou null pour un autre type d’opérateur",
    en: "State of the phone, or null for another kind of operator",
    sample: null,
  }),
  createdAt: Timestamp,
  heldAt: member(orNull(Timestamp), {
    fr: "Date à laquelle un administrateur a suspendu l’opérateur, ou null s’il n’est pas suspendu",
    en: "Time when an administrator put the operator on hold, or null if it is not on hold",
    sample: "2026-11-21T09:00:00.000Z",
  }),
  suspect: member(Type.Boolean({ examples: [false] }), {
    fr: "Indique si une route de l’opérateur livre bien moins que ne le disent ses accusés de réception : voir admin/operator/{id}/quality",
    en: "Whether a route of the operator delivers far less than its delivery receipts say: see admin/operator/{id}/quality",
  }),
  state: member(
    Type.Enum(["CONNECTING", "BOUND", "REFUSED", "DISCONNECTED", "DISABLED"], { examples: ["BOUND"] }),
    { fr: "État de la liaison", en: "State of the session" },
  ),
  able: member(Type.Boolean({ examples: [true] }), {
    fr: "Indique si l’opérateur accepte des messages en ce moment",
    en: "Whether the operator is currently accepting messages",
  }),
  bound: member(Type.Integer({ examples: [1] }), {
    fr: "Sessions actuellement établies",
    en: "Sessions currently bound",
  }),
  inFlight: member(Type.Integer(), {
    fr: "Messages qui attendent encore une réponse de l’opérateur",
    en: "Messages still waiting for a response from the operator",
    sample: 0,
  }),
  rate: member(Type.Number(), {
    fr: "Débit actuel, en messages par seconde",
    en: "Current rate, in messages per second",
    sample: 0,
  }),
  error: member(orNull(Type.String()), {
    fr: "Dernière erreur de la liaison",
    en: "Last error of the session",
    sample: null,
  }),
  boundAt: member(orNull(Timestamp), {
    fr: "Date d’établissement de la liaison",
    en: "Time when the session was bound",
    sample: "2026-11-21T09:00:00.000Z",
  }),
});
export type Operator = Static<typeof Operator>;

/** A bind that moves from one process to another, and until when the move takes precedence over equal shares. */
export const BindMove = shape("BindMove", {
  operatorId: Type.String(),
  bind: Type.Integer({ examples: [0] }),
  from: member(Type.String({ examples: ["atumpan 19a8f1c2b3d40000000000aa"] }), {
    fr: "Processus qui tenait la liaison auparavant",
    en: "Process that held the bind before",
  }),
  node: Type.String({ examples: ["atumpan 19a8f1c2b3d40000000000bb"] }),
  movedUntil: member(Timestamp, {
    fr: "Date jusqu’à laquelle la liaison y reste, tant que ce processus fonctionne. Ensuite, les processus se partagent de nouveau les liaisons",
    en: "Time until which the bind stays there, as long as that process is alive. After that, the processes share the binds again",
    sample: "2026-11-25T10:00:00.000Z",
  }),
});
export type BindMove = Static<typeof BindMove>;

/** The results of an import by line. `refusedLines` are the first hundred of the `refused` ones. */
export const PortedImport = shape("PortedImport", {
  imported: member(Type.Integer({ examples: [99_998] }), {
    fr: "Nombre de lignes avec un opérateur",
    en: "Number of lines with an operator",
  }),
  removed: member(Type.Integer({ examples: [1] }), {
    fr: "Nombre de lignes sans opérateur",
    en: "Number of lines without an operator",
  }),
  refused: member(Type.Integer({ examples: [1] }), {
    fr: "Nombre de lignes refusées",
    en: "Number of rejected lines",
  }),
  refusedLines: member(
    Type.Array(
      Type.Object({
        line: member(Type.Integer(), {
          fr: "Numéro de la ligne, à partir de 1",
          en: "Line number, starting at 1",
        }),
        text: Type.String({ examples: ["2250501020304,Inconnu"] }),
        code: Type.Enum(["invalid-line", "invalid-number", "unknown-operator"], {
          examples: ["unknown-operator"],
        }),
      }),
    ),
    {
      fr: "Cent premières lignes refusées, avec la raison",
      en: "First hundred rejected lines, with the reason",
      sample: [],
    },
  ),
});
export type PortedImport = Static<typeof PortedImport>;

/** A number and the operator that it is ported to, or null; `operator` is its name, null if it is deleted. */
export const PortedNumber = shape("PortedNumber", {
  phone: PhoneShown,
  operatorId: orNull(Type.String()),
  operator: orNull(Type.String({ examples: ["Opérateur 07"] })),
});
export type PortedNumber = Static<typeof PortedNumber>;
