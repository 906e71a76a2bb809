// Built-in connectors against simulated carriers that were written without them: Africa's Talking, and version 2 of MTN.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  africasTalkingOperator,
  callbackOf,
  carrierService,
  createCarrier,
  mtnOperator,
  startProvider,
} from "../../../test/httpprovider.ts";
import { numberFor, textsOf } from "../../../test/incoming.ts";
import { ableIs } from "../../../test/operators.ts";
import { assertBalanced, balanceOf, type Scope, send, settled } from "../../../test/sending.ts";
import { type Company, type TestService, until } from "../../../test/testservice.ts";
import { findFreePorts } from "../../platform/embedded/ports.ts";
import type { HttpCarrier, HttpCarrierOptions } from "../simulator/http/server.ts";

type Operator = Record<string, unknown>;

/** Creates an operator, and then its carrier, which knows where callbacks go. */
async function startCarrier(
  t: Scope,
  here: TestService,
  operatorAt: (carrier: { url: string }) => Operator,
  options: Partial<HttpCarrierOptions>,
): Promise<{ carrier: HttpCarrier; id: string }> {
  const [port = 0] = await findFreePorts(1);
  const id = await createCarrier(here, operatorAt({ url: `http://127.0.0.1:${port}` }), false);
  const receiptUrl = await callbackOf(here, id);
  const carrier = await startProvider(t, { port, receiptUrl, inboundUrl: receiptUrl, ...options });
  return { carrier, id };
}

/** Sends one message, waits until it has this status, and returns its error. */
async function sendUntil(company: Company, phone: string, status: string, text = "Bonjour"): Promise<string> {
  const campaign = await send(company, phone, text);
  if (status !== "DELIVERED") await settled(company, campaign);
  return until(async () => {
    const { data } = await company.call(`/v1/campaign/${campaign}/messages`, { limit: 1 });
    return data[0]?.status === status && `${data[0].error}`;
  });
}

suite("built-in connectors against simulated carriers", { concurrency: 2 }, () => {
  const AFRICASTALKING = { kind: "africastalking", systemId: "africastalking" } as const;

  test("Africa's Talking delivers, rejects, and passes a reply of a handset on", async (t) => {
    const here = await carrierService(t, 600_000);
    const { carrier, id } = await startCarrier(t, here, africasTalkingOperator, AFRICASTALKING);
    await ableIs(here, id, true);
    const company = await here.company({ credits: 20 });

    await sendUntil(company, "2250710001000", "DELIVERED", "Ça va ? & bien");
    assert.equal(carrier.inbox()[0]?.text, "Ça va ? & bien");
    await sendUntil(company, "2250710000009", "DELIVERED");
    assert.equal(await sendUntil(company, "2250710000002", "UNDELIVERED"), "DeliveryFailure");
    await sendUntil(company, "2250710000006", "EXPIRED");
    assert.equal(await balanceOf(company), 16);

    // Rejected messages are refunded.
    for (const [digits, error] of [
      ["0001", "invalid-number:403"],
      ["0402", "invalid-sender:402"],
      ["0406", "blocked-number:406"],
      ["0409", "blocked-number:409"],
      ["0401", "refused:401"],
      ["0502", "refused:502"],
    ] as const)
      assert.equal(await sendUntil(company, `225071000${digits}`, "REJECTED"), error);
    assert.equal(await balanceOf(company), 16);

    const { number } = await numberFor(here, company);
    await carrier.reply({ from: "2250710001000", to: number, text: "Oui & merci 😀" });
    assert.deepEqual(await textsOf(company), ["Oui & merci 😀"]);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("Africa's Talking suspends the operator for a wrong key and without a balance, and rejects a sender", async (t) => {
    const here = await carrierService(t, 600_000);
    const at = (prefix: string) => (carrier: { url: string }) =>
      africasTalkingOperator(carrier, { prefixes: [prefix] });
    const wrong = await startCarrier(t, here, at("22501"), { ...AFRICASTALKING, password: "another" });
    const poor = await startCarrier(t, here, at("22505"), { ...AFRICASTALKING, units: 1 });
    const other = await startCarrier(t, here, at("22507"), { ...AFRICASTALKING, senderId: "SOMEBODY" });
    const company = await here.company({ credits: 20 });
    const isRefused = (operatorId: string, reason: RegExp) =>
      until(async () => {
        const { state, error } = (await here.admin(`/v1/admin/operator/${operatorId}`)).data;
        return state === "REFUSED" && reason.test(error);
      });

    const held = [await send(company, "2250110001000")];
    await isRefused(wrong.id, /^bad-credentials/);
    assert.equal(wrong.carrier.stats().accepted, 0);

    await ableIs(here, poor.id, true);
    await sendUntil(company, "2250510001000", "DELIVERED");
    held.push(await send(company, "2250510001001"));
    await isRefused(poor.id, /^no-units/);
    assert.equal(poor.carrier.stats().accepted, 1);

    await ableIs(here, other.id, true);
    assert.match(await sendUntil(company, "2250710001000", "REJECTED"), /^invalid-sender/);
    // What an account cannot send stays queued for another operator.
    for (const campaign of held) {
      assert.equal((await company.call(`/v1/campaign/${campaign}`)).data.stats.queued, 1);
      await company.call(`/v1/campaign/${campaign}/cancel`);
    }
    assert.equal(await balanceOf(company), 19);
    assert.equal((await assertBalanced(here)).held, 0);
  });

  test("MTN of version 2 delivers and rejects, by either answer", async (t) => {
    const here = await carrierService(t, 600_000);
    const company = await here.company({ credits: 20 });
    for (const [api, prefix] of [
      ["v2", "22505"],
      ["v2-migrated", "22506"],
    ] as const) {
      const operatorAt = (carrier: { url: string }) => {
        const { connectorSettings, ...operator } = mtnOperator(carrier, { prefixes: [prefix] });
        return { ...operator, connectorSettings: { ...(connectorSettings as object), version2: "yes" } };
      };
      const { carrier, id } = await startCarrier(t, here, operatorAt, { kind: "mtn", api, systemId: "mtn" });
      await ableIs(here, id, true);
      await sendUntil(company, `${prefix}10001000`, "DELIVERED");
      await sendUntil(company, `${prefix}10000002`, "UNDELIVERED");
      assert.match(await sendUntil(company, `${prefix}10000001`, "REJECTED"), /5000$/);
      const { number } = await numberFor(here, company);
      await carrier.reply({ from: `${prefix}10001000`, to: number, text: `OUI ${api}` });
    }
    assert.deepEqual(await textsOf(company), ["OUI v2", "OUI v2-migrated"]);
    assert.equal(await balanceOf(company), 16);
    assert.equal((await assertBalanced(here)).held, 0);
  });
});
