// SMPP over TLS: an operator whose certificate is trusted gets messages, one whose is not gets no password.
import assert from "node:assert/strict";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { type TestContext, test } from "node:test";
import { createServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { type Certificate, certificateFor } from "../../../test/certificates.ts";
import { accepted, assertBalanced, deliverReceipt, rows, send, settled } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { accept } from "../../protocol/smpp/connect.ts";
import type { SubmitSm } from "../../protocol/smpp/pdu.ts";
import type { Session } from "../../protocol/smpp/session.ts";
import { sealedColumns } from "../../rotation.ts";

type TlsOperator = {
  port: number;
  binds: number;
  serverNames: (string | false)[];
  /** The common names in the certificates of its clients. */
  clients: string[];
  received: SubmitSm[];
};

/** An operator that speaks TLS only, accepts everything, and sends a receipt for it. */
async function startTlsOperator(
  t: TestContext,
  certificate: Certificate,
  asked: { requestCert?: boolean; ca?: string; maxVersion?: "TLSv1.2" } = {},
): Promise<TlsOperator> {
  const seen: TlsOperator = { port: 0, binds: 0, serverNames: [], clients: [], received: [] };
  const sessions = new Set<Session>();
  const server = createServer({ ...certificate, ...asked }, (socket) => {
    seen.serverNames.push(socket.servername ?? false);
    seen.clients.push(`${socket.getPeerCertificate().subject?.CN}`);
    const session: Session = accept(socket, {
      onBind: () => {
        seen.binds++;
        return 0;
      },
      onSubmit: (pdu) => {
        const id = `tls-${seen.received.push(pdu)}`;
        setImmediate(() => void deliverReceipt(session, pdu, id));
        return accepted(id);
      },
    });
    sessions.add(session);
  });
  server.on("tlsClientError", () => {}); // who does not trust us hangs up
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.after(async () => {
    for (const session of sessions) session.abort("the test ends");
    await new Promise((resolve) => server.close(resolve));
  });
  seen.port = (server.address() as AddressInfo).port;
  return seen;
}

async function testServiceWith(
  t: TestContext,
  host: string,
  { port }: { port: number },
  more: object = {},
): Promise<TestService> {
  const here = await testService(t, { config: { simulator: false } });
  const login = { systemId: "atumpan", password: "drum", prefixes: ["225"] };
  const operator = { name: "Orange CI", host, port, tls: true, ...login, ...more };
  const answer = await here.admin("/v1/admin/operator/create", operator);
  assert.equal(answer.success, true, JSON.stringify(answer));
  return here;
}

/** What the only operator's bind says, once it says something. */
function errorOf(here: TestService): Promise<string> {
  return until(async () => (await here.admin("/v1/admin/operator/list")).data[0].error);
}

test("S18: a certificate that nobody has signed, or of another name, is refused before anything is said", async (t) => {
  const unknown = await startTlsOperator(t, certificateFor("DNS:localhost"));
  assert.match(await errorOf(await testServiceWith(t, "localhost", unknown)), /self-signed certificate/);
  const certificate = certificateFor("DNS:smpp.example");
  setDefaultCACertificates([...getCACertificates("default"), certificate.cert]);
  const other = await startTlsOperator(t, certificate);
  assert.match(
    await errorOf(await testServiceWith(t, "localhost", other)),
    /not match certificate's altnames/,
  );
  assert.deepEqual([unknown.binds, other.binds], [0, 0]);
});

test("a message goes to an operator over TLS, and its receipt comes back; the operator is told its name", async (t) => {
  const certificate = certificateFor("DNS:localhost,IP:127.0.0.1");
  setDefaultCACertificates([...getCACertificates("default"), certificate.cert]);
  for (const host of ["localhost", "127.0.0.1"]) {
    const operator = await startTlsOperator(t, certificate);
    const here = await testServiceWith(t, host, operator);
    const company = await here.company({ credits: 1 });
    const id = await send(company, "2250700001000", "Akwaba");
    await settled(company, id);
    await until(async () => (await company.call(`/v1/campaign/${id}`)).data.stats.delivered === 1);
    assert.equal(operator.received[0]!.shortMessage.toString("latin1"), "Akwaba");
    // A name to choose the certificate by, where there is one (RFC 6066, section 3: never an address).
    assert.deepEqual(operator.serverNames, [host === "localhost" ? "localhost" : false]);
    assert.equal((await assertBalanced(here)).held, 0);
  }
});

const HOST = "127.0.0.1";
const authority = certificateFor("DNS:authority", "authority");
const ours = certificateFor("DNS:client", "client of the operator", authority);
const NAME = "smpp.example";

/** An operator that shows a certificate of a private authority for another name than its host, and asks for one. */
function startPrivate(t: TestContext, asked: { maxVersion?: "TLSv1.2" } = {}): Promise<TlsOperator> {
  const certificate = certificateFor(`DNS:${NAME}`, "operator", authority);
  return startTlsOperator(t, certificate, { requestCert: true, ca: authority.cert, ...asked });
}

const TRUST = { tlsCa: authority.cert, tlsServerName: NAME };
const CLIENT = { tlsCert: `${ours.cert}\n${authority.cert}`, tlsKey: ours.key };

test("an operator with an authority of its own, another name than its host, and a certificate that it asks for is bound", async (t) => {
  const operator = await startPrivate(t);
  const here = await testServiceWith(t, HOST, operator, { ...TRUST, ...CLIENT });
  const company = await here.company({ credits: 1 });
  const id = await send(company, "2250700001000", "Akwaba");
  await until(async () => (await company.call(`/v1/campaign/${id}`)).data.stats.delivered === 1);
  assert.deepEqual([operator.serverNames, operator.clients], [[NAME], ["client of the operator"]]);
});

test("what fails in TLS is a sentence in the state of the operator, with the setting that helps", async (t) => {
  const plain = createTcpServer((socket) => void socket.on("error", () => {}).end("220 ready"));
  await new Promise<void>((resolve) => plain.listen(0, HOST, resolve));
  t.after(() => plain.close());
  const [modern, old] = [await startPrivate(t), await startPrivate(t, { maxVersion: "TLSv1.2" })];
  const cases = [
    [
      modern,
      { ...CLIENT, tlsServerName: NAME },
      /^127\.0\.0\.1:\d+: no authority .* give its authority as tlsCa \(/,
    ],
    [
      modern,
      { ...CLIENT, tlsCa: authority.cert },
      /is for another name: give the name in it as tlsServerName/,
    ],
    [
      modern,
      TRUST,
      /takes no client without a certificate that it trusts: give one as tlsCert and tlsKey \(/,
    ],
    [old, TRUST, /takes no client without a certificate that it trusts: give one as tlsCert and tlsKey \(/],
    [plain.address() as AddressInfo, TRUST, /does not speak TLS at this port/],
  ] as const;
  for (const [operator, more, sentence] of cases)
    assert.match(await errorOf(await testServiceWith(t, HOST, operator, more)), sentence);
  assert.deepEqual([modern.binds, old.binds], [0, 0]);
});

test("certificates and keys are checked when they are set, the key is sealed and never shown", async (t) => {
  const here = await testService(t, { config: { simulator: false } });
  const other = certificateFor("DNS:other");
  const made = {
    name: "Orange CI",
    host: HOST,
    port: 1,
    systemId: "a",
    password: "b",
    prefixes: ["225"],
    enabled: false,
  };
  const refused: [field: string, members: object][] = [
    ["tlsCa", { tlsCa: "an authority" }],
    ["tlsCa", { tlsCa: authority.cert.replace("-----END CERTIFICATE-----", "") }],
    ["tlsCa", { tlsCa: authority.cert.replace(/M/g, "!") }],
    ["tlsCa", { tlsCa: `${authority.cert}${authority.key}` }],
    ["tlsCa", { tlsCa: authority.cert.repeat(21) }],
    ["tlsServerName", { tlsServerName: "a b" }],
    ["tlsServerName", { tlsServerName: HOST }],
    ["tlsKey", { tlsCert: ours.cert }],
    ["tlsCert", { tlsKey: ours.key }],
    ["tlsCert", { tlsCert: ours.key, tlsKey: ours.key }],
    ["tlsKey", { tlsCert: ours.cert, tlsKey: other.key }],
    ["tlsKey", { tlsCert: ours.cert, tlsKey: ours.cert }],
  ];
  for (const [field, members] of refused) {
    const answer = await here.admin("/v1/admin/operator/create", { ...made, ...members });
    assert.deepEqual(
      [answer.error, answer.details?.[0]?.field],
      ["invalid-request", field],
      JSON.stringify(members),
    );
  }
  const created = await here.admin("/v1/admin/operator/create", { ...made, ...TRUST, ...CLIENT });
  const { id, tlsCa, tlsCert, tlsServerName } = created.data;
  assert.deepEqual([tlsCa, tlsServerName], [authority.cert.trim(), NAME]);
  assert.equal(tlsCert, `${ours.cert.trim()}\n${authority.cert.trim()}`);
  const sealedKey = async () =>
    (await rows(here.app, "SELECT sealed_tls_key AS sealed FROM operators WHERE id = $1", [id]))[0].sealed;
  const place = { table: "operators", column: "sealed_tls_key", row: id };
  assert.equal(here.app.secrets.unseal(place, await sealedKey()), ours.key);
  assert.ok(sealedColumns.some(({ table, column }) => table === place.table && column === place.column));

  const update = (changes: object) => here.admin(`/v1/admin/operator/${id}/update`, changes);
  assert.equal((await update({ tlsCert: other.cert })).details![0]!.field, "tlsKey");
  assert.equal((await update({ tlsKey: "" })).details![0]!.field, "tlsKey");
  const renewed = await update({ tlsCert: ours.cert });
  assert.equal(renewed.data.tlsCert, ours.cert.trim());
  const replaced = await update({ tlsCert: other.cert, tlsKey: other.key });
  assert.equal(here.app.secrets.unseal(place, await sealedKey()), other.key);
  const removed = await update({ tlsCa: "", tlsServerName: "", tlsCert: "" });
  assert.deepEqual(
    [removed.data.tlsCa, removed.data.tlsServerName, removed.data.tlsCert, await sealedKey()],
    [null, null, null, null],
  );
  const log = await here.admin("/v1/admin/audit/list", { limit: 100 });
  const read = await here.admin(`/v1/admin/operator/${id}`);
  assert.doesNotMatch(
    JSON.stringify([created, renewed, replaced, removed, read, log]),
    /PRIVATE KEY|tlsKey":"[^*]/,
  );
});
