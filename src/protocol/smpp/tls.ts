// Explains TLS failures in a sentence for the administrator of an operator.

/** By the error code of Node or OpenSSL. The console has the same sentences in French (`console/binderrors.ts`). */
const SENTENCES: readonly (readonly [code: RegExp, sentence: string])[] = [
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)/,
    "no authority that is trusted here has signed the operator's certificate: give its authority as tlsCa",
  ],
  [
    /ALTNAME_INVALID/,
    "the operator's certificate is for another name: give the name in it as tlsServerName if that is the operator",
  ],
  [/CERT_HAS_EXPIRED/, "the operator's certificate has expired"],
  [/CERT_NOT_YET_VALID/, "the operator's certificate is not valid yet"],
  [
    /ALERT_(BAD_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|HANDSHAKE_FAILURE|ACCESS_DENIED|UNSUPPORTED_CERTIFICATE)/,
    "the operator takes no client without a certificate that it trusts: give one as tlsCert and tlsKey",
  ],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/, "the operator does not speak TLS at this port"],
];

/** Returns why a connection failed: if TLS failed, a sentence with the library's message, else the network's error. */
export function connectionErrorOf(error: Error & { code?: string }): string {
  const { code = "", message } = error;
  const found = SENTENCES.find(([pattern]) => pattern.test(code));
  return found ? `${found[1]} (${code}: ${message})` : message;
}
