// Mixed requests of many companies for a time, from connections in a closed loop. It runs in the process of the load.
import type { Book } from "./companies.ts";
import { drive, postOf, type Talk } from "./http.ts";
import { codePhoneOf, phoneOf, TEXT } from "./messages.ts";
import { spreadOf } from "./numbers.ts";
import { now } from "./sink.ts";

const CAMPAIGN_CONTACTS = 100;
/** How many contacts of a mixed campaign are new. */
const NEW_OF_MIXED = 10;
/** Contacts are taken from a book in steps of this. It has no factor in common with the size of a book. */
const STEP = 7;

type Asked = { path: string; body: object; messages: number };
/** One request about to be made: the n-th, for the company of this book. */
type Turn = { n: number; book: Book; newPhones: (count: number) => string[] };

const kinds = {
  single: ({ book, n }: Turn) => campaignTo(knownPhones(book, n, 1)),
  campaign: ({ book, n, newPhones }: Turn) =>
    campaignTo([...knownPhones(book, n, CAMPAIGN_CONTACTS - NEW_OF_MIXED), ...newPhones(NEW_OF_MIXED)]),
  knownCampaign: ({ book, n }: Turn) => campaignTo(knownPhones(book, n, CAMPAIGN_CONTACTS)),
  newCampaign: ({ newPhones }: Turn) => campaignTo(newPhones(CAMPAIGN_CONTACTS)),
  campaignList: () => asked("/v1/campaign/list", {}),
  contactList: () => asked("/v1/contact/list", {}),
  contact: ({ newPhones }: Turn) => asked("/v1/contact/create", { contacts: contactsOf(newPhones(1)) }),
  code: ({ n }: Turn) => asked("/v1/auth/otp/get", { phoneNumber: codePhoneOf(n) }, 1),
} satisfies Record<string, (turn: Turn) => Asked>;

export type Kind = keyof typeof kinds;

export type Mix = {
  port: number;
  books: readonly Book[];
  /** The requests take these in turns. */
  kinds: readonly Kind[];
  seconds: number;
  connections: number;
  /** The phones for new contacts, by number. */
  phones: { first: number; count: number };
};

export type Times = { count: number; p50: number; p99: number; most: number };

export type Report = {
  endedAt: number;
  /** Messages in accepted requests. */
  accepted: number;
  requests: number;
  /** Answers with `Retry-After`: nothing was accepted, and the connection waited. */
  deferred: number;
  /** Milliseconds from a request to its answer, of those that were not deferred. */
  times: Times;
  timesOf: Partial<Record<Kind, Times>>;
  refusal?: string;
};

/** Requests under way until their time is over, or one is refused without `Retry-After`. */
export class Mixing {
  readonly startedAt = now();
  accepted = 0;
  readonly #mix: Mix;
  readonly #done: Promise<unknown>;
  readonly #times = new Map<Kind, number[]>();
  #requests = 0;
  #phones = 0;
  #deferred = 0;
  #refusal: string | undefined;

  constructor(mix: Mix) {
    this.#mix = mix;
    this.#done = Promise.all(Array.from({ length: mix.connections }, () => drive(mix.port, this.#talk())));
    this.#done.catch(() => {}); // whoever asks for the report gets the error
  }

  /** Resolves when all connections have ended. */
  async report(): Promise<Report> {
    await this.#done;
    const times = [...this.#times];
    const all = times.flatMap(([, of]) => of);
    return {
      endedAt: now(),
      accepted: this.accepted,
      requests: this.#requests,
      deferred: this.#deferred,
      times: timesOf(all),
      timesOf: Object.fromEntries(times.map(([kind, of]) => [kind, timesOf(of)])),
      ...(this.#refusal !== undefined && { refusal: this.#refusal }),
    };
  }

  /** What one connection says. */
  #talk(): Talk {
    const endsAt = this.startedAt + this.#mix.seconds * 1_000;
    let current: { kind: Kind; messages: number; sentAt: number } | undefined;
    let resumesAt = 0;
    return {
      next: () => {
        if (Math.max(now(), resumesAt) >= endsAt || this.#refusal !== undefined) return undefined;
        const { kind, text, messages } = this.#next();
        current = { kind, messages, sentAt: now() };
        return text;
      },
      onAnswer: (answer) => {
        const { kind, messages, sentAt } = current!;
        if (answer.includes('"success":true')) {
          this.accepted += messages;
          this.#timesOf(kind).push(now() - sentAt);
          return 0;
        }
        const [, seconds] = /\r\nretry-after: (\d+)\r\n/i.exec(answer) ?? [];
        if (seconds === undefined) {
          this.#refusal ??= `${kind}: ${answer}`;
          return 0;
        }
        this.#deferred++;
        resumesAt = now() + Number(seconds) * 1_000;
        // A connection that would wait beyond the end is over now.
        return resumesAt >= endsAt ? 0 : Number(seconds) * 1_000;
      },
    };
  }

  #next(): { kind: Kind; text: string; messages: number } {
    const { kinds: wanted, books } = this.#mix;
    const n = this.#requests++;
    const place = n % wanted.length;
    const kind = wanted[place]!;
    // Each company comes to each kind in turn.
    const book = books[(place + Math.floor(n / wanted.length)) % books.length]!;
    const turn: Turn = { n, book, newPhones: (count) => this.#newPhones(count) };
    const { path, body, messages } = kinds[kind](turn);
    const { apiKey, companyId } = book;
    return { kind, text: postOf(path, JSON.stringify({ apiKey, companyId, ...body })), messages };
  }

  #newPhones(count: number): string[] {
    const { first, count: most } = this.#mix.phones;
    if (this.#phones + count > most) throw new Error(`a mix has only ${most} new phones`);
    const from = first + this.#phones;
    this.#phones += count;
    return Array.from({ length: count }, (_, i) => phoneOf(from + i));
  }

  #timesOf(kind: Kind): number[] {
    const times = this.#times.get(kind) ?? [];
    this.#times.set(kind, times);
    return times;
  }
}

function asked(path: string, body: object, messages = 0): Asked {
  return { path, body, messages };
}

function campaignTo(phones: readonly string[]): Asked {
  return asked("/v1/campaign/create", { contacts: contactsOf(phones), text: TEXT }, phones.length);
}

function contactsOf(phones: readonly string[]): { phone: string }[] {
  return phones.map((phone) => ({ phone }));
}

/** Different contacts of a book, others for each n. */
function knownPhones({ first, count }: Book, n: number, wanted: number): string[] {
  return Array.from({ length: wanted }, (_, i) => phoneOf(first + (((n + i) * STEP) % count)));
}

function timesOf(times: readonly number[]): Times {
  return { count: times.length, ...spreadOf(times) };
}
