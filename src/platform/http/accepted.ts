// The language that a request accepts, from its `Accept-Language` header.
import type { IncomingHttpHeaders } from "node:http";
import type { Language } from "./refusals.ts";

// RFC 9110, 12.5.4: ranges with weights. Among equal weights the first counts.
const RANGE = /^\s*([a-z]{1,8})(?:-[a-z0-9-]+)?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i;
const RANGES_AT_MOST = 20;

/** Returns which of our languages `Accept-Language` prefers; undefined if it names neither. */
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
