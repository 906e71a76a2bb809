// The URLs of /v1/third-party-app.
import { Type } from "typebox";
import * as apps from "../commerce/apps/apps.ts";
import * as audits from "../commerce/apps/audits.ts";
import { cachedConnection, connectionCaller, provisionCaller } from "../commerce/apps/callers.ts";
import * as connections from "../commerce/apps/connections.ts";
import * as review from "../commerce/apps/review.ts";
import { sendForConnection, sendQuickly } from "../commerce/apps/sending.ts";
import {
  Application,
  applicationMeanings,
  Credits,
  ExternalAccountId,
  OwnedApplication,
  Provisioned,
  Sent,
} from "../commerce/apps/shapes.ts";
import * as submissions from "../commerce/apps/submissions.ts";
import { companyMay } from "../identity/accounts/callers.ts";
import { audited } from "../identity/audit/audit.ts";
import { readBalance } from "../ledger/credits/credits.ts";
import { ContactInput } from "../phonebook/contacts/given.ts";
import { hasKey, IdempotencyKey, idempotencyOf } from "../platform/http/idempotency.ts";
import { idOf } from "../platform/http/idschemas.ts";
import { member } from "../platform/http/meanings.ts";
import { anybody, route } from "../platform/http/routes.ts";
import { CallbackData, MessageText, SenderName, ShortText } from "../platform/http/schemas.ts";

export const submit = route("/v1/third-party-app/submit", {
  title: { fr: "Soumettre une application", en: "Submit an application" },
  says: { fr: "Soumet une application à l’examen.", en: "Submits an application for review." },
  body: apps.ApplicationInput,
  caller: companyMay("manage"),
  answers: Application,
  refuses: ["app-slug-taken", "conflict"],
  example: { name: "Boutique", slug: "boutique", description: "Vend des pagnes en ligne" },
  audit: { fr: "a soumis une application", en: "submitted an application" },
  async run(app, caller, body) {
    await apps.checkInput(app, body);
    // A slug may belong to an application of another company.
    const on = ({ id }: Application) => audits.applicationWith(id);
    const audit = { on, spansAccounts: true } as const;
    return audited(app, caller, audit, (tx) => apps.submitApplication(tx, app, caller, body));
  },
});

export const publicSubmit = route("/v1/third-party-app/public-submit", {
  title: { fr: "Soumettre une application sans compte", en: "Submit an application without an account" },
  says: {
    fr: "Soumet une application sans compte. Son propriétaire est informé de la décision par SMS et par e-mail.",
    en: "Submits an application without an account. Its owner is notified of the decision by SMS and e-mail.",
  },
  body: apps.PublicApplicationInput,
  caller: anybody,
  answers: Application,
  refuses: ["app-slug-taken", "invalid-phone-number"],
  example: {
    name: "Marché",
    slug: "marche",
    ownerEmail: "awa@example.com",
    ownerPhone: "+225 07 00 00 55 55",
  },
  run: (app, _caller, body, request) => submissions.submitPublicApplication(app, body, request),
});

export const claim = route("/v1/third-party-app/claim", {
  title: { fr: "Récupérer les secrets", en: "Claim the secrets" },
  says: {
    fr: "Renvoie une seule fois les secrets d’une application approuvée à son propriétaire sans compte.",
    en: "Returns the secrets of an approved application to its owner without an account, only once.",
  },
  body: Type.Object({
    claimToken: member(ShortText, {
      fr: "Jeton du lien à usage unique",
      en: "Token of the one-time link",
      sample: "<claimToken>",
    }),
  }),
  caller: anybody,
  answers: OwnedApplication,
  refuses: ["not-found"],
  audit: { fr: "a lu les secrets d’une application", en: "read an application’s secrets" },
  async run(app, _caller, { claimToken }, { ip, endpoint }) {
    const visitor = { by: { kind: "visitor", id: null, keyId: null, address: ip, endpoint } } as const;
    const audit = { on: ({ id }: OwnedApplication) => audits.applicationWith(id), after: () => null };
    const claimed = await audited(app, visitor, audit, (tx) => review.claimApplication(tx, app, claimToken));
    app.log.info({ appIds: [claimed.id] }, "the secrets of applications were shown");
    return claimed;
  },
});

