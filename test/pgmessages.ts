// The messages of PostgreSQL's frontend/backend protocol 3.0 in a stream, for proxies that read them.

/** `type` is the first byte, or `STARTUP`; `body` is what follows the length. */
export type Message = { type: string; bytes: Buffer; body: Buffer };

/** The type of what a client sends before its session begins, which has none. */
export const STARTUP = "startup";

/** Cuts a stream into messages. The first one of a client has no type. */
export class Messages {
  #isStartup: boolean;
  #rest: Buffer = Buffer.alloc(0);

  constructor({ hasStartup }: { hasStartup: boolean }) {
    this.#isStartup = hasStartup;
  }

  read(bytes: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: Message[] = [];
    for (;;) {
      const typeBytes = this.#isStartup ? 0 : 1;
      if (this.#rest.length < typeBytes + 4) return messages;
      const end = typeBytes + this.#rest.readUInt32BE(typeBytes);
      if (this.#rest.length < end) return messages;
      messages.push({
        type: this.#isStartup ? STARTUP : String.fromCharCode(this.#rest[0]!),
        bytes: this.#rest.subarray(0, end),
        body: this.#rest.subarray(typeBytes + 4, end),
      });
      this.#rest = this.#rest.subarray(end);
      this.#isStartup = false;
    }
  }
}
