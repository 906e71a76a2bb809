// `npm run bench:stored` measures listing, creating and sending beside 10 million messages and a million contacts.
// It asks two services in turns, one with a small database and one with the large one.
import { statfs } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { type Atumpan, startAtumpan } from "./atumpan.ts";
import { phoneOf, TEXT } from "./messages.ts";
import { median } from "./numbers.ts";
import { now, startSink } from "./sink.ts";
import { COMPANIES, type Place, type Size, Store } from "./store.ts";

const USAGE = `Compares the cost of requests on a small and on a large database; see bench/README.md.

  npm run bench:stored -- [options]

  --messages <n>   stored in the large database (10000000)
  --contacts <n>   of the largest of its 200 companies (1000000)
  --runs <n>       requests of each kind; the median counts (31)
  --help
`;

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "10000000" },
    contacts: { type: "string", default: "1000000" },
    runs: { type: "string", default: "31" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const FEW = { messages: 10_000, contacts: 1_000 };
const MANY = { messages: Number(values.messages), contacts: Number(values.contacts) };
const RUNS = Number(values.runs) | 1; // medians want an odd number
const WARM_UP = 15;
const BYTES_A_MESSAGE = 1_500;
const MUST_REACH = 1.5;
const PER_REQUEST = 100;
const DEEP = "page 1,000 of 100";
const DEEP_PAGE = { page: 1_000, limit: PER_REQUEST };

/** One of the two services, and the things that requests name there. */
type Side = { atumpan: Atumpan; place: Place; call: Call };
/** Milliseconds of each side. */
type Cost = { few: number; many: number };
type Ask = (call: Call, place: Place) => Promise<unknown>;

let made = 0;

/**
 * All requests whose cost is compared. The table shows the deep pages, which the small list lacks, for the large side
 * only.
 */
const asks: Readonly<Record<string, Ask>> = {
  ...Object.fromEntries(["createdAt", "firstName", "lastName", "phone"].flatMap(ofContacts)),
  "group/list": (call) => call("/v1/group/list"),
  "sender/list": (call) => call("/v1/sender/list"),
  "optout/list": (call) => call("/v1/optout/list"),
  "campaign/list": (call) => call("/v1/campaign/list"),
  "campaign/list, page 10": (call) => call("/v1/campaign/list", { page: 10 }),
  [`campaign/list, ${DEEP}`]: (call) => call("/v1/campaign/list", DEEP_PAGE),
  "sender/{id}/campaign": (call, { senderId }) => call(`/v1/sender/${senderId}/campaign`),
  "sender/{id}/campaign, page 10": (call, { senderId }) =>
    call(`/v1/sender/${senderId}/campaign`, { page: 10 }),
  "campaign/{id}": (call, { campaignId }) => call(`/v1/campaign/${campaignId}`),
  "campaign/{id}/messages": (call, { campaignId }) => call(`/v1/campaign/${campaignId}/messages`),
  "campaign/{id}/messages, last page": (call, { campaignId, contacts }) =>
    call(`/v1/campaign/${campaignId}/messages`, { page: contacts / PER_REQUEST, limit: PER_REQUEST }),
  "credit/balance": (call) => call("/v1/credit/balance"),
  "admin/company/list": (call) => call("/v1/admin/company/list"),
  "admin/sender/list": (call) => call("/v1/admin/sender/list"),
  "contact/create, 100 known": (call, { contacts }) =>
    call("/v1/contact/create", { contacts: knownPhones(contacts) }),
  "contact/create, 100 changed": (call, { contacts }) =>
    call("/v1/contact/create", {
      contacts: knownPhones(contacts).map((phone) => ({ phone, name: `Awa ${made++}` })),
    }),
  "contact/create, 100 new": (call) => call("/v1/contact/create", { contacts: newPhones() }),
  "campaign/create, 100 contacts, until sent": async (call, { contacts }) => {
    const body = { contacts: knownPhones(contacts), text: TEXT };
    const { id } = await call<{ id: string }>("/v1/campaign/create", body);
    for (;;) {
      const { stats } = await call<{ stats: { queued: number } }>(`/v1/campaign/${id}`);
      if (stats.queued === 0) return;
    }
  },
};

const { bavail, bsize } = await statfs(tmpdir());
const wantedBytes = MANY.messages * BYTES_A_MESSAGE;
if (bavail * bsize < wantedBytes) throw new Error(`needs ${wantedBytes / 1e9} GB in ${tmpdir()}`);

const sink = await startSink();
const running: Atumpan[] = [];
const end = async () => {
  for (const atumpan of running) await atumpan.stop();
  await sink.program.stop();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void end().finally(() => process.exit(1)));
}
try {
  const few = await sideOf(FEW, COMPANIES.few);
  const startedAt = now();
  const many = await sideOf(MANY, COMPANIES.many);
  console.error(`stored in ${((now() - startedAt) / 1_000).toFixed(0)} s`);
  printTable(await compare(few, many));
  const audit = await many.atumpan.call<{ balanced: boolean }>("/v1/admin/credit/audit", {});
  if (!audit.balanced) throw new Error(`the stored messages do not balance: ${JSON.stringify(audit)}`);
} finally {
  await end();
}

