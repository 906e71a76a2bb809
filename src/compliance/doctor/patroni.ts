// The doctor's check of Patroni: whether a standby may take over. Only Patroni knows, even if PostgreSQL looks well.
import { type Static, type TSchema, Type } from "typebox";
import { Value } from "typebox/value";
import { nowMs } from "../../platform/clock.ts";
import { type Finding, ok, saidBy, warn, wrong } from "./doctor.ts";

const ABOUT = "patroni";
const ANSWER_MS = 5_000;
const STUCK = "docs/operations.md (If Patroni is stuck) describes the fix";

/** Patroni contacts etcd every `loop_wait` (5 s in ops/ha/patroni.yml). */
const SEEN_SECONDS_AT_MOST = 30;

// `GET /patroni`, by Patroni's documentation of its REST API: when it last reached etcd, in seconds since 1970.
const Status = Type.Object({
  dcs_last_seen: Type.Number(),
  failsafe_mode_is_active: Type.Optional(Type.Boolean()),
});

// The response of `GET /cluster`.
const Cluster = Type.Object({
  members: Type.Array(
    Type.Object({
      name: Type.String(),
      role: Type.String(),
      state: Type.String(),
      timeline: Type.Optional(Type.Integer()),
    }),
  ),
  pause: Type.Optional(Type.Boolean()),
});
type Cluster = Static<typeof Cluster>;

/** Calls each Patroni of the comma-separated `urls`, and returns the findings of the first that answers. */
export async function examinePatroni(urls: string): Promise<Finding[]> {
  const asked = urls.split(",").map((url) => url.trim());
  const answers = await Promise.all(asked.map((url) => examineOne(url)));
  const cluster = answers.find((answer) => answer.cluster !== undefined)?.cluster;
  const own = answers.flatMap(({ finding }) => finding ?? []);
  if (!cluster) return own;
  // A good state that it remembers proves nothing while it does not reach etcd.
  return [...own, ...findingsOf(cluster)].filter(({ level }) => own.length === 0 || level !== "ok");
}

/** Returns what one Patroni reports about its cluster, and its own fault. */
async function examineOne(url: string): Promise<{ cluster?: Cluster; finding?: Finding }> {
  try {
    const [status, cluster] = await Promise.all([
      read(url, "/patroni", Status),
      read(url, "/cluster", Cluster),
    ]);
    const seconds = Math.round(nowMs() / 1000 - status.dcs_last_seen);
    if (!status.failsafe_mode_is_active && seconds <= SEEN_SECONDS_AT_MOST) return { cluster };
    const said = `${url} last reached etcd ${seconds} s ago: no failover is possible meanwhile`;
    return {
      cluster,
      finding: wrong(ABOUT, said, "Two of the three etcd members must run and be reachable"),
    };
  } catch (error) {
    const said = `${url} does not answer: ${saidBy(error)}`;
    return { finding: wrong(ABOUT, said, "Start Patroni there, or correct PATRONI_URL") };
  }
}

async function read<Schema extends TSchema>(
  url: string,
  path: string,
  schema: Schema,
): Promise<Static<Schema>> {
  const answer = await fetch(new URL(path, url), { signal: AbortSignal.timeout(ANSWER_MS) });
  const body: unknown = await answer.json();
  if (!Value.Check(schema, body)) throw new Error("this is not an answer from Patroni");
  return body;
}

function* findingsOf({ members, pause }: Cluster): Generator<Finding> {
  if (pause) yield warn(ABOUT, "it is paused, so no standby takes over", "End the pause: patronictl resume");
  const leader = members.find(({ role }) => role === "leader");
  const standby = members.find(({ role }) => role === "sync_standby");
  const odd = members.filter((member) => isOdd(member, leader?.timeline));
  for (const { name, state, timeline } of odd)
    yield wrong(ABOUT, `${name} is ${state} on timeline ${timeline ?? "unknown"}`, STUCK);
  if (!leader) yield wrong(ABOUT, "the cluster has no leader, so no server accepts writes", STUCK);
  else if (!standby)
    yield wrong(
      ABOUT,
      `no standby can take over if ${leader.name} fails`,
      `Start the standby again. ${STUCK}`,
    );
  else if (odd.length === 0)
    yield ok(ABOUT, `${leader.name} is the leader, and ${standby.name} takes over if it fails`);
}

/** Returns whether a server neither runs nor follows, or follows another timeline than the leader's. */
function isOdd({ state, timeline }: Cluster["members"][number], ofLeader: number | undefined): boolean {
  const isWell = state === "running" || state === "streaming" || state === "in archive recovery";
  return !isWell || (ofLeader !== undefined && timeline !== ofLeader);
}
