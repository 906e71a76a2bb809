// Receipts and incoming messages: what a callback of a carrier contains.

import { readDate } from "../smpp/donedate.ts";
import type {
  CallbackAnswer,
  CarrierState,
  Connector,
  InboundRules,
  ReceiptRules,
  StatusRules,
} from "./connector.ts";
import type {
  CallbackContents,
  CarrierCallback,
  CarrierInbound,
  CarrierReceipt,
  CarrierStatus,
} from "./exchange.ts";
import { compileText } from "./inboundtext.ts";
import { storableId } from "./outcomes.ts";
import { compileConditions, compilePointer, compileSource, type PickText } from "./picking.ts";
import { type CarrierReading, readCallback } from "./reading.ts";

const ITEMS_AT_MOST = 10_000;
const WORD_CHARACTERS_AT_MOST = 100;
const CODE_CHARACTERS_AT_MOST = 40;
const ADDRESS_CHARACTERS_AT_MOST = 40;
const USUAL_ANSWER: CallbackAnswer = { status: 200, contentType: "text/plain", body: "OK" };

/**
 * Compiles the reading of callbacks. An item is a message if it meets conditions of messages, or else a receipt if it
 * meets those of receipts and has an id and a state. If messages have no conditions, what is no receipt may be one.
 * Anything else is ignored and counted. 10,000 items of one callback are read.
 */
export function compileCallbacks(
  { receipts, inbound }: Pick<Connector, "receipts" | "inbound">,
  nowMs: () => number,
): (callback: CarrierCallback) => CallbackContents {
  const asReceipt = receipts && compileReceipt(receipts, nowMs);
  const asInbound = inbound && compileInbound(inbound);
  const isInbound = inbound?.when ? compileConditions(inbound.when) : () => false;
  const { format = "auto", list } = receipts ?? inbound ?? {};
  const itemsIn = list === undefined ? undefined : compilePointer(list);
  return (callback) => {
    const reading = readCallback(callback, format);
    const items = itemsOf(reading.json, itemsIn);
    const read: CallbackContents = { receipts: [], inbound: [], ignored: 0, answer: USUAL_ANSWER };
    for (const item of items.slice(0, ITEMS_AT_MOST)) {
      const isMessage = isInbound(reading, item);
      const receipt = isMessage ? undefined : asReceipt?.(reading, item);
      const message = receipt ? undefined : asInbound?.(reading, item);
      if (receipt) read.receipts.push(receipt);
      else if (message) read.inbound.push(message);
      else read.ignored++;
    }
    read.ignored += Math.max(0, items.length - ITEMS_AT_MOST);
    read.answer = (read.inbound.length > 0 ? inbound?.answer : undefined) ?? receipts?.answer ?? USUAL_ANSWER;
    return read;
  };
}

function itemsOf(json: unknown, itemsIn: ((value: unknown) => unknown) | undefined): readonly unknown[] {
  if (json === undefined) return [undefined];
  if (!itemsIn) return [json];
  const found = itemsIn(json);
  return Array.isArray(found) ? found : [found];
}

function compileReceipt(rules: ReceiptRules, nowMs: () => number) {
  const holds = compileConditions(rules.when);
  const ids = rules.id.map(compileSource);
  const ownIdIn = rules.ownId && compileSource(rules.ownId);
  const phoneIn = rules.phone && compileSource(rules.phone);
  const senderIn = rules.sender && compileSource(rules.sender);
  const stateIn = compileState(rules, nowMs);
  return (reading: CarrierReading, item: unknown): CarrierReceipt | undefined => {
    if (!holds(reading, item)) return undefined;
    const id = firstId(ids, reading, item);
    const ownId = storableId(ownIdIn?.(reading, item));
    const state = id === undefined && ownId === undefined ? undefined : stateIn(reading, item);
    return (
      state && {
        id: id ?? "",
        ownId,
        phone: addressOf(phoneIn?.(reading, item)),
        sender: addressOf(senderIn?.(reading, item)),
        ...state,
      }
    );
  };
}

function firstId(ids: readonly PickText[], reading: CarrierReading, item: unknown): string | undefined {
  for (const pick of ids) {
    const id = storableId(pick(reading, item));
    if (id !== undefined) return id;
  }
  return undefined;
}