async function sideOf(size: Size, companies: number): Promise<Side> {
  const atumpan = await startAtumpan(sink.port);
  running.push(atumpan);
  const store = await Store.make(atumpan);
  const place = await store.grow(size, companies);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return { atumpan, place, call: caller(agent, atumpan.http.ports[0]!, atumpan.credentials) };
}

/**
 * The medians of requests of all kinds to both sides, in turns. So other work on the machine meets all of them alike.
 */
async function compare(few: Side, many: Side): Promise<Map<string, Cost>> {
  const found = new Map(
    Object.keys(asks).map((name) => [name, { few: [] as number[], many: [] as number[] }]),
  );
  for (let run = -WARM_UP; run < RUNS; run++) {
    for (const [name, ask] of Object.entries(asks)) {
      const [before, after] = [await timeOf(few, ask), await timeOf(many, ask)];
      if (run < 0) continue;
      const times = found.get(name)!;
      times.few.push(before);
      times.many.push(after);
    }
  }
  const medians = [...found].map(([name, times]): [string, Cost] => [
    name,
    { few: median(times.few), many: median(times.many) },
  ]);
  return new Map(medians);
}

async function timeOf({ call, place }: Side, ask: Ask): Promise<number> {
  const startedAt = performance.now();
  await ask(call, place);
  return performance.now() - startedAt;
}

type Call = <Data>(path: string, body?: object) => Promise<Data>;

/** Calls over one connection that stays open. `fetch` costs more than the cheapest of these requests. */
function caller(agent: Agent, port: number, credentials: object): Call {
  return async <Data>(path: string, body: object = {}) => {
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { "Content-Type": "application/json" };
      const sent = request({ port, path, method: "POST", agent, headers }, async (response) => {
        let answer = "";
        for await (const chunk of response.setEncoding("utf8")) answer += chunk;
        resolve(answer);
      });
      sent.on("error", reject).end(JSON.stringify({ ...credentials, ...body }));
    });
    const answer = JSON.parse(text) as { data: Data; error: string | null };
    if (answer.error) throw new Error(`${path}: ${text}`);
    return answer.data;
  };
}

function ofContacts(orderBy: string): [string, Ask][] {
  const list =
    (body: object): Ask =>
    (call) =>
      call("/v1/contact/list", { orderBy, ...body });
  return [
    [`contact/list, by ${orderBy}`, list({})],
    [`contact/list, by ${orderBy}, page 10 of 100`, list({ page: 10, limit: PER_REQUEST })],
    [`contact/list, by ${orderBy}, ${DEEP}`, list(DEEP_PAGE)],
  ];
}

/** 100 phones that are spread over all contacts of the company. None of them has opted out. */
function knownPhones(contacts: number): string[] {
  const first = 10 * Math.floor((Math.random() * contacts) / 10);
  const step = Math.floor(contacts / PER_REQUEST);
  return Array.from({ length: PER_REQUEST }, (_, i) => phoneOf((first + i * step) % contacts));
}

function newPhones(): string[] {
  // These numbers lie behind everything stored, and in no order.
  return Array.from({ length: PER_REQUEST }, () => phoneOf(2_000_000 + ((made++ * 7_919) % 7_000_000)));
}

function printTable(costs: ReadonlyMap<string, Cost>): void {
  const sizes = [FEW, MANY].map(({ messages, contacts }) => `${messages} messages, ${contacts} contacts`);
  console.log(`Milliseconds, medians of ${RUNS}: ${sizes.join("; ")}; ratio, to be at most ${MUST_REACH}`);
  for (const [name, { few, many }] of costs) {
    const ratio = many / few;
    const [before, after] = [few.toFixed(2).padStart(8), many.toFixed(2).padStart(9)];
    const verdict = `${ratio.toFixed(2).padStart(7)}${ratio > MUST_REACH ? "  too much" : ""}`;
    // The small list has no such page.
    console.log(name.padEnd(46) + (name.includes(DEEP) ? `       –${after}` : before + after + verdict));
  }
}
