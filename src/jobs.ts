// All jobs that run without a caller, one line each.

import { deliverOptions } from "./commerce/apps/hooks.ts";
import { forgetOldPairings } from "./commerce/apps/pairing.ts";
import { applicationAddresses } from "./commerce/apps/sql.ts";
import { stopSends } from "./commerce/apps/stops.ts";
import { forgetSurplus } from "./commerce/apps/submissions.ts";
import { fundPurchases } from "./commerce/partners/purchases.ts";
import { forgetUnpaid } from "./commerce/topups/topups.ts";
import { emptySome } from "./compliance/privacy/closing.ts";
import { eraseSome, forgetErasures } from "./compliance/privacy/erasures.ts";
import { forgetExports, writeExports, writeSheets } from "./compliance/privacy/exports.ts";
import { expireWithoutGateway, forgetOrphanReceipts } from "./delivery/gateway/gateway.ts";
import { forgetDeletedOperators } from "./delivery/operators/operators.ts";
import { forgetHanded } from "./delivery/operators/phonemessages.ts";
import { expireRegistrations } from "./delivery/operators/registrations.ts";
import { keepQuality } from "./delivery/quality/quality.ts";
import { judgeRoutes } from "./delivery/quality/suspects.ts";
import { addCounters } from "./delivery/sends/counters/tallies.ts";
import { releaseResumed } from "./delivery/sends/queue/parked.ts";
import { proveCredits } from "./delivery/sends/record/audit.ts";
import { keepLedger } from "./delivery/sends/record/ledger.ts";
import { forgetRequests } from "./events/requests/requests.ts";
import { endpointAddresses } from "./events/webhooks/address.sql.ts";
import { sealOldAddresses } from "./events/webhooks/address.ts";
import { deliverWebhooks } from "./events/webhooks/deliver.ts";
import { forgetOldDeliveries } from "./events/webhooks/webhooks.ts";
import { forgetOldMemberSessions } from "./identity/accounts/sessions.ts";
import { forgetOldSessions } from "./identity/admins/sessions.ts";
import { keepAuditMonths, logHeads } from "./identity/audit/chains.ts";
import { forgetOldSignIns } from "./identity/sessions/sessions.ts";
import { forgetGrants } from "./ledger/credits/grants.ts";
import { notifyOfApprovals } from "./messaging/campaigns/approvalnotices.ts";
import { forgetDrafts } from "./messaging/campaigns/drafts.ts";
import { runDueCampaigns } from "./messaging/campaigns/due.ts";
import { keepRecord } from "./messaging/campaigns/outcomes.ts";
import { queueLargeSends } from "./messaging/campaigns/runs.ts";
import { notifyOfSubmissions } from "./messaging/campaigns/submissions.ts";
import { keepTexts } from "./messaging/campaigns/texts.ts";
import { isGroupPlanned } from "./messaging/campaigns/waiting.ts";
import { seekCampaigns } from "./messaging/inbound/answered.ts";
import { forgetMarks, forgetReceived } from "./messaging/inbound/inbound.ts";
import { keepIncomplete } from "./messaging/inbound/receiving.ts";
import { forgetOldMails, sendMails } from "./messaging/notices/mails.ts";
import { tellLowBalances } from "./messaging/notices/notices.ts";
import { notifyOfSenderDecisions } from "./messaging/notices/senderdecisions.ts";
import { forgetOldOtps } from "./messaging/otp/forget.ts";
import { countCodesOfRoutes } from "./messaging/otp/routes.ts";
import { judgeShares } from "./messaging/otp/shares.ts";
import { endProbes } from "./messaging/probes/confirming.ts";
import { forgetResults } from "./messaging/probes/probes.ts";
import { sendDueProbes } from "./messaging/probes/sending.ts";
import { forgetForgotten, notifyOfForgotten } from "./messaging/recovery/forgotten.ts";
import { settleInDoubt } from "./messaging/recovery/recovery.ts";
import { addWords } from "./phonebook/contacts/words.ts";
import { forgetDeletions, runDeletions } from "./phonebook/groups/deletions.ts";
import { forgetImports } from "./phonebook/imports/keeping.ts";
import { undoImports } from "./phonebook/imports/undo.ts";
import { runImports } from "./phonebook/imports/work.ts";
import { forgetOldKeys } from "./platform/http/idempotency.ts";
import type { Job, Tick } from "./platform/jobs/jobs.ts";
import { forgetRates } from "./platform/limits/sharedrates.ts";
import { resealAll } from "./platform/secrets/keyring.ts";
import { sealedColumns } from "./rotation.ts";
import { forgetEndedSessions } from "./web/pages/session.ts";

