// The client: the operations of the interface as a tree of their paths.
import { type Body, type CallOptions, call, type Facts, type Options } from "./calls.ts";
import type { Operations } from "./generated/interface.ts";
import { operations } from "./generated/operations.ts";
import { Listing } from "./pages.ts";
import { verify } from "./webhooks.ts";

export type { CallOptions, Credentials, Options } from "./calls.ts";
export { AtumpanError, type Detail, TransportError, type TransportTrouble, type Warning } from "./errors.ts";
export type * from "./generated/interface.ts";
export type { Listing, Page } from "./pages.ts";
export { WebhookVerificationError } from "./webhooks.ts";

/**
 * A client of the service. `/v1/contact/create` is `client.contact.create({ contacts: […] })`, `/v1/contact/{id}/update` is
 * `client.contact.update({ id, name })`, and `/v1/contact/{id}` is `client.contact.read({ id })`.
 */
export interface Atumpan extends Operations {}
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor adds what the interface says
export class Atumpan {
  static readonly webhooks = { verify };

  constructor(options: Options) {
    if (!/^https?:\/\//.test(options.baseUrl)) throw new TypeError("baseUrl is no address such as https://…");
    const client = { ...options };
    for (const [name, facts] of Object.entries(operations)) {
      const parts = name.split(".");
      place(this as unknown as Tree, parts, operationOf(client, facts));
    }
  }
}

type Callable = (body?: Body, options?: CallOptions) => unknown;
type Tree = { [part: string]: Tree };

function operationOf(client: Options, facts: Facts): Callable {
  if (!facts.isList)
    return async (body = {}, options = {}) => (await call(client, facts, body, options)).data;
  return (body = {}, options = {}) => new Listing((asked) => call(client, facts, asked, options), body);
}

/** Puts an operation at its place. What has members may be called too, and the other way round. */
function place(tree: Tree, [part, ...rest]: string[], operation: Callable): void {
  const there = tree[part!];
  if (rest.length === 0) tree[part!] = Object.assign(operation, there) as unknown as Tree;
  else {
    tree[part!] = there ?? {};
    place(tree[part!]!, rest, operation);
  }
}
