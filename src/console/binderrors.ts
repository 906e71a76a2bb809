// Why an operator is not bound, in a sentence: what its server or the network said stands beside it.
import { type Html, html } from "../kernel/html.ts";
import type { Visit } from "./visit.ts";

type Pair = readonly [fr: string, en: string];

const UNTRUSTED: Pair = [
  "Le certificat de l’opérateur n’est signé par aucune autorité reconnue ici : donnez la sienne dans les réglages fins.",
  "No authority that is trusted here has signed the operator’s certificate: give its own in the fine settings.",
];
const NO_CERTIFICATE: Pair = [
  "L’opérateur demande un certificat qu’il reconnaît : donnez le nôtre et sa clé dans les réglages fins.",
  "The operator asks for a certificate that it trusts: give ours and its key in the fine settings.",
];
const NO_TLS: Pair = [
  "L’opérateur ne parle pas TLS sur ce port.",
  "The operator does not speak TLS at this port.",
];

/**
 * By the code of the network (errno of libuv), of TLS (Node, OpenSSL; `smpp/tls.ts`), or of the answer to a bind (SMPP 3.4,
 * 5.1.3).
 */
const SENTENCES: Readonly<Record<string, Pair>> = {
  ECONNREFUSED: [
    "Rien n’écoute à cette adresse : le serveur de l’opérateur est arrêté, ou le port n’est pas le bon.",
    "Nothing listens at this address: the operator’s server is down, or the port is wrong.",
  ],
  ETIMEDOUT: [
    "Le serveur de l’opérateur ne répond pas : un pare-feu, un VPN fermé, ou une adresse qui n’est pas la bonne.",
    "The operator’s server does not answer: a firewall, a closed VPN, or a wrong address.",
  ],
  EHOSTUNREACH: [
    "Aucun chemin ne mène à cette adresse : vérifiez le VPN ou le réseau.",
    "No way leads to this address: check the VPN or the network.",
  ],
  ENETUNREACH: [
    "Ce réseau ne peut pas être joint d’ici : vérifiez le VPN.",
    "This network cannot be reached from here: check the VPN.",
  ],
  ENOTFOUND: [
    "Ce nom de serveur n’existe pas : vérifiez l’adresse.",
    "There is no server of this name: check the address.",
  ],
  EAI_AGAIN: [
    "Le nom du serveur ne peut pas être cherché : le DNS ne répond pas.",
    "The name of the server cannot be looked up: the DNS does not answer.",
  ],
  ECONNRESET: [
    "Le serveur de l’opérateur a coupé la liaison : il n’attend peut-être pas notre adresse, ou pas TLS.",
    "The operator’s server cut the connection: it may not expect our address, or TLS.",
  ],
  EPIPE: ["Le serveur de l’opérateur a coupé la liaison.", "The operator’s server cut the connection."],
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "Le certificat de l’opérateur porte un autre nom : donnez-le dans les réglages fins si c’est bien lui.",
    "The operator’s certificate is for another name: give it in the fine settings if that is the operator.",
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
  ESME_RINVPASWD: ["L’opérateur refuse le mot de passe.", "The operator refuses the password."],
  ESME_RINVSYSID: [
    "L’opérateur ne connaît pas cet identifiant (system_id).",
    "The operator does not know this system_id.",
  ],
  ESME_RBINDFAIL: [
    "L’opérateur refuse la liaison : identifiant, mot de passe, ou adresse non admise.",
    "The operator refuses the bind: system_id, password, or an address that it does not admit.",
  ],
  ESME_RALYBND: [
    "L’opérateur a déjà toutes les liaisons qu’il permet à ce compte.",
    "The operator has all binds already that it allows this account.",
  ],
};

/** What `smpp/connect.ts` says where it gives up first. */
const OUR_TIMEOUT = /no connection within/;
const CODE = new RegExp(`\\b(${Object.keys(SENTENCES).join("|")})\\b`);

/** Why an operator is not bound. What nobody has a sentence for stands as it was said. */
export function bindError(visit: Visit, error: string): Html {
  const [code] = CODE.exec(error.replace(OUR_TIMEOUT, "ETIMEDOUT")) ?? [];
  if (code === undefined) return html`<p>${error}</p>`;
  return html`<p>${visit.t(...SENTENCES[code]!)} <small class="line">${error}</small></p>`;
}
