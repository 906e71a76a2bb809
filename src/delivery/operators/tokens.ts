// The OAuth 2 token of one account at a carrier: fetched once for all its binds in this process, and again before its end.

import { ExchangeFailed } from "../../platform/http/exchange.ts";
import type { HttpPeer } from "../../platform/http/peer.ts";
import type { OpenConnector } from "../../protocol/carriers/exchange.ts";
import { ConnectFailed } from "../../protocol/smpp/terms.ts";
import { AccountRefused } from "./carrier.ts";

/** A token is replaced when less than this share of its life is left, and a minute of a long one. */
const SPARE_SHARE = 0.1;
const SPARE_MS_AT_MOST = 60_000;

type Token = { value: string; until: number };

export class Tokens {
  readonly #connector: OpenConnector;
  readonly #peer: HttpPeer;
  #token: Token | undefined;
  #fetching: Promise<string> | undefined;

  /** `peer`: that of the token endpoint. */
  constructor(connector: OpenConnector, peer: HttpPeer) {
    this.#connector = connector;
    this.#peer = peer;
  }

  /** The current token; undefined: `fetch` has to get one. */
  get current(): string | undefined {
    return this.#token && performance.now() < this.#token.until ? this.#token.value : undefined;
  }

  /** Forgets a token that the carrier refused, unless it has been replaced meanwhile. */
  drop(value: string): void {
    if (this.#token?.value === value) this.#token = undefined;
  }

  /**
   * Returns a token; callers at the same time share one request. Throws `AccountRefused` if the carrier refuses the
   * credentials, and `ConnectFailed` if it gives no answer.
   */
  fetch(): Promise<string> {
    this.#fetching ??= this.#request().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #request(): Promise<string> {
    const request = this.#connector.tokenRequest();
    if (!request) throw new Error("the connector has no token endpoint");
    const answer = this.#connector.tokenOf(await this.#exchange(request));
    if ("trouble" in answer) throw new AccountRefused(answer.trouble);
    if ("temporary" in answer) throw new ConnectFailed(`no-token:${answer.temporary}`);
    const spareMs = Math.min(answer.lifeMs * SPARE_SHARE, SPARE_MS_AT_MOST);
    this.#token = { value: answer.token, until: performance.now() + answer.lifeMs - spareMs };
    return answer.token;
  }

  async #exchange(request: Parameters<HttpPeer["exchange"]>[0]): ReturnType<HttpPeer["exchange"]> {
    try {
      return await this.#peer.exchange(request);
    } catch (error) {
      if (!(error instanceof ExchangeFailed)) throw error;
      throw new ConnectFailed(`no-token:${error.code}`);
    }
  }
}
