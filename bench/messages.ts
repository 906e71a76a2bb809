// What both sides send: the same text, from the same sender, to the same kind of phones.

export const SENDER = "TEST";
export const TEXT = "Votre commande est en route. Merci de votre confiance.";

/** The n-th phone, for n below 10 million: 13 digits, and a last one that none of the simulator's special numbers has. */
export function phoneOf(n: number): string {
  return `22507${String(n).padStart(7, "0")}9`;
}
