// Sends one POST to another service and reads its response, with the same guard as webhooks.
import type { Runtime } from "../../platform/runtime.ts";
import { webhookLookup } from "./guard.ts";
import { errorOf, openLine, openRequest, type PostError, RESPONSE_BYTES_AT_MOST } from "./post.ts";

/** The response, or why there is none. */
export type Asked = { status: number; text: string } | { error: PostError };

/**
 * Sends one POST and reads the whole response, up to 16 KiB, within the time limit. Redirects are not followed, nothing
 * is decompressed, and only addresses that webhooks may reach are reached. Never rejects.
 */
export async function ask(
  app: Runtime,
  url: URL,
  sent: { headers: Record<string, string>; body: string; timeoutMs: number },
): Promise<Asked> {
  let line: ReturnType<typeof openLine>;
  try {
    line = openLine(url, webhookLookup(app, url));
  } catch (error) {
    return { error: errorOf(error as Error) };
  }
  try {
    return await askOn(line, sent);
  } finally {
    line.agent.destroy();
  }
}

function askOn(
  line: ReturnType<typeof openLine>,
  sent: { headers: Record<string, string>; body: string; timeoutMs: number },
): Promise<Asked> {
  return new Promise((resolve) => {
    const request = openRequest(line, sent);
    const give = (asked: Asked) => {
      clearTimeout(timer);
      resolve(asked);
      request.destroy();
    };
    const timer = setTimeout(() => give({ error: "timeout" }), sent.timeoutMs);
    request.on("error", (error: NodeJS.ErrnoException) => give({ error: errorOf(error) }));
    request.on("response", (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > RESPONSE_BYTES_AT_MOST) give({ error: "response-invalid" });
        else parts.push(part);
      });
      response.on("error", () => give({ error: "response-invalid" }));
      response.on("end", () =>
        give({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") }),
      );
    });
    request.end(sent.body);
  });
}
