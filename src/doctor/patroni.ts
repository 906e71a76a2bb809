// What Patroni says of its cluster: whether a standby may take over. Only Patroni knows; PostgreSQL may look well meanwhile.
import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { type Finding, ok, saidBy, warn, wrong } from "./findings.ts";

const ABOUT = "patroni";
const ANSWER_MS = 5_000;
const STUCK = "docs/operations.md (If Patroni is stuck) has the mend";

// The members of `GET /cluster`, by Patroni's documentation of its REST API.
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

/** Asks each Patroni of `urls`, which commas part, and says what the first one that answers knows of its cluster. */
export async function examinePatroni(urls: string): Promise<Finding[]> {
  const asked = urls.split(",").map((url) => url.trim());
  const answers = await Promise.all(asked.map((url) => readCluster(url).catch(saidBy)));
  const silent = answers.flatMap((answer, at) =>
    typeof answer === "string"
      ? wrong(ABOUT, `${asked[at]} does not answer: ${answer}`, "Start Patroni there, or mend PATRONI_URL")
      : [],
  );
  const cluster = answers.find((answer) => typeof answer !== "string");
  return cluster ? [...silent, ...findingsOf(cluster)] : silent;
}

async function readCluster(url: string): Promise<Cluster> {
  const answer = await fetch(new URL("/cluster", url), { signal: AbortSignal.timeout(ANSWER_MS) });
  const body: unknown = await answer.json();
  if (!Value.Check(Cluster, body)) throw new Error("this is no answer of Patroni");
  return body;
}

function* findingsOf({ members, pause }: Cluster): Generator<Finding> {
  if (pause)
    yield warn(ABOUT, "it is paused, so that no standby takes over", "End the pause: patronictl resume");
  const leader = members.find(({ role }) => role === "leader");
  const standby = members.find(({ role }) => role === "sync_standby");
  const odd = members.filter((member) => isOdd(member, leader?.timeline));
  for (const { name, state, timeline } of odd)
    yield wrong(ABOUT, `${name} is ${state} on timeline ${timeline ?? "unknown"}`, STUCK);
  if (!leader) yield wrong(ABOUT, "the cluster has no leader, so no server takes writes", STUCK);
  else if (!standby)
    yield wrong(
      ABOUT,
      `no standby may take over if ${leader.name} falls`,
      `Bring the standby back. ${STUCK}`,
    );
  else if (odd.length === 0)
    yield ok(ABOUT, `${leader.name} leads, and ${standby.name} takes over if it falls`);
}

/** Whether a server neither runs nor follows, or follows another history than the leader's. */
function isOdd({ state, timeline }: Cluster["members"][number], ofLeader: number | undefined): boolean {
  const isWell = state === "running" || state === "streaming" || state === "in archive recovery";
  return !isWell || (ofLeader !== undefined && timeline !== ofLeader);
}
