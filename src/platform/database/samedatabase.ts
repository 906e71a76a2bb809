// Checks that the service and the owner, who migrates, use the same database.
import { randomInt } from "node:crypto";
import { BadConfiguration } from "../config.ts";
import { closeClient, openClient } from "./connection.ts";
import { Hosts } from "./hosts.ts";

// Either may also just be starting, with the machine.
const CONNECT_MS = 30_000;
const ANSWER_MS = 10_000;
/** Locks of two numbers are distinct from those of one, of which the service uses some. */
const LOCK_GROUP = 0x73616d65;

/**
 * Refuses a DATABASE_OWNER_URL of another database than DATABASE_URL: the tables would be created there, and be missing
 * here. Throws `BadConfiguration`. The check needs no rights: a lock that one session holds is taken for another
 * session of the same database, and free in any other.
 */
export async function requireSameDatabase(databaseUrl: string, ownerUrl: string): Promise<void> {
  if (databaseUrl === ownerUrl) return;
  const open = (url: string) =>
    openClient(new Hosts(url), "atumpan-same", { answerMs: ANSWER_MS, connectMs: CONNECT_MS });
  const number = randomInt(2 ** 31);
  const one = await open(databaseUrl);
  try {
    await one.query(`SELECT pg_advisory_lock(${LOCK_GROUP}, ${number})`);
    const other = await open(ownerUrl);
    try {
      const { rows } = await other.query(`SELECT pg_try_advisory_lock(${LOCK_GROUP}, ${number}) AS "isFree"`);
      if (!rows[0].isFree) return;
      throw new BadConfiguration(
        `DATABASE_OWNER_URL leads to another database (${placeOf(other.address)}) than DATABASE_URL (${placeOf(one.address)})`,
      );
    } finally {
      await closeClient(other);
    }
  } finally {
    await closeClient(one);
  }
}

/** Returns the host, port and database of a URL, without its password. */
function placeOf(address: string): string {
  const { host, pathname } = new URL(address);
  return host + pathname;
}
