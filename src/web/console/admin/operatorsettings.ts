// The settings of an operator for people: their names, labels and kinds.
import type { Data } from "../apiclient.ts";
import type { Visit } from "../visit.ts";

export type OperatorShown = Data<"/v1/admin/operator/list">[number];

type Name = Exclude<
  keyof OperatorShown,
  "id" | "state" | "able" | "bound" | "inFlight" | "rate" | "error" | "boundAt"
>;

/** `tonNpi` is typed as `5/0`, `list` with spaces or commas between its items, and `pem` is pasted. */
type Kind =
  | "text"
  | "pem"
  | "number"
  | "yes"
  | "list"
  | "tonNpi"
  | readonly (readonly [value: string, text: string])[];

export type Setting = { name: Name | Secret; label: string; hint?: string; kind: Kind; isRequired?: true };

/** Settings that are never shown again. An empty field leaves them unchanged. */
export type Secret = "password" | "tlsKey";
/** Returns the settings that every operator needs. */
export function essentials(visit: Visit, isNew: boolean): Setting[] {
  const t = visit.t.bind(visit);
  return [
    {
      name: "name",
      label: t("Nom", "Name"),
      hint: t("Le nom affiché dans la console.", "The name shown in the console."),
      kind: "text",
      isRequired: true,
    },
    {
      name: "host",
      label: t("Serveur (nom ou adresse IP)", "Host (name or IP address)"),
      kind: "text",
      isRequired: true,
    },
    { name: "port", label: t("Port", "Port"), kind: "number", isRequired: true },
    { name: "tls", label: t("Chiffrer la liaison (TLS)", "Encrypt the session (TLS)"), kind: "yes" },
    {
      name: "systemId",
      label: t("Identifiant (system_id)", "Identifier (system_id)"),
      kind: "text",
      isRequired: true,
    },
    {
      name: "password",
      label: t("Mot de passe", "Password"),
      hint: isNew
        ? t(
            "64 caractères au plus. Il ne sera plus jamais affiché.",
            "64 characters at most. It is never shown again.",
          )
        : t(
            "Laissez vide pour conserver le mot de passe actuel.",
            "Leave empty to keep the current password.",
          ),
      kind: "text",
    },
    {
      name: "prefixes",
      label: t("Préfixes desservis", "Prefixes served"),
      hint: t(
        "Avec l’indicatif du pays, par exemple 22507 22508. Le plus long l’emporte.",
        "With the country code, such as 22507 22508. The longest match wins.",
      ),
      kind: "list",
      isRequired: true,
    },
    {
      name: "tps",
      label: t("Débit convenu, en SMS par seconde", "Agreed rate, in SMS per second"),
      hint: t("Vide : sans limite.", "Empty: no limit."),
      kind: "number",
    },
    { name: "enabled", label: t("Activé", "Enabled"), kind: "yes" },
  ];
}

