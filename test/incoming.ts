// For tests of what handsets write: an operator that delivers any deliver_sm, and numbers of ours.
import type { OutgoingMessage } from "../src/protocol/smpp/pdu.ts";
import { dataOf } from "./applications.ts";
import { newNumber } from "./belongings.ts";
import { type Dialect, dialect } from "./dialects.ts";
import type { Scope } from "./sending.ts";
import { type Company, type TestService, testService, until } from "./testservice.ts";

/** A test service whose only operator is scripted: it delivers what a test says, over a real session. */
export async function scriptedOperator(t: Scope, options: Parameters<typeof testService>[1] = {}) {
  const here = await testService(t, { ...options, config: { simulator: false, ...options.config } });
  const gsm = await dialect(here, t, {});
  await until(() => gsm.operator.sessions.length > 0);
  return { here, gsm };
}

/** Gives a company a number, or makes a shared one. */
export async function numberFor(here: TestService, company?: Company, operatorId?: string) {
  const given = { number: newNumber(), companyId: company?.companyId, operatorId };
  const { id, number } = await dataOf(here.admin("/v1/admin/inbound/number/create", given));
  return { id, number } as { id: string; number: string };
}

/** Gives a company a keyword on a number. */
export function keywordFor(here: TestService, company: Company, numberId: string, keyword: string) {
  const given = { numberId, keyword, companyId: company.companyId };
  return dataOf(here.admin("/v1/admin/inbound/keyword/create", given));
}

/** Delivers a deliver_sm; resolves to the status of its answer. */
export async function deliver(
  { operator }: Pick<Dialect, "operator">,
  from: string,
  to: string,
  said: string | Partial<OutgoingMessage>,
): Promise<number> {
  const pdu = typeof said === "string" ? { shortMessage: Buffer.from(said, "latin1"), dataCoding: 3 } : said;
  const session = operator.sessions.findLast(({ ready }) => ready)!;
  return (await session.deliver({ sourceAddr: from, destinationAddr: to, ...pdu })).status;
}

/** A segment with an 8-bit reference: 3GPP TS 23.040, 9.2.3.24.1. */
export function segment(
  reference: number,
  total: number,
  number: number,
  octets: Uint8Array,
  dataCoding = 0,
): Partial<OutgoingMessage> {
  const header = Buffer.from([5, 0, 3, reference, total, number]);
  return { esmClass: 0x40, dataCoding, shortMessage: Buffer.concat([header, octets]) };
}

/** A segment with a 16-bit reference: 3GPP TS 23.040, 9.2.3.24.8. */
export function wideSegment(
  reference: number,
  total: number,
  number: number,
  octets: Uint8Array,
): Partial<OutgoingMessage> {
  const header = Buffer.from([6, 8, 4, reference >> 8, reference & 0xff, total, number]);
  return { esmClass: 0x40, dataCoding: 0, shortMessage: Buffer.concat([header, octets]) };
}

/** A segment by optional parameters: SMPP 3.4, sections 5.3.2.22 to 5.3.2.24. */
export function sarSegment(
  reference: number,
  total: number,
  number: number,
  octets: Uint8Array,
): Partial<OutgoingMessage> {
  return {
    dataCoding: 0,
    shortMessage: Buffer.from(octets),
    tlvs: { sarMsgRefNum: reference, sarTotalSegments: total, sarSegmentSeqnum: number },
  };
}

/** The texts that a company received, the oldest first. */
export async function textsOf(company: Company, filter: object = {}): Promise<string[]> {
  const rows = await dataOf(company.call("/v1/inbound/list", { limit: 100, ...filter }));
  return rows.map(({ text }: { text: string }) => text).reverse();
}
