// Usage and options of the simulated HTTP carriers: `npm run simulator -- --kind http --help`.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  readFaults,
  readWholeNumber,
  readWord,
  SHARED_ARGUMENTS,
  sharedOptions,
  UsageError,
} from "../arguments.ts";
import { NO_HTTP_FAULTS } from "./scripts.ts";
import type { HttpCarrierKind, HttpCarrierOptions } from "./server.ts";
import { type SignatureForm, signatureFormOf } from "./signing.ts";

const PORT = 8085;

export const HTTP_USAGE = `A carrier over HTTP on a real socket, for tests and benches.

  npm run simulator -- --kind orange|mtn|africastalking|http [options]

  orange   Orange SMS Africa & Middle East 2.0: POST /oauth/v3/token,
           POST /smsmessaging/v1/outbound/{sender}/requests, GET /sms/admin/v1/contracts
  mtn      MTN SMS v3: POST /v1/oauth/access_token, POST /v3/sms/messages/sms/outbound, .../subscription; or v2:
           POST /v2/messages/sms/outbound, .../{sender}/subscription, GET .../{sender}/{requestId}/deliveryStatus
  africastalking
           Africa's Talking: POST /version1/messaging as a form, GET /version1/user?username=
  http     a provider: GET or POST /send, as query, form or JSON, with to, from, text, id, key and receiptUrl;
           it answers {"status":"ok","id":"2796192000000000001"}, or {"status":"error","code":…} with bad-number and
           no-text (400), bad-key (401), too-fast (429) or busy (200); GET /status?id= tells the final state; receipts: {"type":"receipt","id":…,"clientId":…,"to":…,"from":…,"status":…,"error":…,"at":…} with
           sent, delivered, failed, expired, rejected or unknown; messages: {"type":"inbound","id","from","to","text"}

  --host, --port (${PORT}), --log, --log-size, --rate, --latency, --no-receipts, --receipt-delay, --quiet-sink
                           as for --kind smpp; more than --rate is answered 429
  --system-id <text>       the only client id, or the username of --kind africastalking (any)
  --password <text>        its secret, or the key of --kind http and africastalking (any)
  --window <number>        unanswered messages, more are answered 429 (no limit)
  --receipt-url <url>      where receipts go, unless the request or a subscription says it (none: no receipts)
  --inbound-url <url>      where messages of handsets go
  --duplicates <how>       accept, reject, or same: a client id that was accepted before is accepted again, refused, or
                           answered as the first time (accept)
  --idempotent             --duplicates same
  --tls-cert <file>        HTTPS with this certificate and key, in PEM
  --tls-key <file>
  --http2                  HTTP/2 too (needs a certificate)
  --fault <name>=<n>       strikes every n-th message; may be given more than once:
                           ${Object.keys(NO_HTTP_FAULTS).slice(0, 10).join(", ")},
                           ${Object.keys(NO_HTTP_FAULTS).slice(10).join(", ")}
  --late-ms <ms>           the delay of the fault late (5000)

  orange, mtn:
  --token-life <s>         the life of a token (3600; mtn 3599)
  orange, africastalking:
  --units <number>         parts that the contract or the balance pays for (no limit)
  orange:
  --country <code>         the calling code that it reaches (225)
  --sender-address <tel>   messages from another one are accepted and reach nobody (tel:+2250000)
  --contract-ended         the contract has expired
  --correlator <id>        receipts carry the id of the answer or the request's clientCorrelator: resource, client
  mtn:
  --api <version>          v3, v2 (answers 201), or v2-migrated (answers 200 in the form of v3, as Côte d'Ivoire does) (v3)
  --vocabulary <name>      the words of receipts: v3 or v2 as documented, wire as seen by clients (those of the version)
  africastalking:
  --sender-id <name>       the only registered sender (any)
  http:
  --receipt-form <form>    get, form or json (json)
  --sign-key <key>         signs callbacks in X-Signature
  --sign-as <form>         sha1, sha256 or sha512, hex or base64, body, time-body or url-params (sha256-hex-body)
  --numeric-ids            ids are numbers in JSON

The last four digits of a destination choose what happens to it:
  0001 refused                      0002 accepted, receipt: failed    0003 accepted, no receipt
  0004 throttled twice, then taken  0005 receipt after 5 s            0006 receipt: expired
  0007 failed, then delivered       0008 receipt: unknown             0009 sent, then delivered
  any other: delivered at once
  africastalking: 0401 to 0407, 0409 and 0500 to 0502 reject the recipient with that code; 0008 has no receipt

Prints its counts as one line of JSON on SIGUSR2 and at the end; SIGTERM and SIGINT stop it.
`;

const HTTP_ARGUMENTS = {
  ...SHARED_ARGUMENTS,
  "receipt-url": { type: "string" },
  "inbound-url": { type: "string" },
  duplicates: { type: "string", default: "accept" },
  idempotent: { type: "boolean", default: false },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  http2: { type: "boolean", default: false },
  "late-ms": { type: "string" },
} as const;

