// A browser without a screen: one connection, the cookie of its session, and the token of its forms.
import { randomUUID } from "node:crypto";
import { Agent, type OutgoingHttpHeaders, request } from "node:http";

/** What is asked of the console: a page, or the form that goes to `path` with these fields or this file. */
export type Ask = {
  path: string;
  form?: Readonly<Record<string, string>>;
  file?: { name: string; text: string };
};

export type Answer = {
  status: number;
  /** Where it leads on to, or "". */
  location: string;
  text: string;
  /** Until the first byte of the text, or the end of an answer without one. */
  firstByteMs: number;
};

export class Browser {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #origin: string;
  #cookie = "";
  #token = "";

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Opens the link of the demo, which signs in its owner and the administrator. */
  async signIn(link: string): Promise<void> {
    await this.ask({ path: new URL(link).pathname });
    const { text } = await this.ask({ path: "/account" });
    this.#token = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
    if (this.#token === "") throw new Error("nobody is signed in");
  }

  /** Throws if the answer is a problem. */
  async ask({ path, form, file }: Ask): Promise<Answer> {
    const answer = await (form || file
      ? this.#send(path, "POST", ...bodyOf({ csrf: this.#token, ...form }, file))
      : this.#send(path, "GET"));
    if (answer.status >= 400) throw new Error(`${path} answers ${answer.status}: ${problemIn(answer.text)}`);
    return answer;
  }

  /** The page that a form leads to. */
  async follow(ask: Ask): Promise<Answer> {
    const { location } = await this.ask(ask);
    if (location === "") throw new Error(`${ask.path} leads nowhere`);
    return this.ask({ path: location });
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(path: string, method: string, body?: string, type?: string): Promise<Answer> {
    const startedAt = performance.now();
    const headers: OutgoingHttpHeaders = {
      ...(this.#cookie && { Cookie: this.#cookie }),
      ...(type && { "Content-Type": type, Origin: this.#origin }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(this.#origin + path, { method, agent: this.#agent, headers }, (response) => {
        for (const set of response.headers["set-cookie"] ?? [])
          if (set.startsWith("atumpan_console=")) this.#cookie = set.split(";")[0]!;
        const { statusCode: status = 0, headers } = response;
        let text = "";
        let firstByteMs = 0;
        response.setEncoding("utf8").on("data", (part: string) => {
          firstByteMs ||= performance.now() - startedAt;
          text += part;
        });
        response.on("error", reject).on("end", () => {
          firstByteMs ||= performance.now() - startedAt;
          resolve({ status, location: headers.location ?? "", text, firstByteMs });
        });
      });
      sent.on("error", reject).end(body);
    });
  }
}

function bodyOf(fields: Record<string, string>, file: Ask["file"]): [body: string, type: string] {
  if (!file) return [new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded"];
  const edge = randomUUID();
  const parts = Object.entries(fields).map(([name, value]) => `name="${name}"\r\n\r\n${value}`);
  parts.push(`name="file"; filename="${file.name}"\r\nContent-Type: text/csv\r\n\r\n${file.text}`);
  const body = parts.map((part) => `--${edge}\r\nContent-Disposition: form-data; ${part}\r\n`).join("");
  return [`${body}--${edge}--\r\n`, `multipart/form-data; boundary=${edge}`];
}

function problemIn(page: string): string {
  const [, problem = page.slice(0, 500)] = /id="problem"[^>]*>([\s\S]*?)<\//.exec(page) ?? [];
  return problem.replaceAll(/<[^>]*>/g, " ");
}
