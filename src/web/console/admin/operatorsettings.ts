// The settings of an operator for people: their names, labels and kinds.
import type { Data } from "../apiclient.ts";
import type { Visit } from "../visit.ts";

export type OperatorShown = Data<"/v1/admin/operator/list">[number];

type Name = Exclude<
  keyof OperatorShown,
  | ("id" | "state" | "able" | "bound" | "inFlight" | "rate" | "error" | "boundAt")
  | ("kind" | "connector" | "declaration" | "connectorSettings" | "phone")
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

/** `first`: what the form of a new operator begins with. */
export type Setting = {
  name: Name | Secret;
  label: string;
  hint?: string;
  kind: Kind;
  isRequired?: boolean;
  first?: string;
};

type Rest = Pick<Setting, "hint" | "isRequired" | "first">;

/** Returns a setting of a form. */
export function setting(name: Setting["name"], kind: Kind, label: string, rest: Rest = {}): Setting {
  return { name, kind, label, ...rest };
}

/** Settings that are never shown again. An empty field leaves them unchanged. */
export type Secret = "password" | "tlsKey";
/** Returns the settings that every operator needs. */
export function essentials(visit: Visit, isNew: boolean): Setting[] {
  const t = visit.t.bind(visit);
  return [
    setting("name", "text", t("Nom", "Name"), {
      hint: t("Le nom affiché dans la console.", "The name shown in the console."),
      isRequired: true,
    }),
    setting("host", "text", t("Serveur (nom ou adresse IP)", "Host (name or IP address)"), {
      isRequired: true,
    }),
    setting("port", "number", t("Port", "Port"), { isRequired: true, first: "2775" }),
    setting("tls", "yes", t("Chiffrer la liaison (TLS)", "Encrypt the session (TLS)")),
    setting("systemId", "text", t("Identifiant (system_id)", "Identifier (system_id)"), { isRequired: true }),
    setting("password", "text", t("Mot de passe", "Password"), {
      hint: isNew
        ? t(
            "64 caractères au plus. Il ne sera plus jamais affiché.",
            "64 characters at most. It is never shown again.",
          )
        : t(
            "Laissez vide pour conserver le mot de passe actuel.",
            "Leave empty to keep the current password.",
          ),
    }),
    setting("prefixes", "list", t("Préfixes desservis", "Prefixes served"), {
      hint: t(
        "Avec l’indicatif du pays, par exemple 22507 22508. Le plus long l’emporte.",
        "With the country code, such as 22507 22508. The longest match wins.",
      ),
      isRequired: true,
    }),
    setting("tps", "number", t("Débit convenu, en SMS par seconde", "Agreed rate, in SMS per second"), {
      hint: t("Vide : sans limite.", "Empty: no limit."),
    }),
    setting("enabled", "yes", t("Activé", "Enabled"), { first: "yes" }),
  ];
}