const TOKEN_ARGUMENTS = { ...HTTP_ARGUMENTS, "token-life": { type: "string" } } as const;

/** Reads the arguments. Throws a `UsageError`, or the error of `parseArgs`, on one that means nothing. */
export function httpOptionsOf(kind: HttpCarrierKind, args: string[]): HttpCarrierOptions {
  if (kind === "orange") return orangeOptions(args);
  if (kind === "mtn") return mtnOptions(args);
  return kind === "africastalking" ? africasTalkingOptions(args) : providerOptions(args);
}

function orangeOptions(args: string[]): HttpCarrierOptions {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      ...TOKEN_ARGUMENTS,
      country: { type: "string" },
      "sender-address": { type: "string" },
      units: { type: "string" },
      "contract-ended": { type: "boolean", default: false },
      correlator: { type: "string", default: "resource" },
    },
  });
  const options: HttpCarrierOptions = {
    ...httpOptions("orange", values),
    ...tokenOptions(values["token-life"]),
    contractEnded: values["contract-ended"],
    correlator: readWord("--correlator", values.correlator, ["resource", "client"]),
  };
  if (values.country !== undefined) options.country = String(readWholeNumber("--country", values.country));
  if (values["sender-address"] !== undefined) options.senderAddress = values["sender-address"];
  if (values.units !== undefined) options.units = readWholeNumber("--units", values.units);
  return options;
}

function mtnOptions(args: string[]): HttpCarrierOptions {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      ...TOKEN_ARGUMENTS,
      api: { type: "string", default: "v3" },
      vocabulary: { type: "string" },
    },
  });
  const options: HttpCarrierOptions = {
    ...httpOptions("mtn", values),
    ...tokenOptions(values["token-life"]),
    api: readWord("--api", values.api, ["v3", "v2", "v2-migrated"]),
  };
  if (values.vocabulary !== undefined)
    options.vocabulary = readWord("--vocabulary", values.vocabulary, ["v3", "v2", "wire"]);
  return options;
}

function africasTalkingOptions(args: string[]): HttpCarrierOptions {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: { ...HTTP_ARGUMENTS, units: { type: "string" }, "sender-id": { type: "string" } },
  });
  const options = httpOptions("africastalking", values);
  if (values.units !== undefined) options.units = readWholeNumber("--units", values.units);
  if (values["sender-id"] !== undefined) options.senderId = values["sender-id"];
  return options;
}

function providerOptions(args: string[]): HttpCarrierOptions {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      ...HTTP_ARGUMENTS,
      "receipt-form": { type: "string", default: "json" },
      "sign-key": { type: "string" },
      "sign-as": { type: "string", default: "sha256-hex-body" },
      "numeric-ids": { type: "boolean", default: false },
    },
  });
  const options: HttpCarrierOptions = {
    ...httpOptions("http", values),
    receiptForm: readWord("--receipt-form", values["receipt-form"], ["get", "form", "json"]),
    signature: readSignature(values["sign-as"]),
    numericIds: values["numeric-ids"],
  };
  if (values["sign-key"] !== undefined) options.signKey = values["sign-key"];
  return options;
}

type HttpValues = ReturnType<typeof parseArgs<{ options: typeof HTTP_ARGUMENTS }>>["values"];

function httpOptions(kind: HttpCarrierKind, values: HttpValues): HttpCarrierOptions {
  const duplicates = values.idempotent ? "same" : values.duplicates;
  const options: HttpCarrierOptions = {
    kind,
    ...sharedOptions(values, PORT),
    faults: readFaults(values.fault, NO_HTTP_FAULTS),
    duplicates: readWord("--duplicates", duplicates, ["accept", "reject", "same"]),
    ...readTls(values),
  };
  if (values["receipt-url"] !== undefined)
    options.receiptUrl = readUrl("--receipt-url", values["receipt-url"]);
  if (values["inbound-url"] !== undefined)
    options.inboundUrl = readUrl("--inbound-url", values["inbound-url"]);
  if (values["late-ms"] !== undefined) options.lateMs = readWholeNumber("--late-ms", values["late-ms"]);
  return options;
}

function tokenOptions(seconds: string | undefined): Pick<HttpCarrierOptions, "tokenLifeMs"> {
  return seconds === undefined ? {} : { tokenLifeMs: readWholeNumber("--token-life", seconds) * 1000 };
}

function readTls({ "tls-cert": cert, "tls-key": key, http2 }: HttpValues): Pick<HttpCarrierOptions, "tls"> {
  if (cert === undefined && key === undefined && !http2) return {};
  if (cert === undefined || key === undefined) throw new UsageError("TLS takes --tls-cert and --tls-key");
  return { tls: { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8"), http2 } };
}

function readUrl(name: string, text: string): string {
  if (!URL.canParse(text)) throw new UsageError(`${name} takes a URL, not "${text}"`);
  return text;
}

function readSignature(text: string): SignatureForm {
  const form = signatureFormOf(text);
  if (form === undefined) throw new UsageError(`--sign-as has no form "${text}"`);
  return form;
}
