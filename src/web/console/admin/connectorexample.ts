// The declaration of a connector to begin with: a provider that takes JSON with a key, as many do.
import type { Connector } from "../../../protocol/carriers/connector.ts";

/** A declaration that `checkConnector` accepts. A form begins with it. */
export const EXAMPLE_DECLARATION = {
  title: "Fournisseur SMS",
  guide: {
    fr: "La clé d’API est dans votre espace client.",
    en: "The API key is in your customer area.",
  },
  fields: [
    {
      name: "baseUrl",
      title: { fr: "Adresse de l’API", en: "API address" },
      format: "url",
      default: "https://api.example.com",
    },
    { name: "apiKey", title: { fr: "Clé d’API", en: "API key" }, secret: true },
  ],
  auth: { kind: "header", name: "authorization", value: "Bearer {{apiKey}}" },
  send: {
    method: "POST",
    url: "{{baseUrl}}/messages",
    body: {
      kind: "json",
      value: {
        to: "{{toPlus}}",
        from: { $when: "from", $value: "{{from}}" },
        text: "{{text}}",
        reference: "{{id}}",
        callback: { $when: "receiptUrl", $value: "{{receiptUrl}}" },
      },
    },
  },
  text: { split: "peer" },
  idempotent: false,
  outcomes: [
    { when: [{ status: [[200, 299]] }, { json: "/id", present: true }], is: "accepted", id: { json: "/id" } },
    { when: [{ status: [402] }], is: "account", trouble: "no-units", code: { json: "/code" } },
    { when: [{ status: [400, 422] }], is: "permanent", failure: "invalid-number", code: { json: "/code" } },
  ],
  receipts: {
    format: "json",
    id: [{ json: "/id" }],
    state: { json: "/status" },
    states: { delivered: "delivered", failed: "undelivered", expired: "expired" },
    error: { json: "/code" },
  },
} satisfies Connector;
