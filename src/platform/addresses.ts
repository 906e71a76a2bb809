// Addresses (URLs) that others give us, and how they are shown: without the values of their query, which may be secrets.

/** Characters of an address, at most. */
export const URL_CHARACTERS_AT_MOST = 2_048;

/** Stands for each value of a query that is not shown. */
export const MASK = "••••";

/** An address and what follows its path, from the `?` or `#` on. */
export function parted(address: string): [base: string, query: string] {
  const at = address.search(/[?#]/);
  return at < 0 ? [address, ""] : [address.slice(0, at), address.slice(at)];
}

/**
 * An address with the values of its query masked: `https://host/path?token=••••`; with the whole query masked where the
 * address would be too long to be given back.
 */
export function maskedAddress(address: string): string {
  const [base, query] = parted(address);
  // What has no value after its name is a value itself, as the Base64 of a token.
  const masked = query.replaceAll(/([?&#])([^&#=]*=)?([^&#]*)/g, (_, mark, name = "", value) =>
    /[^=]/.test(value) ? `${mark}${name}${MASK}` : `${mark}${MASK}`,
  );
  const isShort = base.length + masked.length <= URL_CHARACTERS_AT_MOST;
  return isShort ? base + masked : `${base}?${MASK}`;
}
