// The load of a soak: campaigns of all sizes, one-time passwords and cancels, as fast as the service works them off.
import { setTimeout as wait } from "node:timers/promises";
import { tryCall } from "../process.ts";
import type { Chance } from "../simulation/chance.ts";
import { type Answered, type Company, until } from "../testservice.ts";
import { otpPhone, PREFIX, phoneOf, REGULARS, textOf } from "./messages.ts";

/** Messages a second of all companies together, drawn anew after each send. */
const RATE = { least: 100, most: 250 };
/** With so many credits held nothing is created: the operators are behind. */
const BEHIND_AT = 6_000;
const CONTACTS_AT_MOST = 2_000;
const SINGLE_SHARE = 0.5;
const OTP_SHARE = 0.75;
const CANCELED_SHARE = 0.08;
const REGULAR_SHARE = 0.15;
const ANSWER_LIMIT_MS = 300_000;
const LOOK_MS = 500;
/** These answers say that nothing was done, or that nobody knows it: the request is repeated with its key. */
const PASSING = new Set([
  "server-error",
  "service-unavailable",
  "idempotency-in-progress",
  "too-many-requests",
]);

type LoadOptions = {
  companies: readonly Company[];
  chance: Chance;
  /** The address of the interface at the moment. */
  urlNow: () => string;
  /** The credits that are held now. */
  held: () => Promise<number>;
};

export class Load {
  /** The ids of the campaigns whose creation was answered. */
  readonly acknowledged = new Set<string>();
  readonly canceled = new Set<string>();
  /** The phones of the one-time passwords whose sending was answered. */
  readonly otps = new Set<string>();
  /** Answers that this load must never get. */
  readonly refusals: string[] = [];
  messages = 0;
  readonly #options: LoadOptions;
  readonly #stopping = new AbortController();
  readonly #loops: Promise<unknown>;
  #token = 0;
  #phone = REGULARS;
  #isBehind = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#loops = Promise.all([...options.companies.map((company) => this.#send(company)), this.#look()]);
    // `stop()` says what failed, and no other.
    this.#loops.catch(() => this.#stopping.abort());
  }

  /** Resolves when all requests are answered. Rejects if one never was. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loops;
  }

  get #isOver(): boolean {
    return this.#stopping.signal.aborted;
  }

  #pause(ms: number): Promise<void> {
    return wait(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  async #look(): Promise<void> {
    while (!this.#isOver) {
      this.#isBehind = (await this.#options.held()) > BEHIND_AT;
      await this.#pause(LOOK_MS);
    }
  }

  async #send(company: Company): Promise<void> {
    const { chance, companies } = this.#options;
    while (!this.#isOver) {
      const count = this.#isBehind ? 0 : await this.#sendOne(company);
      const perSecond = chance.between(RATE.least, RATE.most) / companies.length;
      await this.#pause(count === 0 ? LOOK_MS : (count / perSecond) * 1_000);
    }
  }

  /** Creates a campaign or sends a one-time password. Returns the number of messages. */
  async #sendOne(company: Company): Promise<number> {
    const { chance } = this.#options;
    const token = ++this.#token;
    if (chance.happens(OTP_SHARE)) {
      const phoneNumber = otpPhone(token);
      if (await this.#call(company, token, "/v1/auth/otp/get", { phoneNumber })) this.otps.add(phoneNumber);
      this.messages++;
      return 1;
    }
    const contacts = this.#contacts();
    const body = { contacts, text: textOf(token, chance) };
    const made = await this.#call(company, token, "/v1/campaign/create", body);
    if (!made) return contacts.length;
    const { id } = made.data;
    this.acknowledged.add(id);
    this.messages += contacts.length;
    if (contacts.length > 1 && chance.happens(CANCELED_SHARE)) {
      this.canceled.add(id);
      await this.#pause(chance.between(0, 2_000));
      // It may be too late to cancel anything.
      await tryCall(`${this.#options.urlNow()}/v1/campaign/${id}/cancel`, credentialsOf(company));
    }
    return contacts.length;
  }

  #contacts(): string[] {
    const { chance } = this.#options;
    const most = chance.happens(SINGLE_SHARE) ? 1 : CONTACTS_AT_MOST;
    const count = Math.floor(Math.exp(chance.between(0, Math.log(most + 1))));
    const prefix = chance.of([PREFIX.single, PREFIX.several]);
    if (chance.happens(REGULAR_SHARE)) {
      const first = chance.int(0, REGULARS - 1);
      return Array.from({ length: count }, (_, at) => phoneOf(prefix, (first + at) % REGULARS));
    }
    return Array.from({ length: count }, () => phoneOf(prefix, this.#phone++));
  }

  /** Asks with one idempotency key until there is an answer. Undefined, and noted, if that is a refusal. */
  async #call(company: Company, token: number, path: string, body: object): Promise<Answered | undefined> {
    const wanted = { ...credentialsOf(company), ...body, idempotencyKey: `soak-${token}` };
    const answer = await until(async () => {
      const found = await tryCall(this.#options.urlNow() + path, wanted);
      return found && (found.success || !PASSING.has(found.error!)) && found;
    }, ANSWER_LIMIT_MS);
    if (answer.success) return answer;
    this.refusals.push(`${path} was refused: ${answer.error}`);
    return undefined;
  }
}

function credentialsOf({ apiKey, companyId }: Company) {
  return { apiKey, companyId };
}
