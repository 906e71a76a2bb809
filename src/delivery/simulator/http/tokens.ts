// The OAuth 2 tokens of a simulated carrier: issued to its one client, valid for a time.
import { randomBytes } from "node:crypto";

/** Beyond this many tokens the oldest is forgotten, and then unknown. */
const TOKENS_KEPT = 10_000;

export class TokenDesk {
  readonly #lifeMs: number;
  /** Token → the time of its end, in milliseconds since 1970. */
  readonly #ends = new Map<string, number>();
  #issued = 0;

  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  get issued(): number {
    return this.#issued;
  }

  /** Returns the answer's members; `expires_in` is a text in seconds, as Orange and MTN write it. */
  issue(type: string): { token_type: string; access_token: string; expires_in: string } {
    const token = randomBytes(18).toString("base64url");
    this.#issued++;
    if (this.#ends.size >= TOKENS_KEPT) this.#ends.delete(this.#ends.keys().next().value ?? "");
    this.#ends.set(token, Date.now() + this.#lifeMs);
    return { token_type: type, access_token: token, expires_in: String(Math.floor(this.#lifeMs / 1000)) };
  }

  /** Returns the state of the token of a request, after its `Authorization` header. */
  stateOf(authorization: string | undefined): "valid" | "expired" | "unknown" {
    const end = authorization?.startsWith("Bearer ") ? this.#ends.get(authorization.slice(7)) : undefined;
    if (end === undefined) return "unknown";
    return Date.now() < end ? "valid" : "expired";
  }
}
