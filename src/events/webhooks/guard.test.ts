// The guard: what a webhook may not reach, whatever its URL, its name server or its receiver says.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { answerStatus, type Hooks, hooks, startReceiver } from "../../../test/receiver.ts";
import { rows } from "../../../test/sending.ts";
import type { Detail } from "../../platform/http/fielderrors.ts";
import { isPublic, type Resolve } from "../../platform/http/guard.ts";
import type { Refusal } from "../../platform/http/refusals.ts";
import { checkWebhookUrl } from "./guard.ts";
import { createEndpoint } from "./webhooks.ts";

/** W08: every way to write an address that is not public. */
const NOT_PUBLIC = [
  "0x7f.1",
  "2130706433",
  "017700000001",
  "127.1",
  "[::1]",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[fd00::1]",
  "[fe80::1]",
  "localhost.",
  "a@127.0.0.1",
  "①②⑦.0.0.1",
  "0",
  "100.64.0.1",
  "198.18.0.1",
  "240.0.0.1",
];

/** Services of clouds for their own machines, in private ranges and outside of them. */
const OF_CLOUDS = [
  ...[
    "168.63.129.16",
    "0xa83f8110",
    "169.254.169.254",
    "100.100.100.200",
    "192.0.0.192",
    "161.26.0.10",
    "166.8.0.1",
  ],
  ...["199.36.153.8", "[fd00:ec2::254]", "[fd20:ce::254]", "[fd00:42::42]", "[::ffff:168.63.129.16]"],
];

/** What is wrong with the field `webhookUrl`. */
async function faultOf(h: Hooks, url: string, resolve?: Resolve): Promise<string> {
  const refusal = await checkWebhookUrl(h.app, url, resolve).then(
    () => assert.fail(`${url} was accepted`),
    (error: Refusal) => error,
  );
  assert.equal(refusal.code, "invalid-request");
  const [detail] = refusal.details as [Detail];
  assert.equal(detail.field, "webhookUrl");
  return detail.message.en;
}

/** The only delivery to a URL that came into the database past the check at submit. */
async function tried(h: Hooks, url: string) {
  const endpoint = await h.endpoint(url);
  await h.emit(endpoint);
  return h.delivery(endpoint, ({ attempts }) => attempts === 1);
}

test("W06 redirects are not followed", async (t) => {
  const h = await hooks(t, { allow: ["127.0.0.2"] });
  const canary = await startReceiver(h.scope);
  const codes = [301, 302, 307, 308];
  const receiver = await startReceiver(
    h.scope,
    (response, { path }) =>
      answerStatus(Number(path.split("/").at(-1)), { Location: canary.url })(response, undefined as never, 0),
    { host: "127.0.0.2" },
  );
  h.deliver();
  for (const code of codes) {
    const delivery = await tried(h, `${receiver.url}/${code}`);
    assert.deepEqual([delivery.status, delivery.lastStatusCode], ["PENDING", code]);
  }
  assert.deepEqual([receiver.received.length, canary.connections], [codes.length, 0]);
});

test("W07 every answer of DNS is judged at connect: changed, mixed, and whatever a chain of names ends in", async (t) => {
  const h = await hooks(t, { allow: ["127.0.0.2"] });
  const receiver = await startReceiver(h.scope, undefined, { host: "127.0.0.2" });
  const canary = await startReceiver(h.scope);
  const asked: string[] = [];
  const answers: Record<string, string[][]> = {
    "steady.example": [["127.0.0.2"]],
    "changing.example": [["127.0.0.2"], ["127.0.0.1"]],
    "mixed.example": [["127.0.0.2", "127.0.0.1"]],
    "mixed6.example": [["127.0.0.2", "::1"]],
    "nothing.example": [[]],
    "metadata.example": [["169.254.169.254"]],
  };
  const resolve: Resolve = async (host) => {
    const times = asked.push(host) && asked.filter((each) => each === host).length;
    const given = answers[host] ?? assert.fail(`asked for ${host}`);
    return given[Math.min(times, given.length) - 1]!;
  };
  const audited = `http://changing.example:${canary.port}/`;
  await checkWebhookUrl(h.app, audited, resolve);
  h.deliver({ resolve });
  const { status } = await tried(h, `http://steady.example:${receiver.port}/`);
  assert.equal(status, "DELIVERED");
  for (const host of Object.keys(answers).slice(1)) {
    const url = `http://${host}:${canary.port}/`;
    const delivery = await tried(h, url);
    assert.deepEqual([host, delivery.lastError], [host, "address-not-allowed"]);
    if (host !== "changing.example") assert.match(await faultOf(h, url, resolve), /not public/);
  }
  assert.deepEqual([receiver.received.length, canary.connections], [1, 0]);
});

