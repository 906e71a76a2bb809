// Configuration: the environment, parsed once into a typed value.
import { BlockList, isIP } from "node:net";
import { readBrands, readCountries, readList } from "./configlists.ts";
import { BadAddress, Hosts } from "./database/hosts.ts";
import { isRange } from "./http/networks.ts";
import { type Limits, limits, type Settings, settings } from "./limits/limits.ts";
import { ADMIN_KEY, type Keys, MASTER_KEY_CHARACTERS_AT_LEAST } from "./secrets/secrets.ts";
import { readSecret } from "./secrets/sources.ts";
import { readTraces, type TraceSettings } from "./tracesettings.ts";

/** A configuration that cannot work. The message is one line for the person who starts the service. */
export class BadConfiguration extends Error {
  override name = "BadConfiguration";
}

export const PROCESS_ROLES = ["api", "worker", "gateway"] as const;
export type Role = (typeof PROCESS_ROLES)[number];

const SIGNUPS = ["off", "review", "on"] as const;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

export type Config = {
  readonly host: string;
  readonly port: number;
  /** A listener with only the probes and metrics, for the machines that monitor this one. */
  readonly probes: { readonly host: string; readonly port: number } | undefined;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Addresses of the reverse proxy whose X-Forwarded-* headers are trusted. */
  readonly trustProxy: string[] | undefined;
  /** Whether other machines reach the listener over plain HTTP. It then refuses requests not marked as HTTPS. */
  readonly refusePlainHttp: boolean;
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** The URL of the owner of the tables, which runs the migrations. Without it `databaseUrl` does. */
  readonly databaseOwnerUrl: string | undefined;
  readonly roles: ReadonlySet<Role>;
  /** Keys from the environment. Without them the installation stores its own in DATA_DIR. */
  readonly keys: Keys | undefined;
  readonly defaultSender: string;
  readonly simulator: boolean;
  readonly demo: boolean;
  readonly webhookAllowCidrs: string[];
  /** Addresses beyond the public ones that carriers over HTTP may have. */
  readonly carrierAllowCidrs: string[];
  /** Brands in addition to those of `sms/brands.ts`: sender names that resemble one are shown to the reviewer. */
  readonly brands: string[];
  /** The countries (ISO 3166) that companies reach beside their own unless they choose others. Null: all. */
  readonly countries: readonly string[] | null;
  /** The credits that one administrator may grant alone in 24 hours; more needs a second one. 0: no limit. */
  readonly grantLimit: number;
  /** The number of a company's first large campaigns that are held for review by an administrator. 0: none. */
  readonly holdFirstCampaigns: number;
  /** Whether people may create companies themselves; `review`: on trial until their first sender is accepted. */
  readonly signup: (typeof SIGNUPS)[number];
  /** Whether the service notifies people of decisions on their senders and of declined campaigns, at its own cost. */
  readonly senderNotices: boolean;
  /** The token that opens /metrics and nothing else. Without it only the administrator's key opens it. */
  readonly metricsToken: string | undefined;
  readonly paymentWebhookSecret: string | undefined;
  /** A code of ISO 4217. Payments in another currency are refused. Without it the currency is not checked. */
  readonly paymentCurrency: string | undefined;
  /** The secret key of our Paystack account, which also signs its events. Without it there is no Paystack checkout. */
  readonly paystackSecretKey: string | undefined;
  readonly paystackUrl: string;
  /** The payment page of top-ups by the provider `standard`, with {reference}, {amount}, {currency} and {returnUrl}. */
  readonly paymentCheckoutUrl: string | undefined;
  readonly smtpUrl: string | undefined;
  /** The sender address of mails. */
  readonly mailFrom: string;
  /** The months for which message details are kept after the month of their send. 0: forever. */
  readonly retentionMessagesMonths: number;
  /** The days for which the text of a campaign is kept after its last send. 0: forever. */
  readonly retentionTextsDays: number;
  /** The years for which ledger entries are kept. 0: forever. */
  readonly retentionLedgerYears: number;
  /** Where traces are exported; absent: no traces. */
  readonly traces: TraceSettings | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly limits: Limits;
  readonly settings: Settings;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Parses the variables that product.md lists in section 2. Throws `BadConfiguration`. */
export function readConfig(environment: Environment): Config {
  const get = (name: string) => environment[name]?.trim() || undefined;
  const databaseUrl = get("DATABASE_URL");
  const embedded = databaseUrl === undefined;
  if (databaseUrl) checkAddress("DATABASE_URL", databaseUrl);
  const databaseOwnerUrl = get("DATABASE_OWNER_URL");
  if (databaseOwnerUrl) checkAddress("DATABASE_OWNER_URL", databaseOwnerUrl);
  if (databaseOwnerUrl && embedded) bad("DATABASE_OWNER_URL requires DATABASE_URL");
  const tls = readTls(get("TLS_CERT"), get("TLS_KEY"));
  const host = get("HOST") ?? "127.0.0.1";
  const port = readPort("PORT", get("PORT") ?? "8080");
  const keys = readKeys(environment, embedded);
  const metricsToken = readMetricsToken(get("METRICS_TOKEN"), keys?.adminKey);
  const trustProxy = readList(get("TRUST_PROXY"));
  for (const range of trustProxy ?? []) checkRange("TRUST_PROXY", range);
  const publicUrl = readPublicUrl(get("PUBLIC_URL"));
  const open = !tls && !isLoopback(host);
  if (open && !trustProxy) {
    bad(
      `HOST=${host} needs HTTPS: set TLS_CERT and TLS_KEY, or TRUST_PROXY behind a proxy that provides HTTPS`,
    );
  }
  return {
    host,
    port,
    probes: readProbes(get("PROBE_HOST"), get("PROBE_PORT"), { port, metricsToken }),
    tls,
    trustProxy,
    refusePlainHttp: open,
    publicUrl,
    dataDir: get("DATA_DIR") ?? "./data",
    databaseUrl,
    databaseOwnerUrl,
    roles: readRoles(get("ROLES")),
    keys,
    defaultSender: readSenderName(get("DEFAULT_SENDER") ?? "ATUMPAN"),
    simulator: readSwitch("SIMULATOR", get("SIMULATOR"), embedded),
    demo: readSwitch("DEMO", get("DEMO"), embedded),
    webhookAllowCidrs: readCidrs("WEBHOOK_ALLOW_CIDRS", get("WEBHOOK_ALLOW_CIDRS")),
    carrierAllowCidrs: readCidrs(
      "CARRIER_ALLOW_CIDRS",
      get("CARRIER_ALLOW_CIDRS") ?? get("WEBHOOK_ALLOW_CIDRS"),
    ),
    brands: readBrands(get("BRANDS"), bad),
    countries: readCountries(get("COUNTRIES") ?? "all", bad),
    grantLimit: readGrantLimit(get("GRANT_LIMIT") ?? "1000000"),
    holdFirstCampaigns: readFirsts(get("HOLD_FIRST_CAMPAIGNS") ?? "0"),
    signup: readSignup(get("SIGNUP") ?? "review"),
    senderNotices: readSwitch("SENDER_NOTICES", get("SENDER_NOTICES"), true),
    metricsToken,
    paymentWebhookSecret: readWebhookSecret(get("PAYMENT_WEBHOOK_SECRET")),
    paymentCurrency: readCurrency(get("PAYMENT_CURRENCY")),
    paystackSecretKey: secretOf("PAYSTACK_SECRET_KEY", environment),
    paystackUrl: readPaystackUrl(get("PAYSTACK_URL")),
    paymentCheckoutUrl: readCheckoutUrl(get("PAYMENT_CHECKOUT_URL")),
    smtpUrl: readSmtpUrl(get("SMTP_URL")),
    mailFrom: readMailFrom(get("MAIL_FROM"), publicUrl),
    retentionMessagesMonths: readRetention("RETENTION_MESSAGES_MONTHS", get, 13),
    retentionTextsDays: readRetention("RETENTION_TEXTS_DAYS", get, 90),
    retentionLedgerYears: readRetention("RETENTION_LEDGER_YEARS", get, 10),
    traces: readTraces(get, bad),
    logLevel: readLogLevel(get("LOG_LEVEL") ?? "info"),
    limits,
    settings: { ...settings, webhookLifetimeMs: webhookDays(get) * 24 * 3_600_000 },
  };
}

function bad(message: string): never {
  throw new BadConfiguration(message);
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** True if only this machine can reach a listener on this host. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? "ipv6" : "ipv4");
}

