// Traces: a collector of OpenTelemetry gets the spans of requests and of their statements, and nothing that they said.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { suite, test } from "node:test";
import { type Scope, stacked } from "../../test/sending.ts";
import { testService, until } from "../../test/testservice.ts";
import { readConfig } from "./config.ts";
import { REQUEST_ID } from "./http/requestids.ts";
import { openLog } from "./log.ts";

const PHONE = "2250700001000";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";

type Value = { stringValue?: string };
type Exported = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
};

/** A collector on loopback, which keeps the spans. */
async function startCollector(scope: Scope, answer = (response: ServerResponse) => void response.end("{}")) {
  const spans: Exported[] = [];
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { resourceSpans: { scopeSpans: { spans: Exported[] }[] }[] };
    texts.push(`${request.url} ${JSON.stringify(body)}`);
    spans.push(...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans).flatMap((some) => some.spans));
    answer(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  scope.after(async () => void server.close());
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, texts };
}

const textOf = ({ attributes }: Exported, name: string) =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

suite("traces", { concurrency: true }, () => {
  test("a request goes on with its caller's trace, and its statements are below it", async (t) => {
    const scope = stacked(t);
    const collector = await startCollector(scope);
    const traces = { endpoint: collector.endpoint, share: 0, serviceName: "atumpan-ci" };
    const here = await testService(scope, {
      config: { roles: new Set(["api"] as const), simulator: false, traces },
    });
    const company = await here.company({ credits: 10 });
    const traced = { traceparent: `00-${TRACE}-${CALLER}-01`, [REQUEST_ID]: "facture-17" };
    await company.call("/v1/contact/create", { contacts: [{ phone: PHONE, name: "Awa" }] }, traced);
    await company.call("/v1/contact/nowhere", {}, { traceparent: `00-${TRACE}-${CALLER}-00` });
    await company.call("/v1/credit/balance", {}, { traceparent: "nonsense" });
    const page = `00-${TRACE.replace("4", "5")}-${CALLER}-01`;
    assert.equal((await fetch(`${here.url}/docs`, { headers: { traceparent: page } })).status, 200);
    const [root] = await until(() => {
      const found = collector.spans.filter(({ parentSpanId }) => parentSpanId === CALLER);
      return found.length === 2 && found.toSorted((a, b) => (a.name < b.name ? 1 : -1));
    });
    assert.deepEqual(
      [root!.traceId, root!.parentSpanId, textOf(root!, "http.route"), textOf(root!, "atumpan.outcome")],
      [TRACE, CALLER, "/v1/contact/create", "success"],
    );
    assert.equal(textOf(root!, "atumpan.request_id"), "facture-17");
    assert.ok(BigInt(root!.endTimeUnixNano) > BigInt(root!.startTimeUnixNano));
    const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === root!.spanId);
    assert.ok(below.length > 0);
    for (const span of below) {
      assert.match(span.name, /^[a-z]+\.\w+/);
      assert.equal(textOf(span, "db.system.name"), "postgresql");
      assert.ok(BigInt(span.startTimeUnixNano) >= BigInt(root!.startTimeUnixNano), span.name);
    }
    const others = collector.spans.filter((span) => span !== root && !below.includes(span));
    assert.deepEqual(
      others.map(({ name }) => name),
      ["GET /docs"],
      "at a share of 0 nobody else is traced",
    );
    const all = collector.texts.join();
    assert.match(all, /^\/v1\/traces .*atumpan-ci/);
    for (const hidden of [PHONE, "Awa", company.apiKey, here.adminKey])
      assert.ok(!all.includes(hidden), hidden);
  });

  test("a collector that is away or refuses costs no request, and the log says so", async (t) => {
    const scope = stacked(t);
    const refusing = await startCollector(scope, (response) => void response.writeHead(400).end("no"));
    const lines: string[] = [];
    const here = await testService(scope, {
      config: {
        roles: new Set(["api"] as const),
        simulator: false,
        traces: { endpoint: refusing.endpoint, share: 1, serviceName: "atumpan" },
      },
      log: openLog("warn", { write: (line) => void lines.push(line) }),
    });
    const company = await here.company();
    assert.equal((await company.call("/v1/credit/balance")).success, true);
    await until(() => lines.some((line) => line.includes("traces could not be sent")));
    assert.equal((await company.call("/v1/credit/balance")).success, true);
  });

  test("the settings have the names of OpenTelemetry, and bad ones are refused in one line", () => {
    assert.equal(readConfig({}).traces, undefined);
    const OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:4318/";
    assert.deepEqual(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).traces, {
      endpoint: "http://127.0.0.1:4318",
      share: 0.1,
      serviceName: "atumpan",
    });
    const refused = (environment: Record<string, string>, reason: RegExp) =>
      assert.throws(() => readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, ...environment }), reason);
    refused(
      { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
      /^BadConfiguration: OTEL_EXPORTER_OTLP_ENDPOINT must be/,
    );
    refused({ OTEL_TRACES_SAMPLER_ARG: "2" }, /OTEL_TRACES_SAMPLER_ARG must be a share from 0 to 1/);
    refused({ OTEL_TRACES_SAMPLER_ARG: "half" }, /OTEL_TRACES_SAMPLER_ARG must be/);
  });
});
