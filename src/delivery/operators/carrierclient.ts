// The client of one carrier over HTTP: its open connector, its connections, and its tokens.
import { nowMs } from "../../platform/clock.ts";
import { ExchangeFailed, type IncomingResponse, TIMED_OUT } from "../../platform/http/exchange.ts";
import { AddressNotAllowed, askDns, guardedLookup } from "../../platform/http/guard.ts";
import { HttpPeer, LATE_FACTOR } from "../../platform/http/peer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { CarrierRequest, OpenConnector } from "../../protocol/carriers/exchange.ts";
import { openConnector } from "../../protocol/carriers/opening.ts";
import { ConnectFailed } from "../../protocol/smpp/terms.ts";
import { AccountRefused } from "./carrier.ts";
import { connectorFieldsOf, connectorOf } from "./connectors.ts";
import { LostRequests } from "./lostrequests.ts";
import { carrierReach } from "./reach.ts";
import { settingsOf } from "./settings.ts";
import type * as sql from "./sql.ts";
import { tlsOptionsOf } from "./tls.ts";
import { Tokens } from "./tokens.ts";

/** The address of the carrier is neither public nor in `CARRIER_ALLOW_CIDRS`. */
export const NOT_ALLOWED = "address-not-allowed";

export class CarrierClient {
  readonly connector: OpenConnector;
  readonly peer: HttpPeer;
  /** Undefined unless the connector uses OAuth 2. */
  readonly tokens: Tokens | undefined;
  readonly lost: LostRequests;
  readonly tls: Exclude<ReturnType<typeof tlsOptionsOf>, false>;
  readonly #peers = new Map<string, HttpPeer>();
  readonly #open: (origin: string) => HttpPeer;

  /** Opens no connection yet. Throws `ConnectFailed` for an address that is not allowed. */
  constructor(app: Runtime, operator: sql.OperatorRow) {
    this.connector = openConnector(connectorOf(operator), connectorFieldsOf(app, operator), nowMs);
    this.tls = (operator.tls && tlsOptionsOf(app, operator)) || {};
    const timeoutMs = settingsOf(operator.settings).submitTimeoutS * 1_000;
    this.lost = new LostRequests(app, operator.id, LATE_FACTOR * timeoutMs);
    this.#open = (origin) => this.#peerAt(app, origin, timeoutMs);
    const token = this.connector.tokenRequest();
    try {
      this.peer = this.peerOf(this.connector.origin);
      if (token) this.tokens = new Tokens(app, this.connector, token, this.peerOf(token.url));
    } catch (error) {
      void this.destroy();
      throw error;
    }
  }

  /** Returns the connections to the server of a URL. Throws `ConnectFailed` for an address that is not allowed. */
  peerOf(url: string): HttpPeer {
    const { origin } = new URL(url);
    const peer = this.#peers.get(origin) ?? this.#open(origin);
    this.#peers.set(origin, peer);
    return peer;
  }

  /**
   * Sends a request beside the messages that changes nothing, such as a query; `build` gets the token. Undefined: the
   * carrier gives no answer, or there is no such request.
   */
  async query(
    build: (token: string | undefined) => CarrierRequest | undefined,
  ): Promise<IncomingResponse | undefined> {
    try {
      const token = await this.tokens?.get();
      const request = build(token);
      const response = request && (await this.#exchangeTwice(request));
      if (response?.status === 401 && token !== undefined) this.tokens?.drop(token);
      return response;
    } catch (error) {
      const isOfCarrier =
        error instanceof ExchangeFailed || error instanceof ConnectFailed || error instanceof AccountRefused;
      if (!isOfCarrier) throw error;
      return undefined;
    }
  }

  /** Tries a request once more if its connection ends: the carrier may have closed one that was not in use. */
  async #exchangeTwice(request: CarrierRequest): Promise<IncomingResponse> {
    const peer = this.peerOf(request.url);
    try {
      return await peer.exchange(request);
    } catch (error) {
      const isCut = error instanceof ExchangeFailed && error.wasSent && error.code !== TIMED_OUT;
      if (!isCut) throw error;
      return peer.exchange(request);
    }
  }

  #peerAt(app: Runtime, origin: string, timeoutMs: number): HttpPeer {
    try {
      const lookup = guardedLookup(new URL(origin), carrierReach(app), askDns(app));
      return new HttpPeer({ origin, lookup, tls: this.tls, timeoutMs });
    } catch (error) {
      throw error instanceof AddressNotAllowed ? new ConnectFailed(NOT_ALLOWED) : error;
    }
  }

  /** Ends all connections at once. */
  async destroy(): Promise<void> {
    for (const peer of this.#peers.values()) await peer.destroy();
  }
}
