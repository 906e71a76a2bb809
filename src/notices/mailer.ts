// The mailer: one mail to the mail server, over few connections, in bounded time.
import { type Config, isLoopback } from "../kernel/config.ts";

const SERVICE_NAME = "Atumpan";
const SOCKET_CLOSE_MS = 1_000;

/** What a mail says. */
export type Mail = { to: string; subject: string; text: string };

/** A mail with what makes it the same mail at every try. */
export type KeptMail = Mail & { id: string; createdAt: Date };

export type Mailer = {
  /**
   * One try, over in `mailTimeoutMs` or when `signal` aborts. Null: the server has it. Else why not: the number that the
   * server answered, or the name of the failure; never its words, which quote addresses.
   */
  send(mail: KeptMail, signal: AbortSignal): Promise<string | null>;
  /** Closes the connections. */
  close(): void;
};

/** One address and nothing else: no display name, no list, no quotes, no white space, nothing that ends a line. */
export function isPlainAddress(text: string): boolean {
  return /^[^\s\p{C}<>()[\],;:\\"@]{1,64}@[\p{L}\p{N}.-]{1,253}$/u.test(text);
}

type MailerConfig = Pick<Config, "smtpUrl" | "mailFrom" | "limits" | "settings">;

/** 60 ms and 20 MB that a process without mail does without (2026-11-21). */
async function openTransport(config: MailerConfig) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    ...serverOf(config.smtpUrl!),
    pool: true,
    maxConnections: config.limits.mailsInFlight,
    // When to try again is ours to say.
    maxRequeues: 0,
    socketCloseTimeout: SOCKET_CLOSE_MS,
    // A mail is text; nothing in it names a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** A mailer to the server of `SMTP_URL`. Connections open at the first mail and serve those that follow. */
export function openMailer(config: MailerConfig): Mailer {
  let opening: ReturnType<typeof openTransport> | undefined;
  const domain = config.mailFrom.slice(config.mailFrom.lastIndexOf("@") + 1);
  return {
    async send({ id, to, subject, text, createdAt }, stopping) {
      const timeout = AbortSignal.timeout(config.settings.mailTimeoutMs);
      try {
        opening ??= openTransport(config);
        await (await opening).sendMail({
          messageId: `<${id}@${domain}>`,
          date: createdAt,
          from: { name: SERVICE_NAME, address: config.mailFrom },
          to: { name: "", address: to },
          subject: subject.replace(/[\s\p{Cc}]+/gu, " ").trim(),
          text,
          // Nobody's holiday answers it (RFC 3834, section 5).
          headers: { "Auto-Submitted": "auto-generated" },
          signal: AbortSignal.any([timeout, stopping]),
        });
        return null;
      } catch (error) {
        if (timeout.aborted) return "timeout";
        return stopping.aborted ? "stopped" : nameOf(error);
      }
    },
    // What did not open needs no closing; the try that opened it has said why.
    close: () => void opening?.then((transport) => transport.close()).catch(() => {}),
  };
}

/**
 * Where the server is and how much it must prove. With a password, which must not reach anyone else, or as `smtps:`, its
 * certificate must be right; else TLS is used where it is offered, whoever offers it, since the alternative is none.
 */
function serverOf(smtpUrl: string) {
  const url = new URL(smtpUrl);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secure = url.protocol === "smtps:";
  const auth = url.username
    ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
    : undefined;
  const requireTLS = !secure && auth !== undefined && !isLoopback(host);
  return {
    host,
    ...(url.port && { port: Number(url.port) }),
    secure,
    requireTLS,
    tls: { rejectUnauthorized: secure || requireTLS },
    ...(auth && { auth }),
  };
}

function nameOf(error: unknown): string {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  return String(responseCode ?? code ?? "unknown");
}
