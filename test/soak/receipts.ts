// Receipts as real operators write them: the dialects of `docs/operators.md`, drawn by chance for each receipt.
import type { OutgoingMessage, SubmitSm } from "../../src/protocol/smpp/pdu.ts";
import type { ReceiptState } from "../../src/protocol/smpp/receipts.ts";
import { writeReceipt } from "../../src/protocol/smpp/receipts.ts";
import type { Chance } from "../simulation/chance.ts";
import { isRegular } from "./messages.ts";

/** 3GPP TS 23.038, section 6.2.1: `_` in GSM-7. */
const GSM_UNDERSCORE = "\x11";
const UDHI = 0x40;
const UCS2 = 8;
const INTERMEDIATE = 0x20;
const SHORT_MESSAGE_AT_MOST = 254;

/** How an operator names a message in its receipts. It is hexadecimal in answers where the receipts are decimal. */
export type IdForm = "as-is" | "hex-to-decimal";

/** `id` is as the service stores it. */
export function receiptOf(pdu: SubmitSm, id: string, state: ReceiptState, chance: Chance): OutgoingMessage {
  const idInReceipt = chance.happens(0.3) ? id.toUpperCase() : id;
  // Only our reference tells two messages to one phone apart when both are lost.
  const hasReference = isRegular(pdu.destinationAddr) || chance.happens(0.6);
  const receipt = writeReceipt({
    messageId: idInReceipt,
    state,
    errorCode: state === "DELIVERED" ? "000" : "011",
    submittedAt: new Date(),
    doneAt: new Date(),
    message: pdu,
    text: "",
    userMessageReference: hasReference ? pdu.tlvs?.userMessageReference : undefined,
  });
  if (state === "ENROUTE") receipt.esmClass = INTERMEDIATE;
  receipt.sourceAddr = phoneAs(chance.of(["same", "same", "plus", "zeros", "national"]), pdu.destinationAddr);
  if (hasReference && chance.happens(0.2)) receipt.destinationAddr = "+2250102030405";
  return dressed(receipt, idInReceipt, chance);
}

function phoneAs(form: "same" | "plus" | "zeros" | "national", phone: string): string {
  return { same: phone, plus: `+${phone}`, zeros: `00${phone}`, national: phone.slice(3) }[form];
}

/** Changes the text and what stands around it, as one dialect or another has it. */
function dressed(receipt: OutgoingMessage, id: string, chance: Chance): OutgoingMessage {
  const { receiptedMessageId, messageState, ...tlvs } = receipt.tlvs!;
  const text = receipt.shortMessage!.toString("latin1");
  const said = (words: string): OutgoingMessage => ({
    ...receipt,
    tlvs,
    shortMessage: Buffer.from(words, "latin1"),
  });
  switch (chance.of(["parameters", "text", "quoted", "padded", "ucs-2", "header", "no-header", "plain"])) {
    case "text":
      return said(text.replaceAll("_", GSM_UNDERSCORE));
    case "quoted":
      return said(text.replace(`id:${id}`, `id:"${id}"`));
    case "padded":
      return said(`${text}\0\0`);
    case "ucs-2":
      return asUcs2({ ...receipt, tlvs }, text);
    case "header":
      return {
        ...said(`\x05\x00\x03\x07\x01\x01${text}`),
        esmClass: receipt.esmClass! | UDHI,
      };
    case "no-header":
      return { ...said(text), esmClass: receipt.esmClass! | UDHI };
    case "plain":
      // A plain text can only be final: nothing says that it is an intermediate one.
      return { ...said(text), esmClass: 0 };
    default:
      return receipt;
  }
}

function asUcs2(receipt: OutgoingMessage, text: string): OutgoingMessage {
  const octets = Buffer.from(text, "utf16le").swap16();
  const isLong = octets.length > SHORT_MESSAGE_AT_MOST;
  return {
    ...receipt,
    dataCoding: UCS2,
    shortMessage: isLong ? Buffer.alloc(0) : octets,
    ...(isLong && { tlvs: { ...receipt.tlvs, messagePayload: octets } }),
  };
}

/** What becomes of a message that was accepted. */
export function stateOf(chance: Chance): ReceiptState {
  if (chance.happens(0.9)) return "DELIVERED";
  return chance.of(["UNDELIVERED", "EXPIRED", "REJECTED"]);
}
