// Checks URLs from outside that a sign-in or a change of language redirects to.

// It is stored in the cookie of a sign-in, which has 4 KB.
const PATH_AT_MOST = 1_500;

/** Returns a path of this service; `/` for one with a host, one that browsers read as such, or one that is too long. */
export function ownPath(given: string): string {
  if (given.length > PATH_AT_MOST) return "/";
  return /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given) ? given : "/";
}
