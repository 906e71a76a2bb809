// The things of a company in tests of every endpoint.

/** Things of a company that others might ask for by these ids. A sender is also named by its name. */
export type Things = {
  contact: string;
  group: string;
  /** An accepted sender; `pending` is not accepted yet. */
  sender: string;
  senderName: string;
  pending: string;
  campaign: string;
  /** The message of that campaign. */
  message: string;
  /** A recurring campaign, which can be canceled; `run` is a run of it. `later` has not run yet, `paused` is paused. */
  recurring: string;
  run: string;
  later: string;
  paused: string;
  /** An unfinished campaign, and a text that is used again. */
  draft: string;
  template: string;
  /** Recurring campaigns of another member that wait for a second person. */
  awaited: string;
  unwanted: string;
  company: string;
  user: string;
  /** A member beside the owner, and a key of that one. */
  member: string;
  key: string;
  /** An operator of its own, switched off, for the administrator to change. */
  operator: string;
  /** An operator over HTTP, switched off. */
  httpOperator: string;
  /** A phone that is not paired, switched off. */
  phoneOperator: string;
  /** A test of `operator`. */
  operatorTest: string;
  /** A test handset. */
  probe: string;
  /** The simulated operator, where there is one. */
  simulated: string;
  /** Every company of these tests is also a reseller, with this customer. */
  customer: string;
  offer: string;
  /** A purchase that is not paid yet. Its price is `PRICE`. */
  purchase: string;
  /** An offer of the service; top-ups by it of the company, one that waits to be paid and one that was paid. */
  topupOffer: string;
  topup: string;
  paidTopup: string;
  /** The token of a one-time password that nobody verified yet: `CODE`, sent to `CODE_PHONE`. */
  token: string;
  /** An administrator with a second factor, a session of it, and a key of a machine. */
  administrator: string;
  adminSession: string;
  adminKey: string;
  /** The tokens of sign-ins whose `CODE` was right: of that administrator, and of one that has no second factor yet. */
  signIn: string;
  enrolling: string;
  /** The tokens of a sign-in of that member, and of a sign-up, whose codes are `CODE`; and a session of the member. */
  memberSignIn: string;
  signUp: string;
  session: string;
  /** A third-party application of the company, `ACTIVE` and with webhooks. `submitted` waits for its review. */
  application: string;
  submitted: string;
  /** One of the application's webhooks; a webhook of the company, and one of its deliveries; two grants that wait. */
  applicationDelivery: string;
  webhook: string;
  webhookDelivery: string;
  grant: string;
  unwantedGrant: string;
  /** The token that shows the application's secrets, once. */
  claimToken: string;
  /** The connection of that application to the company itself, for the external account; the code of a pairing that waits. */
  connection: string;
  externalAccount: string;
  pairingCode: string;
  /** An erasure of the company, and one of all accounts, of people whom nobody knows. */
  erasure: string;
  personErasure: string;
  /** An archive of the company, and a CSV of a campaign. */
  companyExport: string;
  /** A number of the company, a keyword of it there, and a message that a handset wrote to it. */
  number: string;
  keyword: string;
  inboundMessage: string;
  /** Imports: one waits with its file, one for its file, and one can be undone. `deletion` deleted a group's contacts. */
  import: string;
  upload: string;
  undoable: string;
  contactDeletion: string;
  campaignExport: string;
};
