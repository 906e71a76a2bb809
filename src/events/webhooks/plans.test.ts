// A company with many deliveries reads them by their index alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application } from "../../../test/applications.ts";
import { pagesOf } from "../../../test/cost.ts";
import { inBulk } from "../../../test/sending.ts";
import { testService } from "../../../test/testservice.ts";
import { listDeliveries } from "./sql.ts";

const DELIVERIES = 5_000;

test("counting the deliveries of an endpoint looks nothing up for each of them", async (t) => {
  const here = await testService(t);
  const { id, owner } = await application(here, { webhookUrl: "https://example.com/hook" });
  await inBulk(
    here.app,
    `INSERT INTO webhook_deliveries (endpoint_id, id, type, data, status)
     SELECT $1, lpad(i::text, 24, '0'), 'webhook.test', '{}', 'DELIVERED' FROM generate_series(1, $2::int) AS i`,
    [id, DELIVERIES],
  );
  const pages = await pagesOf(here.app.database.of(owner.companyId), listDeliveries.count, {
    endpointId: id,
    atMost: DELIVERIES,
  });
  // Not vacuumed yet, each row is looked at in its page. A look-up for each would be two pages more.
  assert.ok(pages < 1.5 * DELIVERIES, `${pages} pages`);
  const { totalCount } = await owner.call(`/v1/third-party-app/my/${id}/webhook/deliveries`);
  assert.ok(totalCount! >= DELIVERIES);
});
