// Markers: the codes in messages to test handsets, by which a message is known again.
import { newOtpCode } from "../otp/codes.ts";

const BEGINNING = "AT";
const CHARACTERS = 6;
const MARKER = /\bAT[2-9A-HJKMNP-Z]{6}\b/g;
/** A message has one; more are not searched for. */
const MARKERS_AT_MOST = 5;

/** Returns a new marker: 30 random bits, without characters that look alike. */
export function newMarker(): string {
  return BEGINNING + newOtpCode("ALPHA_NUMERIC", CHARACTERS);
}

/** Returns what may be markers in a text, in any case. */
export function markersIn(text: string): string[] {
  return (text.toUpperCase().match(MARKER) ?? []).slice(0, MARKERS_AT_MOST);
}