/** Returns the settings that most operators leave at their defaults. */
export function refinements(visit: Visit): Setting[] {
  const t = visit.t.bind(visit);
  const [second, none] = [t("En secondes.", "In seconds."), t("Vide : aucun.", "Empty: none.")];
  const tonNpi = t("ton/npi, par exemple 5/0.", "ton/npi, such as 5/0.");
  return [
    {
      name: "priority",
      label: t("Priorité", "Priority"),
      hint: t(
        "Entre deux opérateurs d’un même préfixe, la plus petite valeur passe en premier.",
        "Of two operators with the same prefix, the lower value goes first.",
      ),
      kind: "number",
    },
    {
      name: "overflowAfterS",
      label: t("Débordement vers l’opérateur suivant après", "Overflow to the next operator after"),
      hint: t("Secondes d’attente. 0 : jamais.", "Seconds of waiting. 0: never."),
      kind: "number",
    },
    {
      name: "window",
      label: t("Fenêtre (envois sans réponse)", "Window (submits without a response)"),
      kind: "number",
    },
    {
      name: "tlsServerName",
      label: t("Nom dans le certificat (TLS)", "Name in the certificate (TLS)"),
      hint: t("Vide : celui du serveur.", "Empty: same as the host."),
      kind: "text",
    },
    {
      name: "tlsCa",
      label: t("Autorité de certification de l’opérateur (TLS)", "Operator’s certificate authority (TLS)"),
      hint: t(
        "Ses certificats, au format PEM. Vide : les autorités publiques.",
        "Its certificates, in PEM format. Empty: the public authorities.",
      ),
      kind: "pem",
    },
    {
      name: "tlsCert",
      label: t("Notre certificat (TLS)", "Our certificate (TLS)"),
      hint: t(
        "Au format PEM, si l’opérateur en demande un. Vide : aucun.",
        "In PEM format, if the operator requires one. Empty: none.",
      ),
      kind: "pem",
    },
    {
      name: "tlsKey",
      label: t("Clé de notre certificat (TLS)", "Key of our certificate (TLS)"),
      hint: t(
        "Au format PEM, sans phrase secrète. Elle ne sera plus jamais affichée. Vide : la clé actuelle est conservée.",
        "In PEM format, without a passphrase. It is never shown again. Empty: the current key is kept.",
      ),
      kind: "pem",
    },
    { name: "binds", label: t("Nombre de liaisons", "Number of binds"), kind: "number" },
    {
      name: "bindType",
      label: t("Type de liaison", "Bind type"),
      kind: [
        ["transceiver", "transceiver"],
        ["transmitter+receiver", "transmitter + receiver"],
      ],
    },
    {
      name: "interfaceVersion",
      label: t("Version de SMPP", "SMPP version"),
      kind: same("3.3", "3.4", "5.0"),
    },
    { name: "systemType", label: "system_type", hint: none, kind: "text" },
    { name: "addressRange", label: "address_range", hint: none, kind: "text" },
    { name: "serviceType", label: "service_type", hint: none, kind: "text" },
    {
      name: "concatenation",
      label: t("Messages longs", "Long messages"),
      kind: same("udh8", "udh16", "sar", "payload"),
    },
    {
      name: "udh16Alternative",
      label: t("Format de remplacement de udh16", "Alternative to udh16"),
      kind: [["", t("aucun", "none")], ...same("udh8", "sar")],
    },
    {
      name: "alphabet",
      label: t("Alphabet", "Alphabet"),
      kind: [
        ["gsm-7", "GSM-7"],
        ["latin-1", "Latin-1"],
        ["ia5", "ASCII (IA5)"],
      ],
    },
    {
      name: "dataCoding",
      label: t("data_coding de cet alphabet", "data_coding of this alphabet"),
      kind: "number",
    },
    { name: "ucs2DataCoding", label: t("data_coding d’UCS-2", "data_coding of UCS-2"), kind: "number" },
    {
      name: "validityPeriod",
      label: t("Durée de validité", "Validity period"),
      hint: t("En secondes. Vide : celle de l’opérateur.", "In seconds. Empty: the operator’s own."),
      kind: "number",
    },
    {
      name: "validityPeriodForm",
      label: t("Format de la durée de validité", "Validity period format"),
      kind: [
        ["relative", t("relatif", "relative")],
        ["absolute", t("absolu", "absolute")],
        ["none", t("aucun", "none")],
      ],
    },
    {
      name: "registeredDelivery",
      label: t(
        "Accusés de réception demandés (registered_delivery)",
        "Delivery receipts requested (registered_delivery)",
      ),
      kind: "number",
    },
    {
      name: "partReceipts",
      label: t("Un accusé par partie, jusqu’à", "One receipt per part, up to"),
      hint: t(
        "Nombre de parties. Au-delà, seule la dernière partie demande un accusé.",
        "Number of parts. For longer texts, only the last part requests a receipt.",
      ),
      kind: "number",
    },
    {
      name: "messageIdForm",
      label: t("Identifiants de messages dans les accusés", "Message IDs in receipts"),
      kind: [
        ["as-is", t("tels quels", "as they are")],
        ["quoted", t("entre guillemets", "in quotes")],
        ["case", t("sensibles à la casse", "case-sensitive")],
        [
          "hex-to-decimal",
          t("réponse hexadécimale, accusé décimal", "hexadecimal response, decimal receipt"),
        ],
        [
          "decimal-to-hex",
          t("réponse décimale, accusé hexadécimal", "decimal response, hexadecimal receipt"),
        ],
      ],
    },
    {
      name: "receiptTimeZone",
      label: t("Fuseau horaire des accusés", "Time zone of receipts"),
      hint: t("Par exemple Africa/Lagos. Vide : UTC.", "For example Africa/Lagos. Empty: UTC."),
      kind: "text",
    },
    {
      name: "plainReceipts",
      label: t("Accepter les accusés non marqués (esm_class 0)", "Accept unmarked receipts (esm_class 0)"),
      kind: "yes",
    },
    {
      name: "userMessageReference",
      label: t("Envoyer user_message_reference", "Send user_message_reference"),
      kind: "yes",
    },
    {
      name: "country",
      label: t("Pays des numéros nationaux", "Country of national numbers"),
      hint: t("Par exemple CI. Vide : celui des préfixes.", "For example CI. Empty: that of the prefixes."),
      kind: "text",
    },
    {
      name: "repeatWindowS",
      label: t("Délai de répétition d’un message reçu", "Repeat window for incoming messages"),
      hint: t(
        "En secondes. Après ce délai, le même message compte comme un nouveau message.",
        "In seconds. After that, the same message counts as a new one.",
      ),
      kind: "number",
    },
    {
      name: "enquireLinkS",
      label: t("Inactivité avant enquire_link", "Idle time before enquire_link"),
      hint: second,
      kind: "number",
    },
    {
      name: "submitTimeoutS",
      label: t("Délai de réponse", "Response timeout"),
      hint: second,
      kind: "number",
    },
    {
      name: "retryableCodes",
      label: t("Codes à réessayer", "Codes to retry"),
      hint: t("Par exemple ESME_RSUBMITFAIL 0x00000400.", "For example ESME_RSUBMITFAIL 0x00000400."),
      kind: "list",
    },
    { name: "permanentCodes", label: t("Codes définitifs", "Permanent codes"), kind: "list" },
    {
      name: "operatorGroup",
      label: t("Compte partagé", "Shared account"),
      hint: t(
        "Saisissez le même nom pour les opérateurs qui partagent un compte.",
        "Enter the same name for operators that share one account.",
      ),
      kind: "text",
    },
    {
      name: "nameTonNpi",
      label: t("Expéditeur alphanumérique", "Alphanumeric sender"),
      hint: tonNpi,
      kind: "tonNpi",
    },
    {
      name: "shortCodeTonNpi",
      label: t("Numéro court comme expéditeur", "Short code as sender"),
      hint: tonNpi,
      kind: "tonNpi",
    },
    {
      name: "nationalTonNpi",
      label: t("Expéditeur national", "National sender"),
      hint: tonNpi,
      kind: "tonNpi",
    },
    {
      name: "internationalTonNpi",
      label: t("Expéditeur international", "International sender"),
      hint: tonNpi,
      kind: "tonNpi",
    },
    { name: "destinationTonNpi", label: t("Destinataire", "Destination"), hint: tonNpi, kind: "tonNpi" },
    {
      name: "addressRangeTonNpi",
      label: t("ton/npi de address_range", "ton/npi of address_range"),
      hint: tonNpi,
      kind: "tonNpi",
    },
  ];
}

function same(...values: string[]): (readonly [string, string])[] {
  return values.map((value) => [value, value] as const);
}
