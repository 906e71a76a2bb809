// Written dates, whose digits could be taken for a phone.

const DAY = "(?:0?[1-9]|[12][0-9]|3[01])";
const MONTH = "(?:0?[1-9]|1[0-2])";
const YEAR = "(?:19|20)[0-9]{2}";
const SIGN = "[-/.]";
const TIME = "(?:[ T][0-9]{1,2}:[0-9]{2}.*)?";
const DATE = new RegExp(
  `^(?:${YEAR}${SIGN}${MONTH}${SIGN}${DAY}|${DAY}${SIGN}${MONTH}${SIGN}${YEAR}|${MONTH}${SIGN}${DAY}${SIGN}${YEAR})${TIME}$`,
);

/** Whether a text is a day of the 20th or 21st century with separators, and so no phone: `12/05/1990`, `1990-05-12`. */
export function isWrittenDate(text: string): boolean {
  return DATE.test(text);
}
