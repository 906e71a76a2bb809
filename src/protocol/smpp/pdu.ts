// The PDUs of SMPP 3.4 as data: commands and their fields, optional parameters (TLVs), names of command_status.

/** A C-Octet String (section 3.1); `size` includes the closing NUL. */
const text = (size: number) => ({ kind: "text", size }) as const;
/** A one-octet Integer (section 3.1). */
const octet = { kind: "octet", size: 1 } as const;
/** `sm_length` followed by that many octets (sections 5.2.21, 5.2.22). */
const counted = { kind: "counted", size: 255 } as const;

/** The maximum length of a system_id or a password in a bind, in octets without the NUL. */
export const CREDENTIAL_OCTETS = 64;

export interface Field {
  readonly kind: "text" | "octet" | "counted";
  readonly size: number;
}

/**
 * bind_transmitter, bind_receiver, bind_transceiver: sections 4.1.1, 4.1.3, 4.1.5. The standard allows 16 octets for
 * the system_id and 9 for the password, with their NUL. Operators assign longer ones, and their servers read up to the
 * NUL.
 */
const BIND = {
  systemId: text(CREDENTIAL_OCTETS + 1),
  password: text(CREDENTIAL_OCTETS + 1),
  systemType: text(13),
  interfaceVersion: octet,
  addrTon: octet,
  addrNpi: octet,
  addressRange: text(41),
} as const;

/** submit_sm and deliver_sm have the same layout: sections 4.4.1, 4.6.1. */
const SHORT_MESSAGE = {
  serviceType: text(6),
  sourceAddrTon: octet,
  sourceAddrNpi: octet,
  sourceAddr: text(21),
  destAddrTon: octet,
  destAddrNpi: octet,
  destinationAddr: text(21),
  esmClass: octet,
  protocolId: octet,
  priorityFlag: octet,
  scheduleDeliveryTime: text(17),
  validityPeriod: text(17),
  registeredDelivery: octet,
  replaceIfPresentFlag: octet,
  dataCoding: octet,
  smDefaultMsgId: octet,
  shortMessage: counted,
} as const;

/** The addresses of data_sm are longer, and its text is a parameter: section 4.7.1. */
const DATA_SM = {
  serviceType: text(6),
  sourceAddrTon: octet,
  sourceAddrNpi: octet,
  sourceAddr: text(65),
  destAddrTon: octet,
  destAddrNpi: octet,
  destinationAddr: text(65),
  esmClass: octet,
  registeredDelivery: octet,
  dataCoding: octet,
} as const;

const BIND_RESP = { systemId: text(16) } as const;
const MESSAGE_RESP = { messageId: text(65) } as const;
const EMPTY = {} as const;

/** Every supported command: its command_id (section 5.1.2.1) and its mandatory fields in wire order. */
export const COMMANDS = {
  generic_nack: { id: 0x80000000, fields: EMPTY },
  bind_receiver: { id: 0x00000001, fields: BIND },
  bind_receiver_resp: { id: 0x80000001, fields: BIND_RESP },
  bind_transmitter: { id: 0x00000002, fields: BIND },
  bind_transmitter_resp: { id: 0x80000002, fields: BIND_RESP },
  submit_sm: { id: 0x00000004, fields: SHORT_MESSAGE },
  submit_sm_resp: { id: 0x80000004, fields: MESSAGE_RESP },
  deliver_sm: { id: 0x00000005, fields: SHORT_MESSAGE },
  deliver_sm_resp: { id: 0x80000005, fields: MESSAGE_RESP },
  unbind: { id: 0x00000006, fields: EMPTY },
  unbind_resp: { id: 0x80000006, fields: EMPTY },
  bind_transceiver: { id: 0x00000009, fields: BIND },
  bind_transceiver_resp: { id: 0x80000009, fields: BIND_RESP },
  enquire_link: { id: 0x00000015, fields: EMPTY },
  enquire_link_resp: { id: 0x80000015, fields: EMPTY },
  data_sm: { id: 0x00000103, fields: DATA_SM },
  data_sm_resp: { id: 0x80000103, fields: MESSAGE_RESP },
} as const;

/** Every optional parameter that is read or written by name (section 5.3.2); any other one is returned as bytes. */
export const TLVS = {
  additionalStatusInfoText: { tag: 0x001d, kind: "text", size: 256 },
  receiptedMessageId: { tag: 0x001e, kind: "text", size: 65 },
  userMessageReference: { tag: 0x0204, kind: "integer", size: 2 },
  sourcePort: { tag: 0x020a, kind: "integer", size: 2 },
  destinationPort: { tag: 0x020b, kind: "integer", size: 2 },
  sarMsgRefNum: { tag: 0x020c, kind: "integer", size: 2 },
  sarTotalSegments: { tag: 0x020e, kind: "integer", size: 1 },
  sarSegmentSeqnum: { tag: 0x020f, kind: "integer", size: 1 },
  scInterfaceVersion: { tag: 0x0210, kind: "integer", size: 1 },
  networkErrorCode: { tag: 0x0423, kind: "octets", size: 3 },
  messagePayload: { tag: 0x0424, kind: "octets", size: 0xffff },
  deliveryFailureReason: { tag: 0x0425, kind: "integer", size: 1 },
  messageState: { tag: 0x0427, kind: "integer", size: 1 },
} as const;

