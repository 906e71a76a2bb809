// Exchanges: requests of ours to one origin that may be slow, broken or hostile, and how each of them ended.

export type OutgoingRequest = {
  method: "GET" | "POST" | "PUT";
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
};

/** `isCut`: the body was longer than what was read of it. */
export type IncomingResponse = {
  status: number;
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  body: Uint8Array;
  isCut: boolean;
};

/** The code of an exchange that took too long. */
export const TIMED_OUT = "timeout";

/**
 * Why there is no response. `wasSent` false: not one octet of the request left, so it is safe to repeat. Otherwise the
 * peer may have acted on it, and may still act if the response `isAwaited` beyond its time.
 */
export class ExchangeFailed extends Error {
  override readonly name = "ExchangeFailed";
  readonly wasSent: boolean;
  readonly code: string;
  readonly isAwaited: boolean;
  constructor(wasSent: boolean, code: string, isAwaited = false) {
    super(code);
    this.wasSent = wasSent;
    this.code = code;
    this.isAwaited = isAwaited;
  }
}
