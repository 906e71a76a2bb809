// URLs from outside, and how they are shown: without the values of their query, which may be secrets.

/** The maximum length of a URL, in characters. */
export const URL_CHARACTERS_AT_MOST = 2_048;

/** Returns the host of a URL for a connection: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** Returns the server of an `http:` or `https:` URL, with the usual port of its scheme if it names none. */
export function serverOf(url: URL): { host: string; port: number; isTls: boolean } {
  const isTls = url.protocol === "https:";
  return { host: hostOf(url), port: Number(url.port) || (isTls ? 443 : 80), isTls };
}

/** Replaces each masked value of a query. */
export const MASK = "••••";

/** Splits a URL before its query or fragment, at the `?` or `#`. */
export function parted(address: string): [base: string, query: string] {
  const at = address.search(/[?#]/);
  return at < 0 ? [address, ""] : [address.slice(0, at), address.slice(at)];
}

/**
 * Returns a URL with the values of its query masked: `https://host/path?token=••••`. The whole query is masked if the
 * result would be too long.
 */
export function maskedAddress(address: string): string {
  const [base, query] = parted(address);
  // A name without a value may be a secret itself, such as a token in Base64.
  const masked = query.replaceAll(/([?&#])([^&#=]*=)?([^&#]*)/g, (_, mark, name = "", value) =>
    /[^=]/.test(value) ? `${mark}${name}${MASK}` : `${mark}${MASK}`,
  );
  const isShort = base.length + masked.length <= URL_CHARACTERS_AT_MOST;
  return isShort ? base + masked : `${base}?${MASK}`;
}
