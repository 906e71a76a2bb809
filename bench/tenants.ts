// `npm run bench:tenants` measures how much longer other companies wait while one without credits does unpaid work.
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { startAtumpan } from "./atumpan.ts";
import { drive, postOf } from "./http.ts";
import { codePhoneOf, phoneOf } from "./messages.ts";
import { median, spreadOf } from "./numbers.ts";
import type { Pressed, Pressure } from "./pressure.ts";
import { startSink } from "./sink.ts";

// Alternating, because the machine may be busy with something else for a while.
const ROUNDS = 3;
const EACH_MS = 3_000;
const PEOPLE = 10_000;
/** The tenant's own phone book, which its searches and lists go through. */
const BOOK_BODIES = 5;

const sink = await startSink();
const atumpan = await startAtumpan(sink.port);
const [port] = atumpan.http.ports;
const { adminKey, ...rich } = atumpan.credentials;
const tenant = await atumpan.call<{ companyId: string; apiKey: string }>("/v1/admin/company/create", {
  name: "Without credits",
});

let people = 0;
let codes = 0;
const newPeople = (count: number) =>
  Array.from({ length: count }, () => ({ phone: phoneOf(people++), name: "Awa Kone", firstName: "Awa" }));
const ofTenant = (path: string, body: object) => postOf(path, JSON.stringify({ ...tenant, ...body }));

for (let n = 0; n < BOOK_BODIES; n++)
  await atumpan.call("/v1/contact/create", { ...tenant, contacts: newPeople(PEOPLE) });
const known = Array.from({ length: PEOPLE }, (_, n) => ({ phone: phoneOf(n), name: `Koffi ${n % 7}` }));
const group = await atumpan.call<{ id: string }>("/v1/group/create", {
  ...tenant,
  name: "All",
  contacts: known,
});

/** The kinds of unpaid work: connections in a closed loop, and what they ask. */
const kinds: Record<string, { connections: number; request: () => string }> = {
  "creates of 10,000 new contacts": {
    connections: 30,
    request: () => ofTenant("/v1/contact/create", { contacts: newPeople(PEOPLE) }),
  },
  "creates of the same 10,000 contacts": {
    connections: 30,
    request: () => ofTenant("/v1/contact/create", { contacts: known }),
  },
  searches: { connections: 40, request: () => ofTenant("/v1/contact/list", { search: "kouassi a a" }) },
  "deep pages": {
    connections: 40,
    request: () => ofTenant("/v1/contact/list", { page: (BOOK_BODIES * PEOPLE) / 100, limit: 100 }),
  },
  quotes: {
    connections: 20,
    request: () => ofTenant("/v1/campaign/quote", { groupsIds: [group.id], text: "Bonjour @firstName" }),
  },
  "group updates": {
    connections: 20,
    request: () => ofTenant(`/v1/group/${group.id}/update`, { name: "All", contacts: known }),
  },
};

/** What others ask meanwhile. */
const others: Record<string, () => string> = {
  "campaign/create": () =>
    postOf("/v1/campaign/create", JSON.stringify({ ...rich, contacts: [phoneOf(0)], text: "Bonjour" })),
  "sms/send": () => atumpan.http.requests[0]!.join(phoneOf(people++)),
  "auth/otp/get": () =>
    postOf("/v1/auth/otp/get", JSON.stringify({ ...rich, phoneNumber: codePhoneOf(codes++) })),
};
type Spread = { p50: number; p99: number };
type Measured = { spreads: Record<string, Spread>; done: number; refused: number; failed: number };

async function measure(kind?: { connections: number; request: () => string }): Promise<Measured> {
  let isOver = false;
  let failed = 0;
  // The body is made before the clock runs, so that making it takes no time from the service.
  const pressing = kind && press({ ...kind, port: port!, request: kind.request(), forMs: EACH_MS });
  const ending = wait(EACH_MS).then(() => {
    isOver = true;
  });
  const spreads = await Promise.all(
    Object.entries(others).map(async ([name, next]) => {
      const waits: number[] = [];
      let askedAt = 0;
      await drive(port!, {
        next() {
          if (isOver) return undefined;
          const text = next();
          askedAt = performance.now();
          return text;
        },
        onAnswer(answer) {
          if (answer.includes('"success":true')) waits.push(performance.now() - askedAt);
          else failed++;
          return 0;
        },
      });
      return [name, waits.length > 0 ? spreadOf(waits) : { p50: Number.NaN, p99: Number.NaN }] as const;
    }),
  );
  await ending;
  const { done, refused } = (await pressing) ?? { done: 0, refused: 0 };
  return { spreads: Object.fromEntries(spreads), done, refused, failed };
}

async function press(pressure: Pressure): Promise<Pressed> {
  const worker = new Worker(new URL("./pressure.ts", import.meta.url), { workerData: pressure });
  const [pressed] = await once(worker, "message");
  return pressed;
}

try {
  await measure();
  const wanted = process.argv[2];
  for (const [name, kind] of Object.entries(kinds)) {
    if (wanted !== undefined && !name.includes(wanted)) continue;
    const rounds: [quiet: Measured, beside: Measured][] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push([await measure(), await measure(kind)]);
    const sum = (of: (beside: Measured) => number) => rounds.reduce((all, [, beside]) => all + of(beside), 0);
    console.log(
      `${kind.connections} connections with ${name}: ${sum((m) => m.done)} done, ${sum((m) => m.refused)} refused; others refused: ${sum((m) => m.failed)}`,
    );
    for (const asked of Object.keys(others))
      for (const at of ["p50", "p99"] as const) {
        const quiet = median(rounds.map(([before]) => before.spreads[asked]![at]));
        const beside = median(rounds.map(([, during]) => during.spreads[asked]![at]));
        const ratio = median(rounds.map(([a, b]) => b.spreads[asked]![at] / a.spreads[asked]![at]));
        console.log(
          `  ${asked} ${at}: ${quiet.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside, ratio ${ratio.toFixed(2)}`,
        );
      }
  }
} finally {
  await atumpan.stop();
  await sink.program.stop();
}
