// Limits and settings: how much one request, account or network may ask, and how long things live and wait.

/** Limits of what one request or account may ask. */
export const limits = {
  /** Bytes of one body: on most routes, and on routes that take thousands of contacts or ids. */
  bodyBytes: 64 * 1024,
  bulkBodyBytes: 5 * 1024 * 1024,
  /** Bytes of the bodies that are being received or worked on: in all, and from one network. */
  bodyBytesInFlight: 48 * 1024 * 1024,
  bodyBytesInFlightPerNetwork: 20 * 1024 * 1024,
  /** Bytes that a network may send in refused bodies. Beyond them, its bodies over 4 KiB are refused unread. */
  refusedBytesPerSecond: 512 * 1024,
  refusedBytesAtOnce: 8 * 1024 * 1024,
  /** After a refusal of a body over 4 KiB, nothing else is read from its connection for so long. */
  refusedPauseMs: 1_000,
  /** Bytes of requests without an answer and of answers that are not read: in all, and of one network. */
  answerBytes: 128 * 1024 * 1024,
  answerBytesPerNetwork: 32 * 1024 * 1024,
  /** Open connections: in all, and from one network. */
  sockets: 10_000,
  socketsPerNetwork: 1_000,
  /** These have no limits per network, because everybody behind a proxy on this machine would share them. */
  networksWithoutLimits: ["127.0.0.0/8", "::1"],
  /**
   * Bytes of answers that one credential may have kept with its idempotency keys, on each process. They lie in the
   * database for 72 hours. An answer with 10,000 contacts takes 0.4 MB.
   */
  keptAnswerBytesPerSecond: 256 * 1024,
  keptAnswerBytesAtOnce: 64 * 1024 * 1024,
  segmentsPerText: 10,
  /**
   * Work of an account for quotes and for campaigns that are not sent and paid: recipients × (1,000 + the characters of a
   * text with variables). A quote for 10,000 people is 10 million and takes 80 ms, with 800 characters and variables 18
   * million and 140 ms (2 cores, 2026-11-23). If the balance can pay for it, 80 of the latter may come at once, and then 130
   * a minute; else 3 at once, and then 5 a minute.
   */
  workPerSecond: 40_000_000,
  workAtOnce: 1_500_000_000,
  unpaidWorkPerSecond: 1_500_000,
  unpaidWorkAtOnce: 40_000_000,
  /**
   * Unpaid work of an account in each process, such as contacts, groups, lists, searches, quotes and imports: requests at
   * once (one with a body over 64 KiB runs alone), and those of all accounts together.
   */
  unpaidAtOnce: 3,
  unpaidAtOnceInAll: 8,
  /**
   * The milliseconds that an account's unpaid work may take while other accounts are active: in a second, at once, and
   * how many it can owe. A client that sends one request after the other waits 10 s at most.
   */
  unpaidMsPerSecond: 250,
  unpaidMsAtOnce: 2_000,
  unpaidMsOwed: 2_500,
  /**
   * Unpaid requests of an account that wait: so many, of so many bytes, and, once its budget is used, for so long. Beyond
   * them they are refused.
   */
  unpaidWaiting: 500,
  unpaidWaitingBytes: 8 * 1024 * 1024,
  unpaidWaitMs: 15_000,
  /**
   * Less than `requestTimeoutMs`, after which the answer would be `service-unavailable` and the work would be done all
   * the same.
   */
  unpaidWaitAtMostMs: 25_000,
  requestsPerSecond: 50,
  requestBurst: 1_000,
  /**
   * Wrong keys: of one address at each process, because unauthenticated callers have many addresses, and a shared limit
   * would cost a statement for each; and of one application and for one account, at all processes together.
   */
  authFailuresPerMinute: 20,
  sendersPerCompany: 3,
  scheduleDaysAhead: 180,
  requestTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  /** A connection with a request under way is closed if it neither sends nor reads anything for so long. */
  stallTimeoutMs: 60_000,
  /**
   * What a company may have, unless an administrator chose otherwise for it. Rejected applications and revoked connections
   * do not count; contacts of sends that are paid are kept beyond the quota.
   */
  quotas: {
    contacts: 2_000_000,
    groups: 10_000,
    groupMembers: 10_000_000,
    optouts: 2_000_000,
    schedules: 100,
    drafts: 100,
    templates: 500,
    applications: 100,
    connections: 10_000,
    customers: 100_000,
    offers: 1_000,
    keys: 50,
    members: 100,
    imports: 5,
    webhooks: 10,
  },
  /**
   * Applications submitted without an account: from one address in an hour, from its network (a /24, or a /48 of IPv6),
   * and for one owner, by phone or by e-mail, in a day.
   */
  publicSubmitsPerHour: 5,
  publicSubmitsPerHourOfNetwork: 20,
  publicSubmitsPerDayOfOwner: 10,
  /** Those of 24 hours, from all, that are reviewed in order. What comes beyond them is surplus; so many are kept. */
  publicSubmitsPerDay: 200,
  publicSurplusAtMost: 20_000,
  /** Pairings that may begin for one external account in an hour. */
  pairingsPerHour: 10,
  pairingPollsAtOnce: 20,
  /** Pairings of one application that wait at the same time. */
  pairingsPerApplication: 1_000,
  /** Wrong pairing codes of one account in an hour. Beyond them, even a right code is refused to it. */
  pairingMissesPerAccount: 10,
  /**
   * On the pages for people in 10 minutes: codes requested by SMS from one address and from its network (a /24, or a /48
   * of IPv6), and codes typed in from one address.
   */
  signInsPerTenMinutes: 20,
  signInsPerTenMinutesOfNetwork: 80,
  signInGuessesPerTenMinutes: 100,
  /**
   * Sign-in codes for one phone, known here or not: so many at once, then so many in a day, for one network (a /24, or a
   * /48 of IPv6), for one browser in which its owner has signed in before, and for all networks together.
   */
  signInsPerPhone: 5,
  signInsPerPhoneOfUnknown: 20,
  /** Phones of one company to which unauthenticated callers may have codes sent: so many at once, then so many in a day. */
  signInPhonesPerCompany: 20,
  /**
   * One-time passwords of one account and phone are 30 s apart. One second more lets this limit refuse first, whether the
   * phone is known or not.
   */
  secondsBetweenSignIns: 31,
  /** Live sessions of one phone of members. Beyond them the oldest end. */
  sessionsPerPhone: 20,
  /**
   * Sign-ups in a day: codes to one phone, for one network (a /24, or a /48 of IPv6), to one country abroad, and in all; and
   * companies made by one phone, from one network, and in all. The service pays for the codes.
   */
  signUpCodesPerPhone: 3,
  signUpCodesPerNetwork: 20,
  signUpCodesPerCountry: 20,
  signUpCodesPerDay: 500,
  signUpsPerPhone: 1,
  signUpsPerNetwork: 5,
  signUpsPerDay: 100,
  /** Credits of a company that signed up, for its trial. 0: none. */
  trialCredits: 20,
  /** Wrong second factors of one administrator in this time. Each is counted before it is compared. */
  adminFactorTries: 5,
  adminFactorTriesMs: 15 * 60_000,
  /** A campaign to more people than these is large: see `HOLD_FIRST_CAMPAIGNS`. */
  peopleBeforeReview: 50,
  /** Campaigns that wait for a second person, of which a company's members are told in a day. */
  approvalNoticesPerDay: 20,
  /** One-time passwords to one phone in 24 hours, of all accounts together. Codes to sign in with do not count. */
  otpPerPhonePerDayInAll: 30,
  /** Entries of the audit log that one call of `admin/audit/verify` proves. 1,524 take 103 ms (2 busy cores, 2026-11-23). */
  auditEntriesAtOnce: 2_000,
  /** Erasures of a company that are under way at the same time; each looks through the whole queue. */
  erasuresPerCompany: 1_000,
  /**
   * Archives of a company: so many in a day, each of so many bytes; and downloads of one process at once, in all and of a
   * company.
   */
  exportsPerDay: 5,
  /** Sheets of a company in a day: the messages of a send as CSV. */
  sheetsPerDay: 100,
  exportBytes: 1024 ** 3,
  downloadsAtOnce: 40,
  downloadsOfAccount: 4,
  /** Bytes of a file of contacts, and imports that a company may begin in a day. */
  importBytes: 64 * 1024 ** 2,
  importsPerDay: 200,
  /** Offers of the service that are on sale at the same time. */
  topupOffers: 100,
  /** Top-ups that a company may begin in a day. */
  topupsPerDay: 50,
  /** Pages of payment providers that a company may have opened in a minute. */
  checkoutsPerMinute: 10,
  /**
   * Requests of a company that each process writes one by one in a day: so many that are refused, and so many that their
   * callers name. Beyond them they are counted by the hour.
   */
  requestEntriesPerDay: 1_000,
  /** Messages of one handset in a minute, for each process. What comes beyond them is kept, and not told to webhooks. */
  inboundPerHandset: 60,
  /** Segments of long messages that wait for others. Beyond them the oldest messages are kept as they are. */
  inboundParts: 100_000,
  /** Numbers that handsets write to, in all; and keywords on one of them. */
  inboundNumbers: 10_000,
  keywordsPerNumber: 1_000,
  /** Webhooks that one process delivers at the same time: in all, and to one endpoint. */
  webhooksInFlight: 1_000,
  webhooksInFlightPerEndpoint: 20,
  /** Test events of an application, at once and then in an hour. */
  webhookTestsPerHour: 60,
  /** Mails that one process sends: in one turn, and at the same time. */
  mailsPerTurn: 20,
  mailsInFlight: 5,
};

