// Orange's SMS API as a test scripts it: it stops at a token or at a message, so that a test knows that moment.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { reply } from "./httpcarrier.ts";
import type { Scope } from "./sending.ts";

/** A request to send a message, as it reached the carrier. */
type OrangeRequest = { id: string; to: string; isAccepted: boolean };

type Stop = "token" | "message";

export type ScriptedOrange = {
  readonly url: string;
  /** Every request to send a message, in order. One with a token that has ended is refused. */
  readonly requests: readonly OrangeRequest[];
  /** From now on, requests of this kind are read and not answered. Undefined: all are answered. */
  stopAt(kind: Stop | undefined): void;
  /** Resolves when a request is read and not answered. */
  stopped(): Promise<void>;
  /** Ends all tokens before their time. */
  endTokens(): void;
};

type Sent = {
  outboundSMSMessageRequest: { address: string; clientCorrelator: string };
};

/** Starts the carrier on loopback. It ends with `scope`. */
export async function startOrange(scope: Scope): Promise<ScriptedOrange> {
  const requests: OrangeRequest[] = [];
  let issued = 0;
  let token: string | undefined;
  let stop: Stop | undefined;
  let onStopped = Promise.withResolvers<void>();

  function answerToken(response: ServerResponse): void {
    token = `token-${++issued}`;
    reply(response, 200, { token_type: "Bearer", access_token: token, expires_in: "3600" });
  }

  function answerMessage(body: string, response: ServerResponse, authorization?: string): void {
    const { address, clientCorrelator: id } = (JSON.parse(body) as Sent).outboundSMSMessageRequest;
    const isAccepted = authorization === `Bearer ${token}`;
    requests.push({ id, to: address.replace("tel:+", ""), isAccepted });
    if (!isAccepted) {
      reply(response, 401, { code: 42, message: "Expired credentials" });
      return;
    }
    if (stop === "message") {
      onStopped.resolve();
      return;
    }
    const resourceURL = `https://api.orange.com/requests/orange-${requests.length}`;
    reply(response, 201, { outboundSMSMessageRequest: { address, resourceURL } });
  }

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (request.url === "/oauth/v3/token") {
      if (stop === "token") onStopped.resolve();
      else answerToken(response);
    } else if (request.method === "GET") reply(response, 200, [{ availableUnits: 1_000 }]);
    else answerMessage(body, response, request.headers.authorization);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stopAt(kind) {
      stop = kind;
      onStopped = Promise.withResolvers();
    },
    stopped: () => onStopped.promise,
    endTokens() {
      token = undefined;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
