// The guard against SMS pumping: codes that nobody verifies, requested because somebody earns on each SMS.
import { readListed } from "../../platform/database/pages.ts";
import { one, type Statements } from "../../platform/database/query.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Listed, Page } from "../../platform/http/paging.ts";
import { callingCodeOf } from "../../protocol/sms/plans.ts";
import { UNVERIFIED_PER_PREFIX, unverifiedPerCountry } from "./limits.ts";
import type { OtpRefusal } from "./shapes.ts";
import { findStop } from "./shares.sql.ts";
import * as sql from "./sql.ts";

/** The destination of a code, and the account that sends it. */
export type Destination = { accountId: string; phone: string; foreignCode: string | null };

/** A refusal by the guard. */
export type Block = Pick<OtpRefusal, "accountId" | "rule" | "destination">;

const DIGITS_LEFT_OUT = 4;

/** Returns the number without its last 4 digits: a block of 10,000 numbers, the unit in which ranges are rented out. */
export function prefixOf(phone: string): string {
  return phone.slice(0, -DIGITS_LEFT_OUT);
}

/** Returns the rule that now forbids a code to this destination, if any; `route` null: no operator serves it. */
export async function findBlock(
  tx: Tx,
  { accountId, phone, foreignCode }: Destination,
  route: string | null,
): Promise<Block | undefined> {
  const prefix = prefixOf(phone);
  // Counted by country: a refused number costs nothing, so numbers must not create a row each.
  if (route === null) return { accountId, rule: "unroutable", destination: callingCodeOf(phone) };
  const [[stop], ofPrefix, { sent, verified }] = await Promise.all([
    tx.run(findStop, [accountId, prefix]),
    one(tx, sql.countUnverifiedOfPrefix, { accountId, prefix, unverifiedAtMost: UNVERIFIED_PER_PREFIX }),
    one(tx, sql.sumOfCountry, [accountId, foreignCode ?? ""]),
  ]);
  if (stop) return { accountId, rule: "stopped", destination: prefix };
  if (ofPrefix.count >= UNVERIFIED_PER_PREFIX) return { accountId, rule: "prefix", destination: prefix };
  const isOver = foreignCode !== null && sent - verified >= unverifiedPerCountry(verified);
  return isOver ? { accountId, rule: "country", destination: foreignCode } : undefined;
}

/** Counts a sent code. */
export async function countSent(tx: Tx, { accountId, foreignCode }: Destination): Promise<void> {
  if (foreignCode !== null)
    await tx.run(sql.addToCountry, {
      accountId,
      callingCode: foreignCode,
      sent: 1,
      verified: 0,
      sentAt: null,
    });
}

/** Counts a refusal, for the administrator. */
export async function noteRefusal(tx: Tx, { accountId, rule, destination }: Block): Promise<void> {
  await tx.run(sql.upsertRefusal, [accountId, rule, destination]);
}

/** Returns one page of refusals by hour, of one account or of all. */
export async function listOtpRefusals(
  db: Statements,
  accountId: string | undefined,
  page: Page,
): Promise<Listed<OtpRefusal>> {
  const { all, ofAccount, count } = sql.listRefusals;
  const list = { ...(accountId === undefined ? all : ofAccount), count };
  return readListed(db, list, page, { accountId: accountId ?? null });
}
