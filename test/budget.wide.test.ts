// The busiest operations stay within their budgets (`budget.ts`): counts of work, which do not depend on how busy the
// machine is.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { promisify } from "node:util";
import { application, connected, dataOf } from "./applications.ts";
import { BUDGET, type Cost, judgeAllocated, judgeCost, type Operation, tableOf } from "./budget.ts";
import { type Counted, CountedService, type Found } from "./counting.ts";
import { operator as newOperator } from "./fixtures.ts";
import { ofThisRun } from "./process.ts";
import {
  accepted,
  addOperator,
  asOwner,
  deliverReceipt,
  phones,
  type Scope,
  startScripted,
} from "./sending.ts";
import { type Company, until } from "./testservice.ts";

/** Without optimized code, and with room for all that is allocated: see `allocations.ts`. */
const ALLOCATING = [
  ...["--no-opt", "--no-maglev", "--no-sparkplug"],
  ...["--min-semi-space-size=256", "--max-semi-space-size=256"],
];
const isPrinting = process.env.BUDGET === "print";
const MANY = 100;

const counted = new Set<Operation>();
const found = new Map<Operation, Cost>();
let allocated: number | undefined;

after(() => {
  if (isPrinting) console.log(tableOf(found, allocated));
});

type Operations = Partial<Record<Operation, Counted>>;

/** Counts each operation, and compares it with its budget. */
async function holdTo(
  t: Scope & { diagnostic: (message: string) => void },
  service: CountedService,
  operations: Operations,
) {
  const faults: string[] = [];
  for (const [operation, how] of Object.entries(operations) as [Operation, Counted][]) {
    counted.add(operation);
    const counts = await service.count(how);
    if (!counts) {
      t.diagnostic(`${operation} was not counted: the machine is too slow`);
      continue;
    }
    found.set(operation, counts.cost);
    if (Number.isNaN(counts.cost.buffers))
      t.diagnostic(`${operation}: its buffers were not counted, because the machine is too slow`);
    const own = judgeCost(operation, counts.cost);
    if (own.length > 0) faults.push(...own, listed(counts));
  }
  if (!isPrinting) assert.equal(faults.length, 0, `\n${faults.join("\n")}`);
}

function listed({ work }: Found): string {
  const lines = work.map(
    ({ statements, roundTrips }) => `  ${statements.join(", ")} (round trips: ${roundTrips})`,
  );
  return ["It ran:", ...lines].join("\n");
}

/** A company with many contacts. */
async function companyOf({ here }: CountedService): Promise<{ company: Company; known: string[] }> {
  const company = await here.company({ credits: 1_000_000 });
  const known = phones(MANY);
  const contacts = known.map((phone) => ({ phone }));
  await dataOf(company.call("/v1/contact/create", { contacts }));
  return { company, known };
}

let made = 0;
/** Phones that nobody has written to. */
function newPhones(count: number): string[] {
  return Array.from({ length: count }, () => `22505${10_000_000 + made++}`);
}

/** However slow the machine is, a message that has no answer yet waits for it. */
const PATIENT = { submitTimeoutS: 120, enquireLinkS: 600, window: MANY, prefixes: ["225"], enabled: true };

/** Starts an operator that answers only when `answerAll` is called, and makes it known to the service. */
async function startOperator(t: Scope, { here }: CountedService) {
  let answering = Promise.withResolvers<void>();
  const { received, sessions, port } = await startScripted(t, async (_pdu, _session, n) => {
    await answering.promise;
    return accepted(String(n));
  });
  await dataOf(here.admin("/v1/admin/operator/create", { ...newOperator(), ...PATIENT, port }));
  await until(() => sessions.length > 0);
  return {
    received,
    /** Answers all messages, and resolves when they are settled. */
    async answerAll() {
      answering.resolve();
      await until(async () => (await asOwner(here.app, "SELECT FROM batches LIMIT 1")).length === 0);
      answering = Promise.withResolvers();
    },
    /** Delivers the receipts of the last 100 messages, and resolves when the service has confirmed them. */
    async deliverReceipts() {
      const from = received.length - MANY;
      const session = sessions.at(-1) ?? assert.fail("the operator has no session");
      await Promise.all(
        received.slice(from).map((pdu, at) => deliverReceipt(session, pdu, String(from + at + 1))),
      );
    },
  };
}

suite("the budget of", () => {
  test("operations of the interface alone", async (t) => {
    const service = await CountedService.start(t, ["api"]);
    await addOperator(service.here, 1);
    const { company, known } = await companyOf(service);
    const text = "Bonjour";
    await holdTo(t, service, {
      "campaign/create to 100 known": {
        run: () => dataOf(company.call("/v1/campaign/create", { contacts: known, text })),
      },
      "campaign/create to 100 new": {
        run: () => dataOf(company.call("/v1/campaign/create", { contacts: newPhones(MANY), text })),
      },
      "contact/create of one new": {
        run: () => dataOf(company.call("/v1/contact/create", { phone: newPhones(1)[0] })),
      },
      "contact/list": { run: () => dataOf(company.call("/v1/contact/list")) },
      "campaign/list": { run: () => dataOf(company.call("/v1/campaign/list")) },
    });
  });

  test("operations beside a gateway", async (t) => {
    const service = await CountedService.start(t, ["api", "gateway"]);
    const operator = await startOperator(t, service);
    const { company, known } = await companyOf(service);
    const { call } = await connected(service.here, await application(service.here), company);
    const text = "Bonjour";
    const sendAll = async () => {
      const count = operator.received.length + MANY;
      await dataOf(company.call("/v1/campaign/create", { contacts: known, text }));
      await until(() => operator.received.length >= count);
    };
    await holdTo(t, service, {
      "third-party-app/sms/send": {
        before: operator.answerAll,
        run: () => dataOf(call("/v1/third-party-app/sms/send", { message: text, contacts: [known[0]] })),
      },
      "campaign/create to one": {
        before: operator.answerAll,
        run: () => dataOf(company.call("/v1/campaign/create", { contacts: [known[0]], text })),
      },
      "auth/otp/get": {
        before: operator.answerAll,
        run: () => dataOf(company.call("/v1/auth/otp/get", { phoneNumber: newPhones(1)[0] })),
      },
      "100 messages settled": {
        before: () => operator.answerAll().then(sendAll),
        run: operator.answerAll,
      },
      "100 receipts applied": {
        before: () => sendAll().then(operator.answerAll),
        run: operator.deliverReceipts,
      },
    });
  });

  test("the commit cycle of the gateway: the bytes that it allocates", async () => {
    const script = join(import.meta.dirname, "allocations.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [...ALLOCATING, script], {
      env: ofThisRun(),
    });
    allocated = Number(stdout);
    const faults = judgeAllocated(allocated);
    if (!isPrinting) assert.equal(faults.length, 0, `\n${faults.join("\n")}`);
  });

  test("every line of the table", () => {
    assert.deepEqual([...counted].sort(), Object.keys(BUDGET).sort());
  });
});
