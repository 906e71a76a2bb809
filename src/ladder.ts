// The ladder: all folders in one total order, with the tables of each. A folder imports only from folders before it.

/**
 * Folder → the tables that only this folder writes. It and the folders after it may read and join them.
 * `test/tidy.test.ts` checks imports and tables.
 */
export const ladder: Readonly<Record<string, readonly string[]>> = {
  kernel: ["schema_migrations", "idempotency_keys", "jobs", "keyring"],
  sms: [],
  smpp: [],
  audit: ["audit_heads", "audit_log", "audit_log_unforeseen"],
  admins: ["administrators", "administrator_recovery_codes", "administrator_sessions", "administrator_keys"],
  accounts: ["users", "companies", "memberships", "api_keys", "suspended_accounts", "suspension_changes"],
  webhooks: ["webhook_endpoints", "webhook_deliveries"],
  credits: ["pools", "pool_outcomes", "holds", "entries", "audit_marks"],
  contacts: ["contacts", "contact_counts"],
  groups: ["groups", "group_members"],
  senders: ["senders"],
  optouts: ["optouts", "optout_counts", "erased_optouts"],
  operators: ["operators", "operator_binds", "gateways", "ported_numbers"],
  sends: [
    "sends",
    "unqueued_sends",
    "batches",
    "message_queue",
    "messages",
    "record_drops",
    "receipts_reach",
    "gateway_sessions",
  ],
  gateway: ["orphan_receipts"],
  otp: ["otp_codes", "otp_countries", "otp_refusals", "otp_shares", "otp_stops"],
  notices: ["mails"],
  sessions: ["administrator_sign_ins"],
  campaigns: [
    "campaigns",
    "campaign_counts",
    "campaign_contacts",
    "campaign_groups",
    "campaign_runs",
    "first_campaigns",
    "text_marks",
    "lasting_texts",
  ],
  partners: ["partners", "customers", "offers", "purchases", "payment_events"],
  apps: ["apps", "connections", "connection_days", "connection_stops", "pairings", "pairing_misses"],
  privacy: ["erasures", "erasure_watches", "closings", "exports", "export_parts"],
  pages: ["ended_sessions"],
  simulator: [],
  docs: [],
};
