// Why messages fail: for each code, one sentence, who can mend it, whether sending again may help, what was paid back.
import type { Language, Sentence } from "../kernel/refusals.ts";
import type { STATUS } from "../smpp/smpp.ts";

/**
 * Who can mend it: the `recipient` (the phone), the `sender` (text or sender name), the mobile `operator`, or the
 * `service` (its session with the operator, and how it writes messages).
 */
type Fault = "recipient" | "sender" | "operator" | "service";

/** `retryable`: the same message may pass if it is sent again. */
type Failure = Sentence & { fault: Fault; retryable: boolean };

type Failures<Code extends string> = Readonly<Record<Code, Failure>>;

const FORM: Failure = {
  fault: "service",
  retryable: false,
  fr: "L’opérateur n’accepte pas la forme de notre demande ; ni le texte ni le numéro n’en sont la cause.",
  en: "The operator does not accept the form of our request; neither the text nor the number is the cause.",
};
const SOURCE_TYPE: Failure = {
  fault: "service",
  retryable: false,
  fr: "L’opérateur n’accepte pas le type de numéro sous lequel nous annonçons l’expéditeur.",
  en: "The operator does not accept the type of number by which we announce the sender.",
};
const DESTINATION_TYPE: Failure = {
  fault: "service",
  retryable: false,
  fr: "L’opérateur n’accepte pas le type de numéro sous lequel nous annonçons le destinataire.",
  en: "The operator does not accept the type of number by which we announce the recipient.",
};
const SESSION: Failure = {
  fault: "service",
  retryable: true,
  fr: "L’opérateur a refusé notre liaison avec lui, et le message avec elle.",
  en: "The operator refused our session with it, and the message with that.",
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
  fr: "L’opérateur avait une panne passagère, qui a duré plus longtemps que nos essais.",
  en: "The operator had a passing fault, which lasted longer than our tries.",
};
const FOR_GOOD: Failure = {
  fault: "operator",
  retryable: false,
  fr: "L’opérateur a refusé le message pour de bon, sans dire pourquoi.",
  en: "The operator refused the message for good, without saying why.",
};
const OUT_OF_PLACE: Failure = {
  fault: "operator",
  retryable: false,
  fr: "L’opérateur a refusé le message par un code qui ne concerne pas les envois.",
  en: "The operator refused the message by a code that is not about sending.",
};

type Status = Exclude<keyof typeof STATUS, "ESME_ROK">;

/** What operators answer to a message (SMPP 3.4, section 5.1.3). */
const REFUSED: Failures<Status> = {
  ESME_RINVMSGLEN: {
    fault: "sender",
    retryable: false,
    fr: "L’opérateur trouve le texte trop long, ou vide.",
    en: "The operator finds the text too long, or empty.",
  },
  ESME_RINVCMDLEN: FORM,
  ESME_RINVCMDID: FORM,
  ESME_RINVBNDSTS: {
    fault: "service",
    retryable: true,
    fr: "L’opérateur ne reconnaissait plus notre liaison, même rétablie.",
    en: "The operator no longer knew our session, even after it was made anew.",
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
    fr: "L’opérateur ne connaît pas ce numéro, ou ne le dessert pas.",
    en: "The operator does not know this number, or does not serve it.",
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
    fr: "L’opérateur n’a pas réussi à prendre le message.",
    en: "The operator failed to take the message.",
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
    fr: "L’opérateur n’accepte pas la durée pendant laquelle il devait essayer de remettre le message.",
    en: "The operator does not accept the time for which it was to try to deliver the message.",
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
    fr: "L’opérateur a refusé le message à plusieurs reprises, pour une raison qu’il ne connaît pas lui-même.",
    en: "The operator refused the message several times, for a reason that it does not know itself.",
  },
};

/** An answer with a code that SMPP 3.4 does not have, such as `0x00000401`. */
const REFUSED_BY_OWN_CODE: Failure = {
  fault: "operator",
  retryable: false,
  fr: "L’opérateur a refusé le message par un code qui lui est propre ; lui seul en connaît le sens.",
  en: "The operator refused the message by a code of its own; only it knows what the code means.",
};