type Values<T> = {
  [K in keyof T]: T[K] extends { kind: "text" }
    ? string
    : T[K] extends { kind: "octet" | "integer" }
      ? number
      : Buffer;
};

export type Command = keyof typeof COMMANDS;
/** The requests that have mandatory fields. */
export type RequestCommand = BindCommand | "submit_sm" | "deliver_sm" | "data_sm";
/** Optional parameters by name; `other` has those that `TLVS` does not list, or whose length is wrong. */
export type Tlvs = Partial<Values<{ -readonly [K in keyof typeof TLVS]: (typeof TLVS)[K] }>> & {
  other?: { tag: number; value: Buffer }[];
};
/** The fields of a command after its header. */
export type Body<C extends Command> = {
  -readonly [K in keyof CommandFields<C>]: Values<CommandFields<C>>[K];
} & {
  tlvs?: Tlvs | undefined;
};
type CommandFields<C extends Command> = (typeof COMMANDS)[C]["fields"];
/** The header of section 3.2 without its length, and the number of unreadable octets. */
interface Header<C> {
  command: C;
  status: number;
  sequence: number;
  /** The number of octets after the fields that could not be read and were ignored (S32); absent if none. */
  unread?: number;
}
/** One known PDU, discriminated by `command`. */
export type KnownPdu = { [C in Command]: Header<C> & Body<C> }[Command];
/** A whole PDU whose command_id is not in `COMMANDS`. */
type UnknownPdu = Header<"unknown"> & { commandId: number };
export type Pdu = KnownPdu | UnknownPdu;

export type ShortMessage = Body<"submit_sm">;
export type SubmitSm = Header<"submit_sm"> & ShortMessage;
export type DeliverSm = Header<"deliver_sm"> & ShortMessage;
export type DataSm = Header<"data_sm"> & Body<"data_sm">;
export type BindCommand = "bind_receiver" | "bind_transmitter" | "bind_transceiver";
export type Bind = Header<BindCommand> & Body<"bind_transceiver">;
/** A message to send: omitted fields are empty or 0. */
export type OutgoingMessage = Partial<ShortMessage> & { destinationAddr: string };

/** command_status (section 5.1.3): names to numbers. */
export const STATUS = {
  ESME_ROK: 0x00,
  ESME_RINVMSGLEN: 0x01,
  ESME_RINVCMDLEN: 0x02,
  ESME_RINVCMDID: 0x03,
  ESME_RINVBNDSTS: 0x04,
  ESME_RALYBND: 0x05,
  ESME_RINVPRTFLG: 0x06,
  ESME_RINVREGDLVFLG: 0x07,
  ESME_RSYSERR: 0x08,
  ESME_RINVSRCADR: 0x0a,
  ESME_RINVDSTADR: 0x0b,
  ESME_RINVMSGID: 0x0c,
  ESME_RBINDFAIL: 0x0d,
  ESME_RINVPASWD: 0x0e,
  ESME_RINVSYSID: 0x0f,
  ESME_RCANCELFAIL: 0x11,
  ESME_RREPLACEFAIL: 0x13,
  ESME_RMSGQFUL: 0x14,
  ESME_RINVSERTYP: 0x15,
  ESME_RINVNUMDESTS: 0x33,
  ESME_RINVDLNAME: 0x34,
  ESME_RINVDESTFLAG: 0x40,
  ESME_RINVSUBREP: 0x42,
  ESME_RINVESMCLASS: 0x43,
  ESME_RCNTSUBDL: 0x44,
  ESME_RSUBMITFAIL: 0x45,
  ESME_RINVSRCTON: 0x48,
  ESME_RINVSRCNPI: 0x49,
  ESME_RINVDSTTON: 0x50,
  ESME_RINVDSTNPI: 0x51,
  ESME_RINVSYSTYP: 0x53,
  ESME_RINVREPFLAG: 0x54,
  ESME_RINVNUMMSGS: 0x55,
  ESME_RTHROTTLED: 0x58,
  ESME_RINVSCHED: 0x61,
  ESME_RINVEXPIRY: 0x62,
  ESME_RINVDFTMSGID: 0x63,
  ESME_RX_T_APPN: 0x64,
  ESME_RX_P_APPN: 0x65,
  ESME_RX_R_APPN: 0x66,
  ESME_RQUERYFAIL: 0x67,
  ESME_RINVOPTPARSTREAM: 0xc0,
  ESME_ROPTPARNOTALLWD: 0xc1,
  ESME_RINVPARLEN: 0xc2,
  ESME_RMISSINGOPTPARAM: 0xc3,
  ESME_RINVOPTPARAMVAL: 0xc4,
  ESME_RDELIVERYFAILURE: 0xfe,
  ESME_RUNKNOWNERR: 0xff,
} as const;

const names = new Map<number, string>(Object.entries(STATUS).map(([name, code]) => [code, name]));

/** Returns the name of a command_status (section 5.1.3), or its hexadecimal number if the standard has none. */
export function statusName(status: number): string {
  return names.get(status) ?? `0x${status.toString(16).padStart(8, "0")}`;
}
