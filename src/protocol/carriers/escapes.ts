// How a value is written in each place of a request, so that it stays a value there.

/** Leaves a value as it is, except for halves of surrogate pairs, which are no characters. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

const DOTS_ONLY = /^\.+$/;

/** For a path or a query (RFC 3986, 2.1). A value of only dots would otherwise move in the path (RFC 3986, 5.2.4). */
export function urlPart(text: string): string {
  if (DOTS_ONLY.test(text)) return text.replaceAll(".", "%252E");
  return encodeURIComponent(text.toWellFormed());
}

/** For a parameter of a query or a form. */
export function parameter(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that a header may not have
const CONTROLS = /[\u0000-\u001f\u007f]/g;
const ASCII = /^[\u0020-\u007e]*$/;

/**
 * For the value of a header (RFC 9110, 5.5): controls, line ends included, become spaces, and other characters than
 * ASCII become the octets of UTF-8.
 */
export function headerValue(text: string): string {
  if (ASCII.test(text)) return text;
  return Buffer.from(text.replace(CONTROLS, " "), "utf8").toString("latin1");
}

/** For the inside of a JSON string. */
export function jsonText(text: string): string {
  return JSON.stringify(text.toWellFormed()).slice(1, -1);
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\r": "&#13;",
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 (2.2) has no character for these
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** For the content or an attribute of XML. Characters that XML cannot express become spaces. */
export function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(NO_XML, " ")
    .replace(/[&<>"'\r]/g, (character) => XML_ENTITIES[character] ?? character);
}
