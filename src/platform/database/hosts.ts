// The URL of a database, which may name several servers as in libpq: `postgres://user:password@one:5432,two:5432/name`.
import { cutName } from "../http/body.ts";

/** An unusable URL. The message follows the name of its variable, and never contains a password. */
export class BadAddress extends Error {
  override name = "BadAddress";
}

// The required server, by names of libpq's `target_session_attrs`. The service writes, so others are unsupported.
const TARGETS = ["read-write", "primary", "any"] as const;
type Target = (typeof TARGETS)[number];

// The supported parameters of a URL: those that our connections obey, and libpq's timing parameters. Any other one
// would be ignored, and with `sslMode=verify-full` a password would be sent in clear text.
const OBEYED = ["host", "port", "user", "password", "db", "encoding", "client_encoding", "options"];
const OF_TLS = ["ssl", "sslmode", "sslcert", "sslkey", "sslrootcert", "sslnegotiation", "uselibpqcompat"];
const OF_TIMING = [
  ...["connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count"],
  ...["tcp_user_timeout", "load_balance_hosts", "application_name", "fallback_application_name"],
  ...["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "query_timeout"],
];
const PARAMETERS = [...OBEYED, ...OF_TLS, ...OF_TIMING, "target_session_attrs"];
const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

const HOSTS_AT_MOST = 16;
const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const SEVERAL = "postgres://user:password@host1:5432,host2:5432/database";

/** The servers of a URL, of which one is tried at a time. */
export class Hosts {
  readonly #addresses: readonly string[];
  readonly #target: Target;
  #at = 0;

  /** Parses a URL of one server or several. Throws `BadAddress`. */
  constructor(url: string) {
    this.#addresses = addressesOf(url);
    const parameters = new URL(this.address).searchParams;
    refuseUnknown(parameters);
    this.#target = targetOf(parameters);
  }

  get count(): number {
    return this.#addresses.length;
  }

  /** The URL of the server that the next connection tries: the one that answered last, or else the first. */
  get address(): string {
    return this.#addresses[this.#at]!;
  }

  /** Makes the next connection try the next server, unless another one than `address` is current already. */
  leave(address: string): void {
    if (address === this.address) this.#at = (this.#at + 1) % this.count;
  }

  /** Whether a server in this state is suitable. PostgreSQL 14 and later report it when a session becomes ready. */
  suits({ isStandby, isReadOnly }: { isStandby: boolean; isReadOnly: boolean }): boolean {
    if (this.#target === "any") return true;
    return !isStandby && !(this.#target === "read-write" && isReadOnly);
  }
}

function addressesOf(url: string): string[] {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(url)) throw new BadAddress("is not a URL");
  const [, scheme, user, list, rest] = PARTS.exec(url) ?? [];
  if (!scheme || list === undefined) throw new BadAddress("must start with postgres:// or postgresql://");
  const hosts = list.split(",");
  if (hosts.length > HOSTS_AT_MOST) throw new BadAddress(`names more than ${HOSTS_AT_MOST} hosts`);
  return hosts.map((host) => {
    const address = `${scheme}${user}${host}${rest}`;
    if (!URL.canParse(address)) throw new BadAddress("is not a URL");
    if (host === "" && hosts.length > 1) throw new BadAddress(`has an empty host: write ${SEVERAL}`);
    return address;
  });
}

function refuseUnknown(parameters: URLSearchParams): void {
  const mode = parameters.get("sslmode");
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new BadAddress(`has an sslmode that is not one of ${SSL_MODES.join(", ")}`);
  const names = [...parameters.keys()];
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new BadAddress(`has the parameter ${cutName(twice)} twice`);
  const unknown = names.find((name) => !PARAMETERS.includes(name));
  if (unknown === undefined) return;
  const meant = PARAMETERS.find((known) => known === unknown.toLowerCase());
  const hint = meant ? ` (did you mean ${meant}?)` : "";
  throw new BadAddress(`has the parameter ${cutName(unknown)}, which is not supported${hint}`);
}

function targetOf(parameters: URLSearchParams): Target {
  for (const name of ["host", "port"])
    if (parameters.get(name)?.includes(","))
      throw new BadAddress(`has several in ${name}=: write ${SEVERAL}`);
  const wanted = parameters.get("target_session_attrs") ?? "read-write";
  const target = TARGETS.find((known) => known === wanted);
  if (!target) throw new BadAddress(`has a target_session_attrs that is not one of ${TARGETS.join(", ")}`);
  return target;
}
