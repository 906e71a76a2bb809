// The settings of traces, by the names that OpenTelemetry gives them (Environment Variable Specification).

/** The collector's URL, and the share of requests that is traced unless the caller decides. */
export type TraceSettings = {
  readonly endpoint: string;
  readonly share: number;
  readonly serviceName: string;
};

const SHARE = "0.1";
const NAME_CHARACTERS_AT_MOST = 200;

/** Reads the settings; `bad` reports an error. Undefined without OTEL_EXPORTER_OTLP_ENDPOINT: no traces. */
export function readTraces(
  get: (name: string) => string | undefined,
  bad: (message: string) => never,
): TraceSettings | undefined {
  const address = get("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (address === undefined) return undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    bad(
      "OTEL_EXPORTER_OTLP_ENDPOINT must be an address with http:// or https://, such as http://127.0.0.1:4318",
    );
  const share = Number(get("OTEL_TRACES_SAMPLER_ARG") ?? SHARE);
  if (!(share >= 0 && share <= 1)) bad("OTEL_TRACES_SAMPLER_ARG must be a share from 0 to 1");
  const serviceName = (get("OTEL_SERVICE_NAME") ?? "atumpan").slice(0, NAME_CHARACTERS_AT_MOST);
  return { endpoint: url.href.replace(/\/+$/, ""), share, serviceName };
}