test("W07 a name that does not resolve may be submitted; each try fails until it does", async (t) => {
  const h = await hooks(t);
  const resolve: Resolve = async (host) => {
    throw Object.assign(new Error(`queryA ENOTFOUND ${host}`), { code: "ENOTFOUND", syscall: "queryA" });
  };
  await checkWebhookUrl(h.app, "https://no.example/", resolve);
  h.deliver({ resolve });
  const delivery = await tried(h, "https://no.example/");
  assert.deepEqual([delivery.status, delivery.lastError], ["PENDING", "name-not-resolved"]);
  // HTTP and other ports are for the allowed ranges alone: without an address nothing says that it leads there.
  const open = await hooks(t, { allow: ["127.0.0.0/8"] });
  for (const url of ["http://no.example/", "https://no.example:8443/"])
    assert.match(await faultOf(open, url, resolve), /https/);
  await checkWebhookUrl(open.app, "https://no.example/", resolve);
});

test("W08 17 ways to write what is not public are refused at submit and at connect", async (t) => {
  const h = await hooks(t, { allow: [] });
  h.deliver();
  for (const host of NOT_PUBLIC) {
    assert.match(await faultOf(h, `https://${host}/hook`), /not public|user name/);
    const { lastError } = await tried(h, `https://${host}/hook`);
    assert.deepEqual([host, lastError], [host, "address-not-allowed"]);
  }
  assert.equal(NOT_PUBLIC.length, 17);
});

test("W08 the services of clouds for their machines are refused at submit and at connect, by name too", async (t) => {
  const h = await hooks(t, { allow: [] });
  const resolve: Resolve = async () => ["168.63.129.16"];
  h.deliver({ resolve });
  assert.match(await faultOf(h, "https://metadata.example/", resolve), /not public/);
  for (const host of [...OF_CLOUDS, "metadata.example"]) {
    if (host !== "metadata.example") assert.match(await faultOf(h, `https://${host}/hook`), /not public/);
    const { lastError } = await tried(h, `https://${host}/hook`);
    assert.deepEqual([host, lastError], [host, "address-not-allowed"]);
  }
});

test("W08 no way to write this machine gets past what is allowed beside it", async (t) => {
  const h = await hooks(t, { allow: ["127.0.0.2", "fd00::/8"] });
  const canary = await startReceiver(h.scope);
  h.deliver();
  for (const host of NOT_PUBLIC.filter((each) => each !== "[fd00::1]")) {
    const url = `http://${host}:${canary.port}/hook`;
    assert.match(await faultOf(h, url), /not public|user name/);
    const { lastError } = await tried(h, url);
    assert.deepEqual([host, lastError], [host, "address-not-allowed"]);
  }
  assert.equal(canary.connections, 0);
});

test("W08 addresses are judged by their bytes", () => {
  for (const address of ["1.1.1.1", "41.207.0.1", "2606:4700::1111", "2c0f:f248::1"])
    assert.equal(isPublic(address), true, address);
  const special = [
    ...["10.0.0.1", "172.31.0.1", "192.168.1.1", "169.254.169.254", "192.0.0.8", "192.0.2.1", "203.0.113.1"],
    ...["224.0.0.1", "255.255.255.255", "0.0.0.0", "::", "::7f00:1", "::ffff:127.0.0.1", "::ffff:1.1.1.1"],
    ...["64:ff9b:1::1", "fec0::1", "ff02::1", "2001::1", "2001:db8::1", "3fff::1", "fe80::1%eth0", "100::1"],
    ...["5f00::1", "nonsense", "127.1", "0177.0.0.1", "", "1.1.1.1 "],
  ];
  for (const address of special) assert.equal(isPublic(address), false, address);
});

test("W09 only HTTPS on port 443, without a user, of 2,048 characters; other ports and HTTP where allowed", async (t) => {
  const h = await hooks(t, { allow: [] });
  const resolve: Resolve = async () => ["93.184.215.14"];
  await checkWebhookUrl(h.app, "https://hooks.example/atumpan?x=1", resolve);
  await checkWebhookUrl(h.app, "https://hooks.example:443/", resolve);
  await checkWebhookUrl(h.app, "https://1.1.1.1/", resolve);
  const refused = [
    "https://hooks.example:8443/",
    "https://hooks.example:80/",
    "http://hooks.example/",
    "http://hooks.example:443/",
    "file:///etc/passwd",
    "gopher://hooks.example/",
    "javascript:alert(1)",
    "https://user@hooks.example/",
    "https://:password@hooks.example/",
    "https://",
    "hooks.example",
    "",
    `https://hooks.example/${"x".repeat(2_048)}`,
  ];
  h.deliver({ resolve });
  for (const url of refused) {
    await faultOf(h, url, resolve);
    if (!URL.canParse(url) || url.length > 2_048) continue;
    const { lastError } = await tried(h, url);
    assert.deepEqual([url, lastError], [url, "address-not-allowed"]);
  }
  const inside = await hooks(t, { allow: ["10.0.0.0/8", "fd00::/8"] });
  const isInside: Resolve = async () => ["10.1.2.3", "fd00::7"];
  await checkWebhookUrl(inside.app, "http://hooks.internal:8080/", isInside);
  await checkWebhookUrl(inside.app, "http://[fd00::1]:8080/", isInside);
  await checkWebhookUrl(inside.app, "https://hooks.example/", resolve);
  assert.match(await faultOf(inside, "http://hooks.example/", resolve), /not public/);
  assert.match(await faultOf(inside, "https://hooks.example:8443/", resolve), /not public/);
  assert.match(await faultOf(inside, "ftp://10.1.2.3/", resolve), /https/);
});