/** Compiles the reading of a state, in a receipt or in the answer to a status query. */
export function compileState(
  { state, states, error, at }: Pick<StatusRules, "state" | "states" | "error" | "at">,
  nowMs: () => number,
): (reading: CarrierReading, item: unknown) => CarrierStatus | undefined {
  const wordIn = compileSource(state);
  const errorIn = error && compileSource(error);
  const atIn = at && compileSource(at.source);
  const meaningOf = compileWords(states);
  return (reading, item) => {
    const word = cleanWord(wordIn(reading, item));
    if (word === "") return undefined;
    const meaning = meaningOf(word.toLowerCase());
    return {
      state: meaning ?? "sent",
      word,
      isKnown: meaning !== undefined,
      error: errorOf(errorIn?.(reading, item)),
      at: at && dateOf(atIn?.(reading, item), at.format, nowMs()),
    };
  };
}

function compileWords(states: StatusRules["states"]): (word: string) => CarrierState | undefined {
  const all = Object.entries(states).map(([word, state]) => [word.toLowerCase(), state] as const);
  const whole = new Map(all);
  const starts = all
    .flatMap(([word, state]) => (word.endsWith("*") ? [[word.slice(0, -1), state] as const] : []))
    .sort(([one], [other]) => other.length - one.length);
  return (word) =>
    whole.get(word) ?? whole.get(beforeBar(word)) ?? starts.find(([start]) => word.startsWith(start))?.[1];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced because the word is logged
const UNPRINTABLE = /[\u0000-\u001f\u007f]+/g;

function cleanWord(text: string | undefined): string {
  return (text ?? "").slice(0, WORD_CHARACTERS_AT_MOST).toWellFormed().replace(UNPRINTABLE, " ").trim();
}

/** Termii writes `DELIVERED | Message delivered to handset`. */
function beforeBar(word: string): string {
  const at = word.indexOf(" |");
  return at < 0 ? word : word.slice(0, at).trim();
}

/** The code of an error as it can be stored: other characters than those of a code become hyphens. */
function errorOf(text: string | undefined): string | null {
  const code = (text ?? "")
    .slice(0, WORD_CHARACTERS_AT_MOST)
    .replace(/[^A-Za-z0-9_.]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, CODE_CHARACTERS_AT_MOST);
  return code === "" ? null : code;
}

/**
 * An address as digits or a name: without `tel:`, and without `+` or `00` before an international number. PostgreSQL
 * stores no NUL: an address with one would fail its transaction, and all other receipts in it, at each repeat.
 */
function addressOf(text: string | undefined): string {
  const address = (text ?? "").toWellFormed().replace(UNPRINTABLE, "").trim().replace(/^tel:/i, "");
  return address.replace(/^(?:\+|00)(?=[0-9]{7})/, "").slice(0, ADDRESS_CHARACTERS_AT_MOST);
}

type DateFormat = "iso" | "epoch-s" | "epoch-ms" | "yyMMddHHmm";
const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/;
const EPOCH = /^[0-9]{1,16}(\.[0-9]+)?$/;

/** A date without a zone is read as UTC. A date from the future counts as now; an unreadable one as none. */
function dateOf(text: string | undefined, format: DateFormat, nowMs: number): Date | undefined {
  const written = text?.trim() ?? "";
  const ms = format === "yyMMddHHmm" ? readDate(written)?.getTime() : msOf(written, format);
  if (ms === undefined || Number.isNaN(ms) || ms < 0) return undefined;
  return new Date(Math.min(ms, nowMs));
}

function msOf(text: string, format: DateFormat): number | undefined {
  if (format !== "iso")
    return EPOCH.test(text) ? Number(text) * (format === "epoch-s" ? 1000 : 1) : undefined;
  const [, day, time = "00:00", zone = "Z"] = ISO.exec(text) ?? [];
  if (day === undefined) return undefined;
  return Date.parse(`${day}T${time}${zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2")}`);
}

function compileInbound(rules: InboundRules) {
  const holds = compileConditions(rules.when);
  const fromIn = compileSource(rules.from);
  const toIn = compileSource(rules.to);
  const textIn = compileText(rules);
  const idIn = rules.id && compileSource(rules.id);
  return (reading: CarrierReading, item: unknown): CarrierInbound | undefined => {
    if (!holds(reading, item)) return undefined;
    const from = addressOf(fromIn(reading, item));
    if (from === "") return undefined;
    const text = textIn(reading, item);
    return { id: storableId(idIn?.(reading, item)), from, to: addressOf(toIn(reading, item)), text };
  };
}
