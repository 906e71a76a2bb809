// The URLs of the webhooks of companies.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { changing } from "../audit/audit.ts";
import type { Tx } from "../kernel/database.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Counted, Id } from "../kernel/schemas.ts";
import * as companies from "./companies.ts";
import { checkWebhookUrl } from "./guard.ts";
import { CompanyWebhook, Delivery, DeliveryInFull, NewCompanyWebhook, NewSecretOfWebhook } from "./shapes.ts";
import { announceEvents } from "./webhooks.ts";

const webhookOf = (id: string) => ({ kind: "webhook", id });
const WebhookBody = Type.Object({ id: Id });

export const create = route({
  summary: "Makes a webhook for the events that the company chooses, with its secret",
  body: companies.WebhookInput,
  caller: companyMay("manage"),
  answers: NewCompanyWebhook,
  async run(app, caller, body) {
    await checkWebhookUrl(app, body.url, undefined, "url");
    const noting = {
      on: ({ id }: NewCompanyWebhook) => webhookOf(id),
      after: ({ secret: _, ...made }: NewCompanyWebhook) => made,
    };
    return changing(app, caller, noting, (tx) => companies.createWebhook(tx, app, caller, body));
  },
});

export const list = listRoute({
  summary: "Lists the company's webhooks",
  body: inOrder("desc"),
  caller: companyMay("read"),
  rows: CompanyWebhook,
  list: (app, caller, page) => companies.listWebhooks(app.database.of(caller.companyId), caller, page),
});

export const read = route({
  summary: "Reads a webhook",
  body: WebhookBody,
  reads: true,
  caller: companyMay("read"),
  answers: CompanyWebhook,
  run: (app, caller, { id }) => companies.readWebhook(app.database.of(caller.companyId), caller, id),
});

export const update = route({
  summary:
    "Changes a webhook, pauses it, or enables it again; what is not given stays, and so does the address as it is shown, with masked values",
  body: Type.Object({ id: Id, ...companies.WebhookChange.properties }),
  emptyTexts: "emptied",
  caller: companyMay("manage"),
  answers: CompanyWebhook,
  async run(app, caller, { id, ...change }) {
    if (change.url !== undefined) await checkWebhookUrl(app, change.url, undefined, "url");
    const noting = { on: webhookOf(id), before: (tx: Tx) => companies.readWebhook(tx, caller, id) };
    const updated = await changing(app, caller, noting, (tx) =>
      companies.updateCompanyWebhook(tx, app, caller, id, change),
    );
    announceEvents(app);
    return updated;
  },
});

export const rotateSecret = route({
  summary: "Gives a webhook a new secret; the old one signs beside it for 24 hours",
  body: WebhookBody,
  caller: companyMay("manage"),
  answers: NewSecretOfWebhook,
  run: (app, caller, { id }) =>
    changing(app, caller, { on: webhookOf(id), after: () => null }, (tx) =>
      companies.rotateSecret(tx, app, caller, id),
    ),
});

// Named `remove`, because `delete` is a keyword of JavaScript.
export const remove = route({
  summary: "Deletes a webhook; what waits for it is canceled",
  body: WebhookBody,
  caller: companyMay("manage"),
  answers: Counted,
  run(app, caller, { id }) {
    const before = (tx: Tx) => companies.readWebhook(tx, caller, id);
    return changing(app, caller, { on: webhookOf(id), before, after: () => null }, (tx) =>
      companies.deleteWebhook(tx, caller, id),
    );
  },
});

export const deliveries = listRoute({
  summary: "Lists what a webhook was told, newest first",
  body: { id: Id },
  caller: companyMay("read"),
  rows: Delivery,
  list: (app, caller, { id, ...page }) =>
    companies.listTold(app.database.of(caller.companyId), caller, id, page),
});

export const delivery = route({
  summary: "Reads a delivery with its payload, the number of its tries and the last answer",
  body: Type.Object({ id: Id, deliveryId: Id }),
  reads: true,
  caller: companyMay("read"),
  answers: DeliveryInFull,
  run: (app, caller, { id, deliveryId }) =>
    companies.readTold(app.database.of(caller.companyId), caller, id, deliveryId),
});

export const test = route({
  summary: "Sends a test event to a webhook",
  body: WebhookBody,
  caller: companyMay("manage"),
  answers: Delivery,
  async run(app, caller, { id }) {
    const sent = await changing(app, caller, { on: webhookOf(id) }, (tx) =>
      companies.testCompanyWebhook(tx, app, caller, id),
    );
    announceEvents(app);
    return sent;
  },
});

export const replay = route({
  summary: "Sends a delivery again, under the same id",
  body: Type.Object({ id: Id, deliveryId: Id }),
  caller: companyMay("manage"),
  answers: Delivery,
  async run(app, caller, { id, deliveryId }) {
    const sent = await changing(app, caller, { on: { kind: "delivery", id: deliveryId } }, (tx) =>
      companies.replayTold(tx, app, caller, id, deliveryId),
    );
    announceEvents(app);
    return sent;
  },
});
