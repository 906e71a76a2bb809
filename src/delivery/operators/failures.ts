// Reasons why messages fail: for each code, one sentence, who can fix it, whether a retry may help, and the refund.
import type { Language, Sentence } from "../../platform/http/refusals.ts";
import type { CARRIER_FAILURES } from "../../protocol/carriers/connector.ts";
import type { STATUS } from "../../protocol/smpp/pdu.ts";

/**
 * Who can fix it: the `recipient` (the phone), the `sender` (text or sender name), the mobile `operator`, or the
 * `service` (its session with the operator, and how it writes messages).
 */
export const FAILURE_CLASSES = ["recipient", "sender", "operator", "service"] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** `retryable`: the same message may succeed if it is sent again. */
type Failure = Sentence & { fault: FailureClass; retryable: boolean };

type Failures<Code extends string> = Readonly<Record<Code, Failure>>;

const FORM: Failure = {
  fault: "service",
  retryable: false,
  fr: "L’opérateur n’accepte pas le format de notre requête ; ni le texte ni le numéro n’est en cause.",
  en: "The operator does not accept the format of our request; neither the text nor the number is the cause.",
};
const SOURCE_TYPE: Failure = {
  fault: "service",
  retryable: false,
  fr: "L’opérateur n’accepte pas le type de numéro que nous indiquons pour l’expéditeur.",
  en: "The operator does not accept the type of number that we specify for the sender.",
};
const DESTINATION_TYPE: Failure = {
  fault: "service",
  retryable: false,
  fr: "L’opérateur n’accepte pas le type de numéro que nous indiquons pour le destinataire.",
  en: "The operator does not accept the type of number that we specify for the recipient.",
};
const SESSION: Failure = {
  fault: "service",
  retryable: true,
  fr: "L’opérateur a refusé notre session, et donc le message.",
  en: "The operator refused our session, and therefore the message.",
};
const BUSY: Failure = {
  fault: "operator",
  retryable: true,
  fr: "L’opérateur était saturé.",
  en: "The operator was overloaded.",
};
const PASSING: Failure = {
  fault: "operator",
  retryable: true,
  fr: "L’opérateur a eu une panne passagère, plus longue que nos tentatives d’envoi.",
  en: "The operator had a temporary failure, which lasted longer than our attempts.",
};
const FOR_GOOD: Failure = {
  fault: "operator",
  retryable: false,
  fr: "L’opérateur a refusé le message définitivement, sans indiquer de raison.",
  en: "The operator refused the message permanently, without giving a reason.",
};
const OUT_OF_PLACE: Failure = {
  fault: "operator",
  retryable: false,
  fr: "L’opérateur a refusé le message avec un code qui ne concerne pas les envois.",
  en: "The operator refused the message with a code that does not concern sending.",
};

type Status = Exclude<keyof typeof STATUS, "ESME_ROK">;

/** Operators' answers to a message (SMPP 3.4, section 5.1.3). */
const REFUSED: Failures<Status> = {
  ESME_RINVMSGLEN: {
    fault: "sender",
    retryable: false,
    fr: "Selon l’opérateur, le texte est trop long ou vide.",
    en: "According to the operator, the text is too long or empty.",
  },
  ESME_RINVCMDLEN: FORM,
  ESME_RINVCMDID: FORM,
  ESME_RINVBNDSTS: {
    fault: "service",
    retryable: true,
    fr: "L’opérateur ne reconnaissait plus notre session, même rétablie.",
    en: "The operator no longer recognized our session, even after it was re-established.",
  },
  ESME_RALYBND: SESSION,
  ESME_RINVPRTFLG: FORM,
  ESME_RINVREGDLVFLG: FORM,
  ESME_RSYSERR: PASSING,
  ESME_RINVSRCADR: {
    fault: "sender",
    retryable: false,
    fr: "L’opérateur n’accepte pas ce nom d’expéditeur.",
    en: "The operator does not accept this sender name.",
  },
  ESME_RINVDSTADR: {
    fault: "recipient",
    retryable: false,
    fr: "L’opérateur ne connaît pas ce numéro ou ne le dessert pas.",
    en: "The operator does not know this number or does not serve it.",
  },
  ESME_RINVMSGID: OUT_OF_PLACE,
  ESME_RBINDFAIL: SESSION,
  ESME_RINVPASWD: SESSION,
  ESME_RINVSYSID: SESSION,
  ESME_RCANCELFAIL: OUT_OF_PLACE,
  ESME_RREPLACEFAIL: OUT_OF_PLACE,
  ESME_RMSGQFUL: BUSY,
  ESME_RINVSERTYP: FORM,
  ESME_RINVNUMDESTS: FORM,
  ESME_RINVDLNAME: OUT_OF_PLACE,
  ESME_RINVDESTFLAG: FORM,
  ESME_RINVSUBREP: FORM,
  ESME_RINVESMCLASS: FORM,
  ESME_RCNTSUBDL: OUT_OF_PLACE,
  ESME_RSUBMITFAIL: {
    fault: "operator",
    retryable: true,
    fr: "L’opérateur n’a pas pu accepter le message.",
    en: "The operator could not accept the message.",
  },
  ESME_RINVSRCTON: SOURCE_TYPE,
  ESME_RINVSRCNPI: SOURCE_TYPE,
  ESME_RINVDSTTON: DESTINATION_TYPE,
  ESME_RINVDSTNPI: DESTINATION_TYPE,
  ESME_RINVSYSTYP: SESSION,
  ESME_RINVREPFLAG: FORM,
  ESME_RINVNUMMSGS: OUT_OF_PLACE,
  ESME_RTHROTTLED: BUSY,
  ESME_RINVSCHED: FORM,
  ESME_RINVEXPIRY: {
    fault: "service",
    retryable: false,
    fr: "L’opérateur n’accepte pas la durée de validité du message.",
    en: "The operator does not accept the validity period of the message.",
  },
  ESME_RINVDFTMSGID: FORM,
  ESME_RX_T_APPN: PASSING,
  ESME_RX_P_APPN: FOR_GOOD,
  ESME_RX_R_APPN: FOR_GOOD,
  ESME_RQUERYFAIL: OUT_OF_PLACE,
  ESME_RINVOPTPARSTREAM: FORM,
  ESME_ROPTPARNOTALLWD: FORM,
  ESME_RINVPARLEN: FORM,
  ESME_RMISSINGOPTPARAM: FORM,
  ESME_RINVOPTPARAMVAL: FORM,
  ESME_RDELIVERYFAILURE: {
    fault: "recipient",
    retryable: true,
    fr: "L’opérateur n’a pas pu remettre le message.",
    en: "The operator could not deliver the message.",
  },
  ESME_RUNKNOWNERR: {
    fault: "operator",
    retryable: true,
    fr: "L’opérateur a refusé le message plusieurs fois, pour une raison qu’il ignore lui-même.",
    en: "The operator refused the message several times, for a reason that is unknown to it.",
  },
};

