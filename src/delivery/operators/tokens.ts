// The OAuth 2 token of one account at a carrier: fetched once for all its sessions in this process, and again before its
// end. Whoever asks with other credentials has another token.
import { ExchangeFailed } from "../../platform/http/exchange.ts";
import type { HttpPeer } from "../../platform/http/peer.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { CarrierRequest, OpenConnector as Opened } from "../../protocol/carriers/exchange.ts";
import { ConnectFailed } from "../../protocol/smpp/terms.ts";
import { AccountRefused } from "./carrier.ts";

/** A token is replaced when less than this share of its life is left, and a minute of a long one. */
const SPARE_SHARE = 0.1;
const SPARE_MS_AT_MOST = 60_000;

const ACCOUNTS_AT_MOST = 1_000;

type Token = { value: string; until: number };
type Shared = { token?: Token | undefined; fetching?: Promise<string> | undefined };

/** By the request for a token, which has the credentials: accounts that were used last are at the end. */
const accounts = perRuntime(() => new Map<string, Shared>());

function sharedOf(app: Runtime, request: CarrierRequest): Shared {
  const known = accounts(app);
  const key = JSON.stringify(request);
  const shared = known.get(key) ?? {};
  known.delete(key);
  known.set(key, shared);
  const [oldest] = known.keys();
  if (known.size > ACCOUNTS_AT_MOST && oldest !== undefined) known.delete(oldest);
  return shared;
}

export class Tokens {
  readonly #request: CarrierRequest;
  readonly #tokenOf: Opened["tokenOf"];
  readonly #peer: HttpPeer;
  readonly #shared: Shared;

  /** `peer`: that of the token endpoint, to which `request` goes. */
  constructor(app: Runtime, { tokenOf }: Pick<Opened, "tokenOf">, request: CarrierRequest, peer: HttpPeer) {
    this.#request = request;
    this.#tokenOf = tokenOf;
    this.#peer = peer;
    this.#shared = sharedOf(app, request);
  }

  /**
   * Returns the current token, or else a new one; callers at the same time share one request. Rejects with
   * `AccountRefused` if the carrier refuses the credentials, and with `ConnectFailed` if it gives no answer.
   */
  get(): string | Promise<string> {
    const { token } = this.#shared;
    return token && performance.now() < token.until ? token.value : this.#fetch();
  }

  /** Forgets a token that the carrier refused, unless it has been replaced meanwhile. */
  drop(value: string): void {
    if (this.#shared.token?.value === value) this.#shared.token = undefined;
  }

  async #fetch(): Promise<string> {
    const underWay = this.#shared.fetching;
    if (underWay) {
      try {
        return await underWay;
      } catch (error) {
        // The session that asked may have ended meanwhile, and its connections with it.
        if (!(error instanceof ConnectFailed)) throw error;
      }
    }
    this.#shared.fetching ??= this.#ask().finally(() => {
      this.#shared.fetching = undefined;
    });
    return this.#shared.fetching;
  }

  async #ask(): Promise<string> {
    const answer = this.#tokenOf(await this.#exchange(this.#request));
    if ("trouble" in answer) throw new AccountRefused(answer.trouble);
    if ("temporary" in answer) throw new ConnectFailed(`no-token:${answer.temporary}`);
    const spareMs = Math.min(answer.lifeMs * SPARE_SHARE, SPARE_MS_AT_MOST);
    this.#shared.token = { value: answer.token, until: performance.now() + answer.lifeMs - spareMs };
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
