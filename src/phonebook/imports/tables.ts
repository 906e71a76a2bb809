// Compact tables in memory: the shared strings of a workbook, and the phones of a file so far.

const FIRST_BYTES = 1 << 16;

/** Texts by number, outside the heap: three million short ones take 50 MB, and as strings 200 MB. */
export class TextTable {
  #bytes = Buffer.alloc(FIRST_BYTES);
  #ends = new Uint32Array(FIRST_BYTES / 4);
  #count = 0;

  get bytes(): number {
    return this.#ends[this.#count - 1] ?? 0;
  }

  get count(): number {
    return this.#count;
  }

  add(text: string): void {
    const start = this.bytes;
    const size = Buffer.byteLength(text);
    if (start + size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, start + size));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    if (this.#count === this.#ends.length) {
      const longer = new Uint32Array(this.#ends.length * 2);
      longer.set(this.#ends);
      this.#ends = longer;
    }
    this.#bytes.write(text, start);
    this.#ends[this.#count++] = start + size;
  }

  /** Returns the text with this number; undefined if there is none. */
  at(number: number): string | undefined {
    if (!(number >= 0 && number < this.#count)) return undefined;
    return this.#bytes.toString("utf8", this.#ends[number - 1] ?? 0, this.#ends[number]);
  }
}

/** A set of phones: a phone has 15 digits at most, which a double represents exactly. One million take 16 MB. */
export class PhoneSet {
  #slots = new Float64Array(FIRST_BYTES / 4);
  #count = 0;

  /** Adds a phone; false if it was already present. */
  add(phone: string): boolean {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    return this.#put(Number(phone));
  }

  #put(phone: number): boolean {
    const slots = this.#slots;
    // Fibonacci hashing of the lower digits, which differ the most.
    let at = Math.imul(phone % 4_294_967_291, 0x9e3779b1) >>> (32 - Math.log2(slots.length));
    for (; slots[at] !== 0; at = (at + 1) % slots.length) if (slots[at] === phone) return false;
    slots[at] = phone;
    this.#count++;
    return true;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    this.#count = 0;
    for (const phone of before) if (phone !== 0) this.#put(phone);
  }
}
