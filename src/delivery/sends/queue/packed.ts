// Packed batches: a batch carries its messages in one text, which this file writes and reads.

/**
 * The counting mode of a send: `alone` by the record of its only message, `counted` in its row of `sends`, `subscribed` in
 * a row with a webhook subscription.
 */
export const COUNTING = { alone: 0, counted: 1, subscribed: 2 } as const;
export type CountingMode = (typeof COUNTING)[keyof typeof COUNTING];

/** The purpose of a message. A batch stores its position in this list. */
export const KINDS = ["otp", "campaign", "application"] as const;
export type Kind = (typeof KINDS)[number];

/** A message that is not final, as a gateway processes it. */
export type QueuedMessage = {
  batchId: string;
  position: number;
  /** Whether it is packed in its batch. Otherwise it has a row in `message_queue`. */
  packed: boolean;
  accountId: string;
  sendId: string;
  counting: CountingMode;
  /** Null: unknown, because it left its batch or an earlier version queued it. Only statistics use it. */
  kind: Kind | null;
  /** The number of its recipient in the send, from 1. */
  number: number;
  poolId: string;
  holdId: string;
  phone: string;
  sender: string;
  body: string;
  segments: number;
  /** In credits. */
  price: number;
  /** Concatenation reference and user_message_reference: the same each time this message is submitted. */
  reference: number;
  /** The segments that an operator has accepted (one bit each), and that operator; null: none. */
  accepted: number;
  acceptedBy: string | null;
  /** The ids that this operator gave these segments, without the last segment, in order; '' if it gave none. */
  partIds?: readonly string[] | null;
  retries: number;
  /** How often its fate became unknown; also 2 if operators may have some segment twice for another reason. */
  losses: number;
  /** Whether a lost session may have delivered it to the operator. */
  unknown: boolean;
};

/** A message that is queued for the first time. Its batch and position follow from its place in the list. */
export type NewMessage = Omit<
  QueuedMessage,
  "batchId" | "position" | "packed" | "accepted" | "acceptedBy" | "retries" | "losses" | "unknown"
>;

/** Repeated values are written once, and messages refer to them by index. */
type Packed = {
  payers: [accountId: string, poolId: string, holdId: string][];
  sends: [id: string, payer: number, counting: CountingMode, kind?: number][];
  senders: string[];
  texts: string[];
  messages: [
    send: number,
    number: number,
    phone: string,
    sender: number,
    text: number,
    segments: number,
    price: number,
    reference: number,
  ][];
};

/** Packs messages into one text. The first one has position 1. */
export function pack(messages: readonly NewMessage[]): string {
  const payers = new Places<Packed["payers"][number]>();
  const sends = new Places<Packed["sends"][number]>();
  const senders = new Places<string>();
  const texts = new Places<string>();
  const packed = messages.map((message): Packed["messages"][number] => {
    const { accountId, poolId, holdId, sendId, counting, kind } = message;
    const send = sends.of(sendId, () => {
      const payer = payers.of(`${accountId} ${poolId} ${holdId}`, () => [accountId, poolId, holdId]);
      return kind === null ? [sendId, payer, counting] : [sendId, payer, counting, KINDS.indexOf(kind)];
    });
    return [
      send,
      message.number,
      message.phone,
      senders.of(message.sender, () => message.sender),
      texts.of(message.body, () => message.body),
      message.segments,
      message.price,
      message.reference,
    ];
  });
  const all: Packed = {
    payers: payers.all,
    sends: sends.all,
    senders: senders.all,
    texts: texts.all,
    messages: packed,
  };
  return JSON.stringify(all);
}

/** Distinct values in the order of their first occurrence. */
class Places<Value> {
  readonly all: Value[] = [];
  readonly #places = new Map<string, number>();

  of(key: string, make: () => Value): number {
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.all.push(make()) - 1;
      this.#places.set(key, place);
    }
    return place;
  }
}

/** The columns of a packed batch. */
export type PackedBatch = {
  id: string;
  messages: string;
  first: number;
  size: number;
  withdrawn: number[] | null;
};

/** Reads the messages of a packed batch, in the order of their positions. */
export function unpack(batch: PackedBatch): QueuedMessage[] {
  const { payers, sends, senders, texts, messages } = JSON.parse(batch.messages) as Packed;
  const all: QueuedMessage[] = [];
  for (let position = batch.first; position <= batch.size; position++) {
    if (batch.withdrawn?.includes(position)) continue;
    const [send, number, phone, sender, text, segments, price, reference] = messages[position - 1]!;
    const [sendId, payer, counting, kind = KINDS.length] = sends[send]!;
    const [accountId, poolId, holdId] = payers[payer]!;
    all.push({
      batchId: batch.id,
      position,
      packed: true,
      accountId,
      sendId,
      counting,
      kind: KINDS[kind] ?? null,
      number,
      poolId,
      holdId,
      phone,
      sender: senders[sender]!,
      body: texts[text]!,
      segments,
      price,
      reference,
      accepted: 0,
      acceptedBy: null,
      retries: 0,
      losses: 0,
      unknown: false,
    });
  }
  return all;
}

/** Returns the messages of a new batch, as `unpack` would read them. */
export function asQueued(batchId: string, messages: readonly NewMessage[]): QueuedMessage[] {
  return messages.map((message, i) => ({
    ...message,
    batchId,
    position: i + 1,
    packed: true,
    accepted: 0,
    acceptedBy: null,
    retries: 0,
    losses: 0,
    unknown: false,
  }));
}

/** Returns the credits of these messages. */
export function creditsOf(messages: readonly Pick<QueuedMessage, "price">[]): number {
  return messages.reduce((sum, message) => sum + message.price, 0);
}
