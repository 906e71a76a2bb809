// The URLs of third-party applications: those of their owners, of their servers, of the accounts that they act for.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { adminWho } from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import { ContactInput } from "../contacts/contacts.ts";
import { readBalance } from "../credits/credits.ts";
import { answerBeside } from "../kernel/envelope.ts";
import { hasKey, IdempotencyKey, onceOf } from "../kernel/idempotency.ts";
import { amongIds, inOrder, listRoute } from "../kernel/lists.ts";
import { refuseField } from "../kernel/refusals.ts";
import { anybody, route } from "../kernel/routes.ts";
import { CallbackData, emptiable, Id, MessageText, Reason, SenderName } from "../kernel/schemas.ts";
import { announceEvents, checkWebhookUrl, Delivery } from "../webhooks/webhooks.ts";
import * as apps from "./apps.ts";
import { applicationCaller, believedConnection, connectionCaller, provisionCaller } from "./callers.ts";
import * as connections from "./connections.ts";
import * as hooks from "./hooks.ts";
import * as notings from "./notings.ts";
import * as pairing from "./pairing.ts";
import * as review from "./review.ts";
import { sendForConnection, sendQuickly } from "./sending.ts";
import {
  APPLICATION_STATUSES,
  Application,
  Connection,
  Credits,
  Denied,
  NewSecret,
  NewWebhookSecret,
  OwnedApplication,
  Paired,
  Pairing,
  PairingDetails,
  PairingStatus,
  Provisioned,
  ReviewedApplication,
  Sent,
} from "./shapes.ts";
import { stopSoon } from "./stops.ts";
import * as submissions from "./submissions.ts";

export { usage } from "./usageroutes.ts";

const MAX_CREDITS = 1_000_000_000;

export const submit = route({
  summary: "Submits an application for review",
  body: apps.ApplicationInput,
  caller: companyMay("manage"),
  answers: Application,
  async run(app, caller, body) {
    await apps.checkInput(app, body);
    // A slug is taken by the application of anybody.
    const on = ({ id }: Application) => notings.applicationWith(id);
    const noting = { on, spansAccounts: true } as const;
    return changing(app, caller, noting, (tx) => apps.submitApplication(tx, app, caller, body));
  },
});

export const publicSubmit = route({
  summary: "Submits an application without an account; its owner is told of the review by SMS and mail",
  body: apps.PublicApplicationInput,
  caller: anybody,
  answers: Application,
  run: (app, _caller, body, request) => submissions.submitPublicApplication(app, body, request),
});

export const listMine = listRoute({
  summary: "Lists all of the company's applications, or a page of them, with the secrets of the active ones",
  body: inOrder("desc"),
  caller: companyMay("manage"),
  rows: OwnedApplication,
  rowsUnasked: apps.APPS_IN_ALL,
  async list(app, caller, page) {
    const list = await apps.listApplications(app, caller, page);
    await notings.noteSecretsShown(app, caller, list.rows);
    return list;
  },
});

const ApplicationBody = Type.Object({ appId: Id });

export const regenerateSecret = route({
  summary: "Gives an application a new secret; the old one dies at once",
  body: Type.Object({ appId: Id, revokeConnections: Type.Optional(Type.Boolean()) }),
  caller: companyMay("manage"),
  answers: NewSecret,
  async run(app, caller, { appId, revokeConnections = false }) {
    const on = notings.applicationWith(appId);
    // The connections that it ends are those of other accounts.
    const noting = { on, after: () => ({ revokeConnections }), spansAccounts: true } as const;
    const made = await changing(app, caller, noting, (tx) =>
      apps.regenerateSecret(tx, app, caller, appId, revokeConnections),
    );
    if (revokeConnections) stopSoon(app);
    announceEvents(app);
    app.log.info({ appId, userId: caller.userId }, "an application has a new secret");
    return made;
  },
});

export const updateWebhook = route({
  summary: "Gives an application an address for its webhooks, or another; disabled ones are enabled",
  body: Type.Object({ appId: Id, webhookUrl: Type.String({ minLength: 1, maxLength: 2_048 }) }),
  caller: companyMay("manage"),
  answers: OwnedApplication,
  async run(app, caller, { appId, webhookUrl }) {
    await checkWebhookUrl(app, webhookUrl);
    const noting = notings.webhookMoved(caller, appId, webhookUrl);
    return changing(app, caller, noting, (tx) => hooks.updateWebhook(tx, app, caller, appId, webhookUrl));
  },
});

export const rotateWebhookSecret = route({
  summary: "Gives an application's webhooks a new secret; the old one signs beside it for 24 hours",
  body: ApplicationBody,
  caller: companyMay("manage"),
  answers: NewWebhookSecret,
  async run(app, caller, { appId }) {
    const noting = { on: notings.applicationWith(appId), after: () => null };
    const made = await changing(app, caller, noting, (tx) =>
      hooks.rotateWebhookSecret(tx, app, caller, appId),
    );
    app.log.info({ appId, userId: caller.userId }, "the webhooks of an application have a new secret");
    return made;
  },
});

