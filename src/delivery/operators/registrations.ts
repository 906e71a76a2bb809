// Registrations of sender names: at which operator and in which country a name is requested, registered, or refused.
import { type Static, Type } from "typebox";
import { lockSender, markRegistered } from "../../phonebook/senders/choice.ts";
import { readReviewed } from "../../phonebook/senders/senders.ts";
import { now } from "../../platform/clock.ts";
import { readListed } from "../../platform/database/pages.ts";
import type { Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { refuseConflict, refuseField } from "../../platform/http/fielderrors.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { changeOf, emptiable, patterned } from "../../platform/http/schemas.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { CountryCode, requireCountry } from "../../protocol/sms/countrycodes.ts";
import { callingCodeOfCountry } from "../../protocol/sms/plans.ts";
import * as sql from "./registrations.sql.ts";
import {
  type ListedRegistration,
  type OwnRegistration,
  REGISTRATION_STATES,
  type Registration,
  type RegistrationState,
  type Registrations,
  registrationMeanings,
} from "./registrationshapes.ts";

/** The registrations of one sender. */
const REGISTRATIONS_AT_MOST = 200;
const EXPIRED_AT_ONCE = 500;

const DAY: Sentence = {
  fr: "doit être un jour comme 2027-03-31",
  en: "must be a day such as 2027-03-31",
};
const OVER: Sentence = {
  fr: "est déjà passé ; un nom enregistré doit l’être encore",
  en: "is over; a registered name must still be registered",
};
const TOO_MANY: Sentence = {
  fr: `un expéditeur a au plus ${REGISTRATIONS_AT_MOST} enregistrements`,
  en: `a sender has at most ${REGISTRATIONS_AT_MOST} registrations`,
};

/** The key of a registration in a body. */
export const registrationKey = {
  operatorId: member(idOf("operator"), registrationMeanings.operatorId),
  country: member(CountryCode, registrationMeanings.country),
};

/** An absent member stays as it is, and an empty one is removed. */
export const RegistrationInput = Type.Object({
  ...registrationKey,
  state: member(Type.Enum([...REGISTRATION_STATES]), registrationMeanings.state),
  reference: member(emptiable(Type.String({ maxLength: 200 })), registrationMeanings.reference),
  document: member(emptiable(Type.String({ maxLength: 500 })), registrationMeanings.document),
  expiresOn: member(emptiable(patterned("^\\d{4}-\\d\\d-\\d\\d$", DAY)), registrationMeanings.expiresOn),
});

/** Returns the registrations of a sender of a company, by operator and country. */
export function listRegistrations(
  db: Statements,
  companyId: string,
  senderId: string,
): Promise<Registration[]> {
  return db.run(sql.listRegistrations, [companyId, senderId, REGISTRATIONS_AT_MOST]);
}

/** Like `listRegistrations`, without what only administrators see. */
export async function listOwnRegistrations(
  db: Statements,
  companyId: string,
  senderId: string,
): Promise<OwnRegistration[]> {
  const found = await listRegistrations(db, companyId, senderId);
  return found.map(({ operatorName, country, state, expiresOn, updatedAt }) => ({
    ...{ operatorName, country, state, expiresOn, updatedAt },
  }));
}

/** Returns the registrations of a sender of any company. Refuses `sender-not-found`. */
export async function readRegistrations(db: Statements, senderId: string): Promise<Registrations> {
  const { companyId } = await readReviewed(db, senderId);
  return { companyId, registrations: await listRegistrations(db, companyId, senderId) };
}

/** Returns one page of all registrations, or of those with one state. */
export function listAllRegistrations(
  { database }: Runtime,
  { state, ...page }: Page & { state?: RegistrationState | undefined },
): Promise<Listed<ListedRegistration>> {
  const { all, byState } = sql.listAllRegistrations;
  const list = { ...(state === undefined ? all : byState), count: sql.countRegistrations };
  return readListed(database, list, page, { state: state ?? null });
}

/**
 * Creates or changes the registration of a sender at an operator in a country, and returns all of the sender. From the
 * commit on, its messages go first where it is registered. Refuses `sender-not-found`, `not-found` for an unknown
 * operator, `invalid-request` for an unknown country or day, and `conflict` beyond 200 registrations.
 */
export async function setRegistration(
  tx: Tx,
  senderId: string,
  { operatorId, country, state, reference, document, expiresOn }: Static<typeof RegistrationInput>,
): Promise<Registrations> {
  requireCountry(country);
  if (expiresOn) requireDay(expiresOn, state);
  const companyId = await lockSender(tx, senderId);
  await requireRow(tx.run(sql.findOperatorName, [operatorId]), "not-found");
  await tx.run(sql.upsertRegistration, {
    ...{ companyId, senderId, operatorId, country, state },
    reference: changeOf(reference),
    document: changeOf(document),
    expiresOn: changeOf(expiresOn),
  });
  return refresh(tx, companyId, senderId);
}

/** Deletes a registration, and returns the others of the sender. Refuses `sender-not-found` and `not-found`. */
export async function deleteRegistration(
  tx: Tx,
  senderId: string,
  { operatorId, country }: Pick<Static<typeof RegistrationInput>, "operatorId" | "country">,
): Promise<Registrations> {
  const companyId = await lockSender(tx, senderId);
  await requireRow(tx.run(sql.deleteRegistration, { companyId, senderId, operatorId, country }), "not-found");
  return refresh(tx, companyId, senderId);
}

/** Marks registrations as expired after their last day (UTC). An hourly job runs it. */
export async function expireRegistrations({ database }: Runtime, signal: AbortSignal): Promise<void> {
  let expired = EXPIRED_AT_ONCE;
  while (expired === EXPIRED_AT_ONCE && !signal.aborted)
    expired = await database.transaction(async (tx) => {
      const found = await tx.run(sql.markExpired, [EXPIRED_AT_ONCE]);
      const senders = new Map(found.map(({ companyId, senderId }) => [senderId, companyId]));
      for (const [senderId, companyId] of senders) await refresh(tx, companyId, senderId);
      return found.length;
    });
}

/** Stores with the sender where it is registered now, so that a send reads nothing else. */
async function refresh(tx: Tx, companyId: string, senderId: string): Promise<Registrations> {
  const all = await tx.run(sql.listRegistrations, [companyId, senderId, REGISTRATIONS_AT_MOST + 1]);
  if (all.length > REGISTRATIONS_AT_MOST) refuseConflict("operatorId", TOO_MANY);
  const registered = all.flatMap(({ operatorId, country, state }) =>
    state === "REGISTERED" ? `${operatorId} ${callingCodeOfCountry(country)}` : [],
  );
  await markRegistered(tx, { companyId, senderId }, [...new Set(registered)].sort());
  return { companyId, registrations: all };
}

function requireDay(day: string, state: RegistrationState): void {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day)) refuseField("expiresOn", DAY);
  const today = now().toISOString().slice(0, 10);
  if (state === "REGISTERED" && day < today) refuseField("expiresOn", OVER);
}
