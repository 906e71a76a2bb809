// Limits and settings: quotas of requests, accounts and networks, and lifetimes and timeouts.

/** The limits of requests, accounts and networks. */
export const limits = {
  /** The size of a body in bytes: on most routes, and on routes that take thousands of contacts or ids. */
  bodyBytes: 64 * 1024,
  bulkBodyBytes: 5 * 1024 * 1024,
  /** The bytes of bodies that are being received or processed: in all, and from one network. */
  bodyBytesInFlight: 48 * 1024 * 1024,
  bodyBytesInFlightPerNetwork: 20 * 1024 * 1024,
  /** The bytes that a network may send in refused bodies. Beyond them, its bodies over 4 KiB are refused unread. */
  refusedBytesPerSecond: 512 * 1024,
  refusedBytesAtOnce: 8 * 1024 * 1024,
  /** After a refusal of a body over 4 KiB, nothing is read from its connection for this long. */
  refusedPauseMs: 1_000,
  /** The bytes of unanswered requests and unread answers: in all, and of one network. */
  answerBytes: 128 * 1024 * 1024,
  answerBytesPerNetwork: 32 * 1024 * 1024,
  /** Open connections: in all, and from one network. */
  sockets: 10_000,
  socketsPerNetwork: 1_000,
  /** Networks without limits of their own: all clients behind a proxy on this machine would share them. */
  networksWithoutLimits: ["127.0.0.0/8", "::1"],
  /**
   * The bytes of answers that one credential may have stored with its idempotency keys, on each process. They stay in
   * the database for 72 hours. An answer with 10,000 contacts takes 0.4 MB.
   */
  keptAnswerBytesPerSecond: 256 * 1024,
  keptAnswerBytesAtOnce: 64 * 1024 * 1024,
  segmentsPerText: 10,
  /**
   * The work of an account for quotes and for campaigns that are not sent and paid: recipients × (1,000 + the
   * characters of a text with variables). A quote for 10,000 people is 10 million and takes 80 ms; with 800 characters
   * and variables it is 18 million and takes 140 ms (2 cores, 2026-11-23). An account whose balance covers the quote
   * may request 80 of the latter at once, and then 130 a minute; others 3 at once, and then 5 a minute.
   */
  workPerSecond: 40_000_000,
  workAtOnce: 1_500_000_000,
  unpaidWorkPerSecond: 1_500_000,
  unpaidWorkAtOnce: 40_000_000,
  /**
   * Concurrent unpaid requests in each process, such as contacts, groups, lists, searches, quotes and imports: of one
   * account (one with a body over 64 KiB runs alone), and of all accounts together.
   */
  unpaidAtOnce: 3,
  unpaidAtOnceInAll: 8,
  /**
   * The milliseconds that an account's unpaid requests may take while other accounts are active: in a second, at once,
   * and the most that it can be overdrawn. A client that sends one request after the other waits 10 s at most.
   */
  unpaidMsPerSecond: 250,
  unpaidMsAtOnce: 2_000,
  unpaidMsOwed: 2_500,
  /**
   * The waiting unpaid requests of an account: their number, their bytes and, once its budget is used, the time that
   * they wait. Beyond them requests are refused.
   */
  unpaidWaiting: 500,
  unpaidWaitingBytes: 8 * 1024 * 1024,
  unpaidWaitMs: 15_000,
  /** Below `requestTimeoutMs`, after which the answer is `service-unavailable` although the work is still done. */
  unpaidWaitAtMostMs: 25_000,
  requestsPerSecond: 50,
  requestBurst: 1_000,
  /**
   * Wrong keys: from one address at each process, because unauthenticated callers have many addresses and a shared
   * limit would cost a statement for each; and of one application and for one account, at all processes together.
   */
  authFailuresPerMinute: 20,
  sendersPerCompany: 3,
  scheduleDaysAhead: 180,
  requestTimeoutMs: 30_000,
  headersTimeoutMs: 10_000,
  /** A connection with a request in progress is closed if it neither sends nor reads anything for this long. */
  stallTimeoutMs: 60_000,
  /**
   * The quotas of a company, unless an administrator sets others. Rejected applications and revoked connections do not
   * count; contacts of paid sends are created beyond the quota.
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
  /** Public submissions in 24 hours that are reviewed in order; and the most surplus ones that are kept. */
  publicSubmitsPerDay: 200,
  publicSurplusAtMost: 20_000,
  /** Pairings that may start for one external account in an hour. */
  pairingsPerHour: 10,
  pairingPollsAtOnce: 20,
  /** Pending pairings of one application. */
  pairingsPerApplication: 1_000,
  /** Wrong pairing codes of one account in an hour. Beyond them, even a correct code is refused. */
  pairingMissesPerAccount: 10,
  /**
   * On the pages for people in 10 minutes: codes requested by SMS from one address and from its network (a /24, or a
   * /48 of IPv6), and codes entered from one address.
   */
  signInsPerTenMinutes: 20,
  signInsPerTenMinutesOfNetwork: 80,
  signInGuessesPerTenMinutes: 100,
  /**
   * Sign-in codes for one phone, known here or not, at once and then in a day: for one network (a /24, or a /48 of
   * IPv6), for one browser in which its owner has signed in before, and for all networks together.
   */
  signInsPerPhone: 5,
  signInsPerPhoneOfUnknown: 20,
  /** Phones of one company to which unauthenticated callers may have codes sent: at once, and then in a day. */
  signInPhonesPerCompany: 20,
  /**
   * One-time passwords of one account and phone are 30 s apart. One second more lets this limit refuse first, whether
   * the phone is known or not.
   */
  secondsBetweenSignIns: 31,
  /** Live sessions of a member's phone. Beyond them the oldest end. */
  sessionsPerPhone: 20,
  /**
   * Sign-ups in a day: codes to one phone, from one network (a /24, or a /48 of IPv6), to one foreign country, and in
   * all; and companies created by one phone, from one network, and in all. The service pays for the codes.
   */
  signUpCodesPerPhone: 3,
  signUpCodesPerNetwork: 20,
  signUpCodesPerCountry: 20,
  signUpCodesPerDay: 500,
  signUpsPerPhone: 1,
  signUpsPerNetwork: 5,
  signUpsPerDay: 100,
  /** The trial credits of a company that signed up. 0: none. */
  trialCredits: 20,
  /** Wrong second factors of one administrator in this time. Each is counted before it is compared. */
  adminFactorTries: 5,
  adminFactorTriesMs: 15 * 60_000,
  /** A campaign to more people than this is large: see `HOLD_FIRST_CAMPAIGNS`. */
  peopleBeforeReview: 50,
  /** Campaigns pending approval that a company's members are notified of in a day. */
  approvalNoticesPerDay: 20,
  /** One-time passwords to one phone in 24 hours, from all accounts together. Sign-in codes do not count. */
  otpPerPhonePerDayInAll: 30,
  /** Audit log entries that one call of `admin/audit/verify` verifies. 1,524 take 103 ms (2 busy cores, 2026-11-23). */
  auditEntriesAtOnce: 2_000,
  /** Erasures of a company in progress at the same time; each scans the whole queue. */
  erasuresPerCompany: 1_000,
  /**
   * Archives of a company in a day, the bytes of each, and concurrent downloads: of one process, and of one company.
   */
  exportsPerDay: 5,
  /** CSV files of a company in a day: the messages of a send. */
  sheetsPerDay: 100,
  exportBytes: 1024 ** 3,
  downloadsAtOnce: 40,
  downloadsOfAccount: 4,
  /** The bytes of a file of contacts, and the imports that a company may start in a day. */
  importBytes: 64 * 1024 ** 2,
  importsPerDay: 200,
  /** Credit offers of the service that are on sale at the same time. */
  topupOffers: 100,
  /** Top-ups that a company may start in a day. */
  topupsPerDay: 50,
  /** Checkout pages of payment providers that a company may open in a minute. */
  checkoutsPerMinute: 10,
  /**
   * Requests of a company that each process logs one by one in a day: the refused ones, and as many that have an id of
   * their caller. Beyond them they are counted by the hour.
   */
  requestEntriesPerDay: 1_000,
  /** Messages of one handset in a minute, for each process. Further ones are stored, but webhooks are not notified. */
  inboundPerHandset: 60,
  /** Segments of incomplete long messages. Beyond them the oldest messages are stored incomplete. */
  inboundParts: 100_000,
  /** Numbers that handsets write to, in all; and keywords on one of them. */
  inboundNumbers: 10_000,
  keywordsPerNumber: 1_000,
  /** Test handsets. */
  probes: 100,
  /** Webhooks that one process delivers at the same time: in all, and to one endpoint. */
  webhooksInFlight: 1_000,
  webhooksInFlightPerEndpoint: 20,
  /** Test events of an application, at once and then in an hour. */
  webhookTestsPerHour: 60,
  /** Mails that one process sends: in one cycle, and at the same time. */
  mailsPerTurn: 20,
  mailsInFlight: 5,
};

