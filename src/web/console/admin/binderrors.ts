// Explains in a sentence why an operator takes no messages, next to the message of its server or the network.
import { troubleSentences } from "../../../delivery/operators/troubles.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { notice } from "../parts/parts.ts";
import type { Visit } from "../visit.ts";
import type { OperatorShown } from "./operatorsettings.ts";

type Pair = readonly [fr: string, en: string];

const TROUBLES = Object.entries(troubleSentences).map(([code, { fr, en }]) => [code, [fr, en]] as const);

const UNTRUSTED: Pair = [
  "Le certificat de l’opérateur n’est signé par aucune autorité de confiance. Ajoutez le certificat de son autorité dans les réglages avancés.",
  "The operator’s certificate is not signed by a trusted authority. Add its authority’s certificate in the advanced settings.",
];
const NO_CERTIFICATE: Pair = [
  "L’opérateur exige un certificat qu’il reconnaît. Ajoutez notre certificat et sa clé dans les réglages avancés.",
  "The operator requires a certificate that it trusts. Add our certificate and its key in the advanced settings.",
];
const NO_TLS: Pair = [
  "L’opérateur n’utilise pas TLS sur ce port.",
  "The operator does not use TLS on this port.",
];

/**
 * By the code of the network (errno of libuv), of TLS (Node, OpenSSL; `smpp/tls.ts`), of the answer to a bind (SMPP
 * 3.4, 5.1.3), or of the trouble with an account over HTTP (`troubles.ts`).
 */
const SENTENCES: Readonly<Record<string, Pair>> = {
  ...Object.fromEntries(TROUBLES),
  ECONNREFUSED: [
    "Aucun serveur n’écoute à cette adresse : le serveur de l’opérateur est arrêté ou le port est incorrect.",
    "No server is listening at this address: the operator’s server is down or the port is wrong.",
  ],
  ETIMEDOUT: [
    "Le serveur de l’opérateur ne répond pas. Causes possibles : un pare-feu, un VPN fermé ou une adresse incorrecte.",
    "The operator’s server does not respond. Possible causes: a firewall, a closed VPN or a wrong address.",
  ],
  EHOSTUNREACH: [
    "Aucune route vers cette adresse : vérifiez le VPN ou le réseau.",
    "No route to this address: check the VPN or the network.",
  ],
  ENETUNREACH: [
    "Ce réseau est inaccessible : vérifiez le VPN.",
    "This network is unreachable: check the VPN.",
  ],
  ENOTFOUND: [
    "Ce nom de serveur n’existe pas : vérifiez l’adresse.",
    "This server name does not exist: check the address.",
  ],
  EAI_AGAIN: [
    "Le nom du serveur n’a pas pu être résolu : le DNS ne répond pas.",
    "The server name could not be resolved: the DNS does not respond.",
  ],
  ECONNRESET: [
    "Le serveur de l’opérateur a fermé la connexion : il n’autorise peut-être pas notre adresse ou n’attend pas TLS.",
    "The operator’s server closed the connection: it may not allow our address or may not expect TLS.",
  ],
  EPIPE: ["Le serveur de l’opérateur a fermé la connexion.", "The operator’s server closed the connection."],
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "Le certificat de l’opérateur porte un autre nom. S’il s’agit bien de l’opérateur, ajoutez ce nom dans les réglages avancés.",
    "The operator’s certificate is for another name. If it is the right operator, add that name in the advanced settings.",
  ],
  CERT_HAS_EXPIRED: ["Le certificat de l’opérateur a expiré.", "The operator’s certificate has expired."],
  CERT_NOT_YET_VALID: [
    "Le certificat de l’opérateur n’est pas encore valable.",
    "The operator’s certificate is not valid yet.",
  ],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NO_CERTIFICATE,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: NO_CERTIFICATE,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ESME_RINVPASWD: ["L’opérateur refuse le mot de passe.", "The operator rejects the password."],
  ESME_RINVSYSID: [
    "L’opérateur ne reconnaît pas cet identifiant (system_id).",
    "The operator does not recognize this system_id.",
  ],
  ESME_RBINDFAIL: [
    "L’opérateur refuse la liaison : identifiant ou mot de passe incorrect, ou adresse non autorisée.",
    "The operator rejects the bind: wrong system_id or password, or an address that is not allowed.",
  ],
  ESME_RALYBND: [
    "Ce compte a déjà ouvert toutes les liaisons que l’opérateur autorise.",
    "This account already has all the binds that the operator allows.",
  ],
  "address-not-allowed": [
    "L’adresse du fournisseur est sur un réseau privé. Ajoutez sa plage à CARRIER_ALLOW_CIDRS, puis redémarrez le service.",
    "The provider’s address is on a private network. Add its range to CARRIER_ALLOW_CIDRS, then restart the service.",
  ],
  "carrier-down": [
    "Le fournisseur est en panne : les derniers messages ont tous reçu une erreur. Un nouvel essai a lieu automatiquement.",
    "The provider is down: the last messages all met with an error. We try again automatically.",
  ],
  "phone-not-paired": ["Aucun téléphone n’est appairé.", "No phone is paired."],
  "phone-silent": [
    "Le téléphone n’appelle plus ou ne prend pas ses messages : vérifiez qu’il est allumé, connecté à Internet, et que l’application indique « Online ».",
    "The phone no longer calls, or does not fetch its messages: check that it is on, has an Internet connection, and that the app says “Online”.",
  ],
  "phone-no-network": [
    "Le téléphone ne peut pas envoyer de SMS : pas de réseau, pas de carte SIM, ou une limite d’Android. Un nouvel essai a lieu automatiquement.",
    "The phone cannot send SMS: no network, no SIM card, or a limit of Android. We try again automatically.",
  ],
  "daily-cap": [
    "Le nombre de SMS par jour est atteint. L’envoi reprend à minuit (UTC).",
    "The number of SMS a day is reached. Sending resumes at midnight (UTC).",
  ],
  "no-token": [
    "Le fournisseur ne délivre pas de jeton d’accès pour l’instant. Un nouvel essai a lieu automatiquement.",
    "The provider issues no access token right now. We try again automatically.",
  ],
};

