// SMPP over TLS: an operator whose certificate is trusted gets messages, one whose is not gets no password.
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { type Certificate, certificateFor } from "../../test/certificates.ts";
import { accepted, assertBalanced, deliverReceipt, send, settled } from "../../test/sending.ts";
import { until, type World, world } from "../../test/world.ts";
import { accept, type Session, type SubmitSm } from "../smpp/smpp.ts";

type TlsOperator = { port: number; binds: number; serverNames: (string | false)[]; received: SubmitSm[] };

/** An operator that speaks TLS only, accepts everything, and sends a receipt for it. */
async function startTlsOperator(t: TestContext, certificate: Certificate): Promise<TlsOperator> {
  const seen: TlsOperator = { port: 0, binds: 0, serverNames: [], received: [] };
  const sessions = new Set<Session>();
  const server = createServer(certificate, (socket) => {
    seen.serverNames.push(socket.servername ?? false);
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

async function worldWith(t: TestContext, host: string, { port }: TlsOperator): Promise<World> {
  const here = await world(t, { config: { simulator: false } });
  const login = { systemId: "atumpan", password: "drum", prefixes: ["225"] };
  const operator = { name: "Orange CI", host, port, tls: true, ...login };
  const answer = await here.admin("/v1/admin/operator/create", operator);
  assert.equal(answer.success, true, JSON.stringify(answer));
  return here;
}

/** What the only operator's bind says, once it says something. */
function errorOf(here: World): Promise<string> {
  return until(async () => (await here.admin("/v1/admin/operator/list")).data[0].error);
}

test("S18: a certificate that nobody has signed, or of another name, is refused before anything is said", async (t) => {
  const unknown = await startTlsOperator(t, certificateFor("DNS:localhost"));
  assert.match(await errorOf(await worldWith(t, "localhost", unknown)), /self-signed certificate/);
  const certificate = certificateFor("DNS:smpp.example");
  setDefaultCACertificates([...getCACertificates("default"), certificate.cert]);
  const other = await startTlsOperator(t, certificate);
  assert.match(await errorOf(await worldWith(t, "localhost", other)), /not match certificate's altnames/);
  assert.deepEqual([unknown.binds, other.binds], [0, 0]);
});

test("a message goes to an operator over TLS, and its receipt comes back; the operator is told its name", async (t) => {
  const certificate = certificateFor("DNS:localhost,IP:127.0.0.1");
  setDefaultCACertificates([...getCACertificates("default"), certificate.cert]);
  for (const host of ["localhost", "127.0.0.1"]) {
    const operator = await startTlsOperator(t, certificate);
    const here = await worldWith(t, host, operator);
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
