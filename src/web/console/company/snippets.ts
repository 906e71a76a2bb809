// Snippets: code that calls the API, ready to paste, in the languages that local developers use.
import { Html, html } from "../../../platform/http/html.ts";

export const LANGUAGES = { curl: "curl", typescript: "TypeScript", python: "Python", php: "PHP" } as const;
export type CodeLanguage = keyof typeof LANGUAGES;

/** Returns the language of a URL like `?lang=python`; curl for any other. */
export function codeLanguageOf(text: string): CodeLanguage {
  return Object.hasOwn(LANGUAGES, text) ? (text as CodeLanguage) : "curl";
}

/** One call: its path without `/v1/`, and its body without the credentials. */
export type Call = { path: string; body: Readonly<Record<string, unknown>> };

/** The URL to call, the company, and the placeholder of the key. */
export type CallSite = { url: string; companyId: string; keyPlace: string };

/** Renders the code of one call, with the placeholder of the key marked. */
export function snippet(language: CodeLanguage, site: CallSite, { path, body }: Call): Html {
  const { keyPlace, companyId } = site;
  const url = `${site.url}/v1/${path}`;
  const whole = { companyId, ...body };
  const code = {
    curl: () => `curl -s ${url} \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ apiKey: keyPlace, ...whole }, null, 2).replaceAll("'", "'\\''")}'`,
    typescript: () => `const apiKey = "${keyPlace}";

const response = await fetch("${url}", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${indented(literal("typescript", whole, "apiKey"), 2)}),
});
const { success, data, error, details } = await response.json();
if (!success) throw new Error(error + " " + JSON.stringify(details));
console.log(data);`,
    python: () => `import json
from urllib.request import Request, urlopen

API_KEY = "${keyPlace}"

body = ${literal("python", whole, `"apiKey": API_KEY`)}
request = Request(
    "${url}",
    data=json.dumps(body).encode(),
    headers={"Content-Type": "application/json"},
)
answer = json.load(urlopen(request))
if not answer["success"]:
    raise RuntimeError(answer["error"], answer.get("details"))
print(answer["data"])`,
    php: () => `<?php
$apiKey = '${keyPlace}';

$curl = curl_init('${url}');
curl_setopt_array($curl, [
    CURLOPT_POST => true,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ['Content-Type: application/json'],
    CURLOPT_POSTFIELDS => json_encode(${indented(literal("php", whole, `'apiKey' => $apiKey`), 4)}),
]);
$answer = json_decode(curl_exec($curl), true);
if (!$answer['success']) {
    throw new RuntimeException($answer['error'] . ' ' . json_encode($answer['details'] ?? []));
}
print_r($answer['data']);`,
  }[language]();
  return marked(code, keyPlace);
}

function marked(code: string, place: string): Html {
  const parts = code.split(place).map((part) => html`${part}`.text);
  return new Html(parts.join(html`<mark>${place}</mark>`.text));
}

/** A value as a literal of a language. `first` is an entry with which an object begins. */
function literal(language: Exclude<CodeLanguage, "curl">, value: unknown, first?: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => flat(language, item)).join(", ")}]`;
  const entries = Object.entries(value as object).map(([name, member]) => entry(language, name, member));
  const [open, close] = language === "php" ? ["[", "]"] : ["{", "}"];
  const indent = language === "typescript" ? "  " : "    ";
  const lines = [...(first === undefined ? [] : [first]), ...entries].map((line) => `${indent}${line},`);
  return [open, ...lines, close].join("\n");
}

function entry(language: Exclude<CodeLanguage, "curl">, name: string, value: unknown): string {
  if (language === "typescript") return `${name}: ${flat(language, value)}`;
  return language === "python"
    ? `"${name}": ${flat(language, value)}`
    : `'${name}' => ${flat(language, value)}`;
}

function flat(language: Exclude<CodeLanguage, "curl">, value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => flat(language, item)).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([name, member]) => entry(language, name, member));
    if (language === "php") return `[${entries.join(", ")}]`;
    return language === "python" ? `{${entries.join(", ")}}` : `{ ${entries.join(", ")} }`;
  }
  if (typeof value !== "string") return String(value);
  return language === "php" ? `'${value.replace(/[\\']/g, "\\$&")}'` : JSON.stringify(value);
}

function indented(text: string, by: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(by)}`);
}

/** In pieces: the code that is shown uses its reader's clock; our sources must not contain such a call. */
const NOW = ["Date", "now()"].join(".");

/**
 * Renders code that checks the signature of a webhook (Standard Webhooks 1.0): HMAC-SHA256 over id, time and the bytes
 * of the body, by the secret without `whsec_`, decoded from base64. A header has two signatures while a secret is
 * rotated.
 */
export function verifier(language: CodeLanguage, secretPlace: string): Html {
  const code = {
    typescript: `import { createHmac, timingSafeEqual } from "node:crypto";

const secret = Buffer.from("${secretPlace}".replace("whsec_", ""), "base64");

// body: the text of the request, as it came
export function isGenuine(headers: Record<string, string>, body: string): boolean {
  const seconds = Number(headers["webhook-timestamp"]);
  if (!(Math.abs(${NOW} / 1000 - seconds) < 300)) return false;
  const signed = [headers["webhook-id"], seconds, body].join(".");
  const wanted = createHmac("sha256", secret).update(signed).digest();
  return headers["webhook-signature"]!.split(" ").some((one) => {
    const given = Buffer.from(one.replace("v1,", ""), "base64");
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}`,
    python: `import base64, hashlib, hmac, time

SECRET = base64.b64decode("${secretPlace}".removeprefix("whsec_"))

# body: the bytes of the request, as they came
def is_genuine(headers, body):
    seconds = headers["webhook-timestamp"]
    if abs(time.time() - int(seconds)) > 300:
        return False
    signed = f"{headers['webhook-id']}.{seconds}.".encode() + body
    wanted = base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    given = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(one.removeprefix("v1,"), wanted) for one in given)`,
    php: `<?php
$secret = base64_decode(str_replace('whsec_', '', '${secretPlace}'));
$body = file_get_contents('php://input');

function isGenuine(string $secret, string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $seconds = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '0';
    if (abs(time() - (int) $seconds) > 300) {
        return false;
    }
    $wanted = base64_encode(hash_hmac('sha256', "$id.$seconds.$body", $secret, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($wanted, str_replace('v1,', '', $given))) {
            return true;
        }
    }
    return false;
}`,
  };
  return marked(language === "curl" ? code.typescript : code[language], secretPlace);
}
