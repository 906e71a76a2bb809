// Privacy: the rights of a person or a company over their data, such as erasure.
export { emptySome } from "./closing.ts";
export { addExports } from "./download.ts";
export { eraseSome, forgetErasures } from "./erasures.ts";
export { sealedParts, sealedTokens as sealedLinks } from "./exports.sql.ts";
export { forgetExports, writeExports, writeSheets } from "./exports.ts";
export { sealedPhones } from "./sql.ts";
