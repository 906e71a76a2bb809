// Usage and options of the simulated SMPP operator: `npm run simulator -- --help`.
import { parseArgs } from "node:util";
import { readFaults, readWord, SHARED_ARGUMENTS, sharedOptions } from "./arguments.ts";
import { LOG_BYTES } from "./journal.ts";
import { NO_FAULTS } from "./outcomes.ts";
import type { SimulatorOptions, WrittenIdForm } from "./simulator.ts";

const PORT = 2775;
const FORMS: readonly WrittenIdForm[] = ["hex", "decimal"];

export const SMPP_USAGE = `An SMSC on a real socket that speaks SMPP 3.3, 3.4 and 5.0, for tests and benches.

  npm run simulator -- [options]

  --kind <kind>            smpp, a carrier over HTTP (orange, mtn, africastalking, http) or a phone (phone); --kind <kind> --help (smpp)
  --host <address>         where to listen (127.0.0.1)
  --port <number>          0 takes any free one (${PORT})
  --system-id <text>       the only system_id that may bind (any)
  --password <text>        its password (any)
  --log <file>             log of every accepted message, JSON lines, read back at start (none)
  --log-size <MiB>         a log of this size becomes <file>.1, in place of the one before: at most twice as much is
                           kept, and the inbox and the receipts that are owed are read back from that (${LOG_BYTES / 1024 / 1024})
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

/** Reads the arguments. Throws a `UsageError`, or the error of `parseArgs`, on one that means nothing. */
export function smppOptionsOf(args: string[]): SimulatorOptions {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      ...SHARED_ARGUMENTS,
      "message-id": { type: "string", default: "hex" },
      "receipt-id": { type: "string" },
      "stray-nul": { type: "boolean", default: false },
    },
  });
  const options: SimulatorOptions = {
    ...sharedOptions(values, PORT),
    messageIdForm: readWord("--message-id", values["message-id"], FORMS),
    faults: readFaults(values.fault, NO_FAULTS),
    strayNul: values["stray-nul"],
  };
  if (values["receipt-id"] !== undefined)
    options.receiptIdForm = readWord("--receipt-id", values["receipt-id"], FORMS);
  return options;
}
