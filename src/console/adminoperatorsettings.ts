// The settings of an operator as a person reads them: their names, labels and kinds.
import type { Data } from "./ask.ts";
import type { Visit } from "./visit.ts";

export type OperatorShown = Data<"/v1/admin/operator/list">[number];

type Name = Exclude<
  keyof OperatorShown,
  "id" | "state" | "able" | "bound" | "inFlight" | "rate" | "error" | "boundAt"
>;

/** `tonNpi` is typed as `5/0`, `list` with spaces or commas between its items, `pem` is pasted. */
type Kind =
  | "text"
  | "pem"
  | "number"
  | "yes"
  | "list"
  | "tonNpi"
  | readonly (readonly [value: string, text: string])[];

export type Setting = { name: Name | Secret; label: string; hint?: string; kind: Kind; isRequired?: true };

/** What is never shown again. An empty field keeps it. */
export type Secret = "password" | "tlsKey";
/** What every operator needs. */
export function essentials(visit: Visit, isNew: boolean): Setting[] {
  const t = visit.t.bind(visit);
  return [
    {
      name: "name",
      label: t("Nom", "Name"),
      hint: t("Celui que vous verrez partout.", "The one that you will see everywhere."),
      kind: "text",
      isRequired: true,
    },
    {
      name: "host",
      label: t("Machine (nom ou adresse IP)", "Host (name or IP address)"),
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
            "64 caractères au plus ; il ne sera plus jamais montré.",
            "64 characters at most; it will never be shown again.",
          )
        : t("Laissez vide pour garder le mot de passe.", "Leave it empty to keep the password."),
      kind: "text",
    },
    {
      name: "prefixes",
      label: t("Préfixes qu’il sert", "Prefixes that it serves"),
      hint: t(
        "Avec l’indicatif, comme 22507 22508 ; le plus long l’emporte.",
        "With the country code, as 22507 22508; the longest wins.",
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
    { name: "enabled", label: t("En service", "In service"), kind: "yes" },
  ];
}

/** What most operators leave as it is. */
export function refinements(visit: Visit): Setting[] {
  const t = visit.t.bind(visit);
  const [second, none] = [t("secondes", "seconds"), t("Vide : aucun.", "Empty: none.")];
  const tonNpi = t("ton/npi, comme 5/0.", "ton/npi, as 5/0.");
  return [
    {
      name: "priority",
      label: t("Rang", "Rank"),
      hint: t(
        "De deux opérateurs d’un préfixe, le plus petit passe d’abord.",
        "Of two operators of one prefix the lower goes first.",
      ),
      kind: "number",
    },
    {
      name: "overflowAfterS",
      label: t("Déborder vers le suivant après", "Overflow to the next one after"),
      hint: t("Secondes d’attente ; 0 : jamais.", "Seconds of waiting; 0: never."),
      kind: "number",
    },
    {
      name: "window",
      label: t("Fenêtre : envois sans réponse", "Window: submits without an answer"),
      kind: "number",
    },
    {
      name: "tlsServerName",
      label: t("Nom dans le certificat (TLS)", "Name in the certificate (TLS)"),
      hint: t("Vide : celui de la machine.", "Empty: that of the host."),
      kind: "text",
    },
    {
      name: "tlsCa",
      label: t("Autorité de l’opérateur (TLS)", "Authority of the operator (TLS)"),
      hint: t(
        "Ses certificats en PEM ; vide : les autorités publiques.",
        "Its certificates in PEM; empty: the public authorities.",
      ),
      kind: "pem",
    },
    {
      name: "tlsCert",
      label: t("Notre certificat (TLS)", "Our certificate (TLS)"),
      hint: t(
        "En PEM, si l’opérateur en demande un ; vide : aucun.",
        "In PEM, if the operator asks for one; empty: none.",
      ),
      kind: "pem",
    },
    {
      name: "tlsKey",
      label: t("Clé de notre certificat (TLS)", "Key of our certificate (TLS)"),
      hint: t(
        "En PEM, sans phrase secrète ; elle ne sera plus jamais montrée. Vide : la clé reste.",
        "In PEM, without a passphrase; it will never be shown again. Empty: the key stays.",
      ),
      kind: "pem",
    },
    { name: "binds", label: t("Nombre de liaisons", "Number of binds"), kind: "number" },
    {
      name: "bindType",
      label: t("Genre de liaison", "Kind of bind"),
      kind: [
        ["transceiver", "transceiver"],
        ["transmitter+receiver", "transmitter + receiver"],
      ],
    },
    {
      name: "interfaceVersion",
      label: t("Version de SMPP", "Version of SMPP"),
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
      label: t("Autre forme pour udh16", "Other form for udh16"),
      kind: [["", t("aucune", "none")], ...same("udh8", "sar")],
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
      label: t("Durée de validité", "Validity"),
      hint: t("Secondes ; vide : celle de l’opérateur.", "Seconds; empty: that of the operator."),
      kind: "number",
    },
    {
      name: "validityPeriodForm",
      label: t("Forme de la validité", "Form of the validity"),
      kind: [
        ["relative", t("relative", "relative")],
        ["absolute", t("absolue", "absolute")],
        ["none", t("aucune", "none")],
      ],
    },
    {
      name: "registeredDelivery",
      label: t("Accusés demandés (registered_delivery)", "Receipts asked for (registered_delivery)"),
      kind: "number",
    },
    {
      name: "partReceipts",
      label: t("Un accusé par partie, jusqu’à", "One receipt per part, up to"),
      hint: t(
        "Nombre de parties ; au-delà, seule la dernière demande un accusé.",
        "Number of parts; of longer texts only the last part asks for a receipt.",
      ),
      kind: "number",
    },
    {
      name: "messageIdForm",
      label: t("Numéros de messages dans les accusés", "Message ids in receipts"),
      kind: [
        ["as-is", t("tels quels", "as they are")],
        ["quoted", t("entre guillemets", "in quotes")],
        ["case", t("la casse compte", "case counts")],
        ["hex-to-decimal", t("hexadécimal, puis décimal", "hexadecimal, then decimal")],
        ["decimal-to-hex", t("décimal, puis hexadécimal", "decimal, then hexadecimal")],
      ],
    },
    {
      name: "receiptTimeZone",
      label: t("Fuseau des accusés", "Time zone of receipts"),
      hint: t("Comme Africa/Lagos ; vide : UTC.", "As Africa/Lagos; empty: UTC."),
      kind: "text",
    },
    {
      name: "plainReceipts",
      label: t("Accusés sans marque (esm_class 0)", "Receipts without a mark (esm_class 0)"),
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
      hint: t("Comme CI ; vide : celui des préfixes.", "As CI; empty: that of the prefixes."),
      kind: "text",
    },
    {
      name: "repeatWindowS",
      label: t("Message reçu répété pendant", "Received message repeated within"),
      hint: t(
        "Secondes ; le même message, plus tard, en est un autre.",
        "Seconds; the same message, later, is another one.",
      ),
      kind: "number",
    },
    {
      name: "enquireLinkS",
      label: t("Silence avant enquire_link", "Silence before enquire_link"),
      hint: second,
      kind: "number",
    },
    {
      name: "submitTimeoutS",
      label: t("Attente d’une réponse", "Wait for an answer"),
      hint: second,
      kind: "number",
    },
    {
      name: "retryableCodes",
      label: t("Codes à réessayer", "Codes to try again"),
      hint: t("Comme ESME_RSUBMITFAIL 0x00000400.", "As ESME_RSUBMITFAIL 0x00000400."),
      kind: "list",
    },
    { name: "permanentCodes", label: t("Codes définitifs", "Final codes"), kind: "list" },
    {
      name: "operatorGroup",
      label: t("Compte partagé", "Shared account"),
      hint: t(
        "Le même mot pour ceux qui sont un seul compte.",
        "The same word for those that are one account.",
      ),
      kind: "text",
    },
    {
      name: "nameTonNpi",
      label: t("Expéditeur en lettres", "Sender of letters"),
      hint: tonNpi,
      kind: "tonNpi",
    },
    {
      name: "shortCodeTonNpi",
      label: t("Expéditeur court", "Short code as sender"),
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
      label: t("De address_range", "Of address_range"),
      hint: tonNpi,
      kind: "tonNpi",
    },
  ];
}

function same(...values: string[]): (readonly [string, string])[] {
  return values.map((value) => [value, value] as const);
}
