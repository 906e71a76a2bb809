// Tampering: what a superuser changes of the database behind triggers and rights.
import pg from "pg";
import type { TestService } from "./testservice.ts";

/** Runs one statement as the owner of the tables, without triggers. */
export async function tamperWith(
  here: TestService,
  statement: string,
  values: unknown[] = [],
): Promise<void> {
  const owner = new pg.Client({ connectionString: here.ownerUrl });
  await owner.connect();
  try {
    await owner.query("SET session_replication_role = replica");
    await owner.query(statement, values);
  } finally {
    await owner.end();
  }
}