/** Returns the settings that most operators leave at their defaults. */
export function refinements(visit: Visit): Setting[] {
  const t = visit.t.bind(visit);
  const [second, none] = [t("En secondes.", "In seconds."), t("Vide : aucun.", "Empty: none.")];
  const tonNpi = t("ton/npi, par exemple 5/0.", "ton/npi, such as 5/0.");
  return [
    setting("priority", "number", t("Priorité", "Priority"), {
      hint: t(
        "Entre deux opérateurs d’un même préfixe, la plus petite valeur passe en premier.",
        "Of two operators with the same prefix, the lower value goes first.",
      ),
    }),
    setting(
      "overflowAfterS",
      "number",
      t("Débordement vers l’opérateur suivant après", "Overflow to the next operator after"),
      { hint: t("Secondes d’attente. 0 : jamais.", "Seconds of waiting. 0: never.") },
    ),
    setting(
      "senderPolicy",
      [
        ["any", t("les envoyer tels quels", "send them as they are")],
        ["next", t("passer à l’opérateur suivant", "go to the next operator")],
        ["default", t("les envoyer sous le nom de l’opérateur", "send them under the operator’s name")],
        ["refuse", t("bloquer le destinataire", "block the recipient")],
      ],
      t("Expéditeurs non enregistrés", "Unregistered senders"),
    ),
    setting("defaultSender", "text", t("Nom d’expéditeur de l’opérateur", "Operator’s sender name"), {
      hint: t(
        "Toujours considéré comme enregistré. Vide : aucun.",
        "Always counts as registered. Empty: none.",
      ),
    }),
    setting("window", "number", t("Fenêtre (envois sans réponse)", "Window (submits without a response)")),
    setting("tlsServerName", "text", t("Nom dans le certificat (TLS)", "Name in the certificate (TLS)"), {
      hint: t("Vide : celui du serveur.", "Empty: same as the host."),
    }),
    setting(
      "tlsCa",
      "pem",
      t("Autorité de certification de l’opérateur (TLS)", "Operator’s certificate authority (TLS)"),
      {
        hint: t(
          "Ses certificats, au format PEM. Vide : les autorités publiques.",
          "Its certificates, in PEM format. Empty: the public authorities.",
        ),
      },
    ),
    setting("tlsCert", "pem", t("Notre certificat (TLS)", "Our certificate (TLS)"), {
      hint: t(
        "Au format PEM, si l’opérateur en demande un. Vide : aucun.",
        "In PEM format, if the operator requires one. Empty: none.",
      ),
    }),
    setting("tlsKey", "pem", t("Clé de notre certificat (TLS)", "Key of our certificate (TLS)"), {
      hint: t(
        "Au format PEM, sans phrase secrète. Elle ne sera plus jamais affichée. Vide : la clé actuelle est conservée.",
        "In PEM format, without a passphrase. It is never shown again. Empty: the current key is kept.",
      ),
    }),
    setting("binds", "number", t("Nombre de liaisons", "Number of binds")),
    setting(
      "bindType",
      [
        ["transceiver", "transceiver"],
        ["transmitter+receiver", "transmitter + receiver"],
      ],
      t("Type de liaison", "Bind type"),
    ),
    setting("interfaceVersion", same("3.3", "3.4", "5.0"), t("Version de SMPP", "SMPP version")),
    setting("systemType", "text", "system_type", { hint: none }),
    setting("addressRange", "text", "address_range", { hint: none }),
    setting("serviceType", "text", "service_type", { hint: none }),
    setting("concatenation", same("udh8", "udh16", "sar", "payload"), t("Messages longs", "Long messages")),
    setting(
      "udh16Alternative",
      [["", t("aucun", "none")], ...same("udh8", "sar")],
      t("Format de remplacement de udh16", "Alternative to udh16"),
    ),
    setting(
      "alphabet",
      [
        ["gsm-7", "GSM-7"],
        ["latin-1", "Latin-1"],
        ["ia5", "ASCII (IA5)"],
      ],
      t("Alphabet", "Alphabet"),
    ),
    setting("dataCoding", "number", t("data_coding de cet alphabet", "data_coding of this alphabet")),
    setting("ucs2DataCoding", "number", t("data_coding d’UCS-2", "data_coding of UCS-2")),
    setting("validityPeriod", "number", t("Durée de validité", "Validity period"), {
      hint: t("En secondes. Vide : celle de l’opérateur.", "In seconds. Empty: the operator’s own."),
    }),
    setting(
      "validityPeriodForm",
      [
        ["relative", t("relatif", "relative")],
        ["absolute", t("absolu", "absolute")],
        ["none", t("aucun", "none")],
      ],
      t("Format de la durée de validité", "Validity period format"),
    ),
    setting(
      "registeredDelivery",
      "number",
      t(
        "Accusés de réception demandés (registered_delivery)",
        "Delivery receipts requested (registered_delivery)",
      ),
    ),
    setting("partReceipts", "number", t("Un accusé par partie, jusqu’à", "One receipt per part, up to"), {
      hint: t(
        "Nombre de parties. Au-delà, seule la dernière partie demande un accusé.",
        "Number of parts. For longer texts, only the last part requests a receipt.",
      ),
    }),
    setting(
      "messageIdForm",
      [
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
      t("Identifiants de messages dans les accusés", "Message IDs in receipts"),
    ),
    setting("receiptTimeZone", "text", t("Fuseau horaire des accusés", "Time zone of receipts"), {
      hint: t("Par exemple Africa/Lagos. Vide : UTC.", "For example Africa/Lagos. Empty: UTC."),
    }),
    setting(
      "plainReceipts",
      "yes",
      t("Accepter les accusés non marqués (esm_class 0)", "Accept unmarked receipts (esm_class 0)"),
    ),
    setting(
      "userMessageReference",
      "yes",
      t("Envoyer user_message_reference", "Send user_message_reference"),
      { first: "yes" },
    ),
    setting("country", "text", t("Pays des numéros nationaux", "Country of national numbers"), {
      hint: t("Par exemple CI. Vide : celui des préfixes.", "For example CI. Empty: that of the prefixes."),
    }),
    setting(
      "repeatWindowS",
      "number",
      t("Délai de répétition d’un message reçu", "Repeat window for incoming messages"),
      {
        hint: t(
          "En secondes. Après ce délai, le même message compte comme un nouveau message.",
          "In seconds. After that, the same message counts as a new one.",
        ),
      },
    ),
    setting("enquireLinkS", "number", t("Inactivité avant enquire_link", "Idle time before enquire_link"), {
      hint: second,
    }),
    setting("submitTimeoutS", "number", t("Délai de réponse", "Response timeout"), { hint: second }),
    setting("retryableCodes", "list", t("Codes à réessayer", "Codes to retry"), {
      hint: t("Par exemple ESME_RSUBMITFAIL 0x00000400.", "For example ESME_RSUBMITFAIL 0x00000400."),
    }),
    setting("permanentCodes", "list", t("Codes définitifs", "Permanent codes")),
    setting("operatorGroup", "text", t("Compte partagé", "Shared account"), {
      hint: t(
        "Saisissez le même nom pour les opérateurs qui partagent un compte.",
        "Enter the same name for operators that share one account.",
      ),
    }),
    setting("nameTonNpi", "tonNpi", t("Expéditeur alphanumérique", "Alphanumeric sender"), { hint: tonNpi }),
    setting("shortCodeTonNpi", "tonNpi", t("Numéro court comme expéditeur", "Short code as sender"), {
      hint: tonNpi,
    }),
    setting("nationalTonNpi", "tonNpi", t("Expéditeur national", "National sender"), { hint: tonNpi }),
    setting("internationalTonNpi", "tonNpi", t("Expéditeur international", "International sender"), {
      hint: tonNpi,
    }),
    setting("destinationTonNpi", "tonNpi", t("Destinataire", "Destination"), { hint: tonNpi }),
    setting("addressRangeTonNpi", "tonNpi", t("ton/npi de address_range", "ton/npi of address_range"), {
      hint: tonNpi,
    }),
  ];
}

const OF_HTTP: ReadonlySet<Setting["name"]> = new Set([
  ...(["name", "prefixes", "tps", "enabled"] as const),
  ...(["priority", "overflowAfterS", "senderPolicy", "defaultSender", "window", "submitTimeoutS"] as const),
  ...(["tlsServerName", "tlsCa", "tlsCert", "tlsKey", "operatorGroup"] as const),
]);

/** Returns the settings among these that an operator over HTTP has too. */
export function ofHttp(settings: readonly Setting[]): Setting[] {
  return settings.filter(({ name }) => OF_HTTP.has(name));
}

/** Returns the settings that only an operator over HTTP has. */
export function onlyHttp(visit: Visit): Setting[] {
  const t = visit.t.bind(visit);
  return [
    setting(
      "callbackAddresses",
      "list",
      t("Adresses d’où viennent les appels du fournisseur", "Addresses of the provider’s callbacks"),
      {
        hint: t(
          "Adresses IP ou plages, par exemple 203.0.113.0/24. Vide : toutes.",
          "IP addresses or ranges, such as 203.0.113.0/24. Empty: any.",
        ),
      },
    ),
    setting(
      "statusQueriesPerS",
      "number",
      t("Requêtes d’état par seconde, au plus", "Status queries per second, at most"),
      { hint: t("0 : aucune requête.", "0: no queries.") },
    ),
  ];
}

function same(...values: string[]): (readonly [string, string])[] {
  return values.map((value) => [value, value] as const);
}
