// Both sides send these: the same text, from the same sender, to the same kind of phones.

export const SENDER = "TEST";
export const TEXT = "Votre commande est en route. Merci de votre confiance.";

/** How many phones there are. */
export const PHONES = 10_000_000;

/** The n-th phone, for n below `PHONES`: 13 digits. It ends in 9, as no special number of the simulator does. */
export function phoneOf(n: number): string {
  return `22507${String(n).padStart(7, "0")}9`;
}

/** The prefix of phones that get one-time passwords. All others are 22507…. */
export const CODE_PREFIX = "22505";

/**
 * The phone of the n-th one-time password, for n below 1 million. The guard counts codes by number without its last 4
 * digits, so each code has a block of its own.
 */
export function codePhoneOf(n: number): string {
  return `${CODE_PREFIX}${String(n).padStart(6, "0")}5559`;
}