function readTls(certFile: string | undefined, keyFile: string | undefined): Config["tls"] {
  if (!certFile !== !keyFile) bad("TLS_CERT and TLS_KEY go together: set both or none");
  return certFile && keyFile ? { certFile, keyFile } : undefined;
}

function readPort(name: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) bad(`${name}=${text} is not a number from 0 to 65535`);
  return port;
}

/** Other machines request the probes over plain HTTP, so ADMIN_KEY must not be needed there. */
function readProbes(
  host = "127.0.0.1",
  text: string | undefined,
  { port: other, metricsToken }: Pick<Config, "port" | "metricsToken">,
): Config["probes"] {
  if (text === undefined) return undefined;
  const port = readPort("PROBE_PORT", text);
  if (port === other && port !== 0) bad(`PROBE_PORT=${text} must differ from PORT`);
  if (!isLoopback(host) && metricsToken === undefined)
    bad(`PROBE_HOST=${host} needs METRICS_TOKEN, because other machines connect to it over plain HTTP`);
  return { host, port };
}

function readRoles(text: string | undefined): ReadonlySet<Role> {
  const names = readList(text) ?? [...PROCESS_ROLES];
  for (const name of names) {
    if (!(PROCESS_ROLES as readonly string[]).includes(name))
      bad(`ROLES: "${name}" is not one of ${PROCESS_ROLES.join(", ")}`);
  }
  return new Set(names as Role[]);
}

