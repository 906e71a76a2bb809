// Paths of the console: those of the administration, and checks of URLs from outside that a page redirects to.

/** Whether a path is one of the administration, which only administrators see. */
export function isOfAdministration(path: string): boolean {
  return /^\/admin(?![\w-])/.test(path);
}

// It is stored in the cookie of a sign-in, which has 4 KB.
const PATH_AT_MOST = 1_500;

/** Returns a path of this service; `/` for one with a host, one that browsers read as such, or one that is too long. */
export function ownPath(given: string): string {
  if (given.length > PATH_AT_MOST) return "/";
  return /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given) ? given : "/";
}
