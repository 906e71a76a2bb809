// The doctor's checks of the tables: the processes, whether they send, and the result of the ledger audit.

import { readLastAudit } from "../../ledger/credits/audits.ts";
import { nowMs } from "../../platform/clock.ts";
import type { Statements } from "../../platform/database/query.ts";
import { OFF_BY_AT_MOST_MS } from "../../platform/jobs/timekeeping.ts";
import { readVersion } from "../../platform/version.ts";
import { examineBudget } from "./connections.ts";
import { type Finding, ok, warn, wrong } from "./doctor.ts";
import * as sql from "./sql.ts";

const HOUR_MS = 3_600_000;
const AUDIT_HOURS_AT_MOST = 3;

/** Runs all of these checks. */
export async function examineRunning(db: Statements): Promise<Finding[]> {
  const nodes = await db.run(sql.listNodes);
  return [
    ...examineNodes(nodes),
    await examineBudget(db, nodes),
    await examineSending(db),
    await examineOperators(db),
    await examineAudit(db),
  ];
}

function nameOf({ host, pid }: sql.NodeRow): string {
  return `${host} ${pid}`;
}

function examineNodes(nodes: readonly sql.NodeRow[]): Finding[] {
  const alive = nodes.filter(({ isAlive }) => isAlive);
  if (alive.length === 0)
    return [
      warn(
        "processes",
        "none is running",
        "Start the service, and run the doctor again to complete the checks",
      ),
    ];
  return [examineRoles(nodes, alive), examineVersions(alive), examineClocks(alive)];
}

function examineRoles(nodes: readonly sql.NodeRow[], alive: readonly sql.NodeRow[]): Finding {
  const about = "processes";
  const roles = new Set(alive.flatMap((node) => node.roles));
  const missing = ["api", "worker", "gateway"].filter((role) => !roles.has(role));
  if (missing.length > 0)
    return wrong(
      about,
      `no running process has the role ${missing.join(" or ")}`,
      "Start one with this role in ROLES",
    );
  const fallen = nodes.filter(({ isAlive }) => !isAlive);
  if (fallen.length > 0)
    return warn(
      about,
      `${alive.length} are running; no longer reporting: ${fallen.map(nameOf).join(", ")}`,
      "Find out why they stopped; they leave this list after an hour",
    );
  return ok(about, `${alive.length} are running, with all roles`);
}

function examineVersions(alive: readonly sql.NodeRow[]): Finding {
  const about = "versions";
  const here = readVersion();
  const others = alive.filter(({ version }) => version !== here);
  if (others.length === 0) return ok(about, `all are ${here}`);
  const named = others.map((node) => `${nameOf(node)} is ${node.version}`).join(", ");
  return warn(about, `this program is ${here}, and ${named}`, "Finish the upgrade: restart those processes");
}

function examineClocks(alive: readonly sql.NodeRow[]): Finding {
  const about = "clocks of processes";
  const off = alive.filter(({ aheadMs }) => Math.abs(aheadMs ?? 0) > OFF_BY_AT_MOST_MS);
  if (off.length === 0) return ok(about, "none differs by more than 2 s from the database");
  const named = off.map((node) => `the clock of ${nameOf(node)} is ${node.aheadMs} ms ahead`).join(", ");
  return wrong(about, named, "Synchronize these machines with chrony or systemd-timesyncd");
}

async function examineSending(db: Statements): Promise<Finding> {
  const [found] = await db.run(sql.findIncarnation);
  if (!found) return ok("sending", "no process has used this database yet");
  const { state, reason, made_at: madeAt, decision } = found;
  const last = `the database last changed identity at ${madeAt.toISOString()} (${reason}, ${decision ?? "not decided"})`;
  if (state === "NORMAL")
    return ok("sending", reason === null ? "it is not on hold" : `it is not on hold; ${last}`);
  return wrong("sending", `it is on hold (${reason}): nothing is sent`, "Decide at /admin/recovery");
}

async function examineOperators(db: Statements): Promise<Finding> {
  const about = "operators";
  const all = await db.run(sql.listInService);
  if (all.length === 0)
    return warn(about, "none is in service: nothing can be sent", "Create one: admin/operator/create");
  const away = all.filter(({ isHeld, isBound }) => !isHeld && !isBound);
  if (away.length > 0) {
    const names = away.map(({ name, error }) => (error ? `${name} (${error})` : name)).join(", ");
    const finding = away.length === all.length ? wrong : warn;
    return finding(about, `not bound: ${names}`, "Check its address and account: admin/operator/list");
  }
  const held = all.filter(({ isHeld }) => isHeld).map(({ name }) => name);
  if (held.length > 0)
    return warn(
      about,
      `on hold: ${held.join(", ")}`,
      "Resume with admin/operator/{id}/resume once the cause is fixed",
    );
  return ok(about, `${all.length} in service, all bound, none on hold`);
}

async function examineAudit(db: Statements): Promise<Finding> {
  const about = "audit";
  const audit = await readLastAudit(db);
  if (!audit) return warn(about, "none has run yet", "A worker runs it at minute 7 of each hour");
  if (!audit.is_balanced)
    return wrong(
      about,
      `the ledger did not balance: the difference is ${audit.difference} credits`,
      "Search the log of the worker, keep a backup, and report it",
    );
  const hours = (nowMs() - audit.audited_at.getTime()) / HOUR_MS;
  if (hours > AUDIT_HOURS_AT_MOST)
    return warn(
      about,
      `it balanced ${Math.floor(hours)} hours ago`,
      "Find out why no worker has run it since",
    );
  return ok(about, "the ledger balanced within the last hours");
}
