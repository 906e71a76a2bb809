// The phone of an operator: how it pairs, and what it says of itself.
import { randomInt } from "node:crypto";
import { type Static, Type } from "typebox";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { shape, Timestamp } from "../../platform/http/responseschemas.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { newCallback } from "./connectors.ts";
import * as phones from "./phones.sql.ts";
import * as sql from "./sql.ts";

/** Installing the app and entering the values takes minutes. */
const PAIRING_MS = 60 * 60 * 1_000;
/** People may have to type it: no characters that look alike. 24 of 31 letters are 118 bits. */
const SECRET_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
const SECRET_CHARACTERS = 24;
const NAME_CHARACTERS_AT_MOST = 100;

type Keys = Pick<Runtime, "secrets" | "publicUrl">;

const NOT_PHONE: Sentence = {
  fr: "cet opérateur n’est pas un téléphone",
  en: "this operator is not a phone",
};

/** What the app needs to pair. */
export const PhonePairing = shape("PhonePairing", {
  apiUrl: member(Type.String(), {
    fr: "À saisir dans l’application, sous « API URL »",
    en: "To enter in the app, under “API URL”",
    sample: "https://sms.example.com/v1/phone",
  }),
  privateToken: member(Type.String(), {
    fr: "À saisir dans l’application, sous « Private token ». Sert à un seul téléphone",
    en: "To enter in the app, under “Private token”. It pairs one phone",
    sample: "k7pm4qxwdrk7pm4qxwdrk7pm",
  }),
  link: member(Type.String(), {
    fr: "Page avec ces valeurs, à ouvrir sur le téléphone, par exemple par un QR code",
    en: "Page with these values, to open on the phone, for example by a QR code",
    sample: "https://sms.example.com/phone/k7pm4qxwdrk7pm4qxwdrk7pm",
  }),
  expiresAt: Timestamp,
});
export type PhonePairing = Static<typeof PhonePairing>;

/** Returns the address of the app's interface. */
export function phoneUrlOf({ publicUrl }: Pick<Runtime, "publicUrl">): string {
  return `${publicUrl}/v1/phone`;
}

const pairingDigest = ({ secrets }: Keys, secret: string) => secrets.digest("phone pairing", secret);
/** Returns the digest by which the token of a phone is looked up. */
export const phoneTokenDigest = ({ secrets }: Pick<Keys, "secrets">, token: string) =>
  secrets.digest("phone token", token);

/**
 * Opens a pairing for one phone within an hour. A phone that is paired loses its access at once. Refuses `not-found`, and
 * `conflict` for an operator that is not a phone.
 */
export async function openPairing(app: Keys, tx: Tx, id: string): Promise<PhonePairing> {
  const { kind } = await requireRow(tx.run(sql.lockKnown, [id]), "not-found");
  if (kind !== "phone") refuseConflict("id", NOT_PHONE);
  const secret = Array.from(
    { length: SECRET_CHARACTERS },
    () => SECRET_LETTERS[randomInt(SECRET_LETTERS.length)],
  ).join("");
  const pairing = { operatorId: id, digest: pairingDigest(app, secret), validForMs: PAIRING_MS };
  const { pairing_until: expiresAt } = await requireRow(tx.run(phones.upsertPairing, pairing), "not-found");
  await tx.run(sql.updateCallback, [id, newCallback(app, id)]);
  const link = `${app.publicUrl}/phone/${secret}`;
  return { apiUrl: phoneUrlOf(app), privateToken: secret, link, expiresAt };
}

/** Returns the name of the operator of an open pairing; undefined: it was used, has ended, or never existed. */
export async function readPairingName(
  app: Keys,
  db: Statements,
  secret: string,
): Promise<string | undefined> {
  const [found] = await db.run(phones.findPairing, [pairingDigest(app, secret)]);
  return found?.name;
}

/**
 * Pairs a phone by the secret of its pairing, which works once; what the phone before has fetched ends. Undefined: it was
 * used, has ended, or never existed. The new address for callbacks also lets the gateway begin a session at once.
 */
export async function registerPhone(
  app: Keys,
  tx: Tx,
  secret: string,
  name: string,
): Promise<{ id: string; token: string } | undefined> {
  const token = newKey("");
  const digest = pairingDigest(app, secret);
  await tx.run(phones.endTaken, [digest]);
  const [paired] = await tx.run(phones.usePairing, {
    ...{ digest, tokenDigest: phoneTokenDigest(app, token) },
    name: name.slice(0, NAME_CHARACTERS_AT_MOST),
  });
  if (!paired) return undefined;
  await tx.run(sql.updateCallback, [paired.operator_id, newCallback(app, paired.operator_id)]);
  return { id: paired.operator_id, token };
}

/**
 * Lists the phones that still have one of these tokens, by the digests of these, how long ago each last called, and when
 * the newest message was handed over that none has fetched.
 */
export function listPhones(
  db: Statements,
  tokenDigests: readonly string[],
): Promise<phones.ListeningPhone[]> {
  return db.run(phones.listListening, [tokenDigests]);
}

/** Returns the operator of the phone that has a token, and records its call; undefined: no phone has it. */
export async function findPhone(
  app: Pick<Keys, "secrets">,
  db: Statements,
  token: string,
): Promise<string | undefined> {
  const [found] = await db.run(phones.seePhone, [phoneTokenDigest(app, token)]);
  return found?.operator_id;
}
