// The URLs of /v1/company/webhook.
import { Type } from "typebox";
import * as companies from "../../events/webhooks/companies.ts";
import { checkWebhookUrl } from "../../events/webhooks/guard.ts";
import {
  CompanyWebhook,
  Delivery,
  DeliveryInFull,
  NewCompanyWebhook,
  NewSecretOfWebhook,
} from "../../events/webhooks/shapes.ts";
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import { companyMay } from "../../identity/accounts/callers.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { DeletedCount } from "../../platform/http/paging.ts";
import { route } from "../../platform/http/routes.ts";

const webhookOf = (id: string) => ({ kind: "webhook", id });

export const create = route("/v1/company/webhook/create", {
  title: { fr: "Créer un webhook", en: "Create a webhook" },
  says: {
    fr: "Crée un webhook pour les événements choisis, avec son secret. Il reçoit les événements des envois acceptés à partir de sa création : ceux de l’entreprise et ceux des applications qu’elle paie.",
    en: "Creates a webhook for the chosen events, with its secret. It receives the events of sends accepted after its creation: those of the company and those of the applications that it pays for.",
  },
  body: companies.WebhookInput,
  caller: companyMay("manage"),
  answers: NewCompanyWebhook,
  refuses: ["conflict", "sign-in-required"],
  example: { url: "<webhookUrl>", events: ["message.delivered", "message.failed"], name: "Site" },
  audit: { fr: "a créé un webhook", en: "created a webhook" },
  async run(app, caller, body) {
    await checkWebhookUrl(app, body.url, undefined, "url");
    const audit = {
      on: thingMade("webhook"),
      after: ({ secret: _, ...made }: NewCompanyWebhook) => made,
    };
    return audited(app, caller, audit, (tx) => companies.createWebhook(tx, app, caller, body));
  },
});

export const list = listRoute("/v1/company/webhook/list", {
  title: { fr: "Lister les webhooks", en: "List webhooks" },
  says: { fr: "Liste les webhooks de l’entreprise.", en: "Lists the company’s webhooks." },
  body: inOrder("desc"),
  caller: companyMay("read"),
  rows: CompanyWebhook,
  list: (app, caller, page) => companies.listWebhooks(app.database.of(caller.companyId), caller, page),
});

const WebhookBody = oneId("webhook");

export const read = route("/v1/company/webhook/{id}", {
  title: { fr: "Lire un webhook", en: "Read a webhook" },
  says: { fr: "Renvoie un webhook.", en: "Returns a webhook." },
  body: WebhookBody,
  reads: true,
  caller: companyMay("read"),
  answers: CompanyWebhook,
  refuses: ["not-found"],
  run: (app, caller, { id }) => companies.readWebhook(app.database.of(caller.companyId), caller, id),
});

export const update = route("/v1/company/webhook/{id}/update", {
  title: { fr: "Modifier un webhook", en: "Update a webhook" },
  says: {
    fr: "Modifie un webhook, le met en pause ou le réactive. Les champs omis ne changent pas, ni l’adresse si elle est renvoyée telle qu’elle est affichée, avec ses valeurs masquées (?token=••••).",
    en: "Updates a webhook, pauses it or enables it again. Omitted members are unchanged, and so is the address if it is sent as it is shown, with masked values (?token=••••).",
  },
  body: Type.Object({ id: idOf("webhook"), ...companies.WebhookChange.properties }),
  emptyTexts: "emptied",
  caller: companyMay("manage"),
  answers: CompanyWebhook,
  refuses: ["not-found", "sign-in-required"],
  example: { events: ["message.failed", "campaign.completed", "credit.low"] },
  audit: { fr: "a modifié un webhook", en: "updated a webhook" },
  async run(app, caller, { id, ...change }) {
    if (change.url !== undefined) await checkWebhookUrl(app, change.url, undefined, "url");
    const audit = { on: webhookOf(id), before: (tx: Tx) => companies.readWebhook(tx, caller, id) };
    const updated = await audited(app, caller, audit, (tx) =>
      companies.updateCompanyWebhook(tx, app, caller, id, change),
    );
    announceEvents(app);
    return updated;
  },
});

