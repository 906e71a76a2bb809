// The URLs of /v1/third-party-app/my.

import { Type } from "typebox";
import * as apps from "../../commerce/apps/apps.ts";
import * as audits from "../../commerce/apps/audits.ts";
import * as hooks from "../../commerce/apps/hooks.ts";
import {
  applicationMeanings,
  NewSecret,
  NewWebhookSecret,
  OwnedApplication,
} from "../../commerce/apps/shapes.ts";
import { stopSoon } from "../../commerce/apps/stops.ts";
import { checkWebhookUrl } from "../../events/webhooks/guard.ts";
import { Delivery, DeliveryInFull } from "../../events/webhooks/shapes.ts";
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import { companyMay } from "../../identity/accounts/callers.ts";
import { audited } from "../../identity/audit/audit.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";

export const listMine = listRoute("/v1/third-party-app/my/list", {
  title: { fr: "Lister ses applications", en: "List one’s applications" },
  says: {
    fr: "Liste toutes les applications de l’entreprise, ou une page si elle est demandée, avec les secrets des applications actives.",
    en: "Lists all of the company’s applications, or one page if it is requested, with the secrets of the active ones.",
  },
  body: inOrder("desc"),
  caller: companyMay("manage"),
  rows: OwnedApplication,
  audit: { fr: "a consulté les secrets des applications", en: "viewed the application secrets" },
  rowsUnasked: apps.APPS_IN_ALL,
  async list(app, caller, page) {
    const list = await apps.listApplications(app, caller, page);
    await audits.noteSecretsShown(app, caller, list.rows);
    return list;
  },
});

export const regenerateSecret = route("/v1/third-party-app/my/{appId}/regenerate-secret", {
  title: { fr: "Renouveler le secret d’une application", en: "Regenerate the secret of an application" },
  says: {
    fr: "Donne un nouveau secret à une application. L’ancien cesse de fonctionner immédiatement.",
    en: "Gives an application a new secret. The old one stops working immediately.",
  },
  body: Type.Object({
    appId: idOf("application"),
    revokeConnections: member(Type.Optional(Type.Boolean()), {
      fr: "true révoque aussi toutes les connexions de l’application et annule leurs messages en file d’attente",
      en: "true also revokes all connections of the application and cancels their queued messages",
    }),
  }),
  caller: companyMay("manage"),
  answers: NewSecret,
  refuses: ["app-not-found", "app-not-active"],
  audit: { fr: "a remplacé le secret d’une application", en: "replaced an application’s secret" },
  async run(app, caller, { appId, revokeConnections = false }) {
    const on = audits.applicationWith(appId);
    // The connections that it revokes belong to other accounts.
    const audit = { on, after: () => ({ revokeConnections }), spansAccounts: true } as const;
    const made = await audited(app, caller, audit, (tx) =>
      apps.regenerateSecret(tx, app, caller, appId, revokeConnections),
    );
    if (revokeConnections) stopSoon(app);
    announceEvents(app);
    app.log.info({ appId, userId: caller.userId }, "an application has a new secret");
    return made;
  },
});

export const updateWebhook = route("/v1/third-party-app/my/{appId}/webhook/update", {
  title: {
    fr: "Modifier l’adresse des webhooks d’une application",
    en: "Update an application’s webhook address",
  },
  says: {
    fr: "Définit l’adresse des webhooks d’une application. S’ils étaient désactivés, ils reprennent.",
    en: "Sets the address of an application’s webhooks. If they were disabled, they are enabled again.",
  },
  body: Type.Object({
    appId: idOf("application"),
    webhookUrl: member(Type.String({ minLength: 1, maxLength: 2_048 }), applicationMeanings.webhookUrl),
  }),
  caller: companyMay("manage"),
  answers: OwnedApplication,
  refuses: ["app-not-found", "app-not-active"],
  example: { webhookUrl: "<webhookUrl>" },
  audit: { fr: "a modifié l’URL des webhooks", en: "updated the webhook URL" },
  async run(app, caller, { appId, webhookUrl }) {
    await checkWebhookUrl(app, webhookUrl);
    const audit = audits.webhookMoved(caller, appId, webhookUrl);
    return audited(app, caller, audit, (tx) => hooks.updateWebhook(tx, app, caller, appId, webhookUrl));
  },
});

const ApplicationBody = Type.Object({ appId: idOf("application") });