export { listHookDeliveries, readDelivery } from "./deliveries.ts";

export const testWebhook = route({
  summary: "Sends a test event to an application's webhooks",
  body: ApplicationBody,
  caller: companyMay("manage"),
  answers: Delivery,
  async run(app, caller, { appId }) {
    const noting = { on: notings.applicationWith(appId) };
    const delivery = await changing(app, caller, noting, (tx) => hooks.testWebhook(tx, app, caller, appId));
    announceEvents(app);
    return delivery;
  },
});

export const replayWebhook = route({
  summary: "Sends a delivery again, under the same id",
  body: Type.Object({ appId: Id, deliveryId: Id }),
  caller: companyMay("manage"),
  answers: Delivery,
  async run(app, caller, { appId, deliveryId }) {
    const delivery = await changing(app, caller, { on: { kind: "delivery", id: deliveryId } }, (tx) =>
      hooks.replayWebhook(tx, app, caller, appId, deliveryId),
    );
    announceEvents(app);
    return delivery;
  },
});

export const claim = route({
  summary: "Shows the secrets of an approved application to its owner without an account, once",
  body: Type.Object({ claimToken: Id }),
  caller: anybody,
  answers: OwnedApplication,
  async run(app, _caller, { claimToken }, { ip, door }) {
    const visitor = { by: { kind: "visitor", id: null, keyId: null, address: ip, door } } as const;
    const noting = { on: ({ id }: OwnedApplication) => notings.applicationWith(id), after: () => null };
    const claimed = await changing(app, visitor, noting, (tx) =>
      review.claimApplication(tx, app, claimToken),
    );
    app.log.info({ appIds: [claimed.id] }, "the secrets of applications were shown");
    return claimed;
  },
});

export const listReviewed = listRoute({
  summary: "Lists the applications of everybody",
  body: { ...inOrder("desc"), ...amongIds, status: Type.Optional(Type.Enum([...APPLICATION_STATUSES])) },
  caller: adminWho("read"),
  rows: ReviewedApplication,
  list: (app, _caller, wanted) => review.listReviewedApplications(app, wanted),
});

export const readForReview = route({
  summary: "Reads an application of anybody, with the brand that it looks like",
  body: Type.Object({ id: Id }),
  reads: true,
  caller: adminWho("read"),
  answers: ReviewedApplication,
  run: (app, _caller, { id }) => review.readApplicationForReview(app, id),
});

function moveRoute(move: "approve" | "deactivate" | "reactivate", summary: string) {
  return route({
    summary,
    body: Type.Object({ id: Id }),
    caller: adminWho("review"),
    answers: Application,
    async run(app, caller, { id }) {
      const moved = await notings.reviewing(app, caller, id, (tx) =>
        review.moveApplication(tx, app, move, id),
      );
      if (move === "deactivate") stopSoon(app);
      announceEvents(app);
      return moved;
    },
  });
}

export const approve = moveRoute(
  "approve",
  "Approves an application: it gets its secrets, and its owner is told",
);
export const deactivate = moveRoute(
  "deactivate",
  "Deactivates an application: it and its connections stop at once",
);
export const reactivate = moveRoute("reactivate", "Brings a deactivated application back, with its secrets");

export const reject = route({
  summary: "Rejects an application; its owner is told why",
  body: Type.Object({ id: Id, rejectionReason: Reason }),
  caller: adminWho("review"),
  answers: Application,
  run: (app, caller, { id, rejectionReason }) =>
    notings.reviewing(app, caller, id, (tx) =>
      review.moveApplication(tx, app, "reject", id, rejectionReason),
    ),
});

const ExternalAccountId = Type.String({ minLength: 1, maxLength: 200 });
const Credential = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));

export const provision = route({
  summary:
    "Connects an external account by credentials of the account that pays; a repeat answers the same token",
  body: Type.Object({
    externalAccountId: ExternalAccountId,
    target: Type.Enum(["partnerCustomer", "company"]),
    partnerServerKey: Credential,
    partnerCustomerId: Credential,
    companyApiKey: Credential,
    companyId: Credential,
    defaultSenderId: Type.Optional(SenderName),
  }),
  caller: provisionCaller,
  answers: Provisioned,
  async run(app, caller, body, request) {
    const account = await connections.findPayingAccount(app, caller, body, request);
    const { companyId, accountId } = account;
    const noting = notings.provisioned({ accountId, externalAccountId: body.externalAccountId });
    return changing(app, { ...caller, companyId }, noting, (tx) =>
      connections.provision(tx, app, caller.appId, account, body),
    );
  },
});

const atTop = Type.Pick(Pairing, ["pairingCode", "expiresAt", "qrContent"]).properties;

