// Which messages a simulated HTTP carrier accepted before: by the client's id, and by everything that makes one message.
import type { Accepted } from "../journal.ts";

/** Beyond this many messages the oldest is forgotten, and would be new. 200,000 take about 60 MB. */
const MAX_REMEMBERED = 200_000;

/** The answer that a message got, and when its log entry is in the file. */
export interface FirstTime {
  id: string;
  written: Promise<void>;
}

export class Repeats {
  readonly #byClientId = new Map<string, FirstTime>();
  readonly #texts = new Set<string>();

  /** Returns how the client's id was accepted first; undefined if it is new. */
  firstOf(clientId: string | undefined): FirstTime | undefined {
    return clientId === undefined ? undefined : this.#byClientId.get(clientId);
  }

  /** Keeps the first message of a client's id; if it cannot be written, the id is new again. */
  keep({ id, http }: Accepted, written: Promise<void>): void {
    const clientId = http?.clientId;
    if (clientId === undefined || this.#byClientId.has(clientId)) return;
    forgetOldest(this.#byClientId);
    this.#byClientId.set(clientId, { id, written });
    written.catch(() => this.#byClientId.delete(clientId));
  }

  /** Whether the same message (client's id, sender, receiver, text) came here before. */
  isRepeat({ http, from, to, hex }: Accepted): boolean {
    const key = `${http?.clientId ?? ""} ${from} ${to} ${hex}`;
    if (this.#texts.has(key)) return true;
    forgetOldest(this.#texts);
    this.#texts.add(key);
    return false;
  }
}

function forgetOldest(some: Map<string, unknown> | Set<string>): void {
  if (some.size >= MAX_REMEMBERED) some.delete(some.keys().next().value ?? "");
}
