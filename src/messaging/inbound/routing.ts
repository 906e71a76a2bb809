// Routing: the company of an incoming message, by its number and first word, or by the last sender to the handset.
import { erasedKeyOf, heedWish } from "../../phonebook/optouts/optouts.ts";
import { mayNameSender, readRequest, type Wish } from "../../phonebook/optouts/words.ts";
import { nowMs } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { maskPhone } from "../../protocol/sms/phone.ts";
import { findAnswered } from "./answered.ts";
import * as numbers from "./numbers.sql.ts";
import type { Whole } from "./parts.ts";
import { isPhone } from "./reading.ts";
import type { InboundNumber } from "./shapes.ts";
import * as sql from "./sql.ts";

/** The company id of messages without a company. */
export const NOBODY = "";

/** The company of a message. Undefined `campaignId`: the campaign has not been looked for. */
type Route = { companyId: string; keyword: string | null; campaignId?: string | null };

export type Routed = Whole & Required<Route> & { isSought: boolean };

/** At most this many messages of a transaction look for their campaigns at once; a job does it for the others. */
const SOUGHT_TOGETHER = 4;

/**
 * Finds the company of each message, and carries out STOP and START. Omits a STOP or START to a company that has erased
 * the person: the opt-out changes, but the message is not stored.
 */
export async function routeMessages(app: Runtime, tx: Tx, messages: readonly Whole[]): Promise<Routed[]> {
  const known = await readNumbers(tx, messages);
  const routed: Routed[] = [];
  let sought = 0;
  for (const message of messages) {
    const route = await routeOf(app, tx, message, known);
    if (!route) continue;
    const isLookedFor = route.campaignId !== undefined || !isAnswer(message, route);
    const isSought = isLookedFor || sought++ < SOUGHT_TOGETHER;
    const campaignId =
      isSought && !isLookedFor
        ? await findAnswered(app, tx, route.companyId, message.phone)
        : (route.campaignId ?? null);
    routed.push({ ...message, ...route, campaignId, isSought });
  }
  return routed;
}

/** Whether a message may answer a campaign. */
function isAnswer({ phone }: Whole, { companyId }: Route): boolean {
  return companyId !== NOBODY && isPhone(phone);
}

/** Returns the first word of a text in the form of keywords: capitals, without accents and punctuation; "" if none. */
export function firstWordOf(text: string): string {
  const plain = text.slice(0, LOOKED_AT).normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase();
  return /[\p{L}\p{N}]+/u.exec(plain)?.[0] ?? "";
}

/** Keywords are much shorter than this. */
const LOOKED_AT = 200;

/** The numbers that messages were sent to, and the companies of their first words. */
type Known = { numbers: ReadonlyMap<string, InboundNumber>; words: ReadonlyMap<string, string> };

async function readNumbers(tx: Tx, messages: readonly Whole[]): Promise<Known> {
  const asked = messages.flatMap(({ numberId, text }) =>
    numberId === null ? [] : { numberId, word: firstWordOf(text) },
  );
  if (asked.length === 0) return { numbers: new Map(), words: new Map() };
  const ids = new Set(asked.map(({ numberId }) => numberId));
  const [rows, words] = await Promise.all([
    tx.run(numbers.listByIds, [[...ids]]),
    tx.run(numbers.listAsked, { asked }),
  ]);
  return {
    numbers: new Map(rows.map((row) => [row.id, row])),
    words: new Map(words.map((row) => [`${row.number_id} ${row.keyword}`, row.company_id])),
  };
}

async function routeOf(app: Runtime, tx: Tx, message: Whole, known: Known): Promise<Route | undefined> {
  const { numberId, text } = message;
  const owner = numberId === null ? null : (known.numbers.get(numberId)?.companyId ?? null);
  const request = await readReply(tx, message, owner);
  if (request) return carryOut(app, tx, { ...message, address: request.address }, request.wish, owner);
  if (numberId === null) return ofWriter(app, tx, message);
  const word = firstWordOf(text);
  const ofWord = known.words.get(`${numberId} ${word}`);
  return ofWord
    ? { companyId: ofWord, keyword: word }
    : { companyId: owner ?? NOBODY, keyword: null, ...(owner === null && { campaignId: null }) };
}