function secretOf(name: string, environment: Environment): string | undefined {
  try {
    return readSecret(name, environment);
  } catch (error) {
    bad((error as Error).message);
  }
}

function readKeys(environment: Environment, embedded: boolean): Config["keys"] {
  const masterKey = secretOf("MASTER_KEY", environment);
  const adminKey = secretOf("ADMIN_KEY", environment);
  if (!masterKey !== !adminKey) bad("MASTER_KEY and ADMIN_KEY go together: set both or none");
  const others = readOtherKeys(masterKey, environment);
  if (!masterKey || !adminKey) {
    return embedded ? undefined : bad("MASTER_KEY and ADMIN_KEY are required with DATABASE_URL");
  }
  checkLength("MASTER_KEY", masterKey, MASTER_KEY_CHARACTERS_AT_LEAST);
  if (!ADMIN_KEY.test(adminKey)) bad('ADMIN_KEY must be "adm_" and 16 to 196 characters');
  return { masterKey, adminKey, ...others };
}

/** Returns the other master key while `MASTER_KEY` is being rotated. */
function readOtherKeys(masterKey: string | undefined, environment: Environment): Partial<Keys> {
  const oldMasterKey = secretOf("MASTER_KEY_OLD", environment);
  const nextMasterKey = secretOf("MASTER_KEY_NEXT", environment);
  if (oldMasterKey && nextMasterKey) bad("MASTER_KEY_OLD and MASTER_KEY_NEXT cannot both be set");
  const name = oldMasterKey ? "MASTER_KEY_OLD" : "MASTER_KEY_NEXT";
  const other = oldMasterKey ?? nextMasterKey;
  if (other === undefined) return {};
  if (!masterKey) bad(`${name} requires MASTER_KEY`);
  checkLength(name, other, MASTER_KEY_CHARACTERS_AT_LEAST);
  if (other === masterKey) bad(`${name} is the same as MASTER_KEY`);
  return oldMasterKey ? { oldMasterKey } : { nextMasterKey };
}

function checkLength(name: string, secret: string, atLeast: number): void {
  if (secret.length < atLeast) bad(`${name} needs at least ${atLeast} characters`);
}

function readMetricsToken(text: string | undefined, adminKey: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!/^[!-~]{20,200}$/.test(text)) bad("METRICS_TOKEN must be 20 to 200 ASCII characters without spaces");
  if (text === adminKey) bad("METRICS_TOKEN must differ from ADMIN_KEY");
  return text;
}

function readSenderName(text: string): string {
  if (!/^[A-Za-z0-9]{3,11}$/.test(text)) bad(`DEFAULT_SENDER=${text} is not 3 to 11 letters and digits`);
  return text;
}

function readSwitch(name: string, text: string | undefined, fallback: boolean): boolean {
  if (text !== undefined && text !== "on" && text !== "off") bad(`${name}=${text} is neither on nor off`);
  return text === undefined ? fallback : text === "on";
}

function readPublicUrl(text: string | undefined): string | undefined {
  if (text) checkUrl("PUBLIC_URL", text, ["http:", "https:"]);
  return text?.replace(/\/+$/, "");
}

function readSmtpUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  checkUrl("SMTP_URL", text, ["smtp:", "smtps:"]);
  const url = new URL(text);
  if (url.hostname === "") bad("SMTP_URL names no host");
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    bad("SMTP_URL: write a % in the user or password as %25");
  }
  return text;
}

function readMailFrom(text: string | undefined, publicUrl: string | undefined): string {
  if (text === undefined) return `atumpan@${domainOf(publicUrl)}`;
  if (!/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}$/.test(text))
    bad("MAIL_FROM is not an address like atumpan@example.org");
  return text;
}

/** The domain of mail addresses for a service at this URL. A bare IP address is in brackets (RFC 5321, 4.1.3). */
function domainOf(publicUrl: string | undefined): string {
  const host = publicUrl === undefined ? "localhost" : new URL(publicUrl).hostname;
  if (host.startsWith("[")) return `[IPv6:${host.slice(1)}`;
  return isIP(host) ? `[${host}]` : host;
}

/** Refuses a database URL that cannot be parsed. It may name several hosts. */
function checkAddress(name: string, text: string): void {
  try {
    new Hosts(text);
  } catch (error) {
    if (!(error instanceof BadAddress)) throw error;
    bad(`${name} ${error.message}`);
  }
}

function checkUrl(name: string, text: string, protocols: string[]): void {
  // The value may contain a password, so the message contains only the variable's name.
  const url = URL.canParse(text) ? new URL(text) : bad(`${name} is not a URL`);
  if (!protocols.includes(url.protocol)) bad(`${name} must start with ${protocols.join("// or ")}//`);
}

function readCidrs(name: string, text: string | undefined): string[] {
  const ranges = readList(text) ?? [];
  for (const range of ranges) checkRange(name, range);
  return ranges;
}

function checkRange(name: string, range: string): void {
  if (!isRange(range)) bad(`${name}: "${range}" is not an address or range like 10.0.0.0/8`);
}

function readFirsts(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= 100)) bad(`HOLD_FIRST_CAMPAIGNS=${text} is not a number from 0 to 100`);
  return count;
}

function readSignup(text: string): Config["signup"] {
  const signup = SIGNUPS.find((known) => known === text);
  return signup ?? bad(`SIGNUP=${text} is not one of ${SIGNUPS.join(", ")}`);
}

/** Anyone who guesses the secret can create credits. */
const WEBHOOK_SECRET_CHARACTERS_AT_LEAST = 20;

function readWebhookSecret(text: string | undefined): string | undefined {
  if (text !== undefined) checkLength("PAYMENT_WEBHOOK_SECRET", text, WEBHOOK_SECRET_CHARACTERS_AT_LEAST);
  return text;
}

function readCurrency(text: string | undefined): string | undefined {
  if (text && !/^[A-Z]{3}$/.test(text))
    bad(`PAYMENT_CURRENCY=${text} is not three capital letters, like XOF`);
  return text;
}

function readPaystackUrl(text = "https://api.paystack.co"): string {
  checkUrl("PAYSTACK_URL", text, ["http:", "https:"]);
  return text.replace(/\/+$/, "");
}

function readCheckoutUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  checkUrl("PAYMENT_CHECKOUT_URL", text.replace(/[{}]/g, ""), ["http:", "https:"]);
  if (!text.includes("{reference}"))
    bad("PAYMENT_CHECKOUT_URL must contain {reference}, which identifies the payment");
  return text;
}

/** Longer than the life of any installation. */
const FOR_EVER_DAYS = 36_500;

function webhookDays(get: (name: string) => string | undefined): number {
  return readRetention("RETENTION_WEBHOOKS_DAYS", get, 30) || FOR_EVER_DAYS;
}

function readGrantLimit(text: string): number {
  const limit = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(limit)) bad(`GRANT_LIMIT=${text} is not a whole number of credits, or 0`);
  return limit;
}

const RETENTION_AT_MOST = 1_200;

/** Returns a retention period, in the unit that the name gives; 0: forever. */
function readRetention(name: string, get: (name: string) => string | undefined, fallback: number): number {
  const text = get(name) ?? `${fallback}`;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= RETENTION_AT_MOST)) bad(`${name}=${text} is not a number from 0 to ${RETENTION_AT_MOST}`);
  return count;
}

function readLogLevel(text: string): Config["logLevel"] {
  const level = LOG_LEVELS.find((known) => known === text);
  return level ?? bad(`LOG_LEVEL=${text} is not one of ${LOG_LEVELS.join(", ")}`);
}
