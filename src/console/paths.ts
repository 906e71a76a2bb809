// Addresses that come from outside: where a sign-in or a change of language leads back to.

/** An address of ours: one with a host, or one that browsers read as such, leads home. */
export function ownPath(given: string): string {
  return /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(given) ? given : "/";
}