/** How long things live and wait. */
export const settings = {
  /** After this time a message of unknown fate is given up, and its credits are released. */
  unknownLifetimeMs: 24 * 3_600_000,
  otpUnknownLifetimeMs: 15 * 60_000,
  /**
   * After a lost session the gateway waits this long for receipts. Then it sends messages of unknown fate again, once;
   * one-time passwords never.
   */
  quarantineMs: 60_000,
  otpLifetimeMs: 5 * 60_000,
  pairingLifetimeMs: 10 * 60_000,
  /** So long a pending public submission keeps its slug. One that is surplus is forgotten then. */
  publicSubmissionLifetimeMs: 72 * 3_600_000,
  /** An owner without an account may fetch the secrets of an approved application once, within this time. */
  claimLifetimeMs: 7 * 24 * 3_600_000,
  /** That page shows the secrets again for this long: the button may be pressed twice, or the answer may be lost. */
  claimRepeatMs: 60_000,
  /** A person who signs in on a page stays signed in for this long. */
  pageSessionLifetimeMs: 15 * 60_000,
  /** A browser in which a person has signed in is known for this long. */
  knownBrowserLifetimeMs: 180 * 24 * 3_600_000,
  /** The answer to a sign-in takes at least this long, so that the time does not tell whether the phone is known. */
  signInAnswerMs: 400,
  /** An administrator who asked for a code has this long to give a second factor, or to enrol one. */
  adminSignInLifetimeMs: 15 * 60_000,
  /** The session of an administrator ends after this time, and sooner if it is not used for the second one. */
  adminSessionLifetimeMs: 12 * 3_600_000,
  adminSessionIdleMs: 3_600_000,
  /** What lets somebody administer asks for a session that is not older: a stolen one is turned into nothing lasting. */
  adminFreshMs: 15 * 60_000,
  /** Whoever has not enrolled a second factor by then has to be invited again. */
  adminInvitationMs: 72 * 3_600_000,
  /** The session of a member ends after this time, and sooner if it is not used for the second one. */
  memberSessionLifetimeMs: 30 * 24 * 3_600_000,
  memberSessionIdleMs: 7 * 24 * 3_600_000,
  /** What lasts beyond a session, as a key or a member does, asks for a sign-in that is not older. */
  memberFreshMs: 15 * 60_000,
  /** A session of a member that is over is kept for this long. */
  memberSessionKeptMs: 30 * 24 * 3_600_000,
  /** A session that is over is kept for this long. */
  adminSessionKeptMs: 90 * 24 * 3_600_000,
  /** What a revoked connection has queued is looked for as long: no request that was allowed before lasts longer. */
  stopLifetimeMs: 60_000,
  /** A month of the audit log is dropped so many months after its end; 3 at least. */
  auditMonths: 24,
  idempotencyLifetimeMs: 72 * 3_600_000,
  /** The limit of one statement, and of the wait for a free connection to the database. */
  statementTimeoutMs: 10_000,
  slowStatementMs: 1_000,
  /** The database has so long to answer for shared rates; then, and for a second, each process counts for itself. */
  rateAnswerMs: 1_000,
  /** The limit of one try to deliver a webhook. */
  webhookTimeoutMs: 15_000,
  /** An endpoint without any success for this long is disabled. */
  webhookFailingLifetimeMs: 5 * 24 * 3_600_000,
  /** An old webhook secret signs beside the new one for this long. */
  webhookSecretOverlapMs: 24 * 3_600_000,
  /** Deliveries can be seen and replayed for this long. */
  webhookLifetimeMs: 30 * 24 * 3_600_000,
  /** The SMS of a notice is given up if no operator takes it within this time. The mail is not given up. */
  noticeLifetimeMs: 24 * 3_600_000,
  /** The owner of a company is told of a low balance at most once in this time, since the service pays for that. */
  lowBalancePauseMs: 3_600_000,
  /** The limit of one try to send a mail. */
  mailTimeoutMs: 15_000,
  /**
   * The waits after the first failure of a mail, after the second, and so on. The failure after the last wait is final.
   */
  mailRetryDelaysMs: [60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 8 * 3_600_000],
  /** The outcome of a mail is kept for this long. */
  mailLifetimeMs: 30 * 24 * 3_600_000,
  /** A company that closed itself can be read and opened again for so long. Then it is emptied. */
  closingLifetimeMs: 30 * 24 * 3_600_000,
  /** A draft of a campaign that nobody saves for so long is deleted. */
  draftLifetimeMs: 90 * 24 * 3_600_000,
  /** The link of an archive works for so long. */
  exportLifetimeMs: 24 * 3_600_000,
  /** The file of an import with which nobody goes on is deleted after this time; what became of its rows after the second. */
  importWaitMs: 24 * 3_600_000,
  importLifetimeMs: 30 * 24 * 3_600_000,
  /** The link of a sheet works for so long. */
  sheetLifetimeMs: 3 * 24 * 3_600_000,
  /** An erasure that waits for messages to become final looks for them again after this time. */
  erasureWaitMs: 10_000,
  /**
   * An erasure looks through all of it again after this time: what was being accepted when it began has been committed by
   * then.
   */
  erasureAgainMs: 60_000,
  /** What an erasure did can be read for this long. It does not say whom. */
  erasureLifetimeMs: 30 * 24 * 3_600_000,
  /** A campaign that nobody of the company approves is given up after this time; 72 h at most. */
  approvalLifetimeMs: 72 * 3_600_000,
  /** How long a grant waits for a second administrator. */
  grantLifetimeMs: 72 * 3_600_000,
  /** What became of the requests of companies can be read for this long, and is written so often. */
  requestLifetimeMs: 14 * 24 * 3_600_000,
  requestLogMs: 1_000,
  /** Who goes on reading a simulated handset has one entry in the audit log for so long. */
  readingAgainMs: 15 * 60_000,
  /** The same text of a handset to the same number counts as delivered again within this time; a segment within the second. */
  inboundRepeatMs: 2 * 60_000,
  /** A long message that waits so long for a segment is kept as it is. */
  inboundPartsMs: 10 * 60_000,
  /** A message answers the newest campaign to its handset, if that was sent in this time. */
  inboundAnswerMs: 7 * 24 * 3_600_000,
  /** A checkout of a top-up that is not paid by then is opened no more. Money that comes later counts all the same. */
  topupLifetimeMs: 24 * 3_600_000,
  /** A top-up that was never paid is kept for this long. */
  topupUnpaidKeptMs: 90 * 24 * 3_600_000,
  /** The limit of one request to a payment provider. */
  paymentTimeoutMs: 10_000,
  /** How far the time in a payment webhook may be from ours. */
  paymentToleranceMs: 5 * 60_000,
};

export type Limits = typeof limits;
export type Settings = typeof settings;