const folder = mkdtempSync(join(tmpdir(), "atumpan-guard-"));
const hasOpenssl = makeCertificates();

before(() => {
  if (hasOpenssl)
    setDefaultCACertificates([...getCACertificates(), readFileSync(join(folder, "ca.pem"), "utf8")]);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
});

/** A certificate authority of our own, and what it signed; false where there is no openssl. */
function makeCertificates(): boolean {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes".split(" ");
  const sign = (name: string, address: string, days: string) => {
    openssl(
      "req",
      ...newKey,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.csr`,
      "-subj",
      `/CN=${name}`,
      "-addext",
      `subjectAltName=IP:${address}`,
    );
    openssl(
      ..."x509 -req -CA ca.pem -CAkey ca.key -CAcreateserial -copy_extensions copy -in".split(" "),
      `${name}.csr`,
      "-out",
      `${name}.pem`,
      "-days",
      days,
    );
  };
  try {
    openssl(
      "req",
      "-x509",
      ...newKey,
      "-keyout",
      "ca.key",
      "-out",
      "ca.pem",
      "-subj",
      "/CN=Test CA",
      "-days",
      "2",
    );
    openssl(
      "req",
      "-x509",
      ...newKey,
      "-keyout",
      "self.key",
      "-out",
      "self.pem",
      "-subj",
      "/CN=self",
      "-addext",
      "subjectAltName=IP:127.0.0.1",
    );
  } catch {
    return false;
  }
  sign("good", "127.0.0.1", "2");
  sign("other", "127.0.0.3", "2");
  sign("expired", "127.0.0.1", "-1");
  return true;
}

test("W10 a certificate that is expired, self-signed or another's, or TLS 1.0, fails and is never downgraded", async (t) => {
  if (!hasOpenssl) return t.skip("there is no openssl here");
  const h = await hooks(t);
  const tlsOf = (name: string) => ({
    cert: readFileSync(join(folder, `${name}.pem`)),
    key: readFileSync(join(folder, `${name}.key`)),
  });
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  h.deliver();
  const good = await startReceiver(h.scope, undefined, { tls: tlsOf("good") });
  assert.equal((await tried(h, good.url)).status, "DELIVERED");
  for (const tls of [tlsOf("expired"), tlsOf("self"), tlsOf("other"), { ...tlsOf("good"), ...old }]) {
    const receiver = await startReceiver(h.scope, undefined, { tls });
    const delivery = await tried(h, receiver.url);
    assert.deepEqual([delivery.status, delivery.lastError], ["PENDING", "tls-failed"]);
    assert.equal(receiver.received.length, 0);
  }
  const plain = await startReceiver(h.scope);
  assert.equal((await tried(h, plain.url.replace("http:", "https:"))).lastError, "tls-failed");
  assert.equal(plain.received.length, 0);
});

test("the address that an endpoint had before says nothing about the one it has", async (t) => {
  const h = await hooks(t);
  const gone = await startReceiver(h.scope, answerStatus(410));
  const endpoint = await h.endpoint(gone.url);
  const [id] = await h.emit(endpoint);
  await assert.rejects(
    h.app.database.transaction((tx) =>
      createEndpoint(tx, h.app.secrets, { endpointId: endpoint.id, url: "x" }),
    ),
    { code: "conflict" },
  );
  // As if the address changed while the try was under way.
  await rows(h.app, "UPDATE webhook_deliveries SET data = '{}' WHERE id = $1", [id]);
  const changed: Promise<unknown>[] = [];
  h.deliver({
    async fill(app, { data }) {
      changed.push(rows(app, "UPDATE webhook_endpoints SET url = url || '2' WHERE id = $1", [endpoint.id]));
      await changed[0];
      return data;
    },
  });
  await h.delivery(endpoint, ({ attempts }) => attempts === 1);
  const [state] = await rows(h.app, "SELECT enabled, failing_since FROM webhook_endpoints WHERE id = $1", [
    endpoint.id,
  ]);
  assert.deepEqual(state, { enabled: true, failing_since: null });
});
