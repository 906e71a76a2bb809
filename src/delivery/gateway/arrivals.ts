// The deliver_sm of one link on their way to its machine: receipts, parts of receipts, and messages from handsets.
import type { Runtime } from "../../platform/runtime.ts";
import { type DeliverSm, STATUS } from "../../protocol/smpp/pdu.ts";
import { isReceipt } from "../../protocol/smpp/receipts.ts";
import { countryOfPrefixes } from "../../protocol/sms/sources.ts";
import type { Link } from "../operators/link.ts";
import { type FinalReceipt, finalReceiptOf } from "./finalreceipts.ts";
import type { HandsetMessage } from "./handsets.ts";
import type { Incoming } from "./machine/receipts.ts";
import { joinReceipt } from "./splitreceipts.ts";

export type ArrivalsOptions = {
  app: Runtime;
  link: Link;
  /** Resolves when the message is stored. If it throws, the operator delivers the message again. */
  onHandsetMessage: (message: HandsetMessage) => Promise<void>;
  /** Passes what has arrived to the machine, which answers each. */
  pass: (incoming: readonly Incoming[]) => void;
};

export class Arrivals {
  readonly #options: ArrivalsOptions;
  #arrived: Incoming[] = [];

  constructor(options: ArrivalsOptions) {
    this.#options = options;
  }

  /** Handles a deliver_sm of the operator. Resolves with its command_status once its content is committed. */
  async receive(pdu: DeliverSm): Promise<number> {
    const { link, onHandsetMessage } = this.#options;
    const { operator, settings, sessionId } = link;
    if (isReceipt(pdu, operator.plain_receipts)) return this.#report(pdu);
    // The message may answer one that was accepted a moment before, so a cycle commits that acceptance first.
    const status = await this.#add(undefined);
    if (status !== STATUS.ESME_ROK) return status;
    const { sourceAddr: from, destinationAddr: to } = pdu;
    const { operatorIds } = link.account();
    const country = settings.country ?? countryOfPrefixes(operator.prefixes);
    await onHandsetMessage({ sessionId, messageId: null, operatorIds, country, settings, from, to, pdu });
    return STATUS.ESME_ROK;
  }

  #report(pdu: DeliverSm): Promise<number> {
    const { app, link } = this.#options;
    const receipt = finalReceiptOf(pdu, link.operator);
    if (receipt) return this.#add(receipt);
    const source = { operatorId: link.operator.id, ...link.account() };
    return joinReceipt(app, source, pdu, (whole) => this.#report(whole));
  }

  /** What the sockets hold now is passed together, so that one transaction applies it. */
  #add(receipt: FinalReceipt | undefined): Promise<number> {
    return new Promise((answer) => {
      if (this.#arrived.push({ receipt, answer }) === 1) setImmediate(() => this.passAll());
    });
  }

  /** Passes what has arrived at once. */
  passAll(): void {
    const arrived = this.#arrived.splice(0);
    if (arrived.length > 0) this.#options.pass(arrived);
  }
}