/** What ended here, without an operator that is known to have the message. */
const NOT_TAKEN: Failures<"expired" | "not-encodable" | "unknown-outcome"> = {
  expired: {
    fault: "operator",
    retryable: true,
    fr: "Aucun opérateur n’a pris le message avant la fin de sa durée de vie.",
    en: "No operator took the message before its time was over.",
  },
  "not-encodable": {
    fault: "service",
    retryable: false,
    fr: "Le message ne peut pas être écrit dans la forme que cet opérateur demande.",
    en: "The message cannot be written in the form that this operator wants.",
  },
  "unknown-outcome": {
    fault: "operator",
    retryable: true,
    fr: "La liaison est tombée avant la réponse de l’opérateur, qui n’a rien dit ensuite : le message peut être arrivé ou non.",
    en: "The session fell before the operator answered, and it said nothing afterwards: the message may have arrived or not.",
  },
};

/**
 * What receipts say of messages that their operators took (SMPP 3.4, section 5.2.28), by their state. A receipt with a
 * code of its own shows that code instead of the state.
 */
const NOT_DELIVERED: Failures<"UNDELIVERED" | "EXPIRED" | "REJECTED" | "DELETED" | "UNKNOWN"> = {
  UNDELIVERED: {
    fault: "recipient",
    retryable: true,
    fr: "L’opérateur a pris le message mais n’a pas pu le remettre : numéro hors service, téléphone absent ou bloqué.",
    en: "The operator took the message but could not deliver it: number out of service, phone absent or barred.",
  },
  EXPIRED: {
    fault: "recipient",
    retryable: true,
    fr: "L’opérateur a pris le message mais n’a pas joint le téléphone à temps.",
    en: "The operator took the message but did not reach the phone in time.",
  },
  REJECTED: {
    fault: "operator",
    retryable: false,
    fr: "L’opérateur a pris le message, puis l’a refusé.",
    en: "The operator took the message, then refused it.",
  },
  DELETED: {
    fault: "operator",
    retryable: true,
    fr: "L’opérateur a pris le message, puis l’a supprimé sans le remettre.",
    en: "The operator took the message, then deleted it without delivering it.",
  },
  UNKNOWN: {
    fault: "operator",
    retryable: true,
    fr: "L’opérateur a pris le message, mais ne sait pas ce qu’il est devenu.",
    en: "The operator took the message, but does not know what became of it.",
  },
};

/** `title`: what ended the message. `refund`: whether its credits are back, and why. */
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
      fr: "Les crédits sont rendus : l’opérateur n’a pas pris le message.",
      en: "The credits are back: the operator did not take the message.",
    },
    failures: { ...REFUSED, "0x…": REFUSED_BY_OWN_CODE },
  },
  {
    id: "failures-not-taken",
    title: {
      fr: "Le message n’a trouvé aucun preneur connu",
      en: "Nobody is known to have taken the message",
    },
    refund: {
      isRefunded: true,
      fr: "Les crédits sont rendus : aucun opérateur n’a dit avoir pris le message.",
      en: "The credits are back: no operator said that it took the message.",
    },
    failures: NOT_TAKEN,
  },
  {
    id: "failures-not-delivered",
    title: {
      fr: "L’accusé dit que le message n’est pas remis",
      en: "The receipt says that the message was not delivered",
    },
    refund: {
      isRefunded: false,
      fr: "Les crédits ne sont pas rendus : l’opérateur a pris le message, et le facture. Si l’accusé porte un code de l’opérateur, error le montre, et la phrase est celle de status.",
      en: "The credits are not back: the operator took the message and charges for it. If the receipt has a code of the operator, error shows it, and the sentence is that of status.",
    },
    failures: NOT_DELIVERED,
  },
];

const beforeTaken = new Map<string, Failure>(Object.entries({ ...REFUSED, ...NOT_TAKEN }));
const afterTaken = new Map<string, Failure>(Object.entries(NOT_DELIVERED));

/** A message as it ended; `isTaken`: an operator accepted it. */
type Ended = { status: string; error: string | null; isTaken: boolean };

/**
 * Why a message failed. Null where it has no `error`. A code of an operator that no table has gets the sentence of its
 * kind: that of its state if a receipt says it, otherwise `REFUSED_BY_OWN_CODE`.
 */
function failureOf({ status, error, isTaken }: Ended): Failure | null {
  if (error === null) return null;
  if (!isTaken) return beforeTaken.get(error) ?? REFUSED_BY_OWN_CODE;
  return afterTaken.get(error) ?? afterTaken.get(status) ?? NOT_DELIVERED.UNDELIVERED;
}

/** The sentence that stands beside the `error` of a message; null where it has none. */
export function errorReasonOf(ended: Ended, language: Language): string | null {
  return failureOf(ended)?.[language] ?? null;
}
