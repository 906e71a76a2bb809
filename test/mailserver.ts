// A mail server on loopback for tests: real SMTP, a script for what it answers, and all that it received.
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

type Close = () => Promise<void>;
type Scope = { after: (close: Close) => void };

/** A mail as the server has it. */
type ReceivedMail = {
  from: string;
  /** Who the server was told to bring it to. */
  to: string[];
  headers: ReadonlyMap<string, string>;
  text: string;
  /** Whether it came over TLS. */
  secure: boolean;
};

/** What it answers when it has all of a mail; throws `reject(550, …)` to refuse, or never resolves. */
type MailScript = (mail: ReceivedMail, hangUp: () => void) => void | Promise<void>;

export type MailServer = {
  readonly port: number;
  /** Every mail that came whole, whatever was answered, in order. */
  readonly received: ReceivedMail[];
  /** Every password that was tried. */
  readonly passwords: string[];
  /** Changes what it answers from now on. */
  script: MailScript;
  /** Down: whoever is connected is cut off, and nobody can connect. */
  stop: Close;
  /** Up again, at the same port. */
  resume: () => Promise<void>;
};

export function reject(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

/** Starts one; it takes every mail unless its script says otherwise. Its certificate is nobody's. */
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

/** A server that says this at once, and then one byte every 20 ms for ever: no silence ever ends it. */
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

/** Headers by lower-case name, unfolded; the text decoded. As much of MIME as one plain part needs. */
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

/** RFC 2045, section 6.7. */
function unquote(body: string): Buffer {
  const joined = body.replace(/=\r\n/g, "");
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  );
}