export const jobs: Job[] = [
  { name: "idempotency-forget", cron: "23 * * * *", run: forgetOldKeys },
  { name: "webhooks-forget", cron: "41 * * * *", run: forgetOldDeliveries },
  { name: "messages-expire", cron: "* * * * *", sends: true, run: expireWithoutGateway },
  { name: "receipts-forget", cron: "37 * * * *", run: forgetOrphanReceipts },
  { name: "operators-forget", cron: "31 * * * *", run: forgetDeletedOperators },
  { name: "registrations-expire", cron: "2 * * * *", run: expireRegistrations },
  { name: "phones-forget", cron: "33 * * * *", run: forgetHanded },
  { name: "otp-forget", cron: "53 * * * *", run: forgetOldOtps },
  { name: "otp-judge", cron: "* * * * *", run: judgeShares },
  { name: "otp-routes", cron: "* * * * *", run: countCodesOfRoutes },
  { name: "routes-judge", cron: "*/10 * * * *", run: judgeRoutes },
  { name: "routes-forget", cron: "15 * * * *", run: keepQuality },
  { name: "probes-send", cron: "* * * * *", sends: true, run: sendDueProbes },
  { name: "probes-end", cron: "* * * * *", run: endProbes },
  { name: "probes-forget", cron: "49 * * * *", run: forgetResults },
  { name: "balances-tell", cron: "* * * * *", run: tellLowBalances },
  { name: "sender-decisions", cron: "* * * * *", run: notifyOfSenderDecisions },
  { name: "grants-forget", cron: "21 * * * *", run: forgetGrants },
  { name: "mails-forget", cron: "11 * * * *", run: forgetOldMails },
  { name: "pairings-forget", cron: "17 * * * *", run: forgetOldPairings },
  { name: "submissions-forget", cron: "*/10 * * * *", run: forgetSurplus },
  { name: "erasures-forget", cron: "19 * * * *", run: forgetErasures },
  { name: "exports-forget", cron: "27 * * * *", run: forgetExports },
  { name: "imports-forget", cron: "51 * * * *", run: forgetImports },
  { name: "deletions-forget", cron: "43 4 * * *", run: forgetDeletions },
  { name: "drafts-forget", cron: "33 * * * *", run: forgetDrafts },
  { name: "pages-forget", cron: "29 * * * *", run: forgetEndedSessions },
  { name: "sessions-forget", cron: "19 * * * *", run: forgetOldSessions },
  { name: "members-forget", cron: "39 * * * *", run: forgetOldMemberSessions },
  { name: "signins-forget", cron: "59 * * * *", run: forgetOldSignIns },
  { name: "requests-forget", cron: "3 * * * *", run: forgetRequests },
  { name: "topups-forget", cron: "43 * * * *", run: forgetUnpaid },
  { name: "record-months", cron: "47 * * * *", run: (app, signal) => keepRecord(app, null, signal) },
  { name: "audit-months", cron: "57 * * * *", run: keepAuditMonths },
  { name: "audit-heads", cron: "13 3 * * *", run: logHeads },
  { name: "forgotten-forget", cron: "25 3 * * *", run: forgetForgotten },
  { name: "received-forget", cron: "9 * * * *", run: forgetReceived },
  { name: "texts-forget", cron: "5 3 * * *", run: keepTexts },
  { name: "ledger-forget", cron: "35 3 * * *", run: keepLedger },
  { name: "credits-audit", cron: "7 * * * *", run: proveCredits },
];

/** A file of a few thousand contacts: it does not wait behind large ones. */
const SMALL_IMPORT_BYTES = 1024 ** 2;

/** Jobs that run more often than once a minute. */
export const ticks: Tick[] = [
  { name: "keys-reseal", pauseMs: 5_000, run: (app, signal) => resealAll(app, sealedColumns, signal) },
  // This job ends only when the process stops.
  {
    name: "webhooks-deliver",
    pauseMs: 1_000,
    run: (app, signal) => deliverWebhooks(app, signal, deliverOptions),
  },
  {
    name: "webhooks-seal",
    pauseMs: 60_000,
    run: (app, signal) => sealOldAddresses(app, [endpointAddresses, applicationAddresses], signal),
  },
  { name: "mails-send", pauseMs: 1_000, run: sendMails },
  {
    name: "campaigns-run",
    pauseMs: 1_000,
    sends: true,
    run: (app, signal) => runDueCampaigns(app, null, signal),
  },
  { name: "approvals-tell", pauseMs: 2_000, run: notifyOfApprovals },
  { name: "submitted-drafts", pauseMs: 2_000, run: notifyOfSubmissions },
  { name: "campaigns-queue", pauseMs: 200, sends: true, run: queueLargeSends },
  { name: "connections-stop", pauseMs: 1_000, run: stopSends },
  { name: "people-erase", pauseMs: 1_000, run: eraseSome },
  { name: "companies-empty", pauseMs: 5_000, run: emptySome },
  { name: "contacts-words", pauseMs: 30_000, run: addWords },
  { name: "imports-run", pauseMs: 1_000, run: (app, signal) => runImports(app, signal) },
  {
    name: "imports-run-small",
    pauseMs: 500,
    run: (app, signal) => runImports(app, signal, SMALL_IMPORT_BYTES),
  },
  { name: "contacts-delete", pauseMs: 1_000, run: runDeletions },
  {
    name: "imports-undo",
    pauseMs: 1_000,
    run: (app, signal) => undoImports(app, signal, isGroupPlanned),
  },
  { name: "exports-write", pauseMs: 1_000, run: writeExports },
  { name: "sheets-write", pauseMs: 1_000, run: writeSheets },
  { name: "sends-resume", pauseMs: 1_000, sends: true, run: releaseResumed },
  { name: "doubtful-settle", pauseMs: 1_000, run: settleInDoubt },
  { name: "forgotten-notify", pauseMs: 5_000, run: notifyOfForgotten },
  { name: "inbound-incomplete", pauseMs: 5_000, run: keepIncomplete },
  { name: "inbound-campaigns", pauseMs: 1_000, run: seekCampaigns },
  { name: "inbound-marks", pauseMs: 30_000, run: forgetMarks },
  { name: "tallies-add", pauseMs: 5_000, run: addCounters },
  { name: "rates-forget", pauseMs: 10_000, run: forgetRates },
  { name: "purchases-fund", pauseMs: 1_000, run: fundPurchases },
];