export const rotateWebhookSecret = route("/v1/third-party-app/my/{appId}/webhook/rotate-secret", {
  title: {
    fr: "Renouveler le secret des webhooks d’une application",
    en: "Rotate an application’s webhook secret",
  },
  says: {
    fr: "Donne un nouveau secret aux webhooks d’une application. L’ancien signe aussi les événements pendant 24 heures.",
    en: "Gives an application’s webhooks a new secret. The old one also signs events for 24 hours.",
  },
  body: ApplicationBody,
  caller: companyMay("manage"),
  answers: NewWebhookSecret,
  refuses: ["app-not-found", "app-not-active", "not-found"],
  audit: { fr: "a remplacé le secret des webhooks", en: "replaced the webhook secret" },
  async run(app, caller, { appId }) {
    const audit = { on: audits.applicationWith(appId), after: () => null };
    const made = await audited(app, caller, audit, (tx) => hooks.rotateWebhookSecret(tx, app, caller, appId));
    app.log.info({ appId, userId: caller.userId }, "the webhooks of an application have a new secret");
    return made;
  },
});

export const listHookDeliveries = listRoute("/v1/third-party-app/my/{appId}/webhook/deliveries", {
  title: { fr: "Lister les livraisons d’une application", en: "List an application’s deliveries" },
  says: {
    fr: "Liste les livraisons des webhooks d’une application, de la plus récente à la plus ancienne.",
    en: "Lists the deliveries of an application’s webhooks, newest first.",
  },
  body: { appId: idOf("application") },
  caller: companyMay("read"),
  rows: Delivery,
  refuses: ["app-not-found"],
  list: (app, caller, { appId, ...page }) =>
    hooks.appDeliveries.list(app.database.of(caller.companyId), caller, appId, page),
});

export const testWebhook = route("/v1/third-party-app/my/{appId}/webhook/test", {
  title: { fr: "Tester les webhooks d’une application", en: "Test an application’s webhooks" },
  says: {
    fr: "Envoie un événement de test aux webhooks d’une application.",
    en: "Sends a test event to an application’s webhooks.",
  },
  body: ApplicationBody,
  caller: companyMay("manage"),
  answers: Delivery,
  refuses: ["app-not-found", "app-not-active", "not-found", "conflict"],
  audit: { fr: "a envoyé un webhook de test", en: "sent a test webhook" },
  async run(app, caller, { appId }) {
    const audit = { on: audits.applicationWith(appId) };
    const delivery = await audited(app, caller, audit, (tx) =>
      hooks.appDeliveries.test(tx, app, caller, appId),
    );
    announceEvents(app);
    return delivery;
  },
});

export const readDelivery = route("/v1/third-party-app/my/{appId}/webhook/{deliveryId}", {
  title: { fr: "Lire une livraison d’une application", en: "Read an application’s delivery" },
  says: {
    fr: "Renvoie une livraison : son contenu, le nombre de tentatives et la dernière réponse.",
    en: "Returns a delivery with its payload, the number of attempts and the last response.",
  },
  body: Type.Object({ appId: idOf("application"), deliveryId: idOf("applicationDelivery") }),
  reads: true,
  caller: companyMay("read"),
  answers: DeliveryInFull,
  refuses: ["app-not-found", "not-found"],
  run: (app, caller, { appId, deliveryId }) =>
    hooks.appDeliveries.read(app.database.of(caller.companyId), caller, appId, deliveryId),
});

export const replayWebhook = route("/v1/third-party-app/my/{appId}/webhook/{deliveryId}/replay", {
  title: { fr: "Renvoyer une livraison d’une application", en: "Replay an application’s delivery" },
  says: {
    fr: "Envoie de nouveau une livraison, sous le même identifiant.",
    en: "Sends a delivery again under the same id.",
  },
  body: Type.Object({ appId: idOf("application"), deliveryId: idOf("applicationDelivery") }),
  caller: companyMay("manage"),
  answers: Delivery,
  refuses: ["app-not-found", "app-not-active", "not-found", "conflict"],
  audit: { fr: "a renvoyé un webhook", en: "resent a webhook" },
  async run(app, caller, { appId, deliveryId }) {
    const delivery = await audited(app, caller, { on: { kind: "delivery", id: deliveryId } }, (tx) =>
      hooks.appDeliveries.replay(tx, app, caller, appId, deliveryId),
    );
    announceEvents(app);
    return delivery;
  },
});
