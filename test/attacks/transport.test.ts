// An attack on the first request: on a bad network, a browser that once used HTTPS is asked to speak plain HTTP again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { certificateFiles, writeCertificate } from "../certificates.ts";
import { raw, serve } from "../listener.ts";
import { testService } from "../testservice.ts";

const YEAR = "max-age=31536000";

/** Every kind of answer: pages, style, interface, reference, probes, unknown paths and methods, bytes that are no HTTP. */
const ASKED = [
  "GET /pair",
  "GET /pair/page.css",
  "GET /pair/none",
  "POST /v1/credit/balance",
  "POST /v1/none",
  "GET /v1/%zz",
  "GET /docs",
  "GET /docs/openapi.json",
  "GET /metrics",
  "GET /healthz",
  "GET /readyz",
  "PUT /nothing",
];

/** What the first answer to each of these requests says about HTTPS. */
async function headersAt(url: string, headers = ""): Promise<Record<string, string | undefined>> {
  const said: Record<string, string | undefined> = {};
  for (const line of ASKED) {
    const head = `${line} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: 0\r\nConnection: close\r\n\r\n`;
    said[line] = policyIn(await raw(url, head));
  }
  return said;
}

function policyIn(answer: string): string | undefined {
  assert.match(answer, /^HTTP\/1\.1 \d{3} /);
  return /^strict-transport-security: (.*)\r$/im.exec(answer)?.[1];
}

const all = (policy: string | undefined) => Object.fromEntries(ASKED.map((line) => [line, policy]));

test("H13 over HTTPS every answer tells browsers to stay there", async (t) => {
  const tls = certificateFiles(t);
  writeCertificate(tls, "here");
  const here = await testService(t, { config: { tls } });
  assert.deepEqual(await headersAt(here.url), all(YEAR));
  assert.equal(policyIn(await raw(here.url, "no HTTP at all\r\n\r\n")), YEAR);
});

test("H13 behind a trusted proxy that speaks HTTPS it does too, and over plain HTTP never", async (t) => {
  const here = await testService(t, { config: { trustProxy: ["127.0.0.1"] } });
  assert.deepEqual(await headersAt(here.url, "X-Forwarded-Proto: https\r\n"), all(YEAR));
  assert.deepEqual(await headersAt(here.url, "X-Forwarded-Proto: http\r\n"), all(undefined));
  assert.deepEqual(await headersAt(here.url), all(undefined));
  const open = await serve(t, { trustProxy: ["127.0.0.1"], refusePlainHttp: true });
  const head = "POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n";
  assert.equal(policyIn(await raw(open.url, `${head}\r\n`)), undefined, "not even where HTTPS is required");
});

test("H13 a proxy that nobody trusts cannot say that it is HTTPS", async (t) => {
  const here = await testService(t);
  assert.deepEqual(await headersAt(here.url, "X-Forwarded-Proto: https\r\n"), all(undefined));
});
