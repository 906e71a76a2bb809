// The language that a request accepts, as browsers and HTTP clients state it.
import type { IncomingHttpHeaders } from "node:http";
import type { Language } from "./refusals.ts";

// RFC 9110, 12.5.4: ranges with weights. Of equal ones the first counts.
const RANGE = /^\s*([a-z]{1,8})(?:-[a-z0-9-]+)?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i;
const RANGES_AT_MOST = 20;

/** The language that `Accept-Language` prefers among ours; undefined if it names none of them. */
export function acceptedLanguage(headers: IncomingHttpHeaders): Language | undefined {
  const header = headers["accept-language"];
  if (header === undefined) return undefined;
  let best: { language: Language | undefined; weight: number } = { language: undefined, weight: 0 };
  for (const range of header.split(",", RANGES_AT_MOST)) {
    const [, tag, weight = "1"] = RANGE.exec(range) ?? [];
    const language = tag?.toLowerCase();
    if ((language === "fr" || language === "en") && Number(weight) > best.weight)
      best = { language, weight: Number(weight) };
  }
  return best.language;
}