/** An answer with a code that SMPP 3.4 does not have, such as `0x00000401`. */
const REFUSED_BY_OWN_CODE: Failure = {
  fault: "operator",
  retryable: false,
  fr: "L’opérateur a refusé le message avec un code qui lui est propre ; lui seul en connaît le sens.",
  en: "The operator refused the message with a code of its own; only the operator knows its meaning.",
};

/**
 * Refusals of carriers over HTTP, in the words of `CARRIER_FAILURES`. The carrier's own code may follow after a colon
 * (`invalid-number:402`).
 */
const OVER_HTTP: Failures<(typeof CARRIER_FAILURES)[number] | "unserved" | "http-5xx"> = {
  "invalid-number": {
    fault: "recipient",
    retryable: false,
    fr: "L’opérateur n’accepte pas ce numéro : il n’existe pas, ou ce compte ne peut pas l’atteindre.",
    en: "The operator does not accept this number: it does not exist, or this account cannot reach it.",
  },
  "invalid-sender": {
    fault: "sender",
    retryable: false,
    fr: "L’opérateur n’accepte pas ce nom d’expéditeur. Il doit d’abord y être enregistré.",
    en: "The operator does not accept this sender name. It must first be registered there.",
  },
  "invalid-text": {
    fault: "sender",
    retryable: false,
    fr: "L’opérateur n’accepte pas ce texte : il est trop long, vide ou filtré.",
    en: "The operator does not accept this text: it is too long, empty or filtered.",
  },
  unserved: {
    fault: "operator",
    retryable: false,
    fr: "L’opérateur ne dessert pas le pays ou le réseau de ce numéro, et le message n’a pas pu passer par un autre.",
    en: "The operator does not serve the country or network of this number, and the message could not go by another one.",
  },
  "blocked-number": {
    fault: "recipient",
    retryable: false,
    fr: "L’opérateur bloque les messages vers ce numéro : son titulaire les a refusés, ou il est sur une liste d’opposition.",
    en: "The operator blocks messages to this number: its owner has refused them, or it is on a do-not-disturb list.",
  },
  refused: FOR_GOOD,
  "http-5xx": PASSING,
};

/** Messages that ended here, without an operator that is known to have them. */
const NOT_ACCEPTED: Failures<"expired" | "not-encodable" | "unknown-outcome"> = {
  expired: {
    fault: "operator",
    retryable: true,
    fr: "Aucun opérateur n’a accepté le message pendant sa durée de validité.",
    en: "No operator accepted the message within its validity period.",
  },
  "not-encodable": {
    fault: "service",
    retryable: false,
    fr: "Le message ne peut pas être encodé dans le format exigé par cet opérateur.",
    en: "The message cannot be encoded in the format that this operator requires.",
  },
  "unknown-outcome": {
    fault: "operator",
    retryable: true,
    fr: "La session a été interrompue avant la réponse de l’opérateur, qui n’a rien signalé ensuite : le message est peut-être arrivé.",
    en: "The session was lost before the operator answered, and the operator reported nothing afterwards: the message may have arrived.",
  },
};

