// The outgoing bytes of one session: PDUs are encoded into a buffer that is written once per event-loop iteration.
import type { Socket } from "node:net";
import { encodedBytesAtMost, encodeInto } from "./codec.ts";
import type { Body, Command } from "./pdu.ts";

const CHUNK_BYTES = 64 * 1024;
/** Above this, the peer reads too slowly and new requests are refused (about 10,000 submit_sm are then unsent). */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * One write per PDU costs a system call each; sharing writes makes a session 5 to 10 times as fast. `setImmediate` runs
 * after the sockets of this iteration were read and their promises continued, so the requests that a batch of answers
 * causes leave in one write.
 */
export class Outbox {
  readonly #socket: Socket;
  #chunk: Buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #from = 0;
  #to = 0;
  readonly #strayNul: boolean;
  #scheduled = false;

  /** `strayNul`: as a fault, each PDU ends with one NUL too many. */
  constructor(socket: Socket, strayNul: boolean) {
    this.#socket = socket;
    this.#strayNul = strayNul;
  }

  /** Whether the peer has left so much unread that another request should not be sent. */
  get full(): boolean {
    return this.waitingBytes > MAX_WAITING_BYTES;
  }

  get waitingBytes(): number {
    return this.#socket.writableLength + this.#to - this.#from;
  }

  /** Appends one PDU. If a field cannot be encoded, throws `InvalidField` and appends nothing. */
  add<C extends Command>(command: C, status: number, sequence: number, body: Partial<Body<C>>): void {
    const room = encodedBytesAtMost(body);
    if (this.#to + room > this.#chunk.length) this.#renew(room);
    const at = this.#to;
    this.#to = encodeInto(this.#chunk, at, command, status, sequence, body);
    if (this.#strayNul) this.#addNul(at);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#flushScheduled);
  }

  #addNul(at: number): void {
    this.#chunk[this.#to++] = 0;
    this.#chunk.writeUInt32BE(this.#to - at, at);
  }

  readonly #flushScheduled = (): void => {
    this.#scheduled = false;
    this.flush();
  };

  /** Writes the buffered bytes to the socket now. */
  flush(): void {
    if (this.#to === this.#from || !this.#socket.writable) return;
    this.#socket.write(this.#chunk.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }

  /** A full chunk is replaced and never reused, because the socket references it until it is written. */
  #renew(room: number): void {
    this.flush();
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, room));
    this.#from = 0;
    this.#to = 0;
  }
}
