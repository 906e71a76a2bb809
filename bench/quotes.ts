// `npm run bench:quotes` measures how much longer others wait while a company without credits has eight quotes at once.
import { setTimeout as wait } from "node:timers/promises";
import { startAtumpan } from "./atumpan.ts";
import { drive, postOf } from "./http.ts";
import { phoneOf } from "./messages.ts";
import { median, spreadOf } from "./numbers.ts";
import { startSink } from "./sink.ts";

// Alternating, because the machine may be busy with something else for a while.
const ROUNDS = 11;
const EACH_MS = 2_000;
const QUOTES_AT_ONCE = 8;
const PEOPLE = 10_000;
const TEXT = `${"@firstName @lastName ".repeat(25)}${"Bonjour, ".repeat(30)}`;

const sink = await startSink();
const atumpan = await startAtumpan(sink.port);
const [port] = atumpan.http.ports;
const { adminKey, ...rich } = atumpan.credentials;
const contacts = Array.from({ length: PEOPLE }, (_, n) => ({
  phone: phoneOf(n),
  firstName: "Awa",
  lastName: "Kone",
}));

/** What others ask meanwhile. */
const others = {
  "credit/balance": postOf("/v1/credit/balance", JSON.stringify(rich)),
  "campaign/create": postOf(
    "/v1/campaign/create",
    JSON.stringify({ ...rich, contacts: [phoneOf(0)], text: "Bonjour" }),
  ),
};
type Asked = keyof typeof others;

/** The quote of a company that has no credits, and has asked for nothing yet. */
async function newQuote(): Promise<string> {
  const { companyId, apiKey } = await atumpan.call<{ companyId: string; apiKey: string }>(
    "/v1/admin/company/create",
    { name: "Without credits" },
  );
  return postOf("/v1/campaign/quote", JSON.stringify({ companyId, apiKey, contacts, text: TEXT }));
}

/** The p50 of others' answers, in ms, beside so many connections that ask for a quote again as soon as one is answered. */
async function measure(quotes: number): Promise<{ p50: Record<Asked, number>; answers: number }> {
  const quote = await newQuote();
  let isOver = false;
  let answers = 0;
  const asking = Array.from({ length: quotes }, () =>
    drive(port!, {
      next: () => (isOver ? undefined : quote),
      onAnswer(answer) {
        if (answer.includes('"success":true')) answers++;
        return 0;
      },
    }),
  );
  const p50s = await Promise.all(
    Object.entries(others).map(async ([name, request]) => {
      const waits: number[] = [];
      let askedAt = 0;
      const next = () => {
        askedAt = performance.now();
        return isOver ? undefined : request;
      };
      const onAnswer = () => {
        waits.push(performance.now() - askedAt);
        return 0;
      };
      const ending = wait(EACH_MS).then(() => {
        isOver = true;
      });
      await Promise.all([drive(port!, { next, onAnswer }), ending]);
      return [name, spreadOf(waits).p50] as const;
    }),
  );
  await Promise.all(asking);
  return { p50: Object.fromEntries(p50s) as Record<Asked, number>, answers };
}

try {
  await measure(0);
  const rounds: { quiet: Record<Asked, number>; beside: Record<Asked, number> }[] = [];
  let answers = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const quiet = await measure(0);
    const beside = await measure(QUOTES_AT_ONCE);
    answers += beside.answers;
    rounds.push({ quiet: quiet.p50, beside: beside.p50 });
  }
  console.log(
    `p50 of others beside ${QUOTES_AT_ONCE} quotes at once for ${PEOPLE} people, ${ROUNDS} rounds:`,
  );
  for (const name of Object.keys(others) as Asked[]) {
    const quiet = median(rounds.map((round) => round.quiet[name]));
    const beside = median(rounds.map((round) => round.beside[name]));
    const ratio = median(rounds.map((round) => round.beside[name] / round.quiet[name]));
    console.log(
      `${name}: ${quiet.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside, ratio ${ratio.toFixed(2)}`,
    );
  }
  console.log(`quotes answered in a round: ${(answers / ROUNDS).toFixed(1)}`);
} finally {
  await atumpan.stop();
  await sink.program.stop();
}
