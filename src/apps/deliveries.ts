// The routes of webhook deliveries: all of an application, and one with what was sent.
import { Type } from "typebox";
import { companyMay } from "../accounts/accounts.ts";
import { listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Id } from "../kernel/schemas.ts";
import { Delivery, DeliveryInFull } from "../webhooks/webhooks.ts";
import { listWebhookDeliveries, readWebhookDelivery } from "./hooks.ts";

export const listHookDeliveries = listRoute({
  summary: "Lists the deliveries of an application's webhooks, newest first",
  body: { appId: Id },
  caller: companyMay("read"),
  rows: Delivery,
  list: (app, caller, { appId, ...page }) =>
    listWebhookDeliveries(app.database.of(caller.companyId), caller, appId, page),
});

export const readDelivery = route({
  summary: "Reads a delivery with its payload, the number of its tries and the last answer",
  body: Type.Object({ appId: Id, deliveryId: Id }),
  reads: true,
  caller: companyMay("read"),
  answers: DeliveryInFull,
  run: (app, caller, { appId, deliveryId }) =>
    readWebhookDelivery(app.database.of(caller.companyId), caller, appId, deliveryId),
});
