// Numbers as people type them.

/** Returns a whole number, typed with or without thousands separators; undefined for an empty text. */
export function wholeNumber(text: string): number | undefined | "wrong" {
  const given = text.trim();
  if (given === "") return undefined;
  const isWhole = /^\d{1,12}$|^\d{1,3}([\s.,’']\d{3}){1,3}$/.test(given);
  return isWhole ? Number(given.replace(/\D/g, "")) : "wrong";
}
