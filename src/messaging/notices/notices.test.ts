// Notices: to the handset and to the mailbox, with real servers on loopback that fail in every way.
import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { newPhone, textAt } from "../../../test/codes.ts";
import { type MailServer, reject, startMailServer } from "../../../test/mailserver.ts";
import { give, LINK, noticeTo, queue } from "../../../test/notices.ts";
import { assertBalanced, rows, stacked, waitingMessages } from "../../../test/sending.ts";
import { type TestService, testService, until } from "../../../test/testservice.ts";
import { openLog } from "../../platform/log.ts";
import { forgetOldMails, sendMails } from "./mails.ts";
import * as sql from "./sql.ts";

const FROM = "atumpan@sms.example.org";
/** Who only calls `sendMails` itself: no tick comes between. */
const WITHOUT_TICKS = new Set(["api", "gateway"] as const);
/** Failures are tried again with the next turn. */
const AT_ONCE = [0, 0, 0, 0, 0];
const TIMEOUT_MS = 3_000;
/** Where nobody is slow but the machine. */
const PATIENT_MS = 120_000;
const TRIES = AT_ONCE.length + 1;

/** One turn of the mails in this process. */
function turn(here: TestService): Promise<void> {
  return sendMails(here.app, new AbortController().signal);
}

/** The newest mail. */
async function newestMail(here: TestService) {
  const [mail] = await rows(here.app, "SELECT * FROM mails ORDER BY id DESC LIMIT 1");
  return mail;
}

function to(server: MailServer, notice: { email: string }) {
  return server.received.filter((mail) => mail.to.includes(notice.email));
}

function collector() {
  const lines: string[] = [];
  const log = openLog(
    "trace",
    new Writable({ write: (chunk, _, done) => done(void lines.push(String(chunk))) }),
  );
  return { lines, log };
}

test("a notice reaches the mailbox and the handset, once each, by the service's own ticks", async (t) => {
  const scope = stacked(t);
  const server = await startMailServer(scope);
  const { lines, log } = collector();
  const smtpUrl = `smtp://atumpan:p%40ss@127.0.0.1:${server.port}`;
  const here = await testService(scope, { config: { smtpUrl, mailFrom: FROM }, log });
  const notice = noticeTo({ phone: newPhone(), text: `Atumpan : récupérez vos clés : ${LINK}` });
  await give(here, notice);
  await until(() => to(server, notice).length > 0);
  const [mail] = to(server, notice);
  assert.deepEqual([mail!.from, mail!.to, mail!.text], [FROM, [notice.email], notice.text]);
  assert.equal(mail!.headers.get("from"), `Atumpan <${FROM}>`);
  assert.equal(mail!.headers.get("to"), notice.email);
  assert.equal(mail!.headers.get("subject"), "=?UTF-8?Q?Application_approuv=C3=A9e?=");
  assert.equal(mail!.headers.get("auto-submitted"), "auto-generated");
  assert.equal(mail!.secure, true, "TLS is used where it is offered");
  assert.deepEqual(server.passwords, ["p@ss"]);
  const sent = await until(async () => ((await newestMail(here)).sent_at ? newestMail(here) : undefined));
  assert.deepEqual([sent.sealed, sent.attempts, sent.failed_at], [null, 1, null]);
  assert.equal(mail!.headers.get("message-id"), `<${sent.id}@sms.example.org>`);

  assert.equal(await textAt(here, notice.phone!), notice.text);
  const inbox = here.simulator.inbox({ phone: notice.phone! });
  assert.deepEqual([inbox.length, inbox[0]!.from], [1, "ATUMPAN"]);
  await until(async () => (await assertBalanced(here)).held === 0);
  assert.equal(to(server, notice).length, 1);
  assert.match(await metricsOf(here), /atumpan_mail_tries_total\{status="sent"\} 1/);

  const said = lines.join("");
  for (const secret of [notice.email, notice.phone!, LINK, "p@ss", "p%40ss", "approuv", "récupérez"])
    assert.ok(!said.includes(secret), `the log says ${secret}`);
});

async function metricsOf(here: TestService): Promise<string> {
  return here.app.metrics.metrics();
}

