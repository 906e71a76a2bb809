// Accounts at carriers over HTTP: tokens, credentials, units; and the places to which a request never goes.
import assert from "node:assert/strict";
import { Resolver } from "node:dns/promises";
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { suite, test } from "node:test";
import { type Certificate, certificateFor, expiredCertificateFor } from "../../../test/certificates.ts";
import { DECLARATION, reply, startCarrier } from "../../../test/httpcarrier.ts";
import {
  acceptAll,
  carrierService,
  createCarrier,
  orangeOperator,
  providerOperator,
  scriptedCarrier,
  startProvider,
} from "../../../test/httpprovider.ts";
import { ableIs } from "../../../test/operators.ts";
import {
  assertBalanced,
  balanceOf,
  phones,
  type Scope,
  send,
  settled,
  statusesOf,
} from "../../../test/sending.ts";
import { type Company, type TestService, until } from "../../../test/testservice.ts";

const ORANGE = { kind: "orange", systemId: "orange", receipts: false } as const;
const SENT = (count: number) => Array(count).fill("SENT");

/** Waits for what an operator's session says, and returns state and error. */
async function troubleOf(here: TestService, id: string): Promise<[string, string]> {
  return until(async () => {
    const { state, error } = (await here.admin(`/v1/admin/operator/${id}`)).data;
    // For a moment of each further attempt it is connecting.
    return error !== null && state !== "CONNECTING" && ([state, error] as [string, string]);
  });
}

async function sendAll(company: Company, count: number, prefix: string): Promise<string[]> {
  const id = await send(company, phones(count, prefix));
  await settled(company, id);
  return statusesOf(company, id);
}

/** Listens on loopback, and returns the port. */
async function listen(t: Scope, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(async () => void server.close());
  return (server.address() as AddressInfo).port;
}

