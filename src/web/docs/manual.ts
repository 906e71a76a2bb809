// The manual: the whole content of the reference, and the URLs of its pages.
import type { Html } from "../../platform/http/html.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import type { Hooks } from "./events.ts";
import type { Guide } from "./guides.ts";
import type { Locale } from "./locale.ts";
import type { Part } from "./operations.ts";

export type Manual = {
  parts: readonly Part[];
  guides: readonly Guide[];
  hooks: Hooks;
  /** The server that examples call; in a browser, it is the origin of the page. */
  origin: string;
};

/** One page. Its URL is `/docs`, or below it. */
export type Leaf = {
  path: string;
  title: Sentence;
  body: (locale: Locale) => Html;
  /** Whether it has no content of its own and search engines should skip it: search results, a missing page. */
  isPassing?: boolean;
};

export const HOME = "/docs";
export const SEARCH = "/docs/search";
export const RULES = "/docs/conventions";
export const EVENTS = "/docs/events";
export const FAILURES = "/docs/failures";

export const titles = {
  [RULES]: { fr: "Règles communes", en: "Common rules" },
  [EVENTS]: { fr: "Événements des webhooks", en: "Webhook events" },
  [FAILURES]: { fr: "Échecs d’un message", en: "Failures of a message" },
} as const;

export const groups = {
  guides: { fr: "Guides", en: "Guides" },
  own: { fr: "Pour votre application", en: "For your application" },
  service: { fr: "Exploitation du service", en: "Running the service" },
} as const;

export function pathOfPart({ slug }: Part): string {
  return `/docs/${slug}`;
}

export function pathOfGuide({ name }: Pick<Guide, "name">): string {
  return `/docs/guide/${name}`;
}

/** Returns the URL of an error code: its row in the guide on errors. */
export function pathOfCode(code: string): string {
  return `/docs/guide/errors#${code}`;
}
