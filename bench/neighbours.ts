// `npm run bench:neighbours` measures `contact/create` of one new phone beside the phone books of other companies, by a
// company whose rows sort before all of theirs and by one whose rows sort behind them.
import { parseArgs } from "node:util";
import { type Atumpan, startAtumpan } from "./atumpan.ts";
import { makeCompany } from "./companies.ts";
import { drive, postOf } from "./http.ts";
import { phoneOf } from "./messages.ts";
import { median, spreadOf } from "./numbers.ts";
import { idFrom, series } from "./rows.ts";
import { startSink } from "./sink.ts";

const USAGE = `Measures how long contact/create of one new phone takes beside the contacts of other companies; see bench/README.md.

  npm run bench:neighbours -- [options]

  --contacts <n>    of the others, all together (240000)
  --help
`;

const { values } = parseArgs({
  options: {
    contacts: { type: "string", default: "240000" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const OTHERS = 24;
const EACH = Math.ceil(Number(values.contacts) / OTHERS);
/** Alternating, because the machine may be busy with something else for a while. */
const ROUNDS = 11;
const REQUESTS = 300;

/** Gives other companies their contacts. */
async function fill({ call, database }: Atumpan): Promise<void> {
  for (let other = 0; other < OTHERS; other++) {
    const { companyId } = await makeCompany(call, `Other ${other}`);
    const first = other * EACH;
    await database.query(`SET "atumpan.account" = '*'; SET statement_timeout = 0`);
    await database.query(
      `INSERT INTO contacts (company_id, id, phone, name)
       SELECT '${companyId}', ${idFrom("n")}, '22505' || lpad(n::text, 8, '0'), 'Awa'
       FROM ${series("n", first, first + EACH - 1)}`,
    );
    await database.query(`INSERT INTO contact_counts VALUES ('${companyId}', ${EACH})`);
  }
  await database.query("VACUUM (ANALYZE)");
  await database.query("CHECKPOINT");
}

let phones = 0;

/** The p50 of one connection's requests, in ms. Each creates one new contact. */
async function measure({ http, credentials }: Atumpan, company: object): Promise<number> {
  const waits: number[] = [];
  let askedAt = 0;
  let refused: string | undefined;
  await drive(http.ports[0]!, {
    next() {
      if (waits.length >= REQUESTS || refused !== undefined) return undefined;
      askedAt = performance.now();
      const contacts = [{ phone: phoneOf(phones++), name: "Awa" }];
      return postOf("/v1/contact/create", JSON.stringify({ ...credentials, ...company, contacts }));
    },
    onAnswer(answer) {
      waits.push(performance.now() - askedAt);
      if (!answer.includes('"success":true')) refused = answer;
      return 0;
    },
  });
  if (refused !== undefined) throw new Error(`contact/create was refused: ${refused}`);
  return spreadOf(waits).p50;
}

const sink = await startSink();
const [empty, full] = [await startAtumpan(sink.port), await startAtumpan(sink.port)];
try {
  const alone = await makeCompany(empty.call, "Alone");
  const oldest = await makeCompany(full.call, "Oldest");
  await fill(full);
  const youngest = await makeCompany(full.call, "Youngest");
  const round = async () => ({
    alone: await measure(empty, alone),
    oldest: await measure(full, oldest),
    youngest: await measure(full, youngest),
  });
  await round();
  const rounds: Awaited<ReturnType<typeof round>>[] = [];
  while (rounds.length < ROUNDS) rounds.push(await round());
  for (const name of ["alone", "oldest", "youngest"] as const) {
    const ratio = median(rounds.map((times) => times[name] / times.alone));
    const p50 = median(rounds.map((times) => times[name]));
    console.log(`${name.padEnd(10)} p50 ${p50.toFixed(2)} ms, ${ratio.toFixed(2)} of alone`);
  }
} finally {
  for (const service of [empty, full]) await service.stop();
  await sink.program.stop();
}