/** Renders why an operator takes no messages, and what happens to these meanwhile; false if it has no error. */
export function operatorTrouble(visit: Visit, { kind, state, error }: OperatorShown): Html | false {
  if (error === null) return false;
  const isRefused = kind === "http" && state === "REFUSED";
  const meanwhile = visit.t(
    "Ses messages passent à l’opérateur suivant, ou attendent. Un nouvel essai a lieu chaque minute.",
    "Its messages go to the next operator, or wait. It is tried again every minute.",
  );
  return notice("wrong", html`${bindError(visit, error)}${isRefused && html`<p>${meanwhile}</p>`}`);
}

/** The message of `smpp/connect.ts` when it gives up first. */
const OUR_TIMEOUT = /no connection within/;
const CODE = new RegExp(`\\b(${Object.keys(SENTENCES).join("|")})\\b`, "g");
/** What `protocol/carriers/outcomes.ts` names an answer by that has no code of its own. */
const STATUS = /\bhttp-(\d{3})\b/;
/** The message of OpenSSL: a thread, `error`, a number, and places in its source. It helps nobody here. */
const OPENSSL = /\b[0-9A-F]+:error:[0-9A-F]+:/i;

/**
 * Renders why an operator takes no messages: a sentence for each code, since `no-token:ECONNREFUSED` has a trouble and
 * its cause. An error without a sentence is shown as it is.
 */
export function bindError(visit: Pick<Visit, "t">, error: string): Html {
  const found = error.replace(OUR_TIMEOUT, "ETIMEDOUT").matchAll(CODE);
  const codes = [...new Set([...found].map(([code]) => code))];
  const [, status] = STATUS.exec(error) ?? [];
  const sentences = codes.flatMap((code) => {
    const sentence = SENTENCES[code];
    return sentence ? [visit.t(...sentence)] : [];
  });
  if (status !== undefined)
    sentences.push(
      visit.t(
        `Son serveur a répondu par le statut HTTP ${status}.`,
        `Its server answered with HTTP status ${status}.`,
      ),
    );
  if (sentences.length === 0) return html`<p>${error}</p>`;
  const technical = OPENSSL.test(error) ? codes.join(", ") : error;
  return html`<p>${sentences.join(" ")} <small class="line">${technical}</small></p>`;
}
