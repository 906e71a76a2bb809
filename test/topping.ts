// Helpers for tests of top-ups: offers of the service, payments of them, and a stand-in for Paystack.
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { newId } from "../src/platform/ids.ts";
import { PRICE, tell } from "./reselling.ts";
import type { Answered, Company, TestService } from "./testservice.ts";

export const CHECKOUT_URL =
  "https://pay.example/{reference}?amount={amount}&currency={currency}&back={returnUrl}";

async function dataOf(answered: Promise<Answered>) {
  const answer = await answered;
  assert.equal(answer.success, true, JSON.stringify(answer));
  return answer.data;
}

/** Puts an offer of the service on sale. Returns its id. */
export async function offerOf(here: TestService, terms: object = {}): Promise<string> {
  const body = { name: "Petit pack", amount: PRICE, credit: 200, bonusCredit: 20, ...terms };
  return (await dataOf(here.admin("/v1/admin/offer/create", body))).id;
}

/** Begins a top-up by a fresh offer of the service. */
export async function topUp(here: TestService, company: Company, terms: object = {}) {
  const topupOffer = await offerOf(here, terms);
  const begun = await dataOf(company.call("/v1/topup/begin", { offerId: topupOffer }));
  return { ...begun, topupOffer, topup: begun.topupId };
}

/** The provider `standard` says that a top-up was paid. */
export async function pay(
  here: TestService,
  reference: string,
  amount = PRICE,
  more: object = {},
): Promise<Answered> {
  return tell(here, { id: newId(), type: "payment.succeeded", data: { reference, amount, ...more } });
}

/** What Paystack was asked. */
type Initialized = { headers: IncomingHttpHeaders; body: Record<string, unknown> };

/**
 * A server that does what https://paystack.com/docs/api/transaction/#initialize says: it opens a page for each reference
 * once. `mood` may make it fail.
 */
export async function startPaystack(t: { after: (end: () => void) => void }) {
  const asked: Initialized[] = [];
  const known = new Set<unknown>();
  const stand = {
    asked,
    mood: "well" as "well" | "down" | "mute" | "answer-lost" | "nonsense" | "elsewhere",
    url: "",
  };
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    asked.push({ headers: request.headers, body });
    const answer = (status: number, said: unknown) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(typeof said === "string" ? said : JSON.stringify(said));
    };
    if (stand.mood === "down") return answer(503, "<html>down</html>");
    if (stand.mood === "mute") return;
    if (stand.mood === "nonsense")
      return answer(200, { status: true, data: { authorization_url: "javascript:0" } });
    if (stand.mood === "elsewhere") {
      response.writeHead(302, { Location: "http://127.0.0.1:1/" });
      return response.end();
    }
    if (request.url !== "/transaction/initialize" || request.headers.authorization !== "Bearer sk_test_drum")
      return answer(401, { status: false, message: "Invalid key" });
    if (known.has(body.reference))
      return answer(400, {
        ...{ status: false, message: "Duplicate Transaction Reference", type: "validation_error" },
        code: "duplicate_reference",
      });
    known.add(body.reference);
    if (stand.mood === "answer-lost") return request.socket.destroy();
    const data = {
      authorization_url: `https://checkout.paystack.com/${body.reference}`,
      access_code: "nkdks46nymizns7",
      reference: body.reference,
    };
    answer(200, { status: true, message: "Authorization URL created", data });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  stand.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return stand;
}