export const beginPairing = route({
  summary: "Begins a pairing: a code for a person to approve; the three fields stand at top level too",
  body: Type.Object({ externalAccountId: ExternalAccountId }),
  caller: applicationCaller,
  answers: Pairing,
  beside: atTop,
  async run(app, caller, { externalAccountId }) {
    const begun = await changing(app, caller, notings.pairingBegun(externalAccountId), (tx) =>
      pairing.beginPairing(tx, app, caller, externalAccountId),
    );
    const { pairingCode, expiresAt, qrContent } = begun;
    return answerBeside(begun, { pairingCode, expiresAt, qrContent });
  },
});

export const pairingStatus = route({
  summary: "What became of a pairing; once approved, the connection's token",
  body: Type.Object({ externalAccountId: ExternalAccountId }),
  reads: true,
  caller: applicationCaller,
  answers: PairingStatus,
  async run(app, caller, { externalAccountId }) {
    await pairing.takePoll(app, caller, externalAccountId);
    const status = await pairing.readPairingStatus(app.database, app, caller, externalAccountId);
    await notings.noteTokenShown(app, caller, externalAccountId, status);
    return status;
  },
});

const PairingCode = Type.String({ minLength: 1, maxLength: 64 });

export const pairingDetails = route({
  summary: "Who asks to be paired, and the senders to choose from",
  body: Type.Object({ pairingCode: PairingCode }),
  reads: true,
  caller: companyMay("manage"),
  answers: PairingDetails,
  run: (app, caller, { pairingCode }) =>
    app.database.transaction((tx) => pairing.readPairing(tx, app, caller, pairingCode)),
});

export const confirmPairing = route({
  summary: "Approves a pairing; without a sender the only accepted one is assigned",
  body: Type.Object({ pairingCode: PairingCode, senderId: Type.Optional(SenderName) }),
  caller: companyMay("manage"),
  answers: Paired,
  async run(app, caller, { pairingCode, senderId }) {
    const paired = await changing(app, caller, notings.pairingAnswered, (tx) =>
      pairing.confirmByKey(tx, app, caller, pairingCode, senderId),
    );
    announceEvents(app);
    return paired;
  },
});

export const denyPairing = route({
  summary: "Refuses a pairing",
  body: Type.Object({ pairingCode: PairingCode }),
  caller: companyMay("manage"),
  answers: Denied,
  run: (app, caller, { pairingCode }) =>
    changing(app, caller, notings.pairingAnswered, (tx) => pairing.denyPairing(tx, app, caller, pairingCode)),
});

export const listConnections = listRoute({
  summary: "Lists the applications that may send for the company and its customers",
  body: inOrder("desc"),
  caller: companyMay("read"),
  rows: Connection,
  list: (app, caller, page) => connections.listConnections(app.database.of(caller.companyId), caller, page),
});

export const revokeConnection = route({
  summary: "Ends a connection: its token stops at once",
  body: Type.Object({ id: Id }),
  caller: companyMay("manage"),
  answers: Connection,
  async run(app, caller, { id }) {
    const noting = notings.connectionOf(caller, id);
    const revoked = await changing(app, caller, noting, (tx) => connections.revokeConnection(tx, caller, id));
    stopSoon(app);
    announceEvents(app);
    return revoked;
  },
});

export const changeConnection = route({
  summary: "Assigns a connection's sender, and limits what it may spend in a day",
  body: Type.Object({
    id: Id,
    senderId: emptiable(SenderName),
    dailyCreditCap: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_CREDITS })),
    uncapped: Type.Optional(Type.Boolean()),
  }),
  emptyTexts: "emptied",
  caller: companyMay("manage"),
  answers: Connection,
  run(app, caller, { id, ...change }) {
    if (change.uncapped && change.dailyCreditCap !== undefined)
      refuseField("uncapped", {
        fr: "ne peut pas être utilisé avec dailyCreditCap",
        en: "cannot be used with dailyCreditCap",
      });
    const noting = notings.connectionOf(caller, id);
    return changing(app, caller, noting, (tx) => connections.changeConnection(tx, caller, id, change));
  },
});

export const send = route({
  summary: "Sends a text on behalf of the connected account; the answer comes before delivery",
  body: Type.Object({
    message: MessageText,
    contacts: Type.Array(ContactInput),
    callbackData: CallbackData,
    idempotencyKey: IdempotencyKey,
  }),
  caller: connectionCaller,
  answers: Sent,
  bulk: true,
  paid: true,
  run(app, caller, body, request) {
    const scope = { caller: caller.connectionId, path: "third-party-app/sms/send" };
    return sendForConnection(app, caller, body, onceOf(app, request, scope, body));
  },
  quick: {
    believe: (app, body, request) => (hasKey(request, body) ? undefined : believedConnection(app, body)),
    run: sendQuickly,
  },
});

export const balance = route({
  summary: "The credits of the pool that the connection charges",
  body: Type.Object({}),
  reads: true,
  caller: connectionCaller,
  answers: Credits,
  run: async (app, caller) => ({
    credits: await readBalance(app.database.of(caller.accountId), caller.accountId),
  }),
});