suite("accounts at carriers over HTTP", { concurrency: 2 }, () => {
  test("tokens, credentials and units", { concurrency: 8 }, async (t) => {
    const here = await carrierService(t, 600_000);
    const company = await here.company({ credits: 1_000 });

    const late = t.test(
      "H31 H32: without a token nothing is sent; the next operator takes over, and the first returns",
      async () => {
        const first = await startProvider(t, { ...ORANGE, faults: { "token-down": 1 }, tokenLifeMs: 2_000 });
        const second = await startProvider(t, { receipts: false });
        const id = await createCarrier(
          here,
          orangeOperator(first, { prefixes: ["22501"], priority: 0 }),
          false,
        );
        assert.deepEqual(await troubleOf(here, id), ["DISCONNECTED", "no-token:http-503"]);
        await createCarrier(here, providerOperator(second, { prefixes: ["22501"], priority: 1 }));
        assert.deepEqual(await sendAll(company, 3, "22501"), SENT(3));
        assert.deepEqual([first.stats().accepted, second.stats().accepted], [0, 3]);
        first.faults["token-down"] = 0;
        await ableIs(here, id, true);
        // From now on the endpoint is down again, and the token ends in two seconds.
        first.faults["token-down"] = 1;
        await until(async () => {
          assert.deepEqual(await sendAll(company, 1, "22501"), SENT(1));
          return second.stats().accepted > 3;
        });
        first.faults["token-down"] = 0;
        await ableIs(here, id, true);
        assert.equal(first.stats().duplicates + second.stats().duplicates, 0);
      },
    );

    const ended = t.test(
      "H33: a token that ends before its time is renewed once for all requests in flight",
      async () => {
        const first = await startProvider(t, ORANGE);
        const id = await createCarrier(here, orangeOperator(first, { prefixes: ["22502"], window: 10 }));
        assert.deepEqual(await sendAll(company, 1, "22502"), SENT(1));
        // The same carrier after a restart, which knows no token of before.
        await first.stop();
        const again = await startProvider(t, { ...ORANGE, port: first.port, latencyMs: 20 });
        assert.deepEqual(await sendAll(company, 30, "22502"), SENT(30));
        const { accepted, duplicates, tokens } = again.stats();
        assert.deepEqual([accepted, duplicates], [30, 0]);
        assert.ok(tokens === 1, `${tokens} tokens`);
        assert.equal((await here.admin(`/v1/admin/operator/${id}`)).data.state, "BOUND");
      },
    );

    const wrong = t.test(
      "H34: wrong credentials are shown with the operator, and no message is sent",
      async () => {
        const carrier = await startProvider(t, { ...ORANGE, password: "another" });
        const id = await createCarrier(here, orangeOperator(carrier, { prefixes: ["22503"] }), false);
        assert.deepEqual(await troubleOf(here, id), ["REFUSED", "bad-credentials"]);
        const provider = await startProvider(t, { password: "another" });
        const other = await createCarrier(here, providerOperator(provider, { prefixes: ["22504"] }), false);
        const campaign = await send(company, phones(5, "22504"));
        assert.deepEqual(await troubleOf(here, other), ["REFUSED", "bad-credentials"]);
        assert.equal((await company.call(`/v1/campaign/${campaign}`)).data.stats.queued, 5);
        // One message finds out, and not a window of them.
        assert.deepEqual([carrier.stats().accepted, provider.stats().requests], [0, 1]);
        await company.call(`/v1/campaign/${campaign}/cancel`);
      },
    );

    const units = t.test(
      "H35: without units the account is suspended and shown, and the next operator takes over",
      async () => {
        const first = await startProvider(t, { ...ORANGE, units: 5 });
        const second = await startProvider(t, { receipts: false });
        const id = await createCarrier(here, orangeOperator(first, { prefixes: ["22505"], priority: 0 }));
        await createCarrier(here, providerOperator(second, { prefixes: ["22505"], priority: 1 }));
        const payer = await here.company({ credits: 20 });
        assert.deepEqual(await sendAll(payer, 20, "22505"), SENT(20));
        assert.deepEqual([first.stats().accepted, second.stats().accepted], [5, 15]);
        assert.deepEqual(await troubleOf(here, id), ["REFUSED", "no-units:POL0001"]);
        assert.equal(await balanceOf(payer), 0);
      },
    );

    const moved = t.test(
      "H36: a redirect is not followed: its target gets neither the message nor the key",
      async () => {
        const target = await startCarrier(t, acceptAll);
        const carrier = await startCarrier(t, (_message, response) =>
          reply(response, 307, {}, { Location: `${target.url}/messages` }),
        );
        const id = await createCarrier(here, scriptedCarrier(carrier.url, "22506"));
        const campaign = await send(company, phones(1, "22506"));
        assert.deepEqual(await troubleOf(here, id), ["REFUSED", "misconfigured:http-307"]);
        assert.deepEqual([carrier.taken.length, target.taken.length], [1, 0]);
        await company.call(`/v1/campaign/${campaign}/cancel`);
      },
    );

    const quoted = t.test(
      "H40: neither text nor sender can add a parameter, a member or a header",
      async () => {
        const seen: { url: string; body: string; extra: unknown }[] = [];
        const server = createServer((request, response) => {
          let body = "";
          request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
          request.on("end", () => {
            seen.push({ url: request.url ?? "", body, extra: request.headers["x-evil"] });
            reply(response, 200, { ok: true, id: `q${seen.length}` });
          });
        });
        const url = `http://127.0.0.1:${await listen(t, server)}`;
        const send3 = {
          ...DECLARATION.send,
          query: [
            { name: "text", value: "{{text}}" },
            { name: "from", value: "{{from}}" },
          ],
        };
        await createCarrier(here, scriptedCarrier(url, "22507", {}, { send: send3 }));
        const text = 'a","to":"+1555"}&to=+1555#?\r\nX-Evil: 1\r\n\r\n{{apiKey}} %0d%0aX-Evil: 1 <b>';
        const campaign = await send(company, phones(1, "22507"), text);
        await settled(company, campaign);
        const [{ url: asked, body, extra }] = seen as [(typeof seen)[number]];
        const parameters = new URL(asked, url).searchParams;
        const sent = (await company.call(`/v1/campaign/${campaign}`)).data.text ?? text;
        assert.deepEqual([...parameters.keys()], ["text", "from"]);
        assert.equal(parameters.get("text"), JSON.parse(body).text);
        assert.equal(JSON.parse(body).text, sent);
        assert.deepEqual([JSON.parse(body).to, extra], ["+2250710001000", undefined]);
      },
    );

    await Promise.all([late, ended, wrong, units, moved, quoted]);
    await assertBalanced(here);
  });

  test("addresses, certificates and declarations", { concurrency: 4 }, async (t) => {
    const here = await carrierService(t, 600_000, { config: { carrierAllowCidrs: [] } });
    const open = await carrierService(t, 600_000);
    const company = await open.company({ credits: 100 });

    const saved = t.test("H37: a private address is refused when it is saved", async () => {
      for (const url of [
        ...[
          "http://10.0.0.1",
          "https://10.0.0.1",
          "https://169.254.169.254",
          "https://[::1]",
          "https://[fd00::1]",
        ],
        ...[
          "https://127.0.0.1",
          "http://localhost:8080",
          "https://localhost",
          "https://0x7f000001",
          "http://8.8.8.8",
        ],
        ...[
          "https://[::ffff:127.0.0.1]",
          "https://100.100.100.200",
          "file:///etc/passwd",
          "https://a:b@8.8.8.8",
        ],
      ]) {
        const answer = await here.admin("/v1/admin/operator/create", {
          name: "x",
          ...scriptedCarrier(url, "22501"),
        });
        assert.equal(answer.error, "invalid-request", url);
        assert.match(answer.details?.[0]?.field ?? "", /^connectorSettings/, url);
        assert.match(answer.details?.[0]?.message ?? "", /\S/, url);
      }
    });

    const rebound = t.test("H38: a name that changes its address is refused at the connection", async (t) => {
      const inside = createServer(() => assert.fail("the private address was asked"));
      let connections = 0;
      inside.on("connection", () => connections++);
      const port = await listen(t, inside);
      let address = "8.8.8.8";
      t.mock.method(Resolver.prototype, "resolve4", async () => [address]);
      t.mock.method(Resolver.prototype, "resolve6", async () => []);
      const operator = { ...scriptedCarrier(`https://carrier.example:${port}`, "22501"), enabled: false };
      const id = await createCarrier(here, operator, false);
      address = "127.0.0.1";
      await here.admin(`/v1/admin/operator/${id}/update`, { enabled: true });
      assert.deepEqual(await troubleOf(here, id), ["DISCONNECTED", "address-not-allowed"]);
      assert.equal(connections, 0);
    });

    const secure = t.test(
      "H39: certificates that nobody signed, of another name or expired get no request; HTTP/2 is used",
      async (t) => {
        let asked = 0;
        const start = (certificate: Certificate) =>
          listen(t, createTlsServer(certificate, () => asked++) as unknown as Server);
        const authority = certificateFor("DNS:authority", "authority");
        const expired = expiredCertificateFor("IP:127.0.0.1");
        const cases: [Certificate, string | undefined, RegExp][] = [
          [certificateFor("IP:127.0.0.1"), undefined, /self-signed certificate/],
          [certificateFor("DNS:other.example", "other", authority), authority.cert, /altnames/],
          [expired, expired.cert, /expired/],
        ];
        for (const [i, [certificate, tlsCa, error]] of cases.entries()) {
          const url = `https://127.0.0.1:${await start(certificate)}`;
          const id = await createCarrier(
            open,
            scriptedCarrier(url, `2250${i}`, tlsCa ? { tlsCa } : {}),
            false,
          );
          const [state, found] = await troubleOf(open, id);
          assert.equal(state, "DISCONNECTED");
          assert.match(found, error);
        }
        assert.equal(asked, 0);
        const versions: string[] = [];
        const good = certificateFor("IP:127.0.0.1", "carrier", authority);
        const server = createSecureServer({ ...good, allowHTTP1: true }, (request, response) => {
          versions.push(request.httpVersion);
          request.resume().on("end", () => {
            response.setHeader("Content-Type", "application/json");
            response.end(JSON.stringify({ ok: true, id: `h${versions.length}` }));
          });
        });
        const url = `https://127.0.0.1:${await listen(t, server as unknown as Server)}`;
        await createCarrier(open, scriptedCarrier(url, "22508", { tlsCa: authority.cert }));
        assert.deepEqual(await sendAll(company, 50, "22508"), SENT(50));
        assert.deepEqual([versions.length, new Set(versions)], [50, new Set(["2.0"])]);
      },
    );

    const declared = t.test(
      "H52: a declaration that could leak, loop or never work is refused with a sentence",
      async () => {
        const { send: sending, outcomes } = DECLARATION;
        const wrong: [string, object, RegExp][] = [
          [
            "a host that a message chooses",
            { send: { ...sending, url: "https://{{to}}/x" } },
            /connector\.send\.url/,
          ],
          [
            "a host beside the address",
            { send: { ...sending, url: "{{baseUrl}}.evil.example/x" } },
            /connector\.send\.url/,
          ],
          [
            "credentials in the URL",
            { send: { ...sending, url: "https://a:b@carrier.example/" } },
            /connector\.send\.url/,
          ],
          ["another scheme", { send: { ...sending, url: "file:///etc/passwd" } }, /connector\.send\.url/],
          [
            "an unknown placeholder",
            { send: { ...sending, body: { kind: "text", value: "{{process}}" } } },
            /connector\.send\.body/,
          ],
          [
            "a partial of Mustache",
            { send: { ...sending, body: { kind: "text", value: "{{> /etc/passwd}}" } } },
            /connector\.send\.body/,
          ],
          [
            "a header of the connection",
            { send: { ...sending, headers: [{ name: "Host", value: "x" }] } },
            /connector\.send\.headers/,
          ],
          ["a body with GET", { send: { ...sending, method: "GET" } }, /connector\.send\.body/],
          ["a secret where it is logged", { account: "{{apiKey}}" }, /connector\.account/],
          ["no rule of acceptance", { outcomes: outcomes.slice(1) }, /connector\.outcomes/],
          [
            "a pointer that is none",
            { outcomes: [{ when: [{ json: "ok", present: true }], is: "accepted", id: "own" }] },
            /connector\.outcomes/,
          ],
          ["an unknown member", { exec: "rm" }, /connector\.exec/],
          ["a prototype", JSON.parse('{"__proto__x":{},"constructor":{"prototype":{}}}'), /connector/],
          [
            "a field named like a placeholder",
            { fields: [...DECLARATION.fields, { name: "text", title: "x" }] },
            /connector\.fields/,
          ],
          ["too large", { title: "x".repeat(40_000) }, /connector/],
          ["too deep", { send: { ...sending, body: { kind: "json", value: deep(40) } } }, /connector/],
          ["a line end in a value", {}, /connectorSettings\.apiKey/],
        ];
        for (const [says, change, field] of wrong) {
          const operator = scriptedCarrier("https://carrier.example", "22501", {}, change);
          const apiKey = says === "a line end in a value" ? "a\r\nX-Evil: 1" : "tambour";
          const connectorSettings = { ...operator.connectorSettings, apiKey };
          const answer = await open.admin("/v1/admin/operator/create", {
            name: says,
            ...operator,
            connectorSettings,
          });
          assert.equal(answer.error, "invalid-request", says);
          assert.match(answer.details?.[0]?.field ?? "", field, says);
          assert.match(answer.details?.[0]?.message ?? "", /\S/, says);
        }
      },
    );

    await Promise.all([saved, rebound, secure, declared]);
    await assertBalanced(open);
  });
});

function deep(levels: number): unknown {
  return levels === 0 ? "{{text}}" : { a: deep(levels - 1) };
}
