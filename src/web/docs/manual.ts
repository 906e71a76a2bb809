// The manual: everything that the reference has to say, and the addresses of its pages.
import type { Html } from "../../platform/html.ts";
import type { Sentence } from "../../platform/refusals.ts";
import type { Hooks } from "./events.ts";
import type { Guide } from "./guides.ts";
import type { Locale } from "./locale.ts";
import type { Part } from "./operations.ts";

export type Manual = {
  parts: readonly Part[];
  guides: readonly Guide[];
  hooks: Hooks;
  /** Where examples go; in a browser they go where the page came from. */
  origin: string;
};

/** One page. Its address is `/docs`, or below it. */
export type Leaf = {
  path: string;
  title: Sentence;
  body: (locale: Locale) => Html;
  /** Whether it says nothing by itself, so that robots leave it out: a search, a page that is not there. */
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

/** The address of an error code: its row in the guide on errors. */
export function pathOfCode(code: string): string {
  return `/docs/guide/errors#${code}`;
}