/**
 * Returns the request in a reply, and the name or number that it concerns: the destination, or a name in the text
 * ("STOP BOUTIQUE" to a short code) under which a company wrote to the phone; if the number belongs to a company, only
 * that company's names count.
 */
async function readReply(
  tx: Tx,
  { phone, address, text, missing, isServed }: Whole,
  owner: string | null,
): Promise<{ wish: Wish; address: string } | null> {
  if (missing > 0 || !isPhone(phone)) return null;
  const request = readRequest(text, [address]);
  if (request) return { wish: request.wish, address };
  if (!isServed || !mayNameSender(text)) return null;
  const written = await tx.run(sql.listWrittenNames, [phone, owner]);
  const named = readRequest(
    text,
    written.map((row) => row.name),
  );
  return named && { wish: named.wish, address: named.name ?? address };
}

/** A text to a name belongs to the company that last sent under this name; one to an unknown number has no company. */
async function ofWriter(app: Runtime, tx: Tx, message: Whole): Promise<Route> {
  const nobodys = { companyId: NOBODY, keyword: null, campaignId: null };
  const { phone, address, isServed, isFlood } = message;
  if (!isServed || isFlood || !isPhone(phone)) return nobodys;
  const [writer] = await tx.run(sql.findLastWriter, [phone, address, false]);
  if (!writer?.is_named) return nobodys;
  return { companyId: writer.company_id, keyword: null, campaignId: campaignOf(app, writer) };
}

function campaignOf(app: Runtime, { campaign_id: id, sent_at: sentAt }: sql.Writer): string | null {
  return sentAt && sentAt.getTime() > nowMs() - app.config.settings.inboundAnswerMs ? id : null;
}

const WORDS = { stop: "STOP", start: "START" } as const satisfies Record<Wish, string>;

/**
 * STOP opts a handset out of the company whose number it was sent to (`owner`), else of the last company that sent to
 * it under the name it answers, or under any name if none sent under that one (a short code). START ends the opt-out:
 * for a name, of the last sender among the companies it is opted out of, since others may have sent meanwhile. If the
 * person was erased and no message under this name is left, both apply to the company with this name among the erased
 * person's opt-outs, and if there is no sender at all, to the last of these. An operator may act only for handsets that
 * it serves. One-time passwords do not count as sends. A repeat changes nothing; if the handset exceeds its rate, a
 * repeat is not even looked up.
 */
async function carryOut(
  app: Runtime,
  tx: Tx,
  message: Whole,
  wish: Wish,
  owner: string | null,
): Promise<Route | undefined> {
  const { phone, address } = message;
  if (!message.isServed) {
    app.log.warn({ phone: maskPhone(phone), wish }, "an operator does not serve who replied");
    return { companyId: owner ?? NOBODY, keyword: null, campaignId: null };
  }
  const keyword = WORDS[wish];
  const digest = erasedKeyOf(app, phone);
  if (owner !== null) return heed({ companyId: owner, keyword });
  if (message.isFlood && message.isRepeat) return undefined;
  const [writer] = await tx.run(sql.findLastWriter, [phone, address, wish === "start"]);
  const [erased] = writer?.is_named ? [] : await tx.run(sql.findErasedOptout, [digest, address]);
  // A reply to a company that has erased the person must not apply to another one, even if that sent last.
  const companyId = (erased?.is_named ? erased : (writer ?? erased))?.company_id ?? NOBODY;
  const campaignId = writer && companyId === writer.company_id ? campaignOf(app, writer) : null;
  return companyId === NOBODY ? { companyId, keyword, campaignId } : heed({ companyId, keyword, campaignId });

  async function heed(route: Route): Promise<Route | undefined> {
    const [hidden] = await tx.run(sql.findErased, [route.companyId, digest]);
    await heedWish(app, tx, wish, { companyId: route.companyId, phone });
    return hidden ? undefined : route;
  }
}