const Credential = Type.Optional(ShortText);

export const provision = route("/v1/third-party-app/provision", {
  title: { fr: "Connecter un compte par ses identifiants", en: "Connect an account by its credentials" },
  says: {
    fr: "Connecte un compte externe avec les identifiants du compte qui paie. Répéter la requête renvoie le même jeton.",
    en: "Connects an external account with the credentials of the account that pays. Repeating the request returns the same token.",
  },
  body: Type.Object({
    externalAccountId: member(ExternalAccountId, applicationMeanings.externalAccountId),
    target: Type.Enum(["partnerCustomer", "company"]),
    partnerServerKey: member(Credential, {
      fr: "Clé de serveur du revendeur",
      en: "Server key of the reseller",
    }),
    partnerCustomerId: member(Type.Optional(idOf("customer")), {
      fr: "Identifiant du client du revendeur",
      en: "ID of the reseller’s customer",
    }),
    companyApiKey: member(Credential, {
      fr: "Clé API d’un membre de l’entreprise",
      en: "API key of a member of the company",
    }),
    companyId: Type.Optional(idOf("company")),
    defaultSenderId: member(Type.Optional(SenderName), {
      fr: "Nom ou identifiant d’un expéditeur accepté",
      en: "Name or ID of an accepted sender",
    }),
  }),
  caller: provisionCaller,
  answers: Provisioned,
  refuses: [
    "app-not-active",
    "customer-not-found",
    "connection-conflict",
    "conflict",
    "sender-not-found",
    "sender-not-accepted",
  ],
  example: {
    externalAccountId: "client-42",
    target: "company",
    companyApiKey: "<apiKey>",
    companyId: "<companyId>",
    defaultSenderId: "<senderId>",
  },
  audit: { fr: "a connecté un compte", en: "connected an account" },
  async run(app, caller, body, request) {
    const account = await connections.findPayingAccount(app, caller, body, request);
    const { companyId, accountId } = account;
    const audit = audits.provisioned({ accountId, externalAccountId: body.externalAccountId });
    return audited(app, { ...caller, companyId }, audit, (tx) =>
      connections.provision(tx, app, caller.appId, account, body),
    );
  },
});

export const send = route("/v1/third-party-app/sms/send", {
  title: { fr: "Envoyer pour un compte connecté", en: "Send for a connected account" },
  says: {
    fr: "Envoie un SMS au nom du compte connecté. La réponse est rendue avant la remise.",
    en: "Sends an SMS on behalf of the connected account. The response is returned before delivery.",
  },
  body: Type.Object({
    message: member(MessageText, { fr: "Texte du message", en: "Message text" }),
    contacts: Type.Array(ContactInput),
    callbackData: CallbackData,
    idempotencyKey: IdempotencyKey,
  }),
  caller: connectionCaller,
  answers: Sent,
  refuses: [
    "app-not-active",
    "connection-revoked",
    "sender-not-assigned",
    "insufficient-credits",
    "no-recipient",
    "too-many-contacts",
    "message-too-long",
    "idempotency-key-reused",
    "idempotency-in-progress",
  ],
  spends: true,
  example: { message: "Votre commande est prête.", contacts: [{ phone: "+2250102030405", name: "Awa" }] },
  bulk: true,
  paid: true,
  run(app, caller, body, request) {
    const scope = { caller: caller.connectionId, path: "third-party-app/sms/send" };
    return sendForConnection(app, caller, body, idempotencyOf(app, request, scope, body));
  },
  fastPath: {
    cachedCaller: (app, body, request) => (hasKey(request, body) ? undefined : cachedConnection(app, body)),
    run: sendQuickly,
  },
});

export const balance = route("/v1/third-party-app/balance", {
  title: { fr: "Lire le solde de la connexion", en: "Read the connection’s balance" },
  says: {
    fr: "Renvoie le solde du compte que la connexion débite.",
    en: "Returns the balance of the account that the connection charges.",
  },
  body: Type.Object({}),
  reads: true,
  caller: connectionCaller,
  answers: Credits,
  refuses: ["app-not-active", "connection-revoked"],
  run: async (app, caller) => ({
    credits: await readBalance(app.database.of(caller.accountId), caller.accountId),
  }),
});
