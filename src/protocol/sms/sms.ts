// The public interface of this folder: encodings, segments, phones, personalisation, the tariff; all pure functions.
export { brandFinder, isReserved } from "./brands.ts";
export { plainValue, savedByVisible, unicodeCulprits } from "./culprits.ts";
export { isWrittenDate } from "./dates.ts";
export {
  composed,
  decodeGsm7,
  decodeUcs2,
  type Encoding,
  GSM7_CHARACTERS,
} from "./encoding.ts";
export { averageSegments, culpritsOfNames, plainTexts, savingOf } from "./estimate.ts";
export { looksOf, skeletonOf } from "./lookalikes.ts";
export { variableMeantBy } from "./meant.ts";
export {
  compileTemplate,
  doubtfulFallbacks,
  fieldsMaybeIn,
  isFieldName,
  lacks,
  strayWords,
  type Template,
  VARIABLE_NAMES,
} from "./personalise.ts";
export {
  countryOf,
  ERASED_PHONE,
  foreignCodeOf,
  isSamePhone,
  maskPhone,
  NO_PHONE,
  normalisePhone,
  phoneEnd,
  phoneStarts,
  requirePhone,
} from "./phone.ts";
export { warningOfPhone } from "./phonewarnings.ts";
export { callingCodeOf, countryOfCode, isAssignable } from "./plans.ts";
export { modernise, oldNumberIn } from "./renumbering.ts";
export { segmentsOf, splitText } from "./segments.ts";
export { addressOf, isSenderName, nameIn } from "./sendernames.ts";
export { countryOfPrefixes, hasNumberingPlan, phoneOfSource } from "./sources.ts";
export { STATUS_WORDS } from "./statuses.ts";
export { priceOf } from "./tariff.ts";
