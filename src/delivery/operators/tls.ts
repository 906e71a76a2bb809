// TLS to an operator: its private authority, the name in its certificate, and the certificate that identifies us.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { type Static, Type } from "typebox";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import { changeOf, emptiable, patterned } from "../../platform/http/schemas.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { SealedPlace } from "../../platform/secrets/secrets.ts";
import { operatorMeanings } from "./shapes.ts";
import type { OperatorRow, TlsColumns } from "./sql.ts";

/** A chain has two or three certificates of 2 KB; an authority that is distributed as a bundle has more. */
const PEM_CHARACTERS = 65_536;
const CERTIFICATES_AT_MOST = 20;

const NAME = { fr: "doit être un nom d’hôte", en: "must be a host name" };
const CERTIFICATES: Sentence = {
  fr: `doit contenir 1 à ${CERTIFICATES_AT_MOST} certificats PEM complets`,
  en: `must contain 1 to ${CERTIFICATES_AT_MOST} complete PEM certificates`,
};
const KEY: Sentence = {
  fr: "doit être une clé privée PEM sans phrase secrète",
  en: "must be a PEM private key without a passphrase",
};
const OF_ANOTHER: Sentence = {
  fr: "ne correspond pas au premier certificat de tlsCert",
  en: "does not match the first certificate of tlsCert",
};
const KEY_NEEDED: Sentence = {
  fr: "est nécessaire avec un certificat",
  en: "is required with a certificate",
};
const CERTIFICATE_NEEDED: Sentence = {
  fr: "est nécessaire avec une clé",
  en: "is required with a key",
};

const Pem = Type.String({ maxLength: PEM_CHARACTERS });
const members = {
  tlsCa: member(Pem, operatorMeanings.tlsCa),
  tlsServerName: member(
    patterned("^[A-Za-z0-9._-]+$", NAME, { minLength: 1, maxLength: 253 }),
    operatorMeanings.tlsServerName,
  ),
  tlsCert: member(Pem, operatorMeanings.tlsCert),
  tlsKey: member(Pem, {
    fr: "Clé privée de `tlsCert` (PEM). Elle est chiffrée et jamais affichée",
    en: "Private key of `tlsCert` (PEM). It is encrypted and never shown",
  }),
};

/** The members of a new operator. */
export const tlsGiven = Type.Partial(Type.Object(members)).properties;

/** The members in a change. An empty one is removed; a key is removed with its certificate. */
export const tlsChanged = {
  tlsCa: emptiable(members.tlsCa),
  tlsServerName: emptiable(members.tlsServerName),
  tlsCert: emptiable(members.tlsCert),
  tlsKey: emptiable(members.tlsKey),
};
const Changed = Type.Object(tlsChanged);
type TlsChanges = Static<typeof Changed>;

/** Returns where an operator's key is sealed: a ciphertext moved to another row does not open. */
function keyPlace(operatorId: string): SealedPlace {
  return { table: "operators", column: "sealed_tls_key", row: operatorId };
}

type Kept = Pick<OperatorRow, "tls_cert" | "sealed_tls_key">;

/**
 * Returns the columns of TLS for a change. Refuses `invalid-request` for invalid PEM, a certificate without a key, and
 * a wrong key.
 */
export function tlsColumns(
  { secrets }: Pick<Runtime, "secrets">,
  id: string,
  { tlsCa, tlsServerName, tlsCert, tlsKey }: TlsChanges,
  kept: Kept = { tls_cert: null, sealed_tls_key: null },
): TlsColumns {
  if (tlsServerName && isIP(tlsServerName) !== 0) refuseField("tlsServerName", NAME);
  const ca = tlsCa && certificatesIn("tlsCa", tlsCa).join("\n");
  const names = { tlsCa: changeOf(ca), tlsServerName: changeOf(tlsServerName) };
  if (tlsCert === undefined && tlsKey === undefined) return { ...names, tlsCert: null, sealedTlsKey: null };
  const cert = tlsCert === undefined ? kept.tls_cert : tlsCert;
  if (!cert)
    return tlsKey ? refuseField("tlsCert", CERTIFICATE_NEEDED) : { ...names, tlsCert: "", sealedTlsKey: "" };
  const chain = certificatesIn("tlsCert", cert);
  const key = tlsKey === undefined ? keyOf(secrets, id, kept) : tlsKey;
  if (!key) return refuseField("tlsKey", KEY_NEEDED);
  if (!new X509Certificate(chain[0]!).checkPrivateKey(privateKeyIn(key))) refuseField("tlsKey", OF_ANOTHER);
  return { ...names, tlsCert: chain.join("\n"), sealedTlsKey: secrets.seal(keyPlace(id), key) };
}

function keyOf(secrets: Runtime["secrets"], id: string, { sealed_tls_key: sealed }: Kept): string | null {
  return sealed === null ? null : secrets.unseal(keyPlace(id), sealed);
}

/** Returns the certificates in a text, each as PEM. Text between them, as openssl writes it, is left out. */
function certificatesIn(field: string, text: string): string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const begun = text.match(/-----BEGIN /g) ?? [];
  const isWhole = found.length > 0 && found.length === begun.length && found.every(isCertificate);
  if (!isWhole || found.length > CERTIFICATES_AT_MOST) refuseField(field, CERTIFICATES);
  return found;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function privateKeyIn(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    return refuseField("tlsKey", KEY);
  }
}

/** Returns the options of `node:tls` for an operator; false: no TLS. An authority of its own replaces all others. */
export function tlsOptionsOf(
  { secrets }: Pick<Runtime, "secrets">,
  operator: Pick<OperatorRow, "id" | "tls" | "tls_ca" | "tls_server_name"> & Kept,
): false | Pick<ConnectionOptions, "ca" | "cert" | "key" | "servername"> {
  const { tls_ca: ca, tls_server_name: servername, tls_cert: cert } = operator;
  const key = keyOf(secrets, operator.id, operator);
  return (
    operator.tls && {
      ...(ca && { ca }),
      ...(servername && { servername }),
      ...(cert && key && { cert, key }),
    }
  );
}
