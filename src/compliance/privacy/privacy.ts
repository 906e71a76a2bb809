// Privacy: what a person or a company may ask of their data: to be erased.
export { emptySome } from "./closing.ts";
export { addExports } from "./download.ts";
export { eraseSome, forgetErasures } from "./erasures.ts";
export { sealedParts, sealedTokens as sealedLinks } from "./exports.sql.ts";
export { forgetExports, writeExports, writeSheets } from "./exports.ts";
export { sealedPhones } from "./sql.ts";
