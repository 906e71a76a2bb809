// Others agree: npm `smpp` 0.5.1 as server and as client, tshark's dissector, and our own two sides with each other.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { encode } from "../../../test/pdu.ts";
import { accept, type ConnectOptions, connect } from "./connect.ts";
import { STATUS, type SubmitSm } from "./pdu.ts";
import { readReceipt, writeReceipt } from "./receipts.ts";
import { BindRefused, type SessionOptions } from "./terms.ts";

/** As much of npm `smpp` as is used here; it has no types of its own. */
interface TheirPdu {
  response(fields?: object): TheirPdu;
  command_status: number;
  message_id: string;
  destination_addr: string;
  short_message: { message: string };
  user_message_reference: number;
}
interface TheirSession {
  on(event: string, listener: (pdu: TheirPdu) => void): void;
  send(pdu: TheirPdu): void;
  deliver_sm(fields: object, onAnswer: (pdu: TheirPdu) => void): void;
  bind_transceiver(fields: object, onAnswer: (pdu: TheirPdu) => void): void;
  submit_sm(fields: object, onAnswer: (pdu: TheirPdu) => void): void;
  enquire_link(onAnswer: (pdu: TheirPdu) => void): void;
  unbind(onAnswer: (pdu: TheirPdu) => void): void;
  destroy(): void;
}
interface TheirModule {
  createServer(listener: (session: TheirSession) => void): Server;
  connect(options: { url: string }, listener: () => void): TheirSession;
}
const theirs = createRequire(import.meta.url)("smpp") as TheirModule;

const WHO = { host: "127.0.0.1", bindType: "transceiver", systemId: "esme", password: "secret" } as const;

