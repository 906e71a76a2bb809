// The simulated operator as a command: `npm run simulator -- --help`.
import { parseArgs } from "node:util";
import { LOG_BYTES } from "./journal.ts";
import { NO_FAULTS } from "./outcomes.ts";
import { type SimulatorOptions, startSimulator, type WrittenIdForm } from "./simulator.ts";

const MIB = 1024 * 1024;

const USAGE = `An SMSC on a real socket that speaks SMPP 3.3, 3.4 and 5.0, for tests and benches.

  npm run simulator -- [options]

  --host <address>         where to listen (127.0.0.1)
  --port <number>          0 takes any free one (2775)
  --system-id <text>       the only system_id that may bind (any)
  --password <text>        its password (any)
  --log <file>             log of every accepted message, JSON lines, read back at start (none)
  --log-size <MiB>         a log of this size becomes <file>.1, in place of the one before: at most twice as much is
                           kept, and the inbox and the receipts that are owed are read back from that (${LOG_BYTES / MIB})
  --rate <number>          messages a second, more are answered ESME_RTHROTTLED (no limit)
  --latency <ms>           from a submit_sm to its answer (0)
  --window <number>        unanswered submit_sm of a session, more are answered ESME_RMSGQFUL (no limit)
  --no-receipts            never send a receipt
  --receipt-delay <ms>     from acceptance to receipt (0)
  --message-id <form>      hex or decimal (hex)
  --receipt-id <form>      the form in receipts, when it differs
  --fault <name>=<n>       strikes every n-th message; may be given more than once:
                           ${Object.keys(NO_FAULTS).join(", ")}
  --stray-nul              ends every PDU with one NUL too many
  --quiet-sink             for benches: no log, no inbox, no receipts, as fast as it goes
  --help

The last four digits of a destination choose what happens to it:
  0001 refused (ESME_RINVDSTADR)    0002 accepted, receipt UNDELIV    0003 accepted, no receipt
  0004 throttled twice, then taken  0005 receipt after 5 s            0006 receipt EXPIRED
  any other: delivered at once

Prints its counts as one line of JSON on SIGUSR2 and at the end; SIGTERM and SIGINT stop it.
`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    host: { type: "string", default: "127.0.0.1" },
    port: { type: "string", default: "2775" },
    "system-id": { type: "string" },
    password: { type: "string" },
    log: { type: "string" },
    "log-size": { type: "string", default: String(LOG_BYTES / MIB) },
    rate: { type: "string" },
    latency: { type: "string", default: "0" },
    window: { type: "string" },
    receipts: { type: "boolean", default: true },
    "receipt-delay": { type: "string", default: "0" },
    "message-id": { type: "string", default: "hex" },
    "receipt-id": { type: "string" },
    fault: { type: "string", multiple: true, default: [] },
    "stray-nul": { type: "boolean", default: false },
    "quiet-sink": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function refuseUsage(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}

function numberOf(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) refuseUsage(`${name} takes a whole number, not "${text}"`);
  return Number(text);
}

function formOf(name: string, text: string): WrittenIdForm {
  return text === "hex" || text === "decimal"
    ? text
    : refuseUsage(`${name} is hex or decimal, not "${text}"`);
}

function faultsOf(texts: string[]): SimulatorOptions["faults"] & object {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = "", every = ""] = text.split("=");
      if (!Object.hasOwn(NO_FAULTS, name)) refuseUsage(`there is no fault "${name}"`);
      return [name, numberOf(`--fault ${name}`, every)];
    }),
  );
}

function optionsOf(): SimulatorOptions {
  const quiet = values["quiet-sink"];
  const options: SimulatorOptions = {
    host: values.host,
    port: numberOf("--port", values.port),
    latencyMs: numberOf("--latency", values.latency),
    receiptDelayMs: numberOf("--receipt-delay", values["receipt-delay"]),
    receipts: values.receipts && !quiet,
    inbox: !quiet,
    logBytes: Math.max(1, numberOf("--log-size", values["log-size"])) * MIB,
    messageIdForm: formOf("--message-id", values["message-id"]),
    faults: faultsOf(values.fault),
    strayNul: values["stray-nul"],
  };
  if (values["system-id"] !== undefined) options.systemId = values["system-id"];
  if (values.password !== undefined) options.password = values.password;
  if (values.log !== undefined && !quiet) options.logFile = values.log;
  if (values.rate !== undefined) options.ratePerSecond = numberOf("--rate", values.rate);
  if (values.window !== undefined) options.window = numberOf("--window", values.window);
  if (values["receipt-id"] !== undefined)
    options.receiptIdForm = formOf("--receipt-id", values["receipt-id"]);
  return options;
}

if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const simulator = await startSimulator(optionsOf());
const printCounts = () => process.stdout.write(`${JSON.stringify(simulator.stats())}\n`);
const stop = async () => {
  await simulator.stop();
  printCounts();
};
process.on("SIGUSR2", printCounts);
process.once("SIGTERM", stop);
process.once("SIGINT", stop);
process.stdout.write(`simulated operator on ${simulator.host}:${simulator.port}\n`);
