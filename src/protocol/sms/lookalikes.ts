// Characters that look alike: compares names by their appearance, whatever characters they are written with.

// Left: characters; right: the capital as which each is read. Accents and the forms that Unicode itself decomposes
// (fullwidth, mathematical, enclosed) need no row.
const CAPITALS = new Map(
  (
    [
      ["0ОоΟοσÓօଠ߀ꓳØøƆɔθΘ", "O"],
      ["1|!¡lIІіΙιӀӏıƖɩꓲ߁", "I"],
      ["Ll", "I"],
      ["3ЕеΕεƐɛЄєЗз€ꓰ", "E"],
      ["4@АаΑαΆɑꓮ", "A"],
      ["5$ЅѕꓢƧ§", "S"],
      ["7ТтΤτꓔ", "T"],
      ["8ВвΒβßƁɓꓐь", "B"],
      ["6GɡԌԍꓖցƓɠ", "G"],
      ["СсϹϲꓚ¢©", "C"],
      ["ԀԁƊɗĐđɖƉꓓ", "D"],
      ["НнΗһҺհꓧ", "H"],
      ["ЈјꓙɈ", "J"],
      ["КкΚκƘƙꓗ", "K"],
      ["МмΜꓟ", "M"],
      ["ΝŊŋƝɲПпηոꓠ", "N"],
      ["РрΡρꓑ", "P"],
      ["ԚԛԳգ", "Q"],
      ["ГгЯя®ꓣ", "R"],
      ["Սսυμꓴʋ", "U"],
      ["νѴѵꓦ", "V"],
      ["ԜԝШшωѡѠꓪ", "W"],
      ["ХхΧχꓫ×", "X"],
      ["УуҮүΥγƳƴꓬ¥", "Y"],
      ["2ΖζꓜƵƶ", "Z"],
    ] as const
  ).flatMap(([characters, capital]) => [...characters].map((character) => [character, capital] as const)),
);

// Boxed and circled letters that Unicode does not decompose: each block has A to Z in order.
const BOXED = [0x1f150, 0x1f170, 0x1f1e6];
const LETTERS = 26;

function capitalOf(character: string): string {
  const known = CAPITALS.get(character);
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  const block = BOXED.find((first) => code >= first && code < first + LETTERS);
  return block === undefined ? character.toUpperCase() : capitalOf(String.fromCodePoint(code - block + 0x41));
}

/**
 * Returns how a text looks on a handset: capitals without accents, with one spelling for lookalikes (0 and O; 1, I and
 * L; Latin, Greek and Cyrillic A). Other characters stay.
 */
export function looksOf(text: string): string {
  return [...text.normalize("NFKD").replace(/\p{M}/gu, "")].map(capitalOf).join("");
}

const NO_LETTER = /[^\p{L}\p{N}]/gu;

/**
 * Returns a form that is equal for names that people confuse: their appearance, without spaces, punctuation and
 * accents, with pairs of letters that look like one letter replaced by it (rn is read as m, vv as w).
 */
export function skeletonOf(name: string): string {
  return looksOf(name).replace(NO_LETTER, "").replace(/RN/g, "M").replace(/VV/g, "W");
}
