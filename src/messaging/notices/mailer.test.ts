// The mailer alone: what it tells whom, and for how long it listens.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { certificateFor } from "../../../test/certificates.ts";
import { startMailServer, startTrickle } from "../../../test/mailserver.ts";
import { type Config, readConfig } from "../../platform/config.ts";
import { newId } from "../../platform/ids.ts";
import { type KeptMail, openMailer } from "./mailer.ts";

const GOING_ON = new AbortController().signal;

function kept(more: Partial<KeptMail> = {}): KeptMail {
  const said = { to: "awa@boutique.example", subject: "Bonjour", text: "Bonjour" };
  return { ...said, id: newId(), createdAt: new Date(), ...more };
}

function mailerTo(t: TestContext, url: string, settings: Partial<Config["settings"]> = {}) {
  const config = readConfig({ SMTP_URL: url, PUBLIC_URL: "https://sms.example.org" });
  const mailer = openMailer({ ...config, settings: { ...config.settings, ...settings } });
  t.after(() => mailer.close());
  return mailer;
}

test("many mails go over few connections", async (t) => {
  let connections = 0;
  const server = await startMailServer(t, {
    onConnect(_session, done) {
      connections++;
      done();
    },
  });
  const mailer = mailerTo(t, `smtp://127.0.0.1:${server.port}`);
  for (let i = 0; i < 10; i++) assert.equal(await mailer.send(kept(), GOING_ON), null);
  const sent = await Promise.all(Array.from({ length: 20 }, () => mailer.send(kept(), GOING_ON)));
  assert.ok(sent.every((error) => error === null));
  assert.equal(server.received.length, 30);
  assert.ok(connections <= 5, `${connections} connections`);
  const ids = server.received.map((mail) => mail.headers.get("message-id"));
  assert.equal(new Set(ids).size, 30);
  assert.match(ids[0]!, /^<[0-9a-f]{24}@sms\.example\.org>$/);
});

test("a line break in an address or subject makes no recipient and no header, whoever let it through", async (t) => {
  const server = await startMailServer(t);
  const mailer = mailerTo(t, `smtp://127.0.0.1:${server.port}`);
  const breaks = ["\r\n", "\n", "\r", "\u2028", "\u0085", "\0", ", ", ";", ">\r\nRCPT TO:<"];
  for (const br of breaks) {
    const evil = `${br}Bcc: evil@thief.example`;
    await mailer.send(kept({ to: `awa@boutique.example${evil}` }), GOING_ON);
    assert.equal(await mailer.send(kept({ subject: `Bonjour${evil}` }), GOING_ON), null);
  }
  for (const mail of server.received) {
    assert.ok(mail.to.length === 1 && !mail.headers.has("bcc"), JSON.stringify(mail.to));
    assert.ok(!mail.to.some((address) => /^evil@/.test(address)), JSON.stringify(mail.to));
  }
  assert.ok(server.received.length >= breaks.length);
});

test("a text that looks like SMTP stays a text", async (t) => {
  const server = await startMailServer(t);
  const text = "Bonjour\n.\nRCPT TO:<evil@thief.example>\n..\nhttps://sms.example.org/é";
  assert.equal(await mailerTo(t, `smtp://127.0.0.1:${server.port}`).send(kept({ text }), GOING_ON), null);
  assert.equal(server.received.length, 1);
  assert.equal(server.received[0]!.text, text);
});

test("a password reaches nobody but whoever the certificate names", async (t) => {
  const { key, cert } = certificateFor("IP:0.0.0.0,DNS:localhost");
  const plain = await startMailServer(t, { hideSTARTTLS: true, allowInsecureAuth: true });
  const upgrading = await startMailServer(t, { key, cert });
  const secure = await startMailServer(t, { key, cert, secure: true });
  // 0.0.0.0 leads here, too, but is not an address of this machine alone.
  const send = (scheme: string, server: { port: number }) =>
    mailerTo(t, `${scheme}://atumpan:s%40me@0.0.0.0:${server.port}`).send(kept(), GOING_ON);
  const servers = [plain, upgrading, secure];
  for (const [scheme, server] of [
    ["smtp", plain],
    ["smtp", upgrading],
    ["smtps", secure],
    ["smtps", plain],
  ] as const)
    assert.match((await send(scheme, server)) ?? "sent", /^E[A-Z]+$|^[A-Z_]+CERT[A-Z_]*$/, scheme);
  assert.deepEqual(
    servers.flatMap((server) => [...server.passwords, ...server.received]),
    [],
  );
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, cert]);
  t.after(() => setDefaultCACertificates(trusted));
  assert.equal(await send("smtp", upgrading), null);
  assert.equal(await send("smtps", secure), null);
  for (const server of [upgrading, secure])
    assert.deepEqual([server.passwords, server.received[0]?.secure], [["s@me"], true]);
});

test("without a password, a server that offers no TLS gets its mails too", async (t) => {
  const server = await startMailServer(t, { hideSTARTTLS: true });
  assert.equal(await mailerTo(t, `smtp://0.0.0.0:${server.port}`).send(kept(), GOING_ON), null);
  assert.deepEqual([server.received.length, server.received[0]!.secure], [1, false]);
});

test("silence, answers that trickle in for ever and a process that stops end a try", async (t) => {
  const silent = await startMailServer(t, { onConnect: () => {} });
  const trickle = await startTrickle(t);
  for (const { port } of [silent, trickle]) {
    const url = `smtp://127.0.0.1:${port}`;
    const stopping = new AbortController();
    const patient = mailerTo(t, url, { mailTimeoutMs: 600_000 }).send(kept(), stopping.signal);
    assert.equal(await mailerTo(t, url, { mailTimeoutMs: 200 }).send(kept(), GOING_ON), "timeout");
    stopping.abort();
    assert.equal(await patient, "stopped");
  }
});
