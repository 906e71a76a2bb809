// Sends: the unit that one acceptance pays for and counts, from the queue to the record.
export { announceSends, SENDS } from "./announce.ts";
export { releaseResumed } from "./aside.ts";
export { proveCredits, showAudit } from "./audit.ts";
export {
  type BatchRow,
  beginSession,
  canceledAmong,
  type Decision,
  decideCycles,
  deferUnknown,
  freeBatches,
  type GivenBack,
  giveBack,
  type HeldBatch,
  listWaiting,
  lockLeftBatches,
  returnLeased,
  takeBatches,
  unknownBatchesOf,
  type WaitingGroup,
  withMessages,
} from "./batches.ts";
export { cancelSend } from "./cancel.ts";
export type { SendCounts } from "./counted.ts";
export { type QueueDepth, readOperatorsOfUnknown, readQueueDepths } from "./depths.ts";
export {
  countDoubtful,
  doubtKept,
  doubtQueue,
  doubtSend,
  type FindSubmitted,
  hasCycles,
  hasDoubtful,
  type SeenCycle,
  settleSomeDoubtful,
} from "./doubtful.ts";
export { enqueueSends, LANE, type Recipient, releaseSends, type Send } from "./enqueue.ts";
export {
  cancelQueuedTo,
  emptyRecord,
  eraseRecorded,
  forgetCallbackData,
  forgetCodes,
  type OursAmong,
} from "./erase.ts";
export { expireMessages } from "./expire.ts";
export { readOfStatus } from "./filtered.ts";
export { findQueuedOf, findQueuedTo } from "./findqueued.ts";
export { KINDS, type QueuedMessage, STANDING } from "./fold.ts";
export {
  giveWay,
  type LeasedBatch,
  linksOf,
  mustGiveWay,
  type OpenLink,
  type WantedLease,
} from "./lease.ts";
export { keepLedger } from "./ledger.ts";
export { type AskedFor, keepMonths } from "./months.ts";
export { listQueuedSends, type QueuedSend } from "./queued.ts";
export { type AppliedReceipt, applyReceipts, type ReceiptSource } from "./receipts.ts";
export {
  findFolded,
  findUnknown,
  listUnknownByPhone,
  listUnknownPhones,
  messageIdOf,
  readMessage,
  readMessages,
  readRange,
} from "./record.ts";
export { countSealedTexts } from "./sealing.sql.ts";
export { sealText, unsealText } from "./sealing.ts";
export {
  isBegunElsewhere,
  isMistaken,
  type MessageOutcome,
  type Move,
  moveMessages,
  settleFolded,
  settleQueued,
  type UnknownTimes,
  unknownMove,
} from "./settle.ts";
export { Message, STATUSES } from "./shapes.ts";
export {
  advanceUnqueued,
  type FoundUnqueued,
  finishUnqueued,
  leaveUnqueued,
  lockUnqueued,
} from "./steps.ts";
export { addTallies, type DayCounts, readCounted, readDays, readDaysIn } from "./tallies.ts";
export { type Evidence, type Taken, Tally } from "./tally.ts";
export { readUsageDays } from "./usagedays.ts";
export type { Watch } from "./watch.ts";