test("mails that fail", async (t) => {
  const scope = stacked(t);
  const server = await startMailServer(scope);
  const { lines, log } = collector();
  const here = await testService(scope, {
    config: { smtpUrl: `smtp://127.0.0.1:${server.port}`, mailFrom: FROM, roles: WITHOUT_TICKS },
    settings: { mailTimeoutMs: PATIENT_MS, mailRetryDelaysMs: AT_ONCE },
    log,
  });
  t.beforeEach(() => {
    server.script = () => {};
  });

  await t.test("nothing is sent or kept of a transaction that is undone", async () => {
    const notice = noticeTo({ phone: newPhone() });
    const undone = here.app.database.transaction(async (tx) => {
      await queue(here, tx, notice);
      throw new Error("undone");
    });
    await assert.rejects(undone, /undone/);
    assert.equal(await newestMail(here), undefined);
    assert.deepEqual(await rows(here.app, "SELECT FROM pools WHERE kind = 'service'"), []);
    assert.deepEqual(await waitingMessages(here.app), []);
  });

  await t.test("what waits is sealed", async () => {
    await give(here, noticeTo());
    const mail = await newestMail(here);
    assert.doesNotMatch(JSON.stringify(mail), /claim|boutique|approuv/);
    await turn(here);
    assert.equal((await newestMail(here)).sealed, null);
  });

  await t.test("a server that is down gets the mail when it is up again", async () => {
    await server.stop();
    const notice = noticeTo();
    await give(here, notice);
    await turn(here);
    const failed = await newestMail(here);
    assert.deepEqual([failed.attempts, failed.sent_at], [1, null]);
    assert.match(failed.last_error, /^E[A-Z]+$/);
    await server.resume();
    await turn(here);
    assert.equal(to(server, notice).length, 1);
    assert.notEqual((await newestMail(here)).sent_at, null);
    await turn(here);
    assert.equal(to(server, notice).length, 1);
  });

  await t.test("the waits follow the list, and the last failure ends the mail: 550 each time", async () => {
    server.script = () => {
      throw reject(550, "5.1.1 no mailbox of that name");
    };
    const notice = noticeTo();
    await give(here, notice);
    const { mailRetryDelaysMs } = here.app.config.settings;
    const waits = [60_000, 300_000, 1_800_000, 7_200_000, 28_800_000];
    for (const [i, delayMs] of waits.entries()) {
      mailRetryDelaysMs[i] = delayMs;
      await turn(here);
      mailRetryDelaysMs[i] = 0;
      const text =
        "SELECT attempts, last_error, (extract(epoch FROM next_attempt_at - now()) * 1000)::int AS wait FROM mails ORDER BY id DESC LIMIT 1";
      const [mail] = await rows(here.app, text);
      assert.deepEqual([mail.attempts, mail.last_error], [i + 1, "550"]);
      assert.ok(mail.wait > delayMs - 30_000 && mail.wait <= delayMs, `${mail.wait} of ${delayMs}`);
      await turn(here);
      assert.equal(to(server, notice).length, i + 1, "not before its time");
      await rows(here.app, "UPDATE mails SET next_attempt_at = now() WHERE sealed IS NOT NULL");
    }
    await turn(here);
    const mail = await newestMail(here);
    assert.deepEqual([mail.attempts, mail.last_error, mail.sealed, mail.sent_at], [TRIES, "550", null, null]);
    assert.notEqual(mail.failed_at, null);
    await turn(here);
    assert.equal(to(server, notice).length, TRIES);
    assert.ok(lines.some((line) => line.includes("given up") && line.includes(mail.id)));
  });

  await t.test(
    "a server that takes the mail and never answers is left in time, and others get theirs",
    async () => {
      const stuck = noticeTo();
      const other = noticeTo();
      server.script = (mail) => (mail.to.includes(stuck.email) ? new Promise(() => {}) : undefined);
      await give(here, stuck);
      await give(here, other);
      here.app.config.settings.mailTimeoutMs = TIMEOUT_MS;
      await turn(here);
      here.app.config.settings.mailTimeoutMs = PATIENT_MS;
      assert.equal(to(server, other).length, 1);
      const [mail] = await rows(here.app, "SELECT * FROM mails WHERE sealed IS NOT NULL");
      assert.deepEqual([mail.attempts, mail.last_error], [1, "timeout"]);
      server.script = () => {};
      await turn(here);
      assert.equal(to(server, stuck).length, 2);
      assert.deepEqual(await rows(here.app, "SELECT FROM mails WHERE sealed IS NOT NULL"), []);
    },
  );

  await t.test("an answer that is lost makes a second copy with the same Message-ID and Date", async () => {
    const notice = noticeTo();
    server.script = (_, hangUp) => {
      server.script = () => {};
      hangUp();
    };
    await give(here, notice);
    await turn(here);
    await turn(here);
    const copies = to(server, notice);
    assert.equal(copies.length, 2);
    for (const name of ["message-id", "date", "subject"])
      assert.equal(copies[0]!.headers.get(name), copies[1]!.headers.get(name), name);
    assert.equal(copies[0]!.text, copies[1]!.text);
  });

  await t.test(
    "M: what a killed process had taken is sent by another when the lease ends, not before",
    async () => {
      const notice = noticeTo();
      await give(here, notice);
      // Killed after this, whether or not the server had it by then.
      await here.app.database.run(sql.takeMails, [5, 60_000]);
      await turn(here);
      assert.equal(to(server, notice).length, 0);
      await rows(here.app, "UPDATE mails SET next_attempt_at = now() WHERE sealed IS NOT NULL");
      await turn(here);
      assert.equal(to(server, notice).length, 1);
      assert.equal((await newestMail(here)).attempts, 2);
    },
  );

  await t.test("a mail at which every process dies is given up", async () => {
    const notice = noticeTo();
    await give(here, notice);
    for (let tries = 0; tries < TRIES; tries++) await here.app.database.run(sql.takeMails, [5, 0]);
    await turn(here);
    assert.equal(to(server, notice).length, 0);
    assert.notEqual((await newestMail(here)).failed_at, null);
  });

  await t.test("processes side by side send each mail once; a turn sends 20 at most", async () => {
    const notices = Array.from({ length: 50 }, () => noticeTo());
    await Promise.all(notices.map((notice) => give(here, notice)));
    const before = server.received.length;
    await turn(here);
    assert.equal(server.received.length - before, 20);
    await Promise.all([turn(here), turn(here), turn(here)]);
    await turn(here);
    for (const notice of notices) assert.equal(to(server, notice).length, 1, notice.email);
  });

  await t.test(
    "a process that stops waits for what is under way, not for ever, and its try does not count",
    async () => {
      here.app.config.settings.mailTimeoutMs = 600_000;
      server.script = () => new Promise(() => {});
      const notice = noticeTo();
      await give(here, notice);
      const stopping = new AbortController();
      const running = sendMails(here.app, stopping.signal);
      await until(() => to(server, notice).length === 1);
      stopping.abort();
      await running;
      const mail = await newestMail(here);
      assert.deepEqual([mail.attempts, mail.sent_at, mail.failed_at], [0, null, null]);
      here.app.config.settings.mailTimeoutMs = PATIENT_MS;
      server.script = () => {};
      await turn(here);
      assert.equal(to(server, notice).length, 2);
    },
  );

  await t.test("no line break makes a header or a recipient, wherever it comes from", async () => {
    const evil = "evil@thief.example";
    const notice = noticeTo({ subject: `Bonjour\r\nBcc: ${evil}\r\n\r\nBody\u2028x\0` });
    await give(here, notice);
    await turn(here);
    const [mail] = to(server, notice);
    assert.deepEqual(mail!.to, [notice.email]);
    assert.equal(mail!.headers.get("subject"), `Bonjour Bcc: ${evil} Body x`);
    assert.equal(mail!.headers.has("bcc"), false);
    const newest = (await newestMail(here)).id;
    const addresses = [
      `a@b.example\r\nBcc: ${evil}`,
      `a@b.example\nRCPT TO:<${evil}>`,
      `a@b.example, ${evil}`,
      `a@b.example;${evil}`,
      `<${evil}>`,
      `Awa <${evil}>`,
      `"a@b.example"@thief.example`,
      `a@b.example>\r\nDATA`,
      `a@b@c.example`,
      "a b@c.example",
      "@c.example",
      "a@",
      "a@b.example\0",
      "",
    ];
    for (const email of addresses) await give(here, { ...noticeTo(), email });
    assert.equal((await newestMail(here)).id, newest, "no mail was made");
    assert.ok(server.received.every(({ to }) => !to.some((address) => address.includes("thief"))));
  });

  await t.test("old mails are forgotten, the others not", async () => {
    await give(here, noticeTo());
    const { id } = await newestMail(here);
    await rows(here.app, "UPDATE mails SET created_at = now() - interval '29 days' WHERE id = $1", [id]);
    await rows(here.app, "UPDATE mails SET created_at = now() - interval '31 days' WHERE id <> $1", [id]);
    await forgetOldMails(here.app);
    assert.deepEqual(await rows(here.app, "SELECT id FROM mails"), [{ id }]);
  });

  await t.test("the log says neither whom mails were to nor what they said", () => {
    const said = lines.join("");
    assert.match(said, /a mail was not sent/);
    for (const secret of ["boutique.example", "thief", "claim", "approuv", "mailbox of that name"])
      assert.ok(!said.includes(secret), `the log says ${secret}`);
  });
});
