// Usage and options of the simulated phone: `npm run simulator -- --kind phone --help`.
import { parseArgs } from "node:util";
import { UsageError } from "./arguments.ts";
import { type PhoneOptions, SimulatedPhone, type Sms } from "./phone.ts";

export const PHONE_USAGE = `A phone with the app SMSGate, which pairs with the service as an operator of kind "phone".

  npm run simulator -- --kind phone --url <API URL> --token <Private token> [--name <text>]

  --url <url>       the API URL of the pairing, such as http://127.0.0.1:8080/v1/phone
  --token <text>    its private token, which pairs one phone

The last four digits of a destination choose what happens to it:
  0001 refused by the SIM card      0002 sent, not delivered          0003 sent, no receipt
  0004 no network                   0005 fetched, never reported      any other: delivered

Prints its counts as one line of JSON on SIGUSR2 and at the end; SIGTERM and SIGINT stop it.
`;

/** Reads the arguments. Throws a `UsageError`, or the error of `parseArgs`, on one that means nothing. */
export function phoneOptionsOf(args: string[]): PhoneOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args,
    options: { kind: text, url: text, token: text, name: { ...text, default: "simulated/phone" } },
  });
  const { url = "", token = "", name } = values;
  if (!URL.canParse(url)) throw new UsageError("--url takes the API URL of the pairing");
  if (token === "") throw new UsageError("--token takes the private token of the pairing");
  return { apiUrl: url.replace(/\/$/, ""), privateToken: token, name };
}

/** Pairs a simulated phone, and starts it. `say` gets a line for each SMS that it sends. */
export async function startPhone(options: PhoneOptions, say: (line: string) => void) {
  const onSent = ({ to, text }: Sms) => say(`SMS to ${to}: ${text}`);
  const phone = new SimulatedPhone({ ...options, onSent });
  await phone.register();
  phone.start();
  return {
    started: `simulated phone, paired at ${options.apiUrl}`,
    stats: () => phone.stats(),
    stop: () => phone.stop(),
  };
}
