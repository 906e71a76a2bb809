// A mail server on loopback for tests. It speaks real SMTP, answers by a script, and keeps all that it received.
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

type Close = () => Promise<void>;
type Scope = { after: (close: Close) => void };

/** A mail as the server received it. */
type ReceivedMail = {
  from: string;
  /** The recipients that the client named to the server. */
  to: string[];
  headers: ReadonlyMap<string, string>;
  text: string;
  /** Whether it came over TLS. */
  secure: boolean;
};

/** Called when the server has the whole mail. It throws `reject(550, …)` to refuse, or never resolves. */
type MailScript = (mail: ReceivedMail, hangUp: () => void) => void | Promise<void>;

export type MailServer = {
  readonly port: number;
  /** Every mail that came whole, in order, whatever the answer was. */
  readonly received: ReceivedMail[];
  /** Every password that was tried. */
  readonly passwords: string[];
  /** Decides the answers from now on. */
  script: MailScript;
  /** Takes the server down: it cuts off every client and accepts none. */
  stop: Close;
  /** Brings the server up again, on the same port. */
  resume: () => Promise<void>;
};

export function reject(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** Starts a server. It takes every mail unless its script says otherwise. No authority signed its certificate. */
export async function startMailServer(scope: Scope, options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const passwords: string[] = [];
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      passwords.push(password!);
      done(null, { user: username });
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          ...read(Buffer.concat(chunks).toString("utf8")),
          secure: session.secure,
        };
        received.push(mail);
        const hangUp = () => {
          for (const socket of sockets) socket.destroy();
        };
        try {
          await running.script(mail, hangUp);
          done();
        } catch (error) {
          done(error as Error);
        }
      });
    },
    ...options,
  });
  server.on("error", () => {}); // a client that hangs up is no failure of the test
  const listener = server.server as Server;
  listener.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    if (listener.listening) await new Promise<void>((resolve) => listener.close(() => resolve()));
  };
  scope.after(stop);
  const { port } = listener.address() as AddressInfo;
  const resume = () => new Promise<void>((resolve) => listener.listen(port, "127.0.0.1", resolve));
  const running: MailServer = { port, received, passwords, script: () => {}, stop, resume };
  return running;
}

/** Starts a server that says `first` at once, and then one byte every 20 ms for ever. So it never falls silent. */
export async function startTrickle(scope: Scope, first = "220-"): Promise<{ port: number; stop: Close }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write(first);
    const timer = setInterval(() => socket.write("x"), 20);
    socket.on("close", () => {
      clearInterval(timer);
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  scope.after(stop);
  return { port: (server.address() as AddressInfo).port, stop };
}

/** Reads the headers, unfolded, by lower-case name, and the decoded text. It knows the MIME of one plain part. */
function read(raw: string): { headers: Map<string, string>; text: string } {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.split(":")[0]!.toLowerCase(), line.replace(/^[^:]*:\s*/, "")]),
  );
  const body = raw.slice(end + 4);
  const encoding = headers.get("content-transfer-encoding");
  const bytes =
    encoding === "quoted-printable"
      ? unquote(body)
      : Buffer.from(body, encoding === "base64" ? "base64" : "utf8");
  return { headers, text: bytes.toString("utf8").replaceAll("\r\n", "\n").trimEnd() };
}

/** Decodes quoted-printable text (RFC 2045, section 6.7). */
function unquote(body: string): Buffer {
  const joined = body.replace(/=\r\n/g, "");
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  );
}
