// The ladder: every folder in one total order, each importing only from those before it, and the tables that it writes.

/** Folder → the tables that it alone writes; it and folders after it may read and join them. `test/tidy.test.ts` checks both. */
export const ladder: Readonly<Record<string, readonly string[]>> = {
  kernel: ["schema_migrations", "idempotency_keys", "jobs"],
  sms: [],
  smpp: [],
  accounts: ["users", "companies", "memberships"],
  webhooks: ["webhook_endpoints", "webhook_deliveries"],
  credits: ["pools", "pool_outcomes", "holds", "entries", "audit_marks"],
  contacts: ["contacts", "contact_counts"],
  groups: ["groups", "group_members"],
  senders: ["senders"],
  optouts: ["optouts", "optout_counts"],
  operators: ["operators", "operator_binds"],
  messages: [
    "message_batches",
    "message_queue",
    "messages",
    "send_totals",
    "orphan_receipts",
    "unqueued_sends",
  ],
  otp: ["otp_codes", "otp_countries", "otp_refusals"],
  notices: ["mails"],
  campaigns: ["campaigns", "campaign_counts", "campaign_contacts", "campaign_groups", "campaign_runs"],
  partners: ["partners", "customers", "offers", "purchases", "payment_events"],
  apps: ["apps", "connections", "connection_days", "pairings", "pairing_misses"],
  pages: ["ended_sessions"],
  simulator: [],
  docs: [],
};
