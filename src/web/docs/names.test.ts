// The names of operations in clients: one each, and the ones that our clients' users have learnt.
import assert from "node:assert/strict";
import { test } from "node:test";
import { routes } from "../../api/api.ts";
import { clientNameOf, operationIdOf } from "./names.ts";

test("the name of an operation follows from its path", () => {
  const names: Record<string, string> = {
    "/v1/contact/create": "contact.create",
    "/v1/contact/{id}/update": "contact.update",
    "/v1/campaign/{id}": "campaign.read",
    "/v1/third-party-app/sms/send": "thirdPartyApp.sms.send",
    "/v1/admin/operator/{id}/test/{testId}": "admin.operator.test.read",
    "/v1/company/webhook/{id}/{deliveryId}": "company.webhook.delivery.read",
  };
  for (const [path, name] of Object.entries(names)) assert.equal(clientNameOf(path).join("."), name);
  assert.equal(operationIdOf("/v1/third-party-app/sms/send"), "thirdPartyAppSmsSend");
});

test("no two operations have the same name, as one word or in parts", () => {
  for (const nameOf of [operationIdOf, (path: string) => clientNameOf(path).join(".")]) {
    const byName = Map.groupBy(routes, ({ path }) => nameOf(path));
    const shared = [...byName.values()].filter((some) => some.length > 1);
    assert.deepEqual(
      shared.map((some) => some.map(({ path }) => path)),
      [],
    );
    for (const name of byName.keys()) assert.match(name, /^[a-z][\w.]*$/);
  }
});