/** Lifetimes and timeouts. */
export const settings = {
  /** After this time a message of unknown fate becomes final, and its credits are released. */
  unknownLifetimeMs: 24 * 3_600_000,
  otpUnknownLifetimeMs: 15 * 60_000,
  /**
   * After a lost session the gateway waits this long for receipts. Then it sends messages of unknown fate again, once;
   * one-time passwords never.
   */
  quarantineMs: 60_000,
  /** A carrier over HTTP is asked about a message that it accepted if its receipt does not come for this long. */
  silentReceiptMs: 10 * 60_000,
  /** The event stream of a phone gets a comment: a proxy ends a connection on which nothing comes for a minute. */
  phoneCommentMs: 25_000,
  /**
   * A phone that listens and has not called for this long gets an event, so that it calls: twice before it counts as
   * silent after five minutes.
   */
  phoneWakeMs: 2 * 60_000,
  otpLifetimeMs: 5 * 60_000,
  pairingLifetimeMs: 10 * 60_000,
  /** How long a pending public submission keeps its slug. A surplus submission is deleted then. */
  publicSubmissionLifetimeMs: 72 * 3_600_000,
  /** An owner without an account may fetch the secrets of an approved application once, within this time. */
  claimLifetimeMs: 7 * 24 * 3_600_000,
  /** The page shows the secrets again for this long: the button may be pressed twice, or the answer may be lost. */
  claimRepeatMs: 60_000,
  /** A person who signs in on a page stays signed in for this long. */
  pageSessionLifetimeMs: 15 * 60_000,
  /** A browser in which a person has signed in stays known for this long. */
  knownBrowserLifetimeMs: 180 * 24 * 3_600_000,
  /** A sign-in takes at least this long, so that its duration does not reveal whether the phone is known. */
  signInAnswerMs: 400,
  /** An administrator who requested a code has this long to give or enroll a second factor. */
  adminSignInLifetimeMs: 15 * 60_000,
  /** The session of an administrator ends after the first time, or after the second without use. */
  adminSessionLifetimeMs: 12 * 3_600_000,
  adminSessionIdleMs: 3_600_000,
  /** Changing administrators' access needs a sign-in at most this old, so a stolen session gains nothing lasting. */
  adminFreshMs: 15 * 60_000,
  /** An administrator who has not enrolled a second factor by then must be invited again. */
  adminInvitationMs: 72 * 3_600_000,
  /** The session of a member ends after the first time, or after the second without use. */
  memberSessionLifetimeMs: 30 * 24 * 3_600_000,
  memberSessionIdleMs: 7 * 24 * 3_600_000,
  /** Creating what outlasts a session, such as a key or a member, requires a sign-in at most this old. */
  memberFreshMs: 15 * 60_000,
  /** How long an ended session of a member is kept. */
  memberSessionKeptMs: 30 * 24 * 3_600_000,
  /** How long an ended session of an administrator is kept. */
  adminSessionKeptMs: 90 * 24 * 3_600_000,
  /** How long queued messages of a revoked connection are searched for: no request allowed before lasts longer. */
  stopLifetimeMs: 60_000,
  /** A month of the audit log is dropped this many months after its end; 3 at least. */
  auditMonths: 24,
  idempotencyLifetimeMs: 72 * 3_600_000,
  /** The limit of one statement, and of the wait for a free connection to the database. */
  statementTimeoutMs: 10_000,
  slowStatementMs: 1_000,
  /** The time limit of the database for shared rates; after that, and for one second, each process counts by itself. */
  rateAnswerMs: 1_000,
  /** The limit of one attempt to deliver a webhook. */
  webhookTimeoutMs: 15_000,
  /** An endpoint without any success for this long is disabled. */
  webhookFailingLifetimeMs: 5 * 24 * 3_600_000,
  /** An old webhook secret signs beside the new one for this long. */
  webhookSecretOverlapMs: 24 * 3_600_000,
  /** Deliveries can be read and replayed for this long. */
  webhookLifetimeMs: 30 * 24 * 3_600_000,
  /** The SMS of a notice expires if no operator takes it within this time. The mail does not. */
  noticeLifetimeMs: 24 * 3_600_000,
  /** The owner of a company is notified of a low balance at most once in this time, since the service pays for that. */
  lowBalancePauseMs: 3_600_000,
  /** A message to a test handset that nobody confirms within this time counts as not confirmed. */
  probeWaitMs: 24 * 3_600_000,
  /** The limit of one attempt to send a mail. */
  mailTimeoutMs: 15_000,
  /** The waits after the first failure of a mail, the second, and so on. The one after the last wait is final. */
  mailRetryDelaysMs: [60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 8 * 3_600_000],
  /** The outcome of a mail is kept for this long. */
  mailLifetimeMs: 30 * 24 * 3_600_000,
  /** A company that closed itself can be read and reopened for this long. Then its data are deleted. */
  closingLifetimeMs: 30 * 24 * 3_600_000,
  /** A draft of a campaign that is not saved for this long is deleted. */
  draftLifetimeMs: 90 * 24 * 3_600_000,
  /** The link of an archive works for this long. */
  exportLifetimeMs: 24 * 3_600_000,
  /** An unfinished import's file is deleted after the first time; the results of its rows after the second. */
  importWaitMs: 24 * 3_600_000,
  importLifetimeMs: 30 * 24 * 3_600_000,
  /** The link of a CSV file of messages works for this long. */
  sheetLifetimeMs: 3 * 24 * 3_600_000,
  /** An erasure that waits for messages to become final checks them again after this time. */
  erasureWaitMs: 10_000,
  /** An erasure scans again after this time: requests in progress when it began have committed by then. */
  erasureAgainMs: 60_000,
  /** The result of an erasure can be read for this long. It does not name the person. */
  erasureLifetimeMs: 30 * 24 * 3_600_000,
  /** A campaign that nobody of the company approves expires after this time; 72 h at most. */
  approvalLifetimeMs: 72 * 3_600_000,
  /** How long a grant waits for a second administrator. */
  grantLifetimeMs: 72 * 3_600_000,
  /** How long a company can read its request log, and how often the log is written. */
  requestLifetimeMs: 14 * 24 * 3_600_000,
  requestLogMs: 1_000,
  /** Repeated reading of a simulated handset has one entry in the audit log within this time. */
  readingAgainMs: 15 * 60_000,
  /** A handset's text to the same number is a repeat within the first time; the same segment within the second. */
  inboundRepeatMs: 2 * 60_000,
  /** The same id of a carrier is a repeat within this time. SMSGate repeats a message for two days, others for less. */
  inboundIdMs: 7 * 24 * 3_600_000,
  /** A long message is stored incomplete if a segment is missing for this long. */
  inboundPartsMs: 10 * 60_000,
  /** A message answers the newest campaign to its handset, if that was sent within this time. */
  inboundAnswerMs: 7 * 24 * 3_600_000,
  /** An unpaid checkout of a top-up is no longer opened after this time. A later payment still counts. */
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
