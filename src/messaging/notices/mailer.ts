// The mailer: sends one mail to the mail server, over few connections, in bounded time.
import { type Config, isLoopback } from "../../platform/config.ts";
import { hostOf } from "../../platform/http/addresses.ts";

const SERVICE_NAME = "Atumpan";
const SOCKET_CLOSE_MS = 1_000;

/** The content of a mail. */
export type Mail = { to: string; subject: string; text: string };

/** A mail with the id and date that identify it across retries. */
export type KeptMail = Mail & { id: string; createdAt: Date };

export type Mailer = {
  /**
   * Makes one attempt, which ends after `mailTimeoutMs` or when `signal` aborts. Returns null once the server has the
   * mail, else the server's status number or the name of the failure. The server's text quotes addresses and is not
   * kept.
   */
  send(mail: KeptMail, signal: AbortSignal): Promise<string | null>;
  /** Closes the connections. */
  close(): void;
};

/** One address only: no display name, list, quotes, white space or line break. */
export function isPlainAddress(text: string): boolean {
  return /^[^\s\p{C}<>()[\],;:\\"@]{1,64}@[\p{L}\p{N}.-]{1,253}$/u.test(text);
}

type MailerConfig = Pick<Config, "smtpUrl" | "mailFrom" | "limits" | "settings">;

/** Loaded at first use: it takes 60 ms and 20 MB, which a process without mail saves (2026-11-21). */
async function openTransport(config: MailerConfig) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    ...mailServerOf(config.smtpUrl!),
    pool: true,
    maxConnections: config.limits.mailsInFlight,
    // Atumpan itself schedules retries.
    maxRequeues: 0,
    socketCloseTimeout: SOCKET_CLOSE_MS,
    // A mail is plain text, so the library must never read a file or a URL for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Returns a mailer for the server of `SMTP_URL`. Connections open at the first mail and are reused. */
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
          // Prevents automatic replies (RFC 3834, section 5).
          headers: { "Auto-Submitted": "auto-generated" },
          signal: AbortSignal.any([timeout, stopping]),
        });
        return null;
      } catch (error) {
        if (timeout.aborted) return "timeout";
        return stopping.aborted ? "stopped" : errorNameOf(error);
      }
    },
    // A connection that never opened needs no closing, and its attempt has reported the failure.
    close: () => void opening?.then((transport) => transport.close()).catch(() => {}),
  };
}

/**
 * Returns the server's address, and whether its certificate must be valid. It must with a password or `smtps:`, so that
 * nobody else gets the password. Otherwise TLS is used if offered, with any certificate, as the alternative is no TLS.
 */
function mailServerOf(smtpUrl: string) {
  const url = new URL(smtpUrl);
  const host = hostOf(url);
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

function errorNameOf(error: unknown): string {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  return String(responseCode ?? code ?? "unknown");
}