async function portOf(t: TestContext, server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** An SMSC of ours on a free port. */
function smsc(t: TestContext, options: SessionOptions): Promise<number> {
  const server = createServer((socket) => {
    const session = accept(socket, { onBind: () => STATUS.ESME_ROK, ...options });
    t.after(() => session.abort());
  });
  return portOf(t, server);
}

async function esme(t: TestContext, port: number, options: Partial<ConnectOptions> = {}) {
  const session = await connect({ ...WHO, port, ...options });
  t.after(() => session.abort());
  return session;
}

test("our ESME against the server of npm smpp: bind, submit, receive, enquire, unbind", async (t) => {
  const acknowledged = Promise.withResolvers<TheirPdu>();
  const port = await portOf(
    t,
    theirs.createServer((session) => {
      session.on("bind_transceiver", (pdu) => {
        session.send(pdu.response({ system_id: "theirs" }));
        session.deliver_sm({ source_addr: "22507", short_message: "STOP" }, acknowledged.resolve);
      });
      session.on("submit_sm", (pdu) => {
        const { destination_addr: to, short_message: text, user_message_reference: reference } = pdu;
        session.send(pdu.response({ message_id: `${to} ${text.message} ${reference}` }));
      });
      session.on("enquire_link", (pdu) => session.send(pdu.response()));
      session.on("unbind", (pdu) => session.send(pdu.response()));
      session.on("error", () => {});
    }),
  );
  const received = Promise.withResolvers<string>();
  const session = await esme(t, port, {
    onDeliver: (pdu) => {
      received.resolve(`${pdu.sourceAddr} ${pdu.shortMessage}`);
      return STATUS.ESME_ROK;
    },
  });
  const tlvs = { userMessageReference: 77 };
  const answers = await Promise.all(
    [1, 2, 3].map((i) =>
      session.submit({ destinationAddr: `2250${i}`, shortMessage: Buffer.from("bonjour"), tlvs }),
    ),
  );
  assert.deepEqual(
    answers,
    [1, 2, 3].map((i) => ({ status: 0, messageId: `2250${i} bonjour 77` })),
  );
  assert.equal(await received.promise, "22507 STOP");
  assert.equal((await acknowledged.promise).command_status, 0);
  await session.unbind();
  assert.deepEqual(await session.closed, { kind: "unbound", detail: "" });
});

test("the client of npm smpp against our SMSC: bind, submit, receipt, enquire, unbind", async (t) => {
  const port = await smsc(t, {
    systemId: "ours",
    onSubmit: (pdu, session) => {
      setImmediate(() => session.deliver(receiptOf(pdu)));
      return { status: 0, messageId: `id-${pdu.shortMessage}` };
    },
  });
  const receipt = Promise.withResolvers<TheirPdu>();
  const ready = Promise.withResolvers<void>();
  const client = theirs.connect({ url: `smpp://127.0.0.1:${port}` }, ready.resolve);
  t.after(() => client.destroy());
  client.on("error", () => {});
  client.on("deliver_sm", (pdu) => {
    client.send(pdu.response());
    receipt.resolve(pdu);
  });
  await ready.promise;
  const ask = (run: (done: (pdu: TheirPdu) => void) => void) => new Promise<TheirPdu>(run);
  const bound = await ask((done) => client.bind_transceiver({ system_id: "esme", password: "secret" }, done));
  assert.equal(bound.command_status, 0);
  const answer = await ask((done) =>
    client.submit_sm({ destination_addr: "22507", short_message: "salut" }, done),
  );
  assert.equal(answer.message_id, "id-salut");
  assert.match((await receipt.promise).short_message.message, /^id:1f .* stat:DELIVRD/);
  assert.equal((await ask((done) => client.enquire_link(done))).command_status, 0);
  assert.equal((await ask((done) => client.unbind(done))).command_status, 0);
});

function receiptOf(pdu: SubmitSm) {
  const at = new Date("2026-11-21T09:05:00Z");
  const common = {
    messageId: "1f",
    state: "DELIVERED",
    errorCode: "000",
    submittedAt: at,
    doneAt: at,
  } as const;
  return writeReceipt({
    ...common,
    message: pdu,
    text: "",
    userMessageReference: pdu.tlvs?.userMessageReference,
  });
}

test("an SMSC of ours answers submits out of order and refuses what the bind does not allow", async (t) => {
  const held = Promise.withResolvers<{ status: number; messageId: string }>();
  const port = await smsc(t, {
    onBind: (bind) => (bind.password === "secret" ? STATUS.ESME_ROK : STATUS.ESME_RINVPASWD),
    onSubmit: (pdu) => (pdu.sourceAddr === "slow" ? held.promise : { status: 0, messageId: "fast" }),
  });
  const session = await esme(t, port);
  const slow = session.submit({ sourceAddr: "slow", destinationAddr: "1" });
  assert.equal((await session.submit({ destinationAddr: "1" })).messageId, "fast");
  held.resolve({ status: 0, messageId: "slow" });
  assert.equal((await slow).messageId, "slow");
  const receiver = await esme(t, port, { bindType: "receiver" });
  assert.equal((await receiver.submit({ destinationAddr: "1" })).status, STATUS.ESME_RINVBNDSTS);
  await assert.rejects(
    connect({ ...WHO, port, password: "wrong" }),
    (error) => error instanceof BindRefused && error.status === STATUS.ESME_RINVPASWD,
  );
});

for (const [asked, agreed] of [
  [0x33, 0x33],
  [0x34, 0x34],
  [0x50, 0x50],
  [0x00, 0x34],
  [0x99, 0x34],
] as const) {
  test(`a bind of version 0x${asked.toString(16)} is served as 0x${agreed.toString(16)}`, async (t) => {
    const port = await smsc(t, {
      onBound: (session) => {
        assert.equal(session.bound?.interfaceVersion, agreed);
        const tlvs = { userMessageReference: 1 };
        void session.deliver({ destinationAddr: "1", tlvs }).catch(() => {});
      },
    });
    const received = Promise.withResolvers<boolean>();
    await esme(t, port, {
      interfaceVersion: asked,
      onDeliver: (pdu) => {
        received.resolve(pdu.tlvs !== undefined);
        return STATUS.ESME_ROK;
      },
    });
    assert.equal(await received.promise, agreed !== 0x33, "a 3.3 peer gets no optional parameters");
  });
}

test("a session without messages ends by the inactivity timer", async (t) => {
  const port = await smsc(t, { timers: { inactivityMs: 50 } });
  assert.equal((await (await esme(t, port)).closed).kind, "peer-unbound");
});

test("a connection that never binds is closed by the bind timer", async (t) => {
  const closed = Promise.withResolvers<string>();
  const server = createServer((socket) => {
    void accept(socket, { timers: { bindMs: 50 } }).closed.then(({ kind }) => closed.resolve(kind));
  });
  const port = await portOf(t, server);
  const silent = (await import("node:net")).connect(port, "127.0.0.1");
  assert.equal(await closed.promise, "bind-timeout");
  silent.destroy();
});

const pdus = {
  bind: encode({
    command: "bind_transceiver",
    sequence: 1,
    systemId: "esme",
    password: "secret",
    interfaceVersion: 0x34,
  }),
  submit: encode({
    command: "submit_sm",
    sequence: 2,
    sourceAddrTon: 5,
    sourceAddr: "ATUMPAN",
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: "2250700000000",
    registeredDelivery: 1,
    shortMessage: Buffer.from("bonjour"),
    tlvs: { userMessageReference: 0x1267, sarMsgRefNum: 258, sarTotalSegments: 3, sarSegmentSeqnum: 2 },
  }),
  answer: encode({ command: "submit_sm_resp", sequence: 2, messageId: "0a1f" }),
  receipt: encode({
    command: "deliver_sm",
    sequence: 3,
    esmClass: 4,
    tlvs: { receiptedMessageId: "0a1f", messageState: 2, networkErrorCode: Buffer.from([3, 0, 0]) },
  }),
  nack: encode({ command: "generic_nack", sequence: 4, status: STATUS.ESME_RINVCMDLEN }),
};

/** The fields that tshark sees, one line a PDU. */
function dissect(folder: string, fields: string[]): string[] {
  const dump = Object.values(pdus)
    .map((pdu) => `000000 ${pdu.toString("hex").replace(/../g, "$& ")}\n`)
    .join("\n");
  const capture = join(folder, "smpp.pcap");
  writeFileSync(join(folder, "smpp.txt"), dump);
  execFileSync("text2pcap", ["-q", "-T", "2775,2775", join(folder, "smpp.txt"), capture], {
    stdio: "ignore",
  });
  const columns = fields.flatMap((field) => ["-e", field]);
  const args = ["-r", capture, "-d", "tcp.port==2775,smpp", "-T", "fields", "-E", "separator=|", ...columns];
  return execFileSync("tshark", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    .trimEnd()
    .split("\n");
}

test("tshark's dissector reads what we encode", (t) => {
  if (spawnSync("tshark", ["--version"]).status !== 0) {
    t.skip("TSHARK IS NOT INSTALLED: nobody else has looked at our bytes");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "smpp-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const ids = ["smpp.command_id", "smpp.command_status", "smpp.sequence_number"];
  const texts = ["smpp.system_id", "smpp.destination_addr", "smpp.message_id"];
  const tlvs = [
    "smpp.user_message_reference",
    "smpp.sar_msg_ref_num",
    "smpp.receipted_message_id",
    "smpp.message_state",
  ];
  // It shows a command_status in responses only.
  assert.deepEqual(dissect(folder, [...ids, ...texts, ...tlvs, "_ws.malformed"]), [
    "0x00000009||1|esme|||||||",
    "0x00000004||2||2250700000000||0x1267|258|||",
    "0x80000004|0x00000000|2|||0a1f|||||",
    "0x00000005||3||||||0a1f|2|",
    "0x80000000|0x00000002|4||||||||",
  ]);
});

test("a receipt of our SMSC is read by our ESME", async (t) => {
  const port = await smsc(t, {
    onSubmit: (pdu, session) => {
      setImmediate(() => session.deliver(receiptOf(pdu)));
      return { status: 0, messageId: "1f" };
    },
  });
  const receipt = Promise.withResolvers<ReturnType<typeof readReceipt>>();
  const session = await esme(t, port, {
    onDeliver: (pdu) => {
      receipt.resolve(readReceipt(pdu));
      return STATUS.ESME_ROK;
    },
  });
  await session.submit({ destinationAddr: "22507", tlvs: { userMessageReference: 8 } });
  const { messageId, userMessageReference } = (await receipt.promise)!;
  assert.deepEqual([messageId, userMessageReference], ["1f", 8]);
  await session.unbind();
});
