// Routing: the company that a message is for, by the number that it came to and its first word, or by who wrote last.
import {
  erasedKeyOf,
  heedWish,
  mayNameSender,
  readRequest,
  type Wish,
} from "../../phonebook/optouts/optouts.ts";
import { nowMs } from "../../platform/clock.ts";
import type { Tx } from "../../platform/database.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { maskPhone } from "../../protocol/sms/sms.ts";
import { findAnswered } from "./answered.ts";
import * as numbers from "./numbers.sql.ts";
import type { Whole } from "./parts.ts";
import { isPhone } from "./reading.ts";
import * as sql from "./sql.ts";

/** Whose messages are that nobody was found for. */
export const NOBODY = "";

/** For whom a message is kept. Undefined `campaignId`: it has not been looked for. */
type Route = { companyId: string; keyword: string | null; campaignId?: string | null };

export type Routed = Whole & Required<Route> & { isSought: boolean };

/** Campaigns are looked for in so many messages of one transaction; for the others a tick does it. */
const SOUGHT_TOGETHER = 4;

/**
 * Finds the company of each message, and carries out STOP and START. A message is left out where a company has erased the
 * person who says STOP or START: it hears of the wish and not of the person.
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

/** The first word of a text as keywords are compared: in capitals, without accents and punctuation; "" without one. */
export function firstWordOf(text: string): string {
  const plain = text.slice(0, LOOKED_AT).normalize("NFKD").replace(/\p{M}/gu, "").toUpperCase();
  return /[\p{L}\p{N}]+/u.exec(plain)?.[0] ?? "";
}

/** Keywords are much shorter. */
const LOOKED_AT = 200;

/** The numbers that messages came to, and the companies of their first words. */
type Known = { numbers: ReadonlyMap<string, numbers.NumberRow>; words: ReadonlyMap<string, string> };

async function readNumbers(tx: Tx, messages: readonly Whole[]): Promise<Known> {
  const asked = messages.filter(({ numberId }) => numberId !== null);
  if (asked.length === 0) return { numbers: new Map(), words: new Map() };
  const ids = asked.map(({ numberId }) => numberId!);
  const [rows, words] = await Promise.all([
    tx.run(numbers.listByIds, [[...new Set(ids)]]),
    tx.run(numbers.listAsked, [ids, asked.map(({ text }) => firstWordOf(text))]),
  ]);
  return {
    numbers: new Map(rows.map((row) => [row.id, row])),
    words: new Map(words.map((row) => [`${row.number_id} ${row.keyword}`, row.company_id])),
  };
}

async function routeOf(app: Runtime, tx: Tx, message: Whole, known: Known): Promise<Route | undefined> {
  const { numberId, text } = message;
  const owner = numberId === null ? null : (known.numbers.get(numberId)?.company_id ?? null);
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
 * The request that a reply is, and the name or number that it concerns: the one that it came to, or the name in it ("STOP
 * BOUTIQUE" to a short code) if a company wrote to the phone under this name; to the number of a company, only this one.
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

/** A text to a name is for the company that wrote last under this name; one to a number of nobody is nobody's. */
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
 * STOP opts a handset out of the company whose number it was sent to (`owner`), else out of the one that wrote to it last
 * under the name that it answers, or under any name where nobody wrote under that one (a short code). START ends the
 * opt-out: to a name, of the company that wrote last among those it is opted out of, since others may have written
 * meanwhile. Where no message under this name is left, since the person was erased, both are for the company with this name
 * that the erased person had opted out of, and where nobody wrote, for the last of these. An operator speaks only for
 * handsets that it serves. One-time passwords do not count as writing. A repeat changes nothing; of a
 * handset that floods it is not even looked up.
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
  // What is said to a company that has erased the person is not said to another one, though that has written last.
  const companyId = (erased?.is_named ? erased : (writer ?? erased))?.company_id ?? NOBODY;
  const campaignId = writer && companyId === writer.company_id ? campaignOf(app, writer) : null;
  return companyId === NOBODY ? { companyId, keyword, campaignId } : heed({ companyId, keyword, campaignId });

  async function heed(route: Route): Promise<Route | undefined> {
    const [hidden] = await tx.run(sql.findErased, [route.companyId, digest]);
    await heedWish(app, tx, wish, { companyId: route.companyId, phone });
    return hidden ? undefined : route;
  }
}
