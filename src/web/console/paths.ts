// Addresses that come from outside: where a sign-in or a change of language leads back to.

// It stands in the cookie of a sign-in, which has 4 KB.
const PATH_AT_MOST = 1_500;

/** An address of ours: one with a host, or one that browsers read as such, leads home; one that is too long as well. */
export function ownPath(given: string): string {
  if (given.length > PATH_AT_MOST) return "/";
  return /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given) ? given : "/";
}
