// Both sides send these: the same text, from the same sender, to the same kind of phones.

export const SENDER = "TEST";
export const TEXT = "Votre commande est en route. Merci de votre confiance.";

/** The n-th phone, for n below 10 million: 13 digits. It ends in 9, as no special number of the simulator does. */
export function phoneOf(n: number): string {
  return `22507${String(n).padStart(7, "0")}9`;
}
