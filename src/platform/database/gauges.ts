// Gauges of the database: its connections, its standbys and its WAL archive.
import { Gauge } from "prom-client";
import { perRuntime, type Runtime } from "../runtime.ts";
import { one, type Statements } from "./query.ts";
import { gaugesOf, readerOf } from "./scrapes.ts";
import * as sql from "./sql.ts";

/** Adds the gauges of the connections of this process. */
export const showPool = perRuntime((app) => {
  const ofPool = (name: string, help: string, figureOf: (pool: Runtime["database"]["pool"]) => number) =>
    new Gauge({
      name: `atumpan_database_pool_${name}`,
      help,
      registers: [app.metrics],
      collect() {
        this.set(figureOf(app.database.pool));
      },
    });
  ofPool("in_use", "Connections to the database that work or are being made.", ({ inUse }) => inUse);
  ofPool("idle", "Connections to the database that are free.", ({ idle }) => idle);
  ofPool("waiting", "Callers that wait for a free connection to the database.", ({ waiting }) => waiting);
  ofPool("size", "The most connections that the pool of this process has.", ({ most }) => most);
});

type Replication = {
  isSynchronous: boolean;
  isVisible: boolean;
  count: number;
  standbys: sql.StandbyRow[];
  /** The number of standbys that a COMMIT waits for now; undefined if this role may not see it. */
  waitedFor: number | undefined;
};

/** Returns the state of replication, as far as this role may see it. */
export async function readReplication(db: Statements): Promise<Replication> {
  const [found, standbys] = await Promise.all([one(db, sql.findReplication), db.run(sql.listStandbys)]);
  const waitedFor = standbys.filter(({ syncState }) => syncState === "sync" || syncState === "quorum").length;
  return { ...found, standbys, waitedFor: found.isVisible ? waitedFor : undefined };
}

/** Adds the gauges of the standbys, as the primary sees them: the same on every worker. */
export const showStandbys = perRuntime((app) => {
  const read = readerOf(app, "the standbys", readReplication);
  const ofAll = gaugesOf(app, "atumpan_database", read);
  ofAll("standbys", "Standbys that stream from the database now.", ({ count }) => count);
  ofAll(
    "synchronous",
    "1 if a COMMIT waits for a standby by the settings of the database, else 0.",
    (found) => Number(found.isSynchronous),
  );
  ofAll(
    "standby_details",
    "1 if the service may see more of standbys than their number (GRANT pg_monitor TO atumpan_service), else 0.",
    ({ isVisible }) => Number(isVisible),
  );
  ofAll(
    "synchronous_standbys",
    "Standbys for which a COMMIT waits now; absent where the service may not see it.",
    ({ waitedFor }) => waitedFor,
  );
  const ofEach = (name: string, help: string, figureOf: (standby: sql.StandbyRow) => number | null) =>
    new Gauge({
      name: `atumpan_database_standby_lag_${name}`,
      help: `${help} Absent where the service may not see it.`,
      labelNames: ["standby"],
      registers: [app.metrics],
      async collect() {
        this.reset();
        const found = await read();
        for (const standby of found?.isVisible ? found.standbys : [])
          this.set({ standby: standby.name ?? "" }, figureOf(standby) ?? 0);
      },
    });
  ofEach("bytes", "Log that is written and that the standby has not replayed.", ({ lagBytes }) => lagBytes);
  ofEach(
    "seconds",
    "How long the standby took to replay what was written last; 0 while nothing is written.",
    ({ lagSeconds }) => lagSeconds,
  );
});

/** Returns the state of the WAL archive; undefined if there is none. */
export async function readArchive(db: Statements): Promise<sql.Archive | undefined> {
  return (await db.run(sql.findArchive))[0];
}

/** Adds the gauges of the WAL archive: the same on every worker, and none without an archive. */
export const showArchive = perRuntime((app) => {
  const read = readerOf(app, "the archive", readArchive);
  const ofArchive = gaugesOf(app, "atumpan_database_archive", read);
  ofArchive(
    "fails",
    "1 if the last file of the database's log could not be archived, else 0; absent without an archive.",
    ({ isFailing }) => Number(isFailing),
  );
  ofArchive(
    "idle_seconds",
    "How long ago the last file of the database's log was archived; absent without an archive, or before the first.",
    ({ idleSeconds }) => idleSeconds ?? undefined,
  );
});