export const rotateSecret = route("/v1/company/webhook/{id}/rotate-secret", {
  title: { fr: "Renouveler le secret d’un webhook", en: "Rotate the secret of a webhook" },
  says: {
    fr: "Donne un nouveau secret à un webhook. L’ancien signe aussi les événements pendant 24 heures.",
    en: "Gives a webhook a new secret. The old one also signs events for 24 hours.",
  },
  body: WebhookBody,
  caller: companyMay("manage"),
  answers: NewSecretOfWebhook,
  refuses: ["not-found", "sign-in-required"],
  audit: { fr: "a remplacé le secret d’un webhook", en: "replaced a webhook’s secret" },
  run: (app, caller, { id }) =>
    audited(app, caller, { on: webhookOf(id), after: () => null }, (tx) =>
      companies.rotateSecret(tx, app, caller, id),
    ),
});

export const test = route("/v1/company/webhook/{id}/test", {
  title: { fr: "Tester un webhook", en: "Test a webhook" },
  says: { fr: "Envoie un événement de test à un webhook.", en: "Sends a test event to a webhook." },
  body: WebhookBody,
  caller: companyMay("manage"),
  answers: Delivery,
  refuses: ["not-found", "conflict"],
  audit: { fr: "a testé un webhook", en: "tested a webhook" },
  async run(app, caller, { id }) {
    const sent = await audited(app, caller, { on: webhookOf(id) }, (tx) =>
      companies.deliveries.test(tx, app, caller, id),
    );
    announceEvents(app);
    return sent;
  },
});

export const deliveries = listRoute("/v1/company/webhook/{id}/deliveries", {
  title: { fr: "Lister les livraisons d’un webhook", en: "List the deliveries of a webhook" },
  says: {
    fr: "Liste les livraisons d’un webhook, de la plus récente à la plus ancienne.",
    en: "Lists the deliveries of a webhook, newest first.",
  },
  body: { id: idOf("webhook") },
  caller: companyMay("read"),
  rows: Delivery,
  refuses: ["not-found"],
  list: (app, caller, { id, ...page }) =>
    companies.deliveries.list(app.database.of(caller.companyId), caller, id, page),
});

export const delivery = route("/v1/company/webhook/{id}/{deliveryId}", {
  title: { fr: "Lire une livraison", en: "Read a delivery" },
  says: {
    fr: "Renvoie une livraison : son contenu, le nombre de tentatives et la dernière réponse.",
    en: "Returns a delivery with its payload, the number of attempts and the last response.",
  },
  body: Type.Object({ id: idOf("webhook"), deliveryId: idOf("webhookDelivery") }),
  reads: true,
  caller: companyMay("read"),
  answers: DeliveryInFull,
  refuses: ["not-found"],
  run: (app, caller, { id, deliveryId }) =>
    companies.deliveries.read(app.database.of(caller.companyId), caller, id, deliveryId),
});

export const replay = route("/v1/company/webhook/{id}/{deliveryId}/replay", {
  title: { fr: "Renvoyer une livraison", en: "Replay a delivery" },
  says: {
    fr: "Envoie de nouveau une livraison, sous le même identifiant.",
    en: "Sends a delivery again under the same id.",
  },
  body: Type.Object({ id: idOf("webhook"), deliveryId: idOf("webhookDelivery") }),
  caller: companyMay("manage"),
  answers: Delivery,
  refuses: ["not-found", "conflict"],
  audit: { fr: "a renvoyé un événement", en: "resent an event" },
  async run(app, caller, { id, deliveryId }) {
    const sent = await audited(app, caller, { on: { kind: "delivery", id: deliveryId } }, (tx) =>
      companies.deliveries.replay(tx, app, caller, id, deliveryId),
    );
    announceEvents(app);
    return sent;
  },
});

// Named `remove`, because `delete` is a keyword of JavaScript.
export const remove = route("/v1/company/webhook/{id}/delete", {
  title: { fr: "Supprimer un webhook", en: "Delete a webhook" },
  says: {
    fr: "Supprime un webhook. Ses livraisons en attente sont annulées.",
    en: "Deletes a webhook. Its pending deliveries are canceled.",
  },
  body: WebhookBody,
  caller: companyMay("manage"),
  answers: DeletedCount,
  refuses: ["not-found"],
  audit: { fr: "a supprimé un webhook", en: "deleted a webhook" },
  run(app, caller, { id }) {
    const before = (tx: Tx) => companies.readWebhook(tx, caller, id);
    return audited(app, caller, { on: webhookOf(id), before, after: () => null }, (tx) =>
      companies.deleteWebhook(tx, caller, id),
    );
  },
});
