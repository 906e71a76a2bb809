// Receipts in parts: an operator may split the text of a receipt over several deliver_sm (D15).
import type { Runtime } from "../../platform/runtime.ts";
import { type DeliverSm, STATUS } from "../../protocol/smpp/pdu.ts";
import { userDataOf } from "../../protocol/smpp/userdata.ts";
import type { ReceiptSource } from "../sends/settlement/receipts.ts";
import * as sql from "./sql.ts";

/**
 * Stores a part of a receipt, and applies the receipt once all its parts have arrived. Returns the status with which to
 * answer the part. Parts may arrive in any order, over any session of an account, and repeatedly.
 */
export async function joinReceipt(
  app: Runtime,
  { operatorId, operatorIds }: ReceiptSource,
  pdu: DeliverSm,
  apply: (whole: DeliverSm) => Promise<number>,
): Promise<number> {
  const { place, octets } = userDataOf(pdu);
  if (!place) return STATUS.ESME_ROK;
  const { reference, total, number } = place;
  const receipt = { phone: pdu.sourceAddr, address: pdu.destinationAddr, reference, total };
  await app.database.run(sql.upsertReceiptPart, { ...receipt, operatorId, number, octets });
  const parts = await app.database.run(sql.listReceiptParts, { ...receipt, operatorIds });
  const byNumber = new Map(parts.map((part) => [part.number, part.octets]));
  if (byNumber.size < total) return STATUS.ESME_ROK;
  const status = await apply(wholeOf(pdu, [...byNumber.values()]));
  if (status === STATUS.ESME_ROK) await app.database.run(sql.deleteReceiptParts, { ...receipt, operatorIds });
  return status;
}

/** The bit of esm_class that announces a user data header (SMPP 3.4, section 5.2.12). */
const UDHI = 0x40;

function wholeOf(pdu: DeliverSm, octets: readonly Buffer[]): DeliverSm {
  const { sarMsgRefNum, sarTotalSegments, sarSegmentSeqnum, messagePayload, ...tlvs } = pdu.tlvs ?? {};
  return { ...pdu, esmClass: pdu.esmClass & ~UDHI, shortMessage: Buffer.concat(octets), tlvs };
}