/**
 * The states of receipts for messages that operators accepted (SMPP 3.4, section 5.2.28). For a receipt with a code of
 * its own, that code is shown instead of the state.
 */
const NOT_DELIVERED: Failures<"UNDELIVERED" | "EXPIRED" | "REJECTED" | "DELETED" | "UNKNOWN"> = {
  UNDELIVERED: {
    fault: "recipient",
    retryable: true,
    fr: "L’opérateur a accepté le message mais n’a pas pu le remettre : numéro hors service, téléphone injoignable ou bloqué.",
    en: "The operator accepted the message but could not deliver it: number out of service, phone unreachable or barred.",
  },
  EXPIRED: {
    fault: "recipient",
    retryable: true,
    fr: "L’opérateur a accepté le message mais n’a pas joint le téléphone à temps.",
    en: "The operator accepted the message but did not reach the phone in time.",
  },
  REJECTED: {
    fault: "operator",
    retryable: false,
    fr: "L’opérateur a accepté le message, puis l’a refusé.",
    en: "The operator accepted the message, then refused it.",
  },
  DELETED: {
    fault: "operator",
    retryable: true,
    fr: "L’opérateur a accepté le message, puis l’a supprimé sans le remettre.",
    en: "The operator accepted the message, then deleted it without delivering it.",
  },
  UNKNOWN: {
    fault: "operator",
    retryable: true,
    fr: "L’opérateur a accepté le message, mais ne sait pas s’il a été remis.",
    en: "The operator accepted the message, but does not know whether it was delivered.",
  },
};

/** `title`: the event that ended the message. `refund`: whether its credits are refunded, and why. */
type FailureTable = {
  id: string;
  title: Sentence;
  refund: Sentence & { isRefunded: boolean };
  failures: Readonly<Record<string, Failure>>;
};

/** Every failure of a message, for the reference. */
export const failureTables: readonly FailureTable[] = [
  {
    id: "failures-refused",
    title: { fr: "L’opérateur a refusé le message", en: "The operator refused the message" },
    refund: {
      isRefunded: true,
      fr: "Les crédits sont remboursés : l’opérateur n’a pas accepté le message.",
      en: "The credits are refunded: the operator did not accept the message.",
    },
    failures: { ...REFUSED, "0x…": REFUSED_BY_OWN_CODE, ...OVER_HTTP },
  },
  {
    id: "failures-not-taken",
    title: {
      fr: "Aucun opérateur n’a confirmé avoir accepté le message",
      en: "No operator confirmed that it accepted the message",
    },
    refund: {
      isRefunded: true,
      fr: "Les crédits sont remboursés : aucun opérateur n’a confirmé avoir accepté le message.",
      en: "The credits are refunded: no operator confirmed that it accepted the message.",
    },
    failures: NOT_ACCEPTED,
  },
  {
    id: "failures-not-delivered",
    title: {
      fr: "L’accusé de réception indique que le message n’a pas été remis",
      en: "The delivery receipt reports that the message was not delivered",
    },
    refund: {
      isRefunded: false,
      fr: "Les crédits ne sont pas remboursés : l’opérateur a accepté le message et le facture. Si l’accusé de réception contient un code de l’opérateur, error contient ce code, et la phrase est celle de status.",
      en: "The credits are not refunded: the operator accepted the message and charges for it. If the receipt contains an operator code, error contains this code, and the sentence is that of status.",
    },
    failures: NOT_DELIVERED,
  },
];

const beforeAcceptance = new Map<string, Failure>(
  Object.entries({ ...REFUSED, ...NOT_ACCEPTED, ...OVER_HTTP }),
);
const afterAcceptance = new Map<string, Failure>(Object.entries(NOT_DELIVERED));

/** A message as it ended; `isTaken`: an operator accepted it. */
type Ended = { status: string; error: string | null; isTaken: boolean };

/**
 * Returns why a message failed. Null if it has no `error`. An operator's code that is in no table gets the sentence of
 * its kind: that of its state if a receipt reports it, otherwise `REFUSED_BY_OWN_CODE`.
 */
function failureOf({ status, error, isTaken }: Ended): Failure | null {
  if (error === null) return null;
  if (!isTaken) return beforeAcceptance.get(reasonIn(error)) ?? REFUSED_BY_OWN_CODE;
  return afterAcceptance.get(error) ?? afterAcceptance.get(status) ?? NOT_DELIVERED.UNDELIVERED;
}

/** Returns the class of a refusal by an operator with this error. */
export function classOfRefusal(error: string | null): FailureClass {
  return failureOf({ status: "REJECTED", error: error ?? "", isTaken: false })?.fault ?? "operator";
}

/** Returns the part of an error that the tables have: without a carrier's own code. */
function reasonIn(error: string): string {
  return /^http-5\d\d$/.test(error) ? "http-5xx" : (error.split(":", 1)[0] ?? error);
}

/** Returns the sentence shown beside the `error` of a message; null if it has none. */
export function errorReasonOf(ended: Ended, language: Language): string | null {
  return failureOf(ended)?.[language] ?? null;
}
